"""LP811 adapter-refused: PEFT raises, and nothing else here says why."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.findings import Evidence
from loadproof.core.places import source_line
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.adapters import load_of
from loadproof.rules.evidence.wording import row_evidence

_LONGEST = 160


def check(case: Case) -> Iterable[Found]:
    """The exception itself."""
    if not case.outcome.raises or not case.outcome.error:
        return
    said = " ".join(case.outcome.error.split())
    shown = said if len(said) <= _LONGEST else said[: _LONGEST - 3] + "..."
    at = load_of(case).error_at
    raised = (Evidence(source_line(at), "PEFT raises it here", "source"),) if at else ()
    yield Found(
        severity="error",
        confidence="certain",
        headline=f"PEFT refuses the adapter: {shown}",
        evidence=(*row_evidence(case.outcome.rows), *raised),
        rows=case.outcome.rows,
        fixes=(
            Fix("save it again from the training, or compare adapter_config.json with the run that made it", "manual"),
        ),
    )


RULE = Rule(
    code="LP811",
    slug="adapter-refused",
    group="adapters",
    title="PEFT refuses the adapter",
    check=check,
    last_resort=True,
)
