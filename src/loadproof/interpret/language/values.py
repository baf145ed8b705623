"""What evaluated code can hold, as types. `gate.admitted` checks at run time what these names say.

The parts of a container are not typed again: whatever is taken out of one is a `Value` once it has a name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, KeysView, Mapping, ValuesView
from types import EllipsisType
from typing import Any, Protocol, TypeAlias

from loadproof.interpret.language.errors import UnknownUsed


class Open:
    """Base of every object whose public attributes evaluated code may read and write."""

    __slots__ = ()
    __direct__ = True  # whether Python itself may look its attributes up: no plain data and no exception is mixed in
    __family__: type | None = None  # the class whose instances all may be handed to the functions of this one, unbound


class Sealed(Open):
    """Base of the objects that all evaluations share: evaluated code can neither change them nor see their inside."""

    __slots__ = ()
    __visible__ = False  # whether evaluated code may hold the class itself

    def __repr__(self) -> str:
        """Python's own text of it would be one about this program."""
        raise UnknownUsed("the text of a module or of a part of one is not known")


class Indexed(Protocol):
    """What evaluated code puts brackets behind. Python itself raises the TypeError where it is something else."""

    def __getitem__(self, key: Any, /) -> Value: ...
    def __setitem__(self, key: Any, value: Value, /) -> None: ...
    def __delitem__(self, key: Any, /) -> None: ...


class Manager(Protocol):
    """What evaluated code writes behind `with`."""

    def __enter__(self) -> Value: ...
    def __exit__(self, kind: Value, problem: Value, trace: None, /) -> Value: ...


class Descriptor(Protocol):
    """A member of a class that decides what reading it gives."""

    def __get__(self, obj: Any, cls: Any, /) -> Any: ...


Plain: TypeAlias = bool | int | float | complex | str | bytes | range | slice | EllipsisType | None
Container: TypeAlias = (
    list[Any] | tuple[Any, ...] | set[Any] | frozenset[Any] | Mapping[Any, Any] | KeysView[Any] | ValuesView[Any]
)
Function: TypeAlias = Callable[..., "Value"]  # of evaluated code, or one of ours that stands in for the library's
# A tensor, a module, a configuration and every instance of an evaluated class is an `Open`.
Value: TypeAlias = (
    Plain | Container | Open | type | Function | BaseException | Iterator[Any] | property | Indexed | Descriptor
)
Class: TypeAlias = type[Any]  # of evaluated code: it has what its text gives it
Names: TypeAlias = dict[str, Value]  # a scope, keyword arguments
Members: TypeAlias = dict[str, Value]  # of a class


def function_of(value: Any) -> Function:
    """What is called. Where it is nothing of the kind, Python raises its TypeError there."""
    found: Function = value
    return found


def table_of(value: Any) -> dict[str, Any]:
    """A copy of a table of a release, by name."""
    return dict(value)


def items_of(value: Any) -> Iterable[Value]:
    """What is iterated over. Where it is nothing of the kind, Python raises its TypeError there."""
    found: Iterable[Value] = value
    return found
