"""Checkpoints that a quantizer owns: judge what is dense, set the packed tensors aside.

A quantizer swaps modules before names are taken, so packed weights and their companions cannot be judged by the class's
own parameters. Each packed module is replaced by a *stand-in*, its dense weight with an unknown shape: that the module
has its weight is then known, and every other tensor is judged as usual.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from loadproof.config.quantization import TAKE_DENSE, keeps_dense, method_of, quantization_entries
from loadproof.core.boxes import Nearby, subtract_all
from loadproof.core.checkpoint import Manifest
from loadproof.core.config import ModelConfig
from loadproof.core.coverage import Skip
from loadproof.core.dtypes import is_packed
from loadproof.core.expectation import Expectation
from loadproof.core.families import count, names_of
from loadproof.core.outcome import Outcome, Row
from loadproof.core.tensors import Family

NO_METHOD = (
    "ValueError: The model's quantization config from the arguments has no `quant_method` attribute. Make sure that "
    "the model has been correctly quantized"
)
# Methods under which stacked experts stay dense parameters; only one tensor per expert is unpacked on the way.
DENSE_EXPERTS = ("compressed-tensors", "gptq", "awq", "fp8", "bitsandbytes_4bit", "bitsandbytes_8bit", "bitsandbytes")
STAND_IN = "packed"  # dtype of a stand-in


class Declared(Struct, frozen=True):
    """What config.json says: a method that the release acts upon, or the exception it raises over the entry."""

    method: str | None = None
    error: str | None = None


def declared(config: ModelConfig, known: tuple[str, ...] | None = None) -> Declared:
    """The quantization method that the library would take from the config, its text part included.

    `known`: the methods of the release; a word outside is skipped by it with a warning. None: taken for known.
    """
    entry = next(iter(quantization_entries(config.raw)), None)
    if entry is None:
        return Declared()
    method = method_of(entry)
    if method is None:
        return Declared(error=NO_METHOD)
    if isinstance(method, list | Mapping):
        return Declared(error=f"TypeError: unhashable type: '{'list' if isinstance(method, list) else 'dict'}'")
    return Declared(str(method) if known is None or method in known else None)


class Sorted(Struct, frozen=True):
    """A manifest with stand-ins for its packed modules, and the families they stand for."""

    manifest: Manifest
    packed: tuple[Family, ...]


def not_at_all(manifest: Manifest, expectation: Expectation, config: ModelConfig) -> bool:
    """Whether the declared method leaves every matrix of the model alone, and nothing packed is stored."""
    entry = next(iter(quantization_entries(config.raw)), {})
    if method_of(entry) not in TAKE_DENSE or any(is_packed(family.dtype) for family in manifest.families):
        return False
    matrices = (family for family in expectation.families if len(family.shape) > 1)
    names = (name for family in matrices for name in names_of(family.template, family.axes))
    return keeps_dense(entry, (name.removesuffix(".weight") for name in names))


def may_be_real(manifest: Manifest, expectation: Expectation) -> tuple[Family, ...]:
    """Tensors with the name of a companion that the model may have as parameters of its own (`router.scale`)."""
    leaves = {family.template.rpartition(".")[2] for family in expectation.families}
    return tuple(
        family
        for family in manifest.families
        if family.template.rpartition(".")[2] in leaves and not is_packed(family.dtype) and _dense_name(family)
    )


def set_aside(manifest: Manifest, real: frozenset[str] = frozenset()) -> Sorted:
    """Replace packed modules by stand-ins. `real`: stored templates that reach parameters of the model as they are."""
    modules: dict[tuple[str, int], Nearby] = {}
    dense, packed = [], []
    for family in manifest.families:
        weight = None if family.template in real else _dense_name(family)
        if weight is None:
            dense.append(family)
        else:
            packed.append(family)
            taken = modules.setdefault((weight, len(family.axes)), Nearby())
            for box in subtract_all([family.axes], taken.boxes_near(family.axes)):
                taken.add(box)
    kept, more = _without_packed(dense, modules)
    stand_ins = [Family(name, box, STAND_IN, None) for (name, _), taken in modules.items() for box in taken]
    return Sorted(replace(manifest, families=(*kept, *stand_ins)), (*packed, *more))


def _dense_name(family: Family) -> str | None:
    """The name that the dense weight of this packed tensor would have; None for a tensor that is dense itself."""
    from loadproof.lexicon.companions import dense_name  # asked for quantized checkpoints only

    template = family.template
    if (dense := dense_name(template)) is not None:
        return dense
    if is_packed(family.dtype) and template.endswith(".weight"):
        return template
    return None


def _without_packed(
    dense: Iterable[Family], modules: dict[tuple[str, int], Nearby]
) -> tuple[list[Family], list[Family]]:
    """(dense families, the weights that have companions: FP8 and int8 keep the name `weight`)."""
    kept, packed = [], []
    for family in dense:
        held = modules.get((family.template, len(family.axes)))
        if held is not None:
            taken = held.boxes_near(family.axes)
            outside = subtract_all([family.axes], taken)
            inside = subtract_all([family.axes], outside)
            packed += [replace(family, axes=box) for box in inside]
            kept += [replace(family, axes=box) for box in outside]
        else:
            kept.append(family)
    return kept, packed


def judge(
    outcome: Outcome, packed: tuple[Family, ...], method: str, names: frozenset[str], reason: str = ""
) -> Outcome:
    """The outcome of the dense part; what concerns stand-ins is left unjudged. `names`: templates of the model, `reason`:
    why the method's text could not be followed."""
    modules = {name.rpartition(".")[0] for name in names}
    absent = tuple(f"{row.template}_" for row in outcome.rows if row.kind == "missing")
    rows = tuple(row for row in outcome.rows if not _is_unsure(row, modules, absent))
    if method not in DENSE_EXPERTS:
        rows = tuple(row for row in rows if not _may_be_unpacked(row, outcome.rows))
    tensors = sum(count(family.axes) for family in packed)
    raises = any(row.kind in ("mismatched", "conversion") for row in rows)
    why = f"quantized with {method}: packed tensors are not judged{': ' + reason if reason else ' yet'}"
    if not packed and not any(is_packed(row.dtype) for row in outcome.rows):
        why = f"config.json declares {method} over dense tensors: what becomes of them depends on the machine"
    return replace(
        outcome,
        rows=rows,
        assignments=tuple(a for a in outcome.assignments if a.dtype != STAND_IN),
        dropped=tuple(row for row in outcome.dropped if row.dtype != STAND_IN),
        ignored=tuple(row for row in outcome.ignored if row.dtype != STAND_IN),
        raises=raises,
        error=outcome.error if raises else None,
        quantized=packed,
        skipped=(
            *outcome.skipped,
            Skip(f"{tensors} packed tensors and companions" if packed else "what the quantizer does", why),
        ),
        inconclusive=why,
    )


def _may_be_unpacked(row: Row, rows: Iterable[Row]) -> bool:
    """A parameter, or what is stored under its name and a suffix: a form that the method may know and we do not."""
    if row.kind == "missing":
        return any(other.template.startswith(f"{row.template}_") for other in rows if other.kind == "unexpected")
    return row.kind == "unexpected" and any(
        row.template.startswith(f"{other.template}_") for other in rows if other.kind == "missing"
    )


def _is_unsure(row: Row, modules: set[str], absent: tuple[str, ...]) -> bool:
    """A row about a stand-in or about packed numbers that its quantizer may read, or an unknown tensor in a module of the
    model (some companion we do not know)."""
    if row.dtype == STAND_IN or row.kind == "misread":
        return True
    return (
        row.kind == "unexpected" and row.template.rpartition(".")[0] in modules and not row.template.startswith(absent)
    )
