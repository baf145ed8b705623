"""loadproof's own messages: a finding, or an exception of `loadproof.runtime`, carries the code of its cause."""

from __future__ import annotations

from loadproof.tracebacks.base import Cause, Entry, Example, because
from loadproof.tracebacks.knowledge.causes import CAUSES


def _named(cause: Cause) -> Entry:
    """The entry of one code; the weight of its longer patterns puts it before what the rest of the text resembles."""
    code = f"[{cause.code}]"
    live = (f"{code} <name> must be 2-D [rows, columns]",) if code.startswith("[LP9") else ()
    return Entry(
        (*live, f"{code} {cause.slug}", code),
        (because(cause.key, "likely"),),
        (Example(f"error{code} {cause.slug}: what was found", cause.key),),
    )


_FIRST: dict[str, Cause] = {}
for _cause in CAUSES.values():
    _FIRST.setdefault(_cause.code, _cause)

ENTRIES: tuple[Entry, ...] = (
    *map(_named, _FIRST.values()),
    Entry(
        (
            "the plan says <linear|full> attention for layer(s)",
            "no mixer is stored for layer(s)",
            "is not in the checkpoint and no default was named",
        ),
        (because("layer-plan", "likely"),),
        (
            Example(
                "LayerPlanError: the plan says linear attention for layer(s) 20, the checkpoint stores self_attn there",
                "layer-plan",
            ),
        ),
    ),
    Entry(
        ("does not fit this model; nothing was copied",),
        (because("wrong-class", "possible"), because("shape-mismatch", "possible")),
        (Example("LoadError: /m does not fit this model; nothing was copied.", "wrong-class"),),
        phase="load",
        defers=True,
    ),
)
