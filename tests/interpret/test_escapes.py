"""Evaluated code reaches neither the host's objects nor its files."""

from __future__ import annotations

from pathlib import Path

import pytest

from loadproof.interpret.language.errors import NotUnderstood
from tests.interpret.sources import evaluate, evaluate_released, world_of

ESCAPES = (
    "().__class__.__bases__[0].__subclasses__()",
    "''.__class__.__mro__[1].__subclasses__()",
    "getattr((), '__cl' + 'ass__').__subclasses__()",
    "type(1).__base__",
    "type('X', (), {})",
    "type(type(1))('X', (object,), {})",
    "(lambda: 0).__globals__",
    "(lambda: 0).__code__",
    "(lambda: 0).__closure__",
    "getattr(lambda: 0, '__glo' + 'bals__')",
    "vars(len)",
    "len.__self__",
    "[].append.__self__",
    "torch.zeros.__globals__",
    "torch.nn.Linear.__init__.__globals__",
    "torch.nn.Module.__subclasses__()",
    "torch.nn.Module.mro()",
    "torch.nn.Module().named_modules().gi_frame",
    "(x for x in [1]).gi_frame",
    "iter([1]).__reduce__()",
    "'{0.__class__}'.format(1)",
    "'{0.__init__.__globals__}'.format(torch.nn.Linear)",
    "'{0[a]}'.format({'a': 1})",
    "'{x.y}'.format_map({'x': 1})",
    "str.format('{0.__class__}', 1)",
    "operator.attrgetter('__class__')(1)",
    "operator.methodcaller('mro')(int)",
    "functools.partial(len).func",
    "1 if inspect.currentframe().f_globals else 2",
    "collections.namedtuple('A', ['__class__'])",
    "collections.namedtuple('A', ['x, y; import os'])",
    "dataclasses.make_dataclass('A', ['x'])",
    "typing.get_type_hints('x').y",
    "setattr(torch.nn.Linear, 'forward', 1)",
    "setattr(torch.zeros, 'x', 1)",
    "setattr(Own(), '__class__', int)",
    "setattr(Own, '__mro__', ())",
    "object.__setattr__(len, 'x', 1)",
    "object.__setattr__(Own(), '__dict__', {})",
    "super(Own, Own()).__setattr__('__class__', int)",
    "Own.__dict__['method'].source",
    "Own.__subclasses__()",
    "Own().method.__func__",
    "re.compile('a').compiled().scanner",
    "eval('1')",
    "exec('1')",
    "compile('1', '', 'eval')",
    "__import__('os')",
    "open('/etc/passwd')",
    "globals()",
    "locals()",
    "__builtins__",
    "breakpoint()",
    "input()",
    "memoryview(b'')",
    "''.__init_subclass__",
    "Own.__init_subclass__.__self__.__flags__",
    "Exception().__traceback__",
    "b'%d' % 1",
    "property(lambda s: 1).fget",
    "Own.shown.file",
    "Own.shown.getter_source",
)
SUBMODULES = ("f.__globals__", "f.__globals__.x", "data.append", "text.format", "__class__", "forward.__func__", "f")
HEAD = """
import collections, dataclasses, functools, inspect, operator, re, typing
import torch
class Own:
    def method(self):
        pass
    @property
    def shown(self):
        return 1
"""


@pytest.mark.parametrize("escape", ESCAPES)
def test_the_way_out_is_shut(escape: str, tmp_path: Path) -> None:
    with pytest.raises((NotUnderstood, AttributeError, KeyError, TypeError)) as caught:
        evaluate(tmp_path, f"{HEAD}\nresult = {escape}")
    assert not isinstance(caught.value, AttributeError) or "has no attribute" in str(caught.value)


@pytest.mark.parametrize("module", ["os", "subprocess", "sys", "builtins", "importlib", "ctypes", "pathlib", "socket"])
def test_a_dangerous_module_is_only_a_name(module: str, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    assert evaluate(tmp_path, f"import {module}\nresult = 1") == 1
    for call in (f"{module}.system('touch {canary}')", f"{module}.Popen('touch {canary}')"):
        with pytest.raises(NotUnderstood):
            evaluate(tmp_path, f"import {module}\nx = {call}\nz = 1 if x else 2", "z")
    assert not canary.exists()


def test_top_level_statements_are_not_run_for_their_own_sake(tmp_path: Path) -> None:
    assert evaluate_released(tmp_path, "raise SystemExit(1)\nresult = 2") == 2


def test_evaluated_code_cannot_change_shared_classes(tmp_path: Path) -> None:
    text = "import torch\ndef f():\n    torch.nn.Linear.bias_default = 1\nresult = f()"
    with pytest.raises(NotUnderstood):
        evaluate(tmp_path, text)


@pytest.mark.parametrize("name", ["remote...up", "remote./etc/passwd", "remote.a b", "other.code"])
def test_a_module_name_never_leaves_the_folder(name: str, tmp_path: Path) -> None:
    (tmp_path / "up.py").write_text("x = 1")
    assert world_of(tmp_path, code="x = 1").path(name) is None


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    world = world_of(tmp_path, code="x = 1")
    outside = tmp_path / "outside.py"
    outside.write_text("x = 1")
    (tmp_path / "code" / "linked.py").symlink_to(outside)
    with pytest.raises(NotUnderstood, match="leads out"):
        world.file("remote.linked")


def test_relative_imports_end_at_the_folder(tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("x = 1")
    with pytest.raises(NotUnderstood):
        evaluate(tmp_path, "from ..secret import x\nresult = x + 1 if x else 0")


@pytest.mark.parametrize("path", SUBMODULES)
@pytest.mark.parametrize("method", ["get_submodule", "get_parameter", "get_buffer", "set_submodule"])
def test_a_path_of_a_module_leads_to_modules_only(method: str, path: str, tmp_path: Path) -> None:
    program = f"""
        from torch import nn
        class M(nn.Module):
            def __init__(self):
                super().__init__()
                self._modules["f"] = lambda: 0
                self._modules["data"] = [1]
                self.__dict__["text"] = "x"
        result = M().{method}({path + ".x" if method != "get_submodule" else path!r}{", M()" if method == "set_submodule" else ""})
    """
    if (method, path) == ("get_submodule", "f"):  # what was put there by hand comes back, and leads nowhere
        program += "\n        result = result.__globals__"
    with pytest.raises((NotUnderstood, AttributeError)):
        evaluate(tmp_path, program)


def test_a_path_that_is_no_plain_text_is_refused(tmp_path: Path) -> None:
    program = """
        from torch import nn
        class Path(str):
            def split(self, *_):
                return ["__globals__"]
        result = nn.Sequential(nn.Linear(2, 2)).get_submodule(Path("0"))
    """
    with pytest.raises(TypeError):
        evaluate(tmp_path, program)
