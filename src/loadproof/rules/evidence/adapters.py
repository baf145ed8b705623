"""What rules of adapters ask again and again: whether a load is whole, which names are wanted, what would make it whole."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from loadproof.core.adapter import AdapterLoad
from loadproof.core.case import Case
from loadproof.core.edits import DeleteJson, Edit, SetJson
from loadproof.core.families import fold, names_of
from loadproof.core.findings import Note
from loadproof.core.known_names import ADAPTER_CONFIG
from loadproof.core.outcome import Outcome
from loadproof.core.tensors import Family, Shape
from loadproof.lexicon import adapters
from loadproof.lexicon.wrappers import LEVELS, WRAPPERS

Sizes = dict[str, Shape]
PREFIX = f"{'.'.join(adapters.PEFT)}."
_PAIR = re.compile(r"(?:.*\.)?lora_[ABab]\.([^.{}]+)\.weight\Z")
_BETWEEN = frozenset((*adapters.PEFT, *WRAPPERS, *LEVELS, "default", "weight", adapters.BASE, adapters.SAVED))


def load_of(case: Case) -> AdapterLoad:
    """What the library makes of the adapter; of one that was not judged, nothing."""
    return case.outcome.adapter or AdapterLoad("")


def stored_sizes(case: Case) -> Sizes:
    """Every stored name with its shape."""
    families = (family for family in case.manifest.families if family.shape is not None)
    return {name: family.shape or () for family in families for name in names_of(family.template, family.axes)}


def expected_sizes(load: AdapterLoad) -> Sizes:
    """Every name that a file of this configuration holds on this base."""
    return {name: one.shape for one in load.expected for name in names_of(one.template, one.axes)}


def is_whole(outcome: Outcome | None) -> bool:
    """Whether every parameter of the adapter is filled, every stored tensor used, and the base left as it is."""
    if outcome is None or outcome.inconclusive is not None or outcome.raises or outcome.rows:
        return False
    load = outcome.adapter
    return load is not None and load.filled == load.made > 0 and not load.overwritten


def effect(case: Case) -> tuple[Note, ...]:
    """How much of the adapter takes effect."""
    load = load_of(case)
    if not load.made or case.outcome.raises:
        return ()
    text = f"{load.filled:,} of {load.made:,} parameters of the adapter get a stored tensor"
    if load.zero and not load.filled:
        text += f"; {load.zero:,} stay zero: the model answers as without the adapter"
    elif load.zero:
        text += f"; {load.zero:,} stay zero, without effect where they stand"
    return (Note("effect", text),)


# ---------------------------------------------------------------- names
def normal_form(name: str, adapter_names: frozenset[str] = frozenset()) -> str:
    """A name without what wrappers, savers and other classes of a model add or leave out."""
    name = name.replace(".lora.down.", ".lora_down.").replace(".lora.up.", ".lora_up.")
    module, dot, leaf = name.partition(".lora_")
    if module.startswith(("lora_unet_", "lora_te_")):
        module = module.split("_", 2)[2]
    parts = [adapters.SPELLINGS.get(part, part) for part in f"{module}{dot}{leaf}".split(".")]
    kept = [part for part in parts if part not in _BETWEEN and part not in adapter_names]
    return re.sub(r"^(?:(?:base_model|model|transformer|language_model)_)+", "", "_".join(kept))


def adapter_names(stored: Sizes) -> frozenset[str]:
    """What stands between `lora_A` and `weight`: the name under which the adapter was saved."""
    return frozenset(found[1] for name in stored if (found := _PAIR.match(name)))


def right_names(stored: Sizes, expected: Sizes) -> dict[str, str] | None:
    """Stored name -> the wanted one of its shape, where each has exactly one and none is left over on either side."""
    saved_as = adapter_names(stored)
    wanted: dict[str, list[str]] = {}
    for name in expected:
        wanted.setdefault(normal_form(name), []).append(name)
    found: dict[str, str] = {}
    for name, shape in stored.items():
        partners = [name] if expected.get(name) == shape else wanted.get(normal_form(name, saved_as), [])
        fitting = [partner for partner in partners if expected[partner] == shape]
        if len(fitting) != 1:
            return None
        found[name] = fitting[0]
    return found if len(set(found.values())) == len(found) == len(expected) else None


def moved(families: Sequence[Family], names: dict[str, str]) -> tuple[Family, ...]:
    """The families under other names."""
    pairs = [
        (names.get(name, name), (f.dtype, f.shape, f.files)) for f in families for name in names_of(f.template, f.axes)
    ]
    return tuple(Family(template, axes, *kind) for template, axes, kind in fold(pairs))


# ---------------------------------------------------------------- configuration
def edits_for(fields: dict[str, Any]) -> tuple[Edit, ...]:
    """The edits of adapter_config.json that give it these fields."""
    return tuple(
        SetJson(ADAPTER_CONFIG, (field,), value) if value is not ABSENT else DeleteJson(ADAPTER_CONFIG, (field,))
        for field, value in fields.items()
    )


ABSENT: Any = object()  # a field that is to go


def modules_of(stored: Sizes) -> dict[str, int]:
    """Module -> rank, of the LoRA pairs under the names that the library writes."""
    found = {}
    for name, shape in stored.items():
        match = re.fullmatch(rf"(?:{re.escape(PREFIX)})?(.*)\.(?:lora_A\.weight|lora_embedding_A)", name)
        if match and len(shape) == 2:
            found[match[1]] = shape[0]
    return found


def common_rank(ranks: dict[str, int]) -> int:
    return Counter(ranks.values()).most_common(1)[0][0]


def scale_text(config: dict[str, Any]) -> str:
    """``lora_alpha / r = 16 / 8 = 2``; empty where the numbers are none."""
    alpha, rank, root = config.get("lora_alpha"), config.get("r"), bool(config.get("use_rslora"))
    if not isinstance(alpha, int | float) or not isinstance(rank, int | float) or rank <= 0:
        return ""
    value = alpha / rank**0.5 if root else alpha / rank
    return f"lora_alpha / {'sqrt(r)' if root else 'r'} = {alpha:g} / {f'sqrt({rank:g})' if root else f'{rank:g}'} = {value:.4g}"


def layers_of(names: Sizes) -> Iterator[int]:
    """The layer numbers in these names."""
    for name in names:
        found = re.search(r"\.(?:layers?|h|blocks?)\.(\d+)\.", name)
        if found:
            yield int(found[1])
