"""Every cause an error text may have: rule code, what confirms and refutes it, the command that tells, the remedy.

Placeholders filled from the symptom: ``{name}`` the name in the message, ``{layer}`` its layer, ``{disk}`` the name on
disk behind it, ``{shape}`` the sizes. ``PATH`` stands for the checkpoint.
"""

from __future__ import annotations

from loadproof.tracebacks.base import Cause
from loadproof.tracebacks.knowledge.causes import (
    adapters,
    configs,
    engines,
    files,
    live,
    names,
    plan,
    quantization,
    readers,
    shapes,
    vocabulary,
)

_GROUPS = (files, configs, vocabulary, plan, names, shapes, quantization, readers, engines, adapters, live)
CAUSES: dict[str, Cause] = {cause.key: cause for group in _GROUPS for cause in group.CAUSES}

__all__ = ["CAUSES"]
