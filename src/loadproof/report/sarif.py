"""SARIF 2.1.0, for code scanning: one run, a rule for each code that occurs, a result for each fault."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from loadproof.core.case import Report
from loadproof.core.fingerprints import fingerprint
from loadproof.core.pages import CausesPage, RulePage
from loadproof.core.results import Checks
from loadproof.report.as_json import rendered
from loadproof.report.escape import LONG, clean
from loadproof.report.issues import Issue, accepted_of, issues_of, shown_path
from loadproof.report.quoting import escaped
from loadproof.report.targets import targets_of
from loadproof.version import __version__

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_ROOT = "SRCROOT"
_ROOT_IS = "the root of the repository, or the folder in which loadproof was started"
Pages = Mapping[str, RulePage | CausesPage]


def render_sarif(result: Report | Checks, *, status: int = 0, pages: Pages | None = None, **_: object) -> str:
    """The log as JSON. `pages`: what is known of the codes that occur, as help for those who read the results."""
    targets = targets_of(result, status)
    issues = [issue for target in targets for issue in (*issues_of(target), *accepted_of(target))]
    codes = list(dict.fromkeys((issue.code, issue.slug) for issue in issues))
    places = {code: number for number, (code, _) in enumerate(codes)}
    run = {
        "tool": {"driver": _driver([_rule(code, slug, (pages or {}).get(code)) for code, slug in codes])},
        "invocations": [{"executionSuccessful": all(target.report is not None for target in targets)}],
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            _ROOT: {"description": {"text": "the root of the repository, or the folder in which loadproof was started"}}
        },
        "results": [_result(issue, places[issue.code]) for issue in issues],
    }
    return rendered({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _driver(rules: list[dict[str, Any]]) -> dict[str, Any]:
    return {"name": "loadproof", "version": __version__, "rules": rules}


def _rule(code: str, slug: str, page: RulePage | CausesPage | None) -> dict[str, Any]:
    """Pages are our own words, in Markdown."""
    rule: dict[str, Any] = {"id": code, "name": "".join(word.capitalize() for word in slug.split("-"))}
    if not isinstance(page, RulePage):
        return rule | {"shortDescription": {"text": slug.replace("-", " ")}}
    help_text = f"{page.finds}\n\n{page.why}\n\n{page.fix}"
    return rule | {
        "shortDescription": {"text": page.title},
        "fullDescription": {"text": page.finds},
        "help": {"text": help_text, "markdown": help_text},
    }


def _result(issue: Issue, rule: int) -> dict[str, Any]:
    found: dict[str, Any] = {
        "ruleId": issue.code,
        "ruleIndex": rule,
        "level": _LEVELS[issue.severity],
        "message": {"text": _message(issue)},
        "locations": [_location(issue)],
    }
    if issue.accepted:
        found["suppressions"] = [{"kind": "external", "status": "accepted", "justification": clean(issue.accepted)}]
    if issue.finding is not None:
        found["partialFingerprints"] = {"loadproof/v1": fingerprint(issue.finding)}
        found["properties"] = {"confidence": issue.finding.confidence, "checkpoint": clean(issue.target, LONG)}
    return found


def _message(issue: Issue) -> str:
    lines = [escaped(issue.text, "sarif")]
    if issue.finding is not None:
        lines += [escaped(f"{item.where}: {item.text}", "sarif") for item in issue.finding.evidence if not item.label]
        lines += [escaped(f"fix ({fix.safety}): {fix.title}", "sarif") for fix in issue.finding.fixes]
    return "\n".join(lines)


def _location(issue: Issue) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": _artifact(issue.path)}
    if issue.line is not None:
        physical["region"] = {"startLine": issue.line}
    tensors = [] if issue.finding is None else [item.where.tensor for item in issue.finding.evidence]
    names = [{"fullyQualifiedName": clean(name, LONG)} for name in dict.fromkeys(tensors) if name]
    return {"physicalLocation": physical} | ({"logicalLocations": names} if names else {})


def _artifact(path: str) -> dict[str, str]:
    """Below the working folder relative to it, as code scanning wants it; elsewhere whole."""
    shown = shown_path(path)
    if os.path.isabs(shown) or shown.startswith(os.pardir):
        return {"uri": f"file://{escaped(os.path.abspath(path), 'uri')}"}
    return {"uri": escaped(shown, "uri"), "uriBaseId": _ROOT}
