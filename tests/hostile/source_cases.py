"""Model source and config that try to escape the evaluator or to exhaust it."""

from __future__ import annotations

import json
from textwrap import dedent, indent
from typing import Any

from tests.hostile.making import Special

HEAD = """\
import torch
from torch import nn
from transformers import PretrainedConfig, PreTrainedModel
"""
BODY = """
class EvilConfig(PretrainedConfig):
    model_type = "evil"

    def __init__(self, hidden_size=4, **kwargs):
        super().__init__(**kwargs)
        self.hidden_size = hidden_size


class EvilModel(PreTrainedModel):
    config_class = EvilConfig

    def __init__(self, config):
        super().__init__(config)
{body}
        self.proj = nn.Linear(config.hidden_size, 4)
        self.post_init()
"""
AUTO_MAP = {"AutoConfig": "modeling_evil.EvilConfig", "AutoModelForCausalLM": "modeling_evil.EvilModel"}


def source(body: str = "pass", top: str = "") -> str:
    """Remote code whose constructor runs `body`; `top` stands before the classes."""
    return HEAD + dedent(top) + BODY.format(body=indent(dedent(body), " " * 8))


def files(text: str | bytes | Special, **config: Any) -> dict[str, bytes | str | Special]:
    """A folder with this code."""
    raw = {"model_type": "evil", "architectures": ["EvilModel"], "auto_map": AUTO_MAP, "hidden_size": 4} | config
    return {"config.json": json.dumps(raw), "modeling_evil.py": text}


_STEAL = """
g = {way}
g = g if isinstance(g, dict) else g.__dict__
b = g['__builtins__'] if '__builtins__' in g else g
b = b if isinstance(b, dict) else b.__dict__
b['open'](b['__import__']('os').environ['LOADPROOF_CANARY'], 'w')
"""
# Ways to a dictionary of globals or builtins. Each must be refused, so that nothing stolen is ever called.
WAYS = {
    "object_getattribute": "object.__getattribute__(lambda: 0, '__globals__')",
    "function_of_a_method": "object.__getattribute__(object.__getattribute__(self.post_init, '__func__'), '__globals__')",
    "super_getattribute": "object.__getattribute__(super().__getattribute__('__reduce_ex__')(2)[0], '__globals__')",
    "type_getattribute": "type(self).__class__.__getattribute__(object, '__subclasses__')()[0].__init__.__globals__",
    "metaclass_call": "type(self).__class__('X', (object,), {}).__init__.__globals__",
    "mro": "type(self).__mro__[-1].__subclasses__()[0].__init__.__globals__",
    "tuple_base": "().__class__.__base__.__subclasses__()[0].__init__.__globals__",
    "raw_member": "nn.Module.__dict__['__init__'].__globals__",
    "function_type": "(lambda: 0).__class__((lambda: 0).__code__, {}).__globals__",
    "built_name": "getattr(lambda: 0, '__glo' + 'bals__')",
    "operator_attrgetter": "__import__('operator').attrgetter('__globals__')(lambda: 0)",
    "partial": "__import__('functools').partial(getattr, self.post_init, '__globals__')()",
    "generator_frame": "(x for x in [1]).gi_frame.f_globals",
    "property_getter": "property(lambda self: 0).fget.__globals__",
    "reduce": "self.__reduce_ex__(2)[0].__globals__",
    "builtins_name": "__builtins__",
    "globals": "globals()",
    "vars": "vars(torch)",
    "namespace_members": "torch._members['zeros'].__globals__",
    "found_by": "torch.nn._find.__globals__",
    "getattr_of_super": "getattr(super(), '__init__').__func__.__globals__",
    "class_getitem": "type(self).__class_getitem__.__globals__",
    "defaults": "(lambda a=1: a).__defaults__.__class__.__mro__[1].__subclasses__()[0].__init__.__globals__",
}
ESCAPES = {name: _STEAL.format(way=way) for name, way in WAYS.items()} | {
    "decorator": "@(lambda f: object.__getattribute__(f, '__globals__'))\ndef f():\n    pass\nopen = f['__builtins__']",
    "reduce_getattr": "import functools\nfunctools.reduce(getattr, ['__class__', '__mro__', '__subclasses__'], self)",
    "traceback": "try:\n    1 / 0\nexcept Exception as e:\n    e.__traceback__.tb_frame.f_globals",
    "format_field": "raise ValueError('{0.__init__.__globals__}'.format(self))",
    "format_unbound": "raise ValueError(str.format('{0.__class__}', 1))",
    "format_map": "'{x.__class__}'.format_map({'x': self})",
    "text_subclass": "class S(str):\n    def go(self):\n        return super().__getattribute__('format_map')({})\nS('{x.y}').go()",
    "name_that_lies": (
        "class S(str):\n    def startswith(self, *a):\n        return False\n    def endswith(self, *a):\n"
        "        return False\nsetattr(self, S('__class__'), dict)"
    ),
    "name_that_lies_when_read": (
        "class S(str):\n    def startswith(self, *a):\n        return False\ngetattr(lambda: 0, S('__globals__'))"
    ),
    "exec": "exec('1')",
    "eval": "eval('1')",
    "compile": "compile('1', '', 'exec')",
    "open": "open('x', 'w')",
    "input": "input()",
    "breakpoint": "breakpoint()",
    "dir": "dir(torch)",
    "exit": "raise SystemExit(3)",
    "metaclass": "class M(type):\n    pass\nclass X(metaclass=M):\n    pass",
    "metaclass_call_keyword": "class X(metaclass=lambda *a: exec('1')):\n    pass",
    "disguise": "class X:\n    __class__ = nn.Module\nself.x = X()",
    "world": "from transformers.models.auto import AutoModelForCausalLM as A\nA._world.load('transformers.x', 'y')",
    "poison_members": "torch.__dict__['_members']['nn'] = 5",
    "poison_by_object": "object.__setattr__(torch, '_members', {})",
    "poison_by_init": "type(torch).__init__(torch, 'torch', {})",
    "poison_by_raw_init": "type(torch).__dict__['__init__'](torch, 'torch', {})",
    "poison_dtype": "torch.float32._name = 'int8'",
    "poison_dtype_by_init": "torch.dtype.__init__(torch.float32, 'int8')",
    "poison_layer": "nn.Linear.__init__ = lambda self, *a: None",
    "poison_layer_by_setattr": "setattr(nn.Linear, 'forward', 1)",
    "poison_enum": "import enum\nenum.Enum._members['a'] = 1",
    "poison_module_state": "nn.Module.__init__(torch)\ntorch._modules.x",
}
# Harmless as nothing is imported: what these names stand for is unknown, and the constructor goes on.
INERT = {
    "os": "import os\nos.system('touch $LOADPROOF_CANARY')\nos.environ.clear()",
    "subprocess": "import subprocess\nsubprocess.run(['sh', '-c', 'touch $LOADPROOF_CANARY'])",
    "ctypes": "import ctypes\nctypes.CDLL(None).system(b'touch $LOADPROOF_CANARY')",
    "pickle": "import pickle\npickle.loads(b'cos\\nsystem\\n(S\"touch $LOADPROOF_CANARY\"\\ntR.')",
    "importlib": "import importlib\nimportlib.import_module('os').system('touch $LOADPROOF_CANARY')",
    "torch_load": "torch.load('/etc/passwd', weights_only=False)",
    "torch_hub": "torch.hub.load('a/b', 'c')",
    "load_library": "torch.ops.load_library('/tmp/x.so')",
    "numpy_load": "import numpy\nnumpy.load('x.npy', allow_pickle=True)",
    "sys_modules": "import sys\nsys.modules.clear()",
    "frames": "import inspect\ninspect.currentframe().f_globals",
    "finalizer": (
        "class D:\n    def __del__(self):\n        raise ValueError('\\x1b[31mfinalizer')\n    def __reduce__(self):\n"
        "        raise ValueError('x')\nx = D()\nx = None"
    ),
    "text_with_own_equality": (
        "class S(str):\n    def __eq__(self, other):\n        raise ValueError('eq')\n    def __hash__(self):\n        return 1\n"
        "config.foo = S('abc')\nself.base_model_prefix = S('abc')"
    ),
}
_SHARED = "x, y = [1], [1]\nfor i in range(64):\n    x, y = [x, x], [y, y]\n"
# Stopped by the evaluator's own counters.
COUNTED = {
    "while": "while True:\n    pass",
    "recursion": "def f():\n    return f()\nf()",
    "mutual": "def f():\n    return g()\ndef g():\n    return f()\nf()",
    "recursion_by_getattr": "class A:\n    def __getattr__(self, n):\n        return getattr(self, n + 'x')\nA().y",
    "recursion_by_sort": "def f(x):\n    return sorted([1, 2], key=f)\nf(1)",
    "recursion_by_itself": "self.again = EvilModel(config)",
    "generator": "def g():\n    while True:\n        yield 1\nfor x in g():\n    pass",
    "range": "for i in range(10**12):\n    pass",
    "list": "x = [0] * 10**10",
    "text": "x = 'x' * 10**10",
    "power": "x = 10**10**8",
    "shift": "x = 1 << 10**10",
    "doubling": "x = [1]\nfor i in range(64):\n    x = x + x",
    "extend_by_itself": "x = [1]\nfor i in range(64):\n    x.extend(x)",
    "join": "','.join(['x' * 100000] * 1000)",
    "replace": "('x' * 100000).replace('x', 'y' * 100000)",
    "zfill": "'1'.zfill(10**10)",
    "center": "'1'.center(10**10)",
    "format_width": "'{:>10000000000}'.format(1)",
    "format_nested_width": "'{:{}}'.format(1, 10**10)",
    "percent_width": "'%1000000000d' % 1",
    "percent_star": "'%*d' % (10**9, 1)",
    "integer_subclass": "class I(int):\n    pass\nx = 3\nfor i in range(64):\n    x = I(x) * I(x)",
    "integer_sum": "x = 1\nfor i in range(100000):\n    x = x + x",
    "integer_difference": "x = 1\nfor i in range(100000):\n    x = x - (-x)",
    "integer_modulus": "x = int('f' * 200000, 16)\npow(x, x, x + 1)",
    "product": "import itertools\nlist(itertools.product([1], repeat=10**10))",
    "count": "import itertools\nmax(itertools.count())",
    "regex": "import re\nre.match('(a+)+$', 'a' * 30 + 'b')",
    "modules": "nn.ModuleList([nn.Linear(2, 2) for _ in range(10**9)])",
    "large_layer": "self.x = nn.Linear(10**30, 2)",
    "many_gates": "self.x = nn.LSTM(4, 4, num_layers=10**9)",
    "chunk": "torch.zeros(2**40).chunk(2**40)",
    "split": "torch.zeros(2**40).split(1)",
    "values": "torch.zeros(10**12, 0).tolist()",
    "dimensions": "torch.zeros(*[1] * 100000)",
    "numpy_linspace": "import numpy as np\nnp.linspace(0, 1, 10**10)",
    "long_integer_text": "int('9' * 10**6)",
    "slice_into_itself": "x = [0]\nwhile True:\n    x[len(x):] = x",
    "slices": "x = [0] * 900000\ny = [x[:] for i in range(1000)]",
    "copies": "x = [0] * 900000\ny = [x.copy() for i in range(1000)]",
    "loop_over_a_builtin": "list(list)",
    "star_of_a_builtin": "max(*dict)",
    "loop_over_an_annotation": "import typing\nlist(typing.Any)",
    "ancestors": "C = dict\nwhile True:\n    class C(C):\n        pass",
    "classes": "for i in range(10**6):\n    class C:\n        pass",
    "limit_lost_in_a_class": "while True:\n    class C:\n        a = [0] * 1000000",
    "limit_lost_in_set_name": (
        "class D:\n    def __set_name__(self, owner, name):\n        while True:\n            pass\n"
        "for i in range(1000):\n    try:\n        class C:\n            a = D()\n    except Exception:\n        pass"
    ),
    "text_of_text_of_text": "class C(str):\n    pass\nx = 1\nfor i in range(64):\n    x = C((x, '\\\\', x))",
    "contains_itself": "m = nn.ModuleList([])\nm.append(m)\nself.m = m",
}
# One operation of Python's runs away, where only the kernel's limits on the process hold.
RUNAWAY = {
    "shared_hash": "x = (1,)\nfor i in range(64):\n    x = (x, x)\nd = {x: 1}",
    "shared_membership": _SHARED + "x in [y]",
    "shared_text_of_exception": _SHARED + "raise ValueError(x)",
    "shared_config": _SHARED + "config.x = x",
    "regex_alternatives": "import re\nre.match('(a|aa)+$', 'a' * 100 + 'b')",
    "regex_many_repeats": "import re\nre.match('(.*)' * 8 + 'x$', 'a' * 20000)",
    "list_grows_under_loop": "x = [1]\nfor i in x:\n    x.extend(map(abs, x))",
    "memory": "import itertools\nx = [[i] for i in range(1000000)]\ny = [list(zip(x, x)) for _ in range(1000)]",
    "shared_modules": "m = nn.Linear(2, 2)\nfor i in range(64):\n    m = nn.ModuleList([m, m])\nself.m = m",
    "eager_generator": "import itertools\nnn.ModuleList(nn.Identity() for _ in itertools.count())",
    "deep_tuple": "x = (1,)\nfor i in range(500000):\n    x = (x,)\nself.x = x\nrepr(x)",
}
