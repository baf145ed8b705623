"""From no value that an evaluated program can reach does a walk through the gate meet an object of the host."""

from __future__ import annotations

import types
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from loadproof.interpret.language import gate, limits
from loadproof.interpret.language.builtin_names import BUILTINS
from loadproof.interpret.language.errors import NotUnderstood
from loadproof.interpret.language.objects import Namespace, Unknown
from loadproof.interpret.language.standard_library import MODULES
from loadproof.interpret.language.values import Open, Sealed
from loadproof.interpret.release import packages, stubs, world
from loadproof.interpret.release.lazy_members import LazyProperty
from loadproof.interpret.shapes import containers, layers, namespaces, tensor
from tests.interpret.sources import world_of

PROGRAM = """
    import collections, dataclasses, enum, functools, operator, re, typing
    import torch
    from torch import nn
    from dataclasses import dataclass, field
    from easydict import EasyDict

    @dataclass
    class Data:
        x: int = 0
        y: list = field(default_factory=list)

    class Color(enum.Enum):
        RED = 1

    class Table(dict):
        def get(self, key, default=None):
            return super().get(key, default)

    class Failure(ValueError):
        def __init__(self, text, more):
            super().__init__(text)
            self.more = more

    class Own(nn.Module):
        config: Data
        shared = [1]

        def __init__(self, width=3):
            super().__init__()
            self.layer = nn.Linear(width, width)
            self.blocks = nn.ModuleList([nn.Embedding(2, 2), nn.Dropout()])
            self.register_buffer("table", torch.zeros(2, 3))
            self.callback = lambda x: x
            self.above = super()

        def method(self, other=1):
            return self

        @property
        def shown(self):
            return self.layer

        @functools.cached_property
        def kept(self):
            return 1

        @classmethod
        def made(cls):
            return cls

        @staticmethod
        def free(x):
            return x

        def __getitem__(self, key):
            return self.layer

    def numbers():
        yield 1

    def caught():
        try:
            {}["x"]
        except KeyError as problem:
            return problem

    def lost():
        try:
            torch.float32.nothing_at_all.__iter__
        except AttributeError as problem:
            return problem

    own = Own()
    everything = [
        own, Own, Data(), Data, Color, Color.RED, Table(a=1), Table, Failure("a", 2), Failure, numbers, numbers(), caught(),
        lost(), EasyDict(a=1), EasyDict, re.compile("a"), re.compile("a").match("a"), collections.namedtuple("N", "a b")(1, 2),
        functools.partial(own.method, 1), dataclasses.fields(Data), dataclasses.replace(Data(), x=1), own.method, Own.method,
        own.above, torch.zeros(2).shape, torch.zeros(2), nn.Parameter(torch.zeros(2)), torch.device("cpu"), torch.float32,
        own.named_modules(), map(str, [1]), own.blocks, own.__dict__, Own.__dict__, vars(Own), typing.Optional[int],
        lambda: 0, iter([1]), {}.keys(), slice(1), range(2), reversed([1]), zip([1]), enumerate([1]), own.shown, Own.shown,
        collections.OrderedDict(a=1), collections.defaultdict(list), collections.deque([1]), torch.nn.functional, object(),
        functools.lru_cache(maxsize=1), dataclass(eq=False), torch.no_grad(), functools.wraps(len), operator.itemgetter(0),
        type(own), own.__class__, Own.__mro__, Own.__bases__, Own.made, Own.free, Own.__init__, own.__init__, {1: own}, {2},
    ]
"""
_NASTY = """
    __globals__ __code__ __closure__ __func__ __self__ __dict__ __class__ __mro__ __bases__ __base__ __subclasses__
    mro __reduce__ __reduce_ex__ __getattribute__ __setattr__ __delattr__ __init__ __new__ __get__ __set__ __wrapped__
    __call__ __traceback__ __context__ __cause__ __annotations__ __dataclass_fields__ __source_class__ __weakref__
    __doc__ __module__ __init_subclass__ __class_getitem__ __origin__ __args__ __builtins__ __loader__ __spec__
    __file__ __path__ __slots__ __kwdefaults__ __defaults__ __signature_names__ __config_annotation__ __family__
    __direct__ __visible__ __checks__ __strict__ __sizeof__ __dir__ __format__ __hash__ __eq__ __or__
    __instancecheck__ __subclasscheck__ __set_name__ gi_frame gi_code tb_frame f_globals obj func args keywords fget
    fset fdel with_traceback register _abc_impl real make _members _find _name _world world file root budget source
    getter_source setter_source built compiled _compiled pending range element defs globals resolve evaluate problem
    values shape parent redirected scanner re format format_map metaclass default_factory maketrans from_bytes
    __prepare__ thunks fill __waiting__ __building__ _get_default loadproof_certain
"""
NASTY = tuple(_NASTY.split())
HARMLESS = (str, bytes, int, float, complex, type(None), type(...), type(NotImplemented), range)


def visible_functions() -> set[int]:
    """Those that the stand-ins define by name, and the wrappers of the gate."""
    found: set[int] = set()
    tables: list[Any] = [BUILTINS, packages.KNOWN, *(vars(stubs)[n] for n in ()), *gate.METHODS.values()]
    spaces = [space for space in (*MODULES.values(), *world._TORCH.values(), *nested()) if isinstance(space, Namespace)]
    tables += [object.__getattribute__(space, "_members") for space in spaces]
    for table in tables:
        found |= {id(value) for value in table.values() if isinstance(value, types.FunctionType)}
    return found


def nested() -> Iterator[Any]:
    seen: set[int] = set()
    todo = [*MODULES.values(), *world._TORCH.values()]
    while todo:
        space = todo.pop()
        if isinstance(space, Namespace) and id(space) not in seen:
            seen.add(id(space))
            yield space
            todo += object.__getattribute__(space, "_members").values()


def is_of_a_stand_in(function: types.FunctionType) -> bool:
    """Whether a class of ours defines it."""
    todo: list[type] = [Open, LazyProperty]
    while todo:
        cls = todo.pop()
        todo += type.__subclasses__(cls)
        for value in vars(cls).values():
            if getattr(value, "__func__", value) is function:
                return True
    return False


def offence(value: Any, visible: set[int]) -> str | None:
    kind = type(value)
    if isinstance(value, type):
        return None if is_visible_class(value) else f"the class {value.__module__}.{value.__qualname__}"
    if kind not in gate.PLAINLY and not issubclass(kind, (Open, BaseException, property)):
        return f"a {kind.__module__}.{kind.__qualname__}"
    if kind is types.FunctionType and not gate.is_evaluated(value):
        known = id(value) in visible or from_gate(value)
        return (
            None
            if known or is_of_a_stand_in(value) or made_by_a_stand_in(value)
            else f"the function {value.__module__}.{value.__qualname__}"
        )
    if kind is types.MethodType:
        return offence(value.__self__, visible) or offence(value.__func__, visible)
    if kind is partial:
        if from_gate(value.func):
            return None  # what it was given cannot be asked for
        parts = (value.func, *value.args, *value.keywords.values())
        return next((found for part in parts for found in [offence(part, visible)] if found), None)
    if kind is super:
        return offence(value.__self__, visible)
    if kind is types.BuiltinFunctionType and isinstance(value.__self__, types.ModuleType):
        return None if value.__self__.__name__ in ("math", "_operator", "builtins", "_functools") else f"{value}"
    return None


def from_gate(function: Any) -> bool:
    return isinstance(function, types.FunctionType) and "/gate/" in function.__code__.co_filename.replace("\\", "/")


def made_by_a_stand_in(function: types.FunctionType) -> bool:
    """A closure of a module that holds stand-ins and nothing else, such as a decorator made by a call."""
    top, _, last = function.__module__.rpartition(".")
    return top == "loadproof.interpret.shapes" or last in STAND_INS


def is_visible_class(cls: Any) -> bool:
    if isinstance(cls, gate.GuardedType) or cls in gate.BUILTIN or issubclass(cls, BaseException):
        return True
    return issubclass(cls, Open) and not (issubclass(cls, Sealed) and not cls.__visible__)  # type: ignore[attr-defined]


def parts_of(value: Any) -> Iterator[tuple[str, Any]]:
    """What one step through the gate, or into a container, leads to."""
    for name in dict.fromkeys([*_own_names(value), *NASTY]):
        try:
            yield f".{name}", gate.read(value, name)
        except (NotUnderstood, AttributeError, TypeError, ValueError, KeyError, IndexError):
            continue
    with suppress(NotUnderstood):
        yield "type()", gate.class_of(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        yield from ((f"[{i}]", item) for i, item in enumerate(value))
    if isinstance(value, (dict, types.MappingProxyType)):
        yield from ((f"[{key!r:.30}]", item) for key, item in dict(value).items())
        yield from (("key", key) for key in dict(value))


def _own_names(value: Any) -> list[str]:
    names: set[str] = set()
    for cls in type(value).__mro__:
        names |= set(vars(cls))
    if isinstance(value, type):
        for cls in value.__mro__:
            names |= set(vars(cls))
    if isinstance(value, Namespace):
        names |= set(object.__getattribute__(value, "_members"))
    return sorted(n for n in names | set(getattr(value, "__dict__", None) or ()) if isinstance(n, str))


STAND_INS = ("standard_library", "builtin_names", "math_names", "patterns", "counted", "stubs", "lazy_list")
MOST = 6  # fresh objects of one class that are looked into: a tensor makes a new one at each step


def identity(value: Any) -> Any:
    """The same for values that cannot lead to different places."""
    kind = type(value)
    if kind is types.MethodType:
        return id(value.__func__), type(value.__self__)
    if kind in (types.BuiltinFunctionType, types.MethodWrapperType):
        return value.__name__, type(value.__self__)
    if kind is partial:
        return id(value.func), *map(type, value.args)
    return id(value)


def walk(seeds: dict[str, Any], depth: int = 4) -> Iterator[tuple[str, Any]]:
    seen: dict[Any, Any] = {}
    times: dict[type, int] = {}
    todo = deque((path, value, 0) for path, value in seeds.items())
    while todo:
        path, value, far = todo.popleft()
        if identity(value) in seen:
            continue
        seen[identity(value)] = value
        yield path, value
        kind = type(value)
        if not isinstance(value, (type, Namespace, types.FunctionType)):
            times[kind] = times.get(kind, 0) + 1
        if far < depth and kind not in HARMLESS and kind is not Unknown and times.get(kind, 0) <= MOST:
            todo.extend((path + step, part, far + 1) for step, part in parts_of(value))


def check(seeds: dict[str, Any], least: int) -> None:
    limits.start()
    visible = visible_functions()
    found = list(walk(seeds))
    assert len(found) >= least
    offences = {path: offence(value, visible) for path, value in found}
    assert {path: said for path, said in offences.items() if said is not None} == {}


def test_no_stand_in_leads_to_the_host() -> None:
    seeds = {**{f"import {n}": v for n, v in MODULES.items()}, **{f"import {n}": v for n, v in world._TORCH.items()}}
    check({**seeds, **BUILTINS, **packages.KNOWN}, 1_500)


def test_no_call_of_a_stand_in_hands_out_what_is_of_the_host() -> None:
    limits.start()
    visible, answers = visible_functions(), {}
    spaces = [*MODULES.items(), *world._TORCH.items(), *((f"space {at}", space) for at, space in enumerate(nested()))]
    for where, space in spaces:
        for name, function in dict(object.__getattribute__(space, "_members")).items():
            if not isinstance(function, types.FunctionType):
                continue
            for given in ((), (namespaces.TORCH,), (namespaces.TORCH, "zeros"), ("a",), (1, 2)):
                with suppress(Exception):  # what it refuses, it does not hand out
                    answers[f"{where}.{name}{given}"] = function(*given)
    assert len(answers) > 200
    offences = {path: offence(value, visible) for path, value in answers.items()}
    assert {path: said for path, said in offences.items() if said is not None} == {}


def test_no_value_of_a_program_leads_to_the_host(tmp_path: Path) -> None:
    release = world_of(tmp_path, program=PROGRAM)
    from loadproof.interpret.building import room_to_recurse

    with room_to_recurse():
        check({"everything": release.load("remote.program", "everything")}, 500)


def test_every_kind_of_stand_in_is_a_kind_of_the_gate() -> None:
    made = [containers.ModuleDict(), layers.Dropout(), tensor.Size((1,)), tensor.META, namespaces.NN, Unknown("x")]
    assert [offence(value, set()) for value in made] == [None] * len(made)


@pytest.mark.parametrize(
    "value",
    [
        types.SimpleNamespace(),
        limits.start(),
        types,
        limits.start,
        Namespace,
        partial(limits.start),
        compile("1", "", "eval"),
    ],
)
def test_the_search_finds_what_is_wrong(value: Any) -> None:
    assert offence(value, visible_functions()) is not None
