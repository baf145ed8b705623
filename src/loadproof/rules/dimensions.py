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

from loadproof.config.access import text_config_path
from loadproof.config.plan import text_fields
from loadproof.config.spellings import CANONICAL
from loadproof.types import Case, Expected, JsonPath, Row

_NAME = re.compile(r"[A-Za-z_]\w*")
_SAFE = re.compile(r"[\w\s+*/()-]{1,200}\Z")
_NEVER_NAMES = (
    "max_position_embeddings vocab_size num_hidden_layers pad_token_id bos_token_id eos_token_id num_experts_per_tok "
    "sliding_window max_window_layers"
)
_NEVER = frozenset(_NEVER_NAMES.split())


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
    found = []
    for path, value in _fields(case):
        new = _solve(str(path[-1]), value, wrong, dict(_named(case, path)))
        if new is not None and new != value:
            found.append(Candidate(path, value, new))
    return sorted(found, key=_rank)


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
    if zero is None or one is None or one == zero:
        return None
    quotient, rest = divmod(item.found - zero, one - zero)
    return quotient if rest == 0 and quotient > 0 else 0


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
