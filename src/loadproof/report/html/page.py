"""The page around the reports: its head, the table of many checkpoints, and a size that it does not pass."""

from __future__ import annotations

import os
from base64 import b64encode
from functools import cache
from hashlib import sha256

from loadproof.core.case import Report
from loadproof.core.results import Checked
from loadproof.report.html.causes import Pages, causes_of
from loadproof.report.html.layers import layers_of
from loadproof.report.html.map import MOST_ROWS, tensors_of
from loadproof.report.html.tags import Markup, element, joined
from loadproof.report.targets import cause_of, tally_line, targets_of, verdict_of
from loadproof.report.words import plural, reader_name, size_text, verdict_text
from loadproof.version import __version__

MOST = 940_000  # bytes of the page
_MOST_LINES = 2_000  # checkpoints in the table
_TONES = {0: "good", 1: "error", 2: "error", 3: "warning"}
_ROWS_OF_MANY = 60

__all__ = ["Pages", "page", "targets_of"]


def page(targets: tuple[Checked, ...], pages: Pages) -> str:
    """The whole document. Reports that would make it too long are named in the table only."""
    head, foot = _head(targets), _foot()
    body = [_summary(targets)] if len(targets) != 1 else []
    room = MOST - sum(len(part.encode()) for part in (head, *body, foot))
    left_out = 0
    for number, target in enumerate(targets):
        part = _target(target, f"t{number}", len(targets), pages)
        if (room := room - len(part.encode())) < 0:
            left_out += 1
            continue
        body.append(part)
    if left_out:
        body.append(element("p", f"{plural(left_out, 'report')} left out: the page would be too long.", class_="quiet"))
    main = element("main", *body, id="main")
    return f"<!doctype html>\n{element('html', head, element('body', _top(), main, foot), lang='en')}\n"


def _head(targets: tuple[Checked, ...]) -> Markup:
    script = _asset("script.js")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return element(
        "head",
        Markup('<meta charset="utf-8">'),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", f"loadproof: {_title(targets)}"),
        Markup(f"<style>{_asset('style.css')}</style>"),
        Markup(f"<script>{script}</script>"),
    )


@cache
def _asset(name: str) -> str:
    """A file beside this one."""
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()


def _title(targets: tuple[Checked, ...]) -> str:
    return verdict_of(targets[0]) if len(targets) == 1 else tally_line(targets)


def _top() -> Markup:
    return element(
        "header",
        element("a", "Skip to the report", href="#main", class_="skip"),
        element("h1", "loadproof"),
        element("button", "Dark or light", type="button", id="theme"),
    )


def _summary(targets: tuple[Checked, ...]) -> Markup:
    head = element("tr", *(element("th", text, scope="col") for text in ("verdict", "checkpoint", "cause")))
    rows = [
        element(
            "tr",
            element("td", element("span", verdict_of(target), class_=f"tag {_TONES[target.status]}")),
            element("td", element("a", target.location, href=f"#t{number}")),
            element("td", cause_of(target)),
        )
        for number, target in enumerate(targets[:_MOST_LINES])
    ]
    table = element("table", element("thead", head), element("tbody", rows))
    return element("section", element("h2", tally_line(targets)), element("div", table, class_="wide", tabindex="0"))


def _target(target: Checked, place: str, number: int, pages: Pages) -> Markup:
    """One report; of many, those in order are folded."""
    body = _verdict(target)
    if target.report is not None:
        rows = MOST_ROWS if number == 1 else _ROWS_OF_MANY
        sections = (causes_of(target.report, pages), layers_of(target.report), tensors_of(target.report, place, rows))
        body = joined(body, *sections, _coverage(target.report))
    if number == 1:
        return element("div", body, id=place, class_="target")
    summary = element(
        "summary", element("span", verdict_of(target), class_=f"tag {_TONES[target.status]}"), f" {target.location}"
    )
    return element("details", summary, body, id=place, class_="target", open=target.status != 0)


def _verdict(target: Checked) -> Markup:
    tag = element("span", verdict_of(target), class_=f"tag {_TONES[target.status]}")
    said = target.error if target.report is None else verdict_text(target.report)
    return element(
        "section",
        element("h2", tag, f" {said}" if said else ""),
        element("p", element("code", target.location)),
        element("p", _against(target.report), class_="quiet") if target.report is not None else "",
        class_=f"verdict {_TONES[target.status]}",
    )


def _against(report: Report) -> str:
    manifest, expectation = report.case.manifest, report.case.expectation
    text = f"{plural(manifest.tensors, 'tensor')} in {plural(len(manifest.files), 'file')}"
    text += f" ({size_text(manifest.bytes)})" if manifest.bytes else ""
    return f"{text} against {expectation.class_name} of {reader_name(report)}" if expectation.class_name else text


def _coverage(report: Report) -> Markup:
    if not report.skipped:
        return Markup("")
    items = [element("li", f"{skip.what}: {skip.why}") for skip in report.skipped[:60]]
    if len(report.skipped) > len(items):
        items.append(element("li", f"... and {len(report.skipped) - len(items):,} more"))
    return element("section", element("details", element("summary", "What was not checked"), element("ul", items)))


def _foot() -> Markup:
    return element(
        "footer", element("p", f"Written by loadproof {__version__}. This page loads nothing and sends nothing.")
    )
