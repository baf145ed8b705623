"""The page in a real browser: nothing fails, nothing is fetched, and it can be walked with the keyboard (`make browser`)."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import loadproof
from loadproof.api.pages import page as page_of
from loadproof.core.results import Checked, Checks
from loadproof.report.registry import render
from tests.cli.process import EXAMPLES
from tests.report.browser import PROGRAM, Page, browser
from tests.report.hostile import many, reports
from tests.report.test_html import large

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no Chromium here; make browser installs it")
PICTURES = os.environ.get("LOADPROOF_PICTURES")  # a folder to keep the screenshots in


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    report = loadproof.check(EXAMPLES / "layer-plan-mismatch")
    file = tmp_path_factory.mktemp("html") / "faulty.html"
    file.write_text(render(report, "html", status=1, pages={"LP301": page_of("LP301")}))
    return file


def focused(page: Page) -> str:
    return str(page.value("document.activeElement.className + '|' + document.activeElement.textContent"))


def test_it_opens_without_an_error_and_asks_for_nothing(page: Page, faulty: Path) -> None:
    page.open(faulty)
    assert page.errors == []
    assert page.requests == [faulty.as_uri()]


def test_hostile_names_run_nothing_and_load_nothing(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "hostile.html"
    for result in (many(12), *reports(12)):
        file.write_text(render(result, "html", status=1))
        page.open(file)
        assert page.errors == []
        assert page.requests == [file.as_uri()]
        assert page.value("document.querySelectorAll('script').length") == 1
        assert page.value("document.querySelectorAll('img,iframe,object,embed,link,form').length") == 0


def test_a_large_checkpoint_opens_within_a_second(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "large.html"
    file.write_text(render(large(), "html", status=1))
    started = time.perf_counter()
    page.open(file)
    assert time.perf_counter() - started < 1.0
    assert page.errors == []


def test_the_keyboard_reaches_everything_that_can_be_used(page: Page, faulty: Path) -> None:
    page.look(scheme="light", width=1100)
    page.open(faulty)
    page.press("Tab")
    assert focused(page).startswith("skip|")
    stops = []
    for _ in range(12):
        page.press("Tab")
        stops.append(focused(page))
    kinds = [stop.partition("|")[0] for stop in stops]
    for wanted in ("copy", "strips"):
        assert wanted in kinds, stops
    assert sum(kind.startswith("tile") for kind in kinds) == 1, "the map is one stop"
    assert any("What LP301 means" in stop for stop in stops)


def test_arrow_keys_walk_the_map_and_say_what_a_tile_is(page: Page, faulty: Path) -> None:
    page.open(faulty)
    page.value("document.querySelector('.tile').focus()")
    first = page.value("document.querySelector('.map + p').textContent")
    page.press("ArrowRight")
    second = page.value("document.querySelector('.map + p').textContent")
    assert first != second
    assert page.value("document.activeElement.title") == second
    page.press("End")
    assert page.value("document.activeElement === document.querySelector('.map').lastElementChild")
    assert page.value("document.querySelectorAll('.tile[tabindex=\"0\"]').length") == 1


def test_a_folded_part_opens_with_the_keyboard(page: Page, faulty: Path) -> None:
    page.open(faulty)
    page.value("document.querySelector('summary').focus()")
    page.press("Enter")
    assert page.value("document.querySelector('details').open")


def test_a_screen_reader_hears_the_verdict_the_cause_and_every_tile(page: Page, faulty: Path) -> None:
    page.open(faulty)
    names = page.names()
    headings = [name for role, name in names if role == "heading"]
    assert headings[0] == "loadproof"
    assert headings[1].startswith("loads-wrong 9 of 342 parameters stay random")
    assert any("LP301 layer-plan-mismatch" in name for name in headings)
    assert any(name.startswith("Layer plans. 24 layers; layer 20") for _, name in names)
    assert any(role == "button" and name.startswith("Copy the command loadproof fix") for role, name in names)
    assert any("missing" in name and "linear_attn.A_log" in name for role, name in names if role == "listitem")


def test_the_theme_follows_the_system_and_the_button(page: Page, faulty: Path) -> None:
    colour = "getComputedStyle(document.body).backgroundColor"
    page.look(scheme="light", width=1100)
    page.open(faulty)
    light = page.value(colour)
    page.look(scheme="dark", width=1100)
    dark = page.value(colour)
    assert light != dark
    page.value("document.getElementById('theme').click()")
    assert page.value(colour) == light


CONTRAST = """(() => {
  const rgb = text => text.match(/[\\d.]+/g).map(Number);
  const light = c => c.slice(0, 3).map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = node => { for (; node; node = node.parentElement) {
    const c = rgb(getComputedStyle(node).backgroundColor); if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
  let worst = [99, ''];
  for (const node of document.querySelectorAll('body *')) {
    if (![...node.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()) || !node.checkVisibility()) continue;
    const [a, b] = [light(rgb(getComputedStyle(node).color)), light(behind(node))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < worst[0]) worst = [ratio, node.outerHTML.slice(0, 200)];
  }
  return worst; })()"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_on_its_ground(page: Page, faulty: Path, scheme: str) -> None:
    page.look(scheme=scheme, width=1100)
    page.open(faulty)
    ratio, node = page.value(CONTRAST)
    assert ratio >= 4.5, node  # WCAG 2.2, 1.4.3


@pytest.mark.parametrize(("scheme", "width"), [("light", 1100), ("dark", 1100), ("light", 360)])
def test_nothing_is_cut_off_at_any_width(page: Page, faulty: Path, scheme: str, width: int) -> None:
    page.look(scheme=scheme, width=width)
    page.open(faulty)
    assert page.value("document.documentElement.scrollWidth") <= width
    picture = page.picture()
    assert len(picture) > 20_000
    if PICTURES:
        Path(PICTURES, f"{scheme}-{width}.png").write_bytes(picture)


def test_the_table_of_many_leads_to_a_folded_report(page: Page, tmp_path: Path) -> None:
    names = ("healthy", "layer-plan-mismatch")
    checks = Checks(tuple(Checked(n, loadproof.check(EXAMPLES / n), status=int(n != "healthy")) for n in names))
    file = tmp_path / "many.html"
    file.write_text(render(checks, "html"))
    page.look(scheme="light", width=1100)
    page.open(file)
    assert page.value("[...document.querySelectorAll('details.target')].map(d => d.open).join()") == "false,true"
    page.value("document.querySelector('a[href=\"#t0\"]').click()")
    page.value("new Promise(done => setTimeout(done, 100))")
    assert page.value("document.getElementById('t0').open")
    if PICTURES:
        Path(PICTURES, "many.png").write_bytes(page.picture())
