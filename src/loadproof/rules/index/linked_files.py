"""LP115 linked-files: files of the checkpoint are links to files outside of it."""

from __future__ import annotations

import os
from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.findings import Evidence, Note
from loadproof.core.places import NOWHERE, Place
from loadproof.rules.base import Found, Rule

SHOWN = 3


def check(case: Case) -> Iterable[Found]:
    """One info for all of them: what was judged is what the links lead to."""
    linked = [info for info in case.inventory.files if info.link]
    if not linked:
        return
    folders = sorted({os.path.dirname(info.link) for info in linked})
    where = folders[0] if len(folders) == 1 else f"{len(folders)} folders"
    subject = f"{linked[0].path} is a link" if len(linked) == 1 else f"{len(linked)} files are links"
    headline = f"{subject} to {where} outside the checkpoint folder; what is judged is what lies there"
    evidence = [Evidence(Place(info.path), f"-> {info.link}") for info in linked[:SHOWN]]
    if len(linked) > SHOWN:
        evidence.append(Evidence(NOWHERE, f"and {len(linked) - SHOWN} more", "note"))
    notes = (
        Note(
            "note",
            "a repair never writes through a link: use fix --out DIR; "
            "--no-follow-links judges a stranger's folder without them",
        ),
    )
    yield Found(severity="info", confidence="certain", headline=headline, evidence=tuple(evidence), notes=notes)


RULE = Rule(
    code="LP115",
    slug="linked-files",
    group="index",
    title="Files of the checkpoint are links to files outside of it",
    check=check,
)
