"""Which config field would explain all wrong shapes: dimensions as formulas over fields, solved for one of them.

Where the expectation carries the formula of a dimension ("num_key_value_heads*head_dim"), it is solved for each field
in it; without a formula the dimensions that are multiples of the field decide. Either way a candidate is only a guess
until the model's source has been read again with it.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from loadproof.config.access import get, text_config, text_config_path
from loadproof.config.plan.reading import text_fields
from loadproof.config.spellings import CANONICAL, spelled, value_of
from loadproof.core.case import Case
from loadproof.core.config import JsonPath
from loadproof.core.edits import SetJson
from loadproof.core.expectation import Expected
from loadproof.core.families import count, names_of
from loadproof.core.outcome import Row

_NAME = re.compile(r"[A-Za-z_]\w*")
_SAFE = re.compile(r"[\w\s+*/()-]{1,200}\Z")
_NEVER_NAMES = (
    "max_position_embeddings vocab_size num_hidden_layers pad_token_id bos_token_id eos_token_id num_experts_per_tok "
    "sliding_window max_window_layers"
)
_NEVER = frozenset(_NEVER_NAMES.split())


_SIZE_MARKS = ("head", "dim", "size", "rank", "expand", "state", "group", "experts", "conv", "ssm", "kernel", "d_")
_SEARCHED = 512  # values of a field that are put into a formula
PROBED = 24  # fields whose slope is measured, a tenth of a second each


class Wrong(Struct, frozen=True):
    """One dimension that is not as expected, with its formula where that is known."""

    expected: int
    found: int
    formula: str | None = None


class Candidate(Struct, frozen=True):
    """A field with the value that would explain every wrong dimension."""

    path: JsonPath
    old: int
    new: int


def candidates(case: Case, rows: Iterable[Row]) -> list[Candidate]:
    """Fields that explain all wrong dimensions of these rows, the likeliest first; empty when no single field does."""
    wrong = list(dict.fromkeys(w for row in rows for w in _wrong(case, row)))
    if not wrong:
        return []
    solved = [(p, old, _solve(str(p[-1]), old, wrong, dict(_named(case, p)))) for p, old in _fields(case)]
    return _ranked(solved)


def groups(case: Case, rows: Iterable[Row]) -> list[list[Row]]:
    """Rows that are wrong in the same way, the most first; without those that no size can explain."""
    found: dict[frozenset[Wrong], list[Row]] = {}
    for row in rows:
        if wrong := frozenset(_wrong(case, row)):
            found.setdefault(wrong, []).append(row)
    return sorted(found.values(), key=lambda group: -sum(count(row.axes) for row in group))


def shrinking(case: Case, rows: Iterable[Row]) -> list[Candidate]:
    """The same for dimensions that shrink as the field grows: a head size derived from the number of heads."""
    wrong = list(dict.fromkeys(w for row in rows for w in _wrong(case, row)))
    return _ranked([(path, old, _divided(old, wrong)) for path, old in _fields(case)]) if wrong else []


def _ranked(solved: Iterable[tuple[JsonPath, int, int | None]]) -> list[Candidate]:
    found = [Candidate(path, old, new) for path, old, new in solved if new is not None and new != old]
    return sorted(found, key=_rank)


def _divided(value: int, wrong: list[Wrong]) -> int | None:
    """The one value that is to the old one as each expected size is to the stored one."""
    solutions = {divmod(value * item.expected, item.found) if item.found else (0, 1) for item in wrong}
    quotient, rest = solutions.pop() if len(solutions) == 1 else (0, 1)
    return quotient if rest == 0 and quotient > 0 else None


def affects_all(case: Case, rows: Iterable[Row]) -> bool:
    """Whether every wrong shape stands in all layers (experts, ...) that have it: what a single field would do."""
    rows = list(rows)
    tied = {target for target, _ in case.expectation.ties}
    for template, shape in {(row.template, row.expected) for row in rows}:
        wanted = sum(_own(e, tied) for e in case.expectation.families if (e.template, e.shape) == (template, shape))
        wrong = sum(count(row.axes) for row in rows if (row.template, row.expected) == (template, shape))
        if wrong < wanted:
            return False
    return True


def _own(expected: Expected, tied: set[str]) -> int:
    """How many of the names are parameters of their own; tied ones are filled from others and never reported."""
    if not tied:
        return count(expected.axes)
    return sum(name not in tied for name in names_of(expected.template, expected.axes))


def probed(case: Case, rows: list[Row]) -> Iterator[Candidate]:
    """Candidates whose dimension is no plain multiple of the field: the slope is measured by reading the source again.

    Each field is set to another value; if the first wrong dimension moves with it, the value that would give the
    stored size follows from the slope.
    """
    row = max(rows, key=lambda row: sum(a != b for a, b in zip(row.expected or (), row.found or (), strict=False)))
    position = next(_differing(row), None)
    if position is None or row.expected is None or row.found is None:
        return
    expected, found = row.expected[position], row.found[position]
    for path, value in sorted(_fields(case), key=_plausible)[:PROBED]:
        moved = _moved(case, path, value, row, position)
        if moved is not None and moved[1] != expected:
            quotient, rest = divmod((found - expected) * (moved[0] - value), moved[1] - expected)
            if rest == 0 and value + quotient > 0 and quotient:
                yield Candidate(path, value, value + quotient)


def _differing(row: Row) -> Iterator[int]:
    if len(row.expected or ()) == len(row.found or ()):
        pairs = zip(row.expected or (), row.found or (), strict=True)
        yield from (position for position, (a, b) in enumerate(pairs) if a != b)


def _moved(case: Case, path: JsonPath, value: int, row: Row, position: int) -> tuple[int, int] | None:
    """(other value of the field, size of the dimension under it), None where no model can be built with it."""
    for other in (2 * value, value + 1):
        made = case.build_if((SetJson(case.config.path or "config.json", path, other),))
        shapes = [e.shape for e in made.families if e.template == row.template] if made is not None else []
        same = [shape for shape in shapes if len(shape) == len(row.expected or ())]
        if same:
            return other, same[0][position]
    return None


def _plausible(field: tuple[JsonPath, int]) -> tuple[bool, int]:
    """Fields that are named after a size first."""
    name = str(field[0][-1])
    return not any(mark in name for mark in _SIZE_MARKS), _rank(Candidate(field[0], field[1], 1))[0]


def _wrong(case: Case, row: Row) -> Iterator[Wrong]:
    """The dimensions of a mismatched row that differ; a difference in rank is no question of one field."""
    if row.expected is None or row.found is None or len(row.expected) != len(row.found):
        return
    symbols = _symbols(case.expectation.families, row)
    for position, (expected, found) in enumerate(zip(row.expected, row.found, strict=True)):
        if expected != found:
            yield Wrong(expected, found, symbols[position] if symbols else None)


def _symbols(families: Iterable[Expected], row: Row) -> tuple[str, ...] | None:
    return next((e.symbols for e in families if e.template == row.template and e.shape == row.expected), None)


def is_decided_by_formulas(case: Case, rows: Iterable[Row]) -> bool:
    """Whether no field beside those of the formulas can move the wrong dimensions.

    Every one of them has a formula, and the file states each field in it: one that is not stated may be derived from
    others (a head size from the hidden size and the number of heads).
    """
    stated = {CANONICAL.get(name, name) for name in text_config(case.config)}
    formulas = [item.formula for row in rows for item in _wrong(case, row)]
    return all(
        formula and {CANONICAL.get(name, name) for name in _NAME.findall(formula)} <= stated for formula in formulas
    )


def _fields(case: Case) -> Iterator[tuple[JsonPath, int]]:
    """Every whole number above one in the decoder's effective config, then in the other nested configs."""
    base = text_config_path(case.config)
    yield from _numbers(base, text_fields(case.expectation.config))
    for name, nested in case.expectation.config.items():
        if name.endswith("_config") and isinstance(nested, dict) and (name,) != base[:1]:
            yield from _numbers((name,), nested)


def _numbers(base: JsonPath, fields: Mapping[str, object]) -> Iterator[tuple[JsonPath, int]]:
    for name, value in fields.items():
        if isinstance(value, int) and not isinstance(value, bool) and value >= 1 and name not in _NEVER:
            yield (*base, name), value


def as_stated(case: Case, candidate: Candidate) -> Candidate:
    """The candidate under the name that the file itself uses, for classes that keep the field under another one."""
    *level, name = candidate.path
    fields = get(case.config, tuple(level), {})
    if not isinstance(fields, dict) or name in fields:
        return candidate
    own = spelled(fields, CANONICAL.get(str(name), str(name)))
    return candidate if own is None or fields[own] != candidate.old else replace(candidate, path=(*level, own))


def _named(case: Case, path: JsonPath) -> Iterator[tuple[str, int]]:
    """The numbers of the same level, by their canonical names as well, for the formulas."""
    level = text_fields(case.expectation.config) if len(path) == len(text_config_path(case.config)) + 1 else {}
    for name, value in level.items():
        if isinstance(value, int) and not isinstance(value, bool):
            yield name, value
            yield CANONICAL.get(name, name), value


def _solve(name: str, value: int, wrong: list[Wrong], fields: dict[str, int]) -> int | None:
    """The one value of this field under which every wrong dimension that tells anything comes out as found."""
    solutions = {_solve_one(name, value, item, fields) for item in wrong} - {None}
    return solutions.pop() if len(solutions) == 1 and 0 not in solutions else None


def _solve_one(name: str, value: int, item: Wrong, fields: dict[str, int]) -> int | None:
    """The value that this dimension asks for; 0 when no value does, None when the dimension does not tell."""
    if item.formula is None:
        quotient, rest = divmod(item.found * value, item.expected)
        return None if item.expected % value else quotient if rest == 0 else 0
    if name not in _NAME.findall(item.formula):
        return 0
    zero, one = (_value(item.formula, {**fields, name: number}) for number in (0, 1))
    if zero is None or one is None:
        return _searched(name, value, item, fields)
    if one == zero:
        return None
    quotient, rest = divmod(item.found - zero, one - zero)
    if rest == 0 and quotient > 0 and _value(item.formula, {**fields, name: quotient}) == item.found:
        return quotient
    return _searched(name, value, item, fields)


def _searched(name: str, value: int, item: Wrong, fields: dict[str, int]) -> int:
    """The value nearest to the old one that gives the stored size, for fields that also divide; 0 when none does."""
    tried = {
        *range(1, min(4 * value, _SEARCHED)),
        *(value * k for k in range(2, 17)),
        *(value // k for k in range(2, 17)),
    }
    fitting = (n for n in tried - {0, value} if _value(item.formula or "", {**fields, name: n}) == item.found)
    return min(fitting, key=lambda n: abs(n - value), default=0)


def _value(formula: str, fields: Mapping[str, int]) -> int | None:
    """The number a formula stands for; only names, whole numbers and + - * // are understood."""
    if not _SAFE.match(formula):
        return None
    try:
        return _evaluate(ast.parse(formula, mode="eval").body, fields)
    except (SyntaxError, ZeroDivisionError, KeyError, ValueError):
        return None


def _evaluate(node: object, fields: Mapping[str, int]) -> int:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.Name):
        return fields[node.id]
    if isinstance(node, ast.BinOp):
        left, right = _evaluate(node.left, fields), _evaluate(node.right, fields)
        if isinstance(node.op, ast.Add):
            return left + right
        if isinstance(node.op, ast.Sub):
            return left - right
        if isinstance(node.op, ast.Mult):
            return left * right
        if isinstance(node.op, ast.FloorDiv):
            return left // right
    raise ValueError("not a formula of sizes")


_USUAL = Counter(
    {"num_key_value_heads": 5, "intermediate_size": 4, "num_attention_heads": 3, "hidden_size": 3, "head_dim": 2}
)


def _rank(candidate: Candidate) -> tuple[int, int]:
    """Usual culprits first; then sizes of a power of two before odd ones."""
    name = CANONICAL.get(str(candidate.path[-1]), str(candidate.path[-1]))
    return -_USUAL[name], candidate.new & (candidate.new - 1)


def from_shapes(case: Case) -> list[Candidate]:
    """Sizes of the decoder that stored tensors tell directly, where the config states others."""
    fields = text_config(case.config)
    told = _told(case, fields)
    path = text_config_path(case.config)
    found = []
    for name, new in told.items():
        key = spelled(fields, name) or name
        old = fields.get(key)
        if new and new != old and isinstance(old, int):
            found.append(Candidate((*path, key), old, new))
    return found


def _told(case: Case, fields: Mapping[str, object]) -> dict[str, int]:
    """Canonical field -> size, from the shapes of the embedding and of the projections."""
    shapes = {family.template.rpartition(".layers.")[2]: family.shape or () for family in case.manifest.families}
    rows = {name: shape[0] for name, shape in shapes.items() if len(shape) == 2}
    query, keys = (_ending(rows, f"{part}_proj.weight") for part in "qk")
    norm = next((shape[0] for name, shape in shapes.items() if name.endswith("q_norm.weight") and len(shape) == 1), 0)
    wide = next((shape[1] for name, shape in shapes.items() if "embed" in name and len(shape) == 2), 0)
    heads, groups, size = (
        value_of(dict(fields), name) for name in ("num_attention_heads", "num_key_value_heads", "head_dim")
    )
    told = {"hidden_size": wide, "head_dim": norm or _quotient(query, heads) or _quotient(keys, groups)}
    width = size if isinstance(size, int) else norm or _quotient(wide, heads)
    told |= {"num_attention_heads": _quotient(query, width), "num_key_value_heads": _quotient(keys, width)}
    return told


def _ending(sizes: Mapping[str, int], end: str) -> int:
    return next((size for name, size in sizes.items() if name.endswith(end)), 0)


def _quotient(size: int, parts: object) -> int:
    """The whole quotient, 0 where there is none."""
    return size // parts if isinstance(parts, int) and parts > 0 and size % parts == 0 else 0
