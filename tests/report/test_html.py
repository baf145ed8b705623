"""The HTML page as text: everything is quoted, whatever stands in names, and it stays small."""

from __future__ import annotations

import re
from base64 import b64encode
from collections import Counter
from hashlib import sha256
from html.parser import HTMLParser

import pytest
from msgspec.structs import replace

import loadproof
from loadproof.core.case import Report
from loadproof.core.checkpoint import FileInfo, Manifest
from loadproof.core.config import LayerPlan
from loadproof.core.outcome import Outcome, Row
from loadproof.core.results import Checks
from loadproof.core.tensors import Family
from loadproof.report.html.families import parts_of
from loadproof.report.html.squares import treemap
from loadproof.report.html.tags import element
from loadproof.report.registry import render
from tests.cli.process import EXAMPLES
from tests.report.build import PLAN_FINDING, report
from tests.report.hostile import many, reports
from tests.timing import at_most

TAGS = {
    "html",
    "head",
    "meta",
    "title",
    "style",
    "script",
    "body",
    "header",
    "a",
    "h1",
    "h2",
    "h3",
    "h4",
    "button",
    "main",
    "section",
    "div",
    "p",
    "span",
    "code",
    "b",
    "dl",
    "dt",
    "dd",
    "article",
    "pre",
    "details",
    "summary",
    "ul",
    "li",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "footer",
}
ATTRIBUTES = {
    "lang",
    "charset",
    "http-equiv",
    "content",
    "name",
    "href",
    "class",
    "id",
    "type",
    "aria-label",
    "aria-hidden",
    "aria-live",
    "role",
    "tabindex",
    "title",
    "style",
    "data-said",
    "scope",
    "open",
}


class Reader(HTMLParser):
    """Every tag and attribute as a browser sees them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: set[str] = set()
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes |= {name for name, _ in attributes}
        self.links += [value or "" for name, value in attributes if name in ("href", "src")]


def large() -> Report:
    """A report over 87 layers of 384 experts of which a part is missing, with a thousand further families."""
    axes = (tuple(range(87)), tuple(range(384)))
    names = ("gate_proj", "up_proj", "down_proj")
    families = [Family(f"model.layers.{{}}.mlp.experts.{{}}.{n}.weight", axes, "BF16", (1472, 4096)) for n in names]
    families += [Family(f"extra.part{n}.x", (), "BF16", (n + 1, 7)) for n in range(1_000)]
    files = tuple(FileInfo(f"model-{n:05d}-of-00160.safetensors", 10**9, "safetensors") for n in range(160))
    rows = tuple(
        Row("missing", f"model.layers.{{}}.mlp.experts.{{}}.{n}.weight", ((20,), axes[1]), (1472, 4096)) for n in names
    )
    rows += tuple(
        Row("unexpected", f"extra.part{n}.x", (), found=(n + 1, 7), stored=f"extra.part{n}.x") for n in range(900)
    )
    manifest = Manifest("safetensors-sharded", files, tuple(families), 101_010, 10**12)
    finding = replace(PLAN_FINDING, rows=rows, explains=2_000)
    return report(finding, manifest=manifest, outcome=Outcome(rows), unexplained=rows)


def test_only_tags_and_attributes_of_the_page_itself_are_in_it() -> None:
    for result in (*reports(200), many(40)):
        text = render(result, "html", status=1)
        read = Reader(text)
        assert set(read.tags) <= TAGS
        assert read.attributes <= ATTRIBUTES
        assert read.tags["script"] == read.tags["style"] == 1
        assert all(re.fullmatch(r"#\w+", link) for link in read.links)
        assert text.replace("\n", "").isprintable()
        assert not any(line.lstrip().startswith("::") for line in text.splitlines())


def test_the_policy_of_the_page_lets_its_own_script_run_and_nothing_else() -> None:
    text = render(report(PLAN_FINDING), "html")
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert "default-src &#39;none&#39;" in policy
    assert f"script-src &#39;sha256-{digest}&#39;" in policy


def test_a_large_checkpoint_makes_a_small_page_quickly() -> None:
    result = large()
    with at_most(seconds=5):  # a bound for a hang
        text = render(result, "html", status=1)
    assert len(text.encode()) < 1_000_000


def test_a_page_of_very_many_reports_stays_below_a_megabyte_and_says_what_it_left_out() -> None:
    one = large()
    checks = many(3)
    text = render(Checks(checks.targets + tuple(replace(checks.targets[0], report=one) for _ in range(60))), "html")
    assert len(text.encode()) < 1_000_000
    assert re.search(r"\d+ reports left out: the page would be too long", text)


def test_a_treemap_fills_its_area_and_keeps_the_proportions() -> None:
    weights = [50.0, 20, 10, 9, 5, 3, 2, 0.5, 0.5]
    placed = treemap(weights, 100, 50)
    assert sum(r.width * r.height for r in placed) == pytest.approx(5000)
    for weight, r in zip(weights, placed, strict=True):
        assert r.width * r.height == pytest.approx(weight * 50)
        assert -1e-9 <= r.left <= r.left + r.width <= 100 + 1e-6
        assert -1e-9 <= r.top <= r.top + r.height <= 50 + 1e-6
    for a in placed:
        for b in placed:
            wide = min(a.left + a.width, b.left + b.width) - max(a.left, b.left)
            high = min(a.top + a.height, b.top + b.height) - max(a.top, b.top)
            assert a is b or wide < 1e-6 or high < 1e-6


@pytest.mark.parametrize("weights", [[], [1.0], [1e-9] * 50, [1e12, 1e-6]])
def test_a_treemap_of_odd_weights(weights: list[float]) -> None:
    assert len(treemap(weights)) == len(weights)


@pytest.mark.parametrize("example", ["healthy", "layer-plan-mismatch", "head-flattened", "wrapper-prefix"])
def test_every_stored_tensor_has_exactly_one_fate(example: str) -> None:
    found = loadproof.check(EXAMPLES / example)
    parts = parts_of(found)
    stored = sum(part.names for part in parts if part.fate != "missing")
    assert stored == found.case.manifest.tensors
    assert sum(part.names for part in parts if part.fate == "missing") == sum(
        _names(row) for row in found.case.outcome.rows if row.kind == "missing"
    )


def _names(row: Row) -> int:
    number = 1
    for axis in row.axes:
        number *= len(axis)
    return number


def test_attributes_and_texts_are_quoted_once() -> None:
    made = element("p", "<b>&\"'", element("i", "x<"), class_='a"b', open=True, title=None)
    assert made == '<p class="a&quot;b" open>&lt;b&gt;&amp;&quot;&#39;<i>x&lt;</i></p>'


def test_only_layers_that_contradict_each_other_are_marked() -> None:
    sliding = LayerPlan(("sliding_attention", "full_attention"), "config")
    full = LayerPlan(("full_attention", "full_attention"), "tensors")
    text = render(report(config_plan=sliding, tensor_plan=full), "html")
    assert "config.json and the tensors agree" in text
    assert ' differs" title=' not in text
    marked = render(report(config_plan=sliding, tensor_plan=full, plan_differs=(0,)), "html")
    assert marked.count(' differs" title=') == 2
