"""LP416 no-flat-state-dict: a torch file holds something else than tensors by name."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix, SetJson
from loadproof.core.families import count
from loadproof.core.findings import Evidence, Note
from loadproof.core.known_names import CONFIG
from loadproof.core.outcome import Row
from loadproof.core.places import Place, about
from loadproof.core.tensors import UNDER, Family, StoredValue
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.torch_files import Taken, save_as_safetensors, taken_out
from loadproof.rules.evidence.whatif import outcome_with
from loadproof.rules.rows import of_kind, subtract

_SHOWN = 4
_WORDS = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16"}


def check(case: Case) -> Iterable[Found]:
    values = case.manifest.values
    nested = _nested(values)
    if nested is not None and (_is_refused(case) or of_kind(case.outcome.rows, "missing")):
        yield _found_nested(case, *nested)
    elif values and _is_refused(case):
        yield _found_refused(case, values)
    else:
        yield from _found_beside(case, values)


def _nested(values: Iterable[StoredValue]) -> tuple[str, tuple[Family, ...]] | None:
    """The key with the most tensors below it, and these; of several files together."""
    below: dict[str, tuple[Family, ...]] = {}
    for value in values:
        if value.families:
            below[value.name] = (*below.get(value.name, ()), *value.families)
    return max(below.items(), key=lambda item: _size(item[1]), default=None)


def _size(families: Iterable[Family]) -> int:
    return sum(count(family.axes) for family in families)


def _found_nested(case: Case, key: str, families: tuple[Family, ...]) -> Found:
    file = next(value.file for value in case.manifest.values if value.name == key)
    taken = taken_out(case, families)
    place = f"under the key {key!r}" if key else "in a list or by itself"
    evidence = [Evidence(Place(file), f"{_size(families):,} tensors lie {place}, {_first(families)} first")]
    if beside := [value for value in case.manifest.values if value.name not in (key, "")]:
        evidence.append(Evidence(Place(file), f"beside it: {_listed(beside)}"))
    evidence += _afterwards(taken)
    fix = save_as_safetensors(case, key, taken.renames()) if key else None
    return Found(
        severity="error",
        confidence="certain",
        headline=f"{file} is not a flat state dict: its tensors lie {place}, and the reader looks at the outermost names only",
        evidence=tuple(evidence),
        rows=tuple(_explained(case, taken)),
        fixes=(fix or Fix(f"save what lies {place} as a state dict of its own, as safetensors", "manual"),),
        notes=_notes(case),
    )


def _afterwards(taken: Taken) -> list[Evidence]:
    """What loading would make of the tensors alone."""
    if taken.outcome is None or taken.outcome.raises:
        return []
    if taken.lacking:
        return [Evidence(about("taken out"), f"{taken.lacking:,} parameters would still lack their tensor")]
    without = f" without {taken.prefix!r} before the names" if taken.prefix else ""
    return [Evidence(about("taken out"), f"every parameter would get its tensor{without}")]


def _explained(case: Case, taken: Taken) -> list[Row]:
    """Where no name of the file reaches a parameter, everything that is missing is missing for this reason."""
    if not case.outcome.assignments:
        return list(case.outcome.rows)
    return [] if taken.outcome is None else subtract(case.outcome.rows, taken.outcome.rows)


def _first(families: tuple[Family, ...]) -> str:
    return families[0].template.replace("{}", "0")


def _is_refused(case: Case) -> bool:
    """Whether the load ends in an exception, and would not with the tensors alone."""
    if not case.outcome.raises:
        return False
    alone = outcome_with(case, case.manifest.families)
    return alone is not None and not alone.raises


def _found_refused(case: Case, values: tuple[StoredValue, ...]) -> Found:
    """One value among the tensors ends the load: a key that is no text, a number that is asked for its dtype."""
    odd = next((value for value in values if value.kind.startswith(UNDER)), None)
    if odd is None:
        odd = next((value for value in values if value.comes_first), values[0])
    fixes = [_with_dtype(case)] if odd.comes_first and odd.name else [save_as_safetensors(case)]
    what = f"holds {odd.name or 'a value'} of type {odd.kind}"
    words = "holds a value " + odd.kind if odd.kind.startswith(UNDER) else what
    return Found(
        severity="error",
        confidence="certain",
        headline=f"{odd.file} {words} where the reader expects nothing but tensors by name",
        evidence=(Evidence(Place(odd.file), _listed(values)),),
        fixes=tuple(fix for fix in fixes if fix is not None)
        or (Fix("save the tensors alone, as safetensors", "manual"),),
        notes=_notes(case),
    )


def _with_dtype(case: Case) -> Fix | None:
    """With a dtype in the config nobody asks the values of the file for one."""
    dtype = next((_WORDS[family.dtype] for family in case.manifest.families if family.dtype in _WORDS), None)
    if dtype is None or case.config.path != CONFIG:
        return None
    edit = SetJson(CONFIG, ("dtype",), dtype)
    return Fix(f'set dtype to "{dtype}", the type of the tensors', "lossless", (edit,))


def _found_beside(case: Case, values: Iterable[StoredValue]) -> Iterable[Found]:
    """Numbers and texts beside the tensors are reported as unexpected, and nothing else happens."""
    names = {value.name: value for value in values if value.is_named}
    rows = [row for row in of_kind(case.outcome.rows, "unexpected") if _is_one_of(row, names)]
    if not rows:
        return
    file = next(iter(names.values())).file
    yield Found(
        severity="info",
        confidence="certain",
        headline=f"{file} holds more than tensors: {_listed(names.values())}; the reader leaves it unused",
        rows=tuple(rows),
    )


def _is_one_of(row: Row, names: dict[str, StoredValue]) -> bool:
    return row.expected is None and row.found is None and not row.axes and row.template in names


def _listed(values: Iterable[StoredValue]) -> str:
    shown = [f"{value.name or 'a value'} ({value.kind})" for value in values]
    return ", ".join(shown[:_SHOWN]) + (f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else "")


def _notes(case: Case) -> tuple[Note, ...]:
    return (Note("reader", case.outcome.error),) if case.outcome.error else ()


RULE = Rule(
    code="LP416",
    slug="no-flat-state-dict",
    group="names",
    title="A torch file holds something other than tensors by name",
    check=check,
)
