"""What PEFT puts into the names of the model that it wraps."""

from __future__ import annotations

import re

from loadproof.lexicon import adapters

ADAPTER, BASE = re.compile(adapters.ADAPTER), re.compile(adapters.WRAPPED_BASE)
_OUTER = re.compile(adapters.OUTER)


def unwrapped(template: str, inner: tuple[str, ...] = ()) -> str:
    """The name in the model that was wrapped. `inner`: how names begin that stand in a layer of mlx_lm."""
    start = next((start for start in inner if template.startswith(start)), None)
    if start is not None:
        template = start.removesuffix("linear.") + template.removeprefix(start)
    return BASE.sub("", _OUTER.sub("", template))
