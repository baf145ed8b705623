"""Candidates against a checked checkpoint: which is confirmed, which is refuted, and by what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from loadproof.core.case import Report
from loadproof.core.edits import Fix
from loadproof.core.findings import Evidence, Finding, HowToTell, Note
from loadproof.core.places import about
from loadproof.core.severity import Confidence
from loadproof.core.symptom import Symptom
from loadproof.tracebacks.base import Cause
from loadproof.tracebacks.decide import Decision, decide
from loadproof.tracebacks.knowledge.codes import codes
from loadproof.tracebacks.names import related


def weigh(symptom: Symptom, causes: tuple[Cause, ...], report: Report) -> tuple[Finding, ...]:
    """The causes as findings, decided by a report of the checkpoint: confirmed ones first, refuted ones left out.

    A cause is confirmed when a rule found the same fault in the checkpoint (its evidence and repairs are kept), refuted
    when the check could have found it and did not, or when a stored fact contradicts it. Faults that the text
    did not suggest follow; when nothing is left, the checkpoint is not to blame and that is the finding.
    """
    used: set[int] = set()
    decided: list[tuple[int, Finding]] = []
    for cause in causes:
        decided += _weigh_one(symptom, cause, report, used)
    unasked = [(2, _unasked(report.findings[at])) for at in _faults(report) if at not in used]
    clean = not unasked and not report.unexplained and report.verdict in ("loads", "inconclusive")
    if clean and not any(place < 2 or _blames_elsewhere(finding) for place, finding in decided):
        decided.append((1, _not_the_files(symptom, report)))
    findings = sorted([*decided, *unasked], key=lambda pair: pair[0])
    settled = any(place == 0 for place, _ in findings)
    left = list(_one_engine_entry(finding for place, finding in findings if not (settled and place == 3)))
    return tuple(left) if len(left) != 1 else (_last_one(left[0], report),)


def _last_one(finding: Finding, report: Report) -> Finding:
    """The only cause that is left gains, where it blames the engine and the files are healthy."""
    gains = finding.confidence == "possible" and _blames_elsewhere(finding) and report.verdict == "loads"
    return replace(finding, confidence="likely") if gains else finding


def _blames_elsewhere(finding: Finding) -> bool:
    """Whether a finding says of itself that the files are not at fault (see `as_finding`)."""
    return finding.severity == "warning" and finding.code != "LP701"


def _one_engine_entry(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The best of the stories that clear the files; further ones push causes that a check can decide off the screen."""
    told = False
    for finding in findings:
        engine = finding.code == "LP704"
        if not (engine and told):
            yield finding
        told = told or engine


def unweighed(symptom: Symptom, causes: tuple[Cause, ...]) -> tuple[Finding, ...]:
    """The causes as findings when there is no checkpoint to ask."""
    return tuple(_one_engine_entry(as_finding(symptom, cause) for cause in causes))


def as_finding(
    symptom: Symptom, cause: Cause, confidence: Confidence | None = None, evidence: tuple[Evidence, ...] = ()
) -> Finding:
    """A cause in the report's own form; with what would confirm or refute it, and the next step."""
    why = cause.because[0] if cause.because and cause.because[0] not in symptom.lines[:1] else symptom.message
    said = (
        Evidence(about("load report"), why[6:240])
        if why.startswith("rows: ")
        else Evidence(about("error text"), _line(why))
    )
    return Finding(
        code=cause.code,
        slug=cause.slug,
        severity="error" if cause.blames == "checkpoint" else "warning",
        confidence=confidence or cause.confidence,
        headline=cause.headline,
        evidence=(said, *evidence),
        fixes=(Fix(cause.remedy, "manual"),),
        how_to_tell=HowToTell(cause.confirms, cause.refutes, cause.next, cause.see),
    )


def _line(text: str) -> str:
    return text.strip().split("\n")[0][:240]


def _weigh_one(symptom: Symptom, cause: Cause, report: Report, used: set[int]) -> Iterator[tuple[int, Finding]]:
    matches = list(_matching(cause, report))
    if matches and (cause.blames == "checkpoint" or report.findings[matches[0]].code == cause.code):
        fresh = [at for at in matches if at not in used]
        used.update(fresh)
        yield from ((0, _confirmed(symptom, cause, report.findings[at])) for at in fresh)
        return
    decision = decide(cause, symptom, report)
    if decision.holds is False:
        return
    yield _place(cause, decision), as_finding(symptom, cause, _confidence(cause, decision), decision.evidence)


def _place(cause: Cause, decision: Decision) -> int:
    if decision.holds:
        return 0 if decision.certain else 1
    return 1 if cause.confidence != "possible" else 3


def _confidence(cause: Cause, decision: Decision) -> Confidence:
    if decision.holds:
        return "certain" if decision.certain else "likely"
    return cause.confidence if cause.blames != "checkpoint" else "possible"


def _matching(cause: Cause, report: Report) -> Iterator[int]:
    """Findings of the cause's own code first, then of its siblings."""
    kin = frozenset[str]().union(*(family for family in codes().kin if cause.code in family))
    yield from (at for at, finding in enumerate(report.findings) if finding.code == cause.code)
    yield from (
        at for at in _faults(report) if report.findings[at].code in kin and report.findings[at].code != cause.code
    )


def _faults(report: Report) -> list[int]:
    return [at for at, finding in enumerate(report.findings) if finding.severity in ("error", "warning")]


def _confirmed(symptom: Symptom, cause: Cause, finding: Finding) -> Finding:
    """A rule's own finding; `likely` as the cause of this text where the text rather speaks of a sibling fault."""
    said = Evidence(about("error text"), _line(symptom.message))
    exact = finding.code == cause.code
    notes = (
        ()
        if exact
        else (
            Note(
                "note",
                f"the text itself points at {cause.code} {cause.slug}; this is what the check found of that kind",
            ),
        )
    )
    sure = exact and cause.confidence != "possible"
    confidence = finding.confidence if sure or finding.confidence != "certain" else "likely"
    return replace(finding, evidence=(*finding.evidence, said), notes=(*finding.notes, *notes), confidence=confidence)


def _unasked(finding: Finding) -> Finding:
    return replace(
        finding,
        notes=(
            *finding.notes,
            Note("note", "the checkpoint has this fault, though the error text does not point at it"),
        ),
    )


def _not_the_files(symptom: Symptom, report: Report) -> Finding:
    engine = symptom.engine or "the engine"
    reader = f"{report.case.expectation.reader} {report.case.expectation.version}".strip()
    health = Evidence(about("check"), f"verdict {report.verdict} for {reader}, no fault found that leads to this text")
    tell = HowToTell(
        "the same run fails with another healthy checkpoint of this family",
        "another engine, or transformers itself, fails on these files as well",
        "loadproof check PATH -v",
    )
    return Finding(
        code="LP704",
        slug="engine-not-checkpoint",
        severity="warning",
        confidence="likely" if report.verdict == "loads" else "possible",
        headline=f"nothing in the files explains this error: {engine}, its release or its flags are the place to look",
        evidence=(Evidence(about("error text"), _line(symptom.message)), health, *_strangers(symptom, report)),
        fixes=(Fix(f"was this checkpoint loaded? if so, search {engine}'s issues or try another release", "manual"),),
        how_to_tell=tell,
    )


def _strangers(symptom: Symptom, report: Report) -> list[Evidence]:
    """The first name of the text, where no stored name has anything to do with it."""
    name = symptom.names[0] if symptom.names else ""
    if (
        not name
        or report.case.manifest.tensors == 0
        or any(related(name, f.template) for f in report.case.manifest.families)
    ):
        return []
    return [
        Evidence(
            about("check"), f"no stored name has to do with {name!r}: other files were loaded, or the engine made it up"
        )
    ]
