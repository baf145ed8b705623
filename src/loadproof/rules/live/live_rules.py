"""The LP9 rules, in order of rank: what is not there, what is a piece, what is packed, what has the wrong shape."""

from __future__ import annotations

from loadproof.rules.live import (
    head_not_2d,
    head_rows,
    local_shard,
    packed_parameter,
    placeholder_parameter,
    tie_broken,
)

LIVE_RULES = (
    placeholder_parameter.RULE,
    local_shard.RULE,
    packed_parameter.RULE,
    head_not_2d.RULE,
    head_rows.RULE,
    tie_broken.RULE,
)
