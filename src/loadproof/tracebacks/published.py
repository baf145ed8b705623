"""A published repository loads in some release: where its names do not fit, this release may be the one to blame."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from loadproof.core.symptom import Symptom
from loadproof.tracebacks.votes import Vote

_NESTING = "nesting-prefix"
_REPOSITORY = re.compile(
    r"(?!(?:out\w*|models?|ckpts?|checkpoints?|runs?|results?|data|tmp|home|mnt)/)\w[\w.-]{0,95}/\w[\w.-]{0,95}"
)


def suspect_release(votes: Iterable[Vote], symptom: Symptom) -> Iterator[Vote]:
    """The votes; names nested otherwise than the class nests them may be this release's own renaming."""
    published = _is_published(symptom)
    for cause, confidence, name, why in votes:
        if published and cause == _NESTING:
            yield "release-renaming", "possible", name, why
        yield cause, "possible" if published and cause == _NESTING else confidence, name, why


def _is_published(symptom: Symptom) -> bool:
    """Whether the report names a repository of the hub, and one part of the model alone does not fit."""
    parts = {name.partition(".")[0] for name in symptom.missing}
    return len(parts) == 1 and bool(_REPOSITORY.fullmatch(str(symptom.run.get("model", ""))))
