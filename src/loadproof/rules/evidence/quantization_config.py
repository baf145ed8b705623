"""The quantization_config that the stored tensors prove by arithmetic, where they do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from msgspec import UNSET

from loadproof.config.skip_list import SkipList, skip_list
from loadproof.core.case import Case
from loadproof.core.config import JsonPath
from loadproof.core.edits import Fix, SetJson
from loadproof.lexicon.layouts import Layout
from loadproof.quantization.census import Census, Module
from loadproof.quantization.terms import common_sizes
from loadproof.rules.evidence.skipped_modules import entries_for
from loadproof.rules.evidence.survey import survey

_UNKNOWN = object()  # the tensors do not decide it


def proved_config(census: Census, layout: Layout, release: str) -> dict[str, Any] | None:
    """The declaration that fits the modules of this layout; None where shapes alone do not decide it."""
    modules = whole(census.packed, layout)
    if not layout.config or not modules or not all(_is_read(module, layout) for module in census.packed):
        return None
    method = layout.config["quant_method"]
    skips = skip_list("bitsandbytes_4bit" if "load_in_4bit" in layout.config else method, {}, release)
    made = _filled(layout.config, lambda word: _value(word, modules, census, skips))
    return made if isinstance(made, dict) else None


def _is_read(module: Module, layout: Layout) -> bool:
    """Whether the method of this layout reads the module, with all that it needs: one that it does not is left wrong."""
    match = module.match
    return match is not None and match.whole and layout.config["quant_method"] in match.layout.methods


def whole(modules: Iterable[Module], layout: Layout) -> list[Module]:
    """The modules of this layout that have all their parts."""
    return [m for m in modules if m.match is not None and m.match.layout.name == layout.name and m.match.whole]


def group_of(modules: Sequence[Module]) -> int | None:
    """The one size of group that all of them have, -1 for one group a row; None where there is none."""
    parts = {(m.match.sizes["I"], m.match.sizes["I/g"]) for m in modules if m.match and "I" in m.match.sizes}
    if parts and all(number == 1 for _, number in parts):
        return -1
    return next(iter(common_sizes(parts)), None) if parts else None


def block_of(modules: Sequence[Module]) -> list[int] | None:
    """[rows, columns] of the one block that all of them have; None where there is none."""
    sizes = [m.match.sizes for m in modules if m.match is not None and "O/n" in m.match.sizes]
    rows = common_sizes((size["O"], size["O/n"]) for size in sizes)
    columns = common_sizes((size["I"], size["I/k"]) for size in sizes)
    square = [size for size in rows if size in columns]
    if not sizes or not rows or not columns:
        return None
    return [square[0]] * 2 if square else [rows[0], columns[0]]


def _filled(value: Any, solve: Callable[[str], Any]) -> Any:
    """The declaration with its `$` words solved; None where one of them is not decided."""
    if isinstance(value, str) and value.startswith("$"):
        return solve(value[1:])
    if not isinstance(value, dict):
        return value
    made = {key: _filled(inner, solve) for key, inner in value.items()}
    undecided = any(inner is _UNKNOWN for inner in made.values())
    return _UNKNOWN if undecided else {key: inner for key, inner in made.items() if inner is not UNSET}


def _value(word: str, modules: list[Module], census: Census, skips: SkipList) -> Any:
    solve: dict[str, Callable[[], Any]] = {
        "bits": lambda: _one({m.match.sizes["b"] for m in modules if m.match}),
        "group": lambda: _known(group_of(modules)),
        "block": lambda: _block(modules),
        "dense": lambda: _dense(census, skips),
        "kind": lambda: "fp4" if _stores(modules, "bitsandbytes__fp4") else "nf4",
        "double": lambda: _stores(modules, "nested_absmax"),
        "symmetric": lambda: not _stores(modules, "weight_zero_point"),
        "strategy": lambda: "channel" if group_of(modules) == -1 else "group",
        "granularity": lambda: _granularity(modules),
        "activations": lambda: "static" if _stores(modules, "activation_scale") else "dynamic",
        "rows": lambda: _UNKNOWN if _granularity(modules) == "block" else _granularity(modules),
        "input_activations": lambda: _activations(modules, "float"),
        "int_activations": lambda: _activations(modules, "int"),
        "local_activations": lambda: _local(modules),
    }
    return solve[word]()


def _one(found: set[int]) -> Any:
    return found.pop() if len(found) == 1 else _UNKNOWN


def _known(value: int | None) -> Any:
    return _UNKNOWN if value is None else value


def _stores(modules: Iterable[Module], ending: str) -> bool:
    return any(part.endswith(ending) for module in modules for part in module.parts)


def _granularity(modules: list[Module]) -> Any:
    """How many weights share a scale, of scaled FP8."""
    shapes = [module.parts["weight_scale"].shape for module in modules]
    if any(shape is None for shape in shapes):
        return _UNKNOWN
    if all(shape in ((), (1,)) for shape in shapes):
        return "tensor"
    if all(shape is not None and len(shape) == 2 and shape[1] == 1 for shape in shapes):
        return "channel"
    return "block"


def _block(modules: list[Module]) -> Any:
    """Of FP8 in blocks its size, of one scale a tensor None (left out where scales have another granularity)."""
    if "weight_scale" in modules[0].parts:
        return _known_block(modules) if _granularity(modules) == "block" else UNSET
    scalar = all("O/n" not in m.match.sizes for m in modules if m.match)
    return None if scalar else _known_block(modules)


def _known_block(modules: list[Module]) -> Any:
    return block_of(modules) or _UNKNOWN


def _activations(modules: list[Module], kind: str) -> dict[str, Any]:
    static = _stores(modules, "input_scale")
    return {
        "num_bits": 8,
        "type": kind,
        "symmetric": True,
        "strategy": "tensor" if static else "token",
        "dynamic": not static,
    }


def _local(modules: list[Module]) -> dict[str, Any] | None:
    """NVFP4: one scale a tensor is stored, those of its groups are made while running."""
    if not _stores(modules, "input_global_scale"):
        return None
    made = {"num_bits": 4, "type": "float", "symmetric": True, "strategy": "tensor_group", "group_size": 16}
    return {**made, "dynamic": "local"}


def _dense(census: Census, skips: SkipList) -> Any:
    """The list of modules to leave alone: every matrix that is stored dense."""
    entries = entries_for(census.dense, census.packed, skips)
    return _UNKNOWN if entries is None else entries or UNSET


def declaring(case: Case, path: JsonPath, layout: Layout) -> tuple[Fix, ...]:
    """The fix that writes what the tensors prove at this place of config.json; advice where they prove too little."""
    value = proved_config(survey(case).census, layout, case.expectation.version)
    if value is None:
        return (Fix(f"write the quantization_config of the tool that quantized it ({layout.title})", "manual"),)
    edit = SetJson(case.config.path or "config.json", path, value)
    return (Fix("write the quantization_config that the shapes prove", "lossless", (edit,)),)
