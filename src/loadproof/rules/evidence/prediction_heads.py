"""Multi-token prediction heads (MTP, nextn): what the config promises and what the file holds."""

from __future__ import annotations

import re
from collections.abc import Iterable

from loadproof.config.access import text_config, text_config_path
from loadproof.config.plan.reading import config_depth
from loadproof.config.spellings import SPELLINGS, spelled
from loadproof.core.case import Case
from loadproof.core.config import JsonPath
from loadproof.core.tensors import Family
from loadproof.lexicon.extras import MARKED, is_prediction_head

FIELD = "num_nextn_predict_layers"


def promised(case: Case) -> tuple[JsonPath, int] | None:
    """(path of the field, number of heads) that the file states; None when it states none."""
    fields = text_config(case.config)
    name = spelled(fields, FIELD)
    value = fields.get(name) if name else None
    if name is None or isinstance(value, bool) or not isinstance(value, int):
        return None
    return (*text_config_path(case.config), name), value


def stored_heads(case: Case) -> list[Family]:
    """The stored families of prediction heads: below ``mtp``, or layers numbered from the depth on.

    Layers beyond the depth count only where they hold what such a head has (``eh_proj`` and the norms around it).
    """
    depth = config_depth(case.config, case.expectation)
    named = [family for family in case.manifest.families if is_prediction_head(family.template)]
    return named + list(_beyond(case.manifest.families, depth))


def _beyond(families: Iterable[Family], depth: int | None) -> Iterable[Family]:
    if depth is None:
        return
    outside = [f for f in families if f.axes and f.axes[0] and f.axes[0][-1] >= depth and ".layers.{}." in f.template]
    layers = {i for f in outside if re.search(MARKED, f.template) for i in f.axes[0] if i >= depth}
    for family in outside:
        inside = tuple(sorted(layers & set(family.axes[0])))
        if inside:
            yield Family(family.template, (inside, *family.axes[1:]), family.dtype, family.shape, family.files)


def field_to_write(case: Case) -> JsonPath:
    """Where a count would be written: the spelling that fits the names of the stored heads."""
    named = any("mtp" in family.template.split(".") for family in stored_heads(case))
    name = SPELLINGS[FIELD][1] if named else FIELD
    return (*text_config_path(case.config), name)
