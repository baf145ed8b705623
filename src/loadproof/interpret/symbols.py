"""Each dimension of an expectation as an expression over configuration fields: ``num_key_value_heads*head_dim``.

The class is evaluated once more with integers that remember how they were made. That is done on demand only (a finding
about shapes asks for it), so that a healthy check does not pay for it.
"""

from __future__ import annotations

from typing import Any

from msgspec import structs

from loadproof.core.config import ModelConfig
from loadproof.core.expectation import Expectation, Expected
from loadproof.core.families import join_name
from loadproof.interpret import building
from loadproof.interpret.language.gate import find, has, own, seen_as, state
from loadproof.interpret.language.values import Open
from loadproof.interpret.release.locate import find_source, is_installed
from loadproof.interpret.release.world import World
from loadproof.interpret.shapes.tensor import Tensor

_MAX_TEXT = 400
# How strongly an expression binds. A division inside a product is weaker than a product: a*(b//c) is not a*b//c.
_SUM, _DIVISION, _PRODUCT, _NAME = range(4)


class Symbol(int, Open):
    """An integer with the expression that made it. `binds` is the strength of its outermost operator."""

    __direct__ = False

    text: str
    binds: int

    def __new__(cls, value: int, text: str, binds: int = _NAME) -> Symbol:
        made = super().__new__(cls, value)
        made.text, made.binds = text, binds
        return made

    def __reduce__(self) -> Any:
        return Symbol, (int(self), self.text, self.binds)

    def __copy__(self) -> Symbol:
        return self

    def __deepcopy__(self, memo: Any) -> Symbol:
        return self


seen_as(Symbol, int)


def text_of(value: Any, binds: int = _SUM) -> str:
    """The expression, in parentheses where it binds weaker than `binds`."""
    if not isinstance(value, Symbol):
        return str(int(value))
    return f"({value.text})" if value.binds < binds else value.text


def _arithmetic(name: str, sign: str, binds: int, left_binds: int, right_binds: int) -> tuple[Any, Any]:
    """The method and its reflection; `*_binds` is what each side must bind like to stand without parentheses."""
    whole: Any = own(int)[f"__{name}__"]
    reflected: Any = own(int)[f"__r{name}__"]

    def made(left: Any, right: Any) -> Any:
        text = text_of(left, left_binds) + sign + text_of(right, right_binds)
        value = whole(int(left), int(right))
        weakest = min(binds, find(left, "binds", _NAME)) if binds == _PRODUCT else binds
        return Symbol(value, text, max(weakest, _DIVISION) if binds else _SUM) if len(text) <= _MAX_TEXT else value

    def forward(self: Symbol, other: Any) -> Any:
        return made(self, other) if _is_number(other) else whole(int(self), other)

    def backward(self: Symbol, other: Any) -> Any:
        return made(other, self) if _is_number(other) else reflected(int(self), other)

    return forward, backward


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


for _name, _sign, _binds, _left, _right in (
    ("add", "+", _SUM, _SUM, _SUM),
    ("sub", "-", _SUM, _SUM, _DIVISION),
    ("mul", "*", _PRODUCT, _DIVISION, _PRODUCT),
    ("floordiv", "//", _DIVISION, _DIVISION, _NAME),
    ("mod", "%", _DIVISION, _DIVISION, _NAME),
):
    _forward, _backward = _arithmetic(_name, _sign, _binds, _left, _right)
    setattr(Symbol, f"__{_name}__", _forward)
    setattr(Symbol, f"__r{_name}__", _backward)


def with_symbols(
    expectation: Expectation, config: ModelConfig, source: str | None = None, *, without_wall: bool = False
) -> Expectation:
    """The same expectation with `Expected.symbols` filled where the second evaluation agrees with the first.

    Only for classes of the release itself; the expectation comes back unchanged where that evaluation fails.
    """
    root = find_source(source)
    if root is None or expectation.source != "installed" or expectation.inconclusive or expectation.raises:
        return expectation
    if source is not None and not is_installed(root):
        return _asked(expectation, root, config.raw, without_wall)
    return add_symbols(expectation, building.release(root)[0], config.raw)


def _asked(expectation: Expectation, root: str, raw: dict[str, Any], without_wall: bool) -> Expectation:
    """The same from a process of its own, for a release that may be anybody's."""
    from loadproof.interpret.release.disk import on_disk
    from loadproof.interpret.sandbox.limits import RELEASE_SECONDS
    from loadproof.interpret.sandbox.parent import Child
    from loadproof.interpret.sandbox.task import Task

    task = Task("symbols", raw, None, expectation)
    with Child(RELEASE_SECONDS) as child:
        found = child.ask(task, on_disk(root, is_trusted=False), without_wall=without_wall)
    return expectation if found.inconclusive else found


def add_symbols(expectation: Expectation, world: World, raw: dict[str, Any]) -> Expectation:
    """The same in this process."""
    try:
        with building.room_to_recurse():
            model = building.build(world, raw, expectation.model_type, expectation.class_name, symbolic)
            tensors = dict(model.named_parameters(remove_duplicate=False))
            tensors.update(model.named_buffers(remove_duplicate=False, persistent_only=True))
    except Exception:  # what fails only with symbols is no fault of the checkpoint
        return expectation
    families = tuple(_symbolic(family, tensors) for family in expectation.families)
    return structs.replace(expectation, families=families)


def symbolic(config: Any, prefix: str = "") -> None:
    """Replace every integer field of a built configuration by a `Symbol` with its dotted name, nested ones included."""
    fields = state(config)
    for key, value in list(fields.items()):
        if isinstance(value, Open) and has(value, "attribute_map"):
            symbolic(value, f"{prefix}{key}.")
        elif type(value) is int and not key.startswith("_") and "token" not in key:
            fields[key] = Symbol(value, prefix + key)


def _symbolic(family: Expected, tensors: dict[str, Any]) -> Expected:
    tensor = tensors.get(join_name(family.template, tuple(axis[0] for axis in family.axes)))
    shape = tensor.shape if isinstance(tensor, Tensor) else None
    if shape is None or tuple(map(int, shape)) != family.shape:
        return family
    return structs.replace(family, symbols=tuple(map(text_of, shape)))
