"""The findings: each with its evidence, what it explains, and the command that fixes it."""

from __future__ import annotations

from collections.abc import Mapping

from loadproof.core.case import Report
from loadproof.core.edits import Fix
from loadproof.core.findings import Finding
from loadproof.core.pages import CausesPage, RulePage
from loadproof.report.commands import fix_command
from loadproof.report.escape import clean
from loadproof.report.html.tags import Markup, element, prose
from loadproof.report.words import plural, row_text, tally_text, total

MOST_FINDINGS, MOST_EVIDENCE, MOST_ROWS = 40, 12, 40
Pages = Mapping[str, RulePage | CausesPage]


def causes_of(report: Report, pages: Pages) -> Markup:
    """The section, empty where nothing was found."""
    cards = [_card(finding, report, pages.get(finding.code)) for finding in report.findings[:MOST_FINDINGS]]
    if hidden := len(report.findings) - MOST_FINDINGS:
        cards += [element("p", f"... and {plural(hidden, 'more finding')}", class_="quiet")] if hidden > 0 else []
    cards += [_unexplained(report)] if report.unexplained else []
    cards += [_accepted(report)] if report.accepted else []
    return element("section", element("h3", "Causes and fixes"), *cards) if cards else Markup("")


def _card(finding: Finding, report: Report, page: RulePage | CausesPage | None) -> Markup:
    tag = element("span", finding.severity, class_=f"tag {finding.severity}")
    return element(
        "article",
        element("h4", tag, f" {finding.code} {finding.slug}"),
        element("p", finding.headline, class_="headline"),
        _evidence(finding),
        _notes(finding, report),
        *(_fix(fix, finding, report) for fix in finding.fixes),
        _page(page),
        class_=f"card {finding.severity}",
    )


def _evidence(finding: Finding) -> Markup:
    shown = [item for item in finding.evidence if item.label != "layers"]
    items = [
        element("div", element("dt", element("code", str(item.where))), element("dd", item.text))
        for item in shown[:MOST_EVIDENCE]
    ]
    if len(shown) > MOST_EVIDENCE:
        items.append(element("div", element("dt", ""), element("dd", f"... and {len(shown) - MOST_EVIDENCE:,} more")))
    return element("dl", items) if items else Markup("")


def _notes(finding: Finding, report: Report) -> Markup:
    said = [f"{note.label}: {note.text}" for note in finding.notes]
    reported = total(report.case.outcome.rows)
    if finding.explains and reported:
        kinds = f" ({tally_text(finding.rows)})" if finding.rows else ""
        said.append(f"explains {finding.explains:,} of {plural(reported, 'row')}{kinds}")
    return element("p", "; ".join([*said, f"confidence {finding.confidence}"]), class_="quiet")


def _fix(fix: Fix, finding: Finding, report: Report) -> Markup:
    loss = f" (loses {fix.loss})" if fix.loss else ""
    words = element("p", element("b", f"Fix, {fix.safety}: "), fix.title + loss)
    if not fix.edits:
        return element("div", words, class_="fix")
    return element("div", words, _copied(fix_command(report, finding, fix)), class_="fix")


def _copied(command: str) -> Markup:
    button = element("button", "Copy", type="button", class_="copy", aria_label=f"Copy the command {command}")
    return element("div", element("pre", element("code", command), tabindex="0"), button, class_="command")


def _page(page: RulePage | CausesPage | None) -> Markup:
    if not isinstance(page, RulePage):
        return Markup("")
    texts = [prose(paragraph) for text in (page.finds, page.why, page.fix) for paragraph in text.split("\n\n")]
    return element("details", element("summary", f"What {page.code} means"), *(element("p", text) for text in texts))


def _unexplained(report: Report) -> Markup:
    rows = [
        element("li", element("code", clean(row_text(row), 400)), f" {row.kind}")
        for row in report.unexplained[:MOST_ROWS]
    ]
    if hidden := len(report.unexplained) - MOST_ROWS:
        rows += [element("li", f"... and {hidden:,} more families")] if hidden > 0 else []
    head = element("h4", element("span", "unexplained", class_="tag warning"), f" {tally_text(report.unexplained)}")
    return element("article", head, element("p", "No known cause fits."), element("ul", rows), class_="card warning")


def _accepted(report: Report) -> Markup:
    items = [
        element("li", f"{one.finding.code} {one.finding.slug} ({one.reason}): {one.finding.headline}")
        for one in report.accepted[:MOST_FINDINGS]
    ]
    return element(
        "details", element("summary", f"{plural(len(report.accepted), 'accepted finding')}"), element("ul", items)
    )
