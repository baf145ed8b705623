"""Import styles and top-level forms, by name. What the real library does with each is asked of it, not written here."""

from __future__ import annotations

from tests.differential.imports.attribute_cases import ATTRIBUTES
from tests.differential.imports.build import CONFIG, MODEL, RAW, Case
from tests.differential.imports.module_cases import MODULES
from tests.differential.imports.scope_cases import SCOPES

_MODEL = MODEL.format(head="", body="pass", tail="", fields="")


def _late(text: str) -> Case:
    return Case(tail=text)


PLAIN = Case()
# ---------------------------------------------------------------- what Python cannot compile
SYNTAX = {
    "syntax_in_unused_def": _late("def unused():\n    x = (1,\n    return\n"),
    "merge_markers": _late("<<<<<<< HEAD\ndef a(): pass\n=======\n>>>>>>> x\n"),
    "truncated_def": _late("def helper(x):\n    return foo(x, \n"),
    "python_2_print": _late("def helper(x):\n    print x\n"),
    "null_byte": _late("def unused():\n    '\x00'\n"),
    "tabs_and_blanks": _late("def unused():\n\tif 1:\n\t\tpass\n        return\n"),
    "deep_parentheses": _late("x = " + "(" * 300 + "1" + ")" * 300 + "\n"),
    "long_sum": _late("x = " + "+".join(["1"] * 3000) + "\n"),
    "return_outside": _late("return 5\n"),
    "yield_outside": _late("yield 5\n"),
    "await_outside": _late("await x\n"),
    "break_outside": _late("break\n"),
    "nonlocal_at_top": _late("nonlocal q\n"),
    "nonlocal_unbound": _late("def f():\n    nonlocal q\n    q = 1\n"),
    "global_after_use": _late("def f():\n    q = 1\n    global q\n"),
    "twice_the_argument": _late("def f(a, a): pass\n"),
    "keyword_twice": _late("def f(): return g(a=1, a=2)\n"),
    "default_before_none": _late("def f(a=1, b): pass\n"),
    "late_future": _late("from __future__ import annotations\n"),
    "unknown_future": Case(modeling_tiny="from __future__ import braces\n" + _MODEL),
    "assign_to_literal": _late("1 = x\n"),
    "assign_to_call": _late("def f(): g() = 1\n"),
    "starred_alone": _late("def f(): *a = 1, 2\n"),
    "unindented": _late("  x = 1\n y = 2\n"),
    "star_import_in_def": _late("def f():\n    from math import *\n"),
    "type_statement": _late("type X = int\n"),
    "generic_function": _late("def f[T](x: T) -> T: return x\n"),
    "nested_f_string_quotes": _late("x = f\"{'a' + f'{\"b\"}'}\"\n"),
    "unterminated_string": _late("x = 'abc\n"),
    "unterminated_triple": _late('x = """abc\n'),
    "bad_escape": _late("x = '\\N{no such name}'\n"),
    "bad_number": _late("x = 0777\n"),
    "walrus_at_top": _late("x := 1\n"),
    "bad_decorator": _late("@\ndef f(): pass\n"),
    "duplicate_star": _late("def f(*a, *b): pass\n"),
    "unknown_coding": Case(modeling_tiny="# -*- coding: no-such-codec -*-\n" + _MODEL),
    "latin_1": Case(modeling_tiny=("# -*- coding: latin-1 -*-\n# \xe9\n" + _MODEL).encode("latin-1")),
    "utf_8_with_mark": Case(modeling_tiny=b"\xef\xbb\xbf" + _MODEL.encode()),
    "broken_utf_8": Case(modeling_tiny=_MODEL.encode() + b"# \xff\xfe\n"),
    "form_feed": Case(modeling_tiny="\x0c\n" + _MODEL),
    "windows_lines": Case(modeling_tiny=_MODEL.replace("\n", "\r\n").encode()),
    "in_the_configuration": Case(configuration_tiny=CONFIG + "def f(:\n"),
    "in_a_helper": Case(head="from .helper import x", helper="x = 1\ndef f(:\n"),
    "in_an_unread_file": Case(unread="def f(:\n"),
    "control_character": _late("x = 1 \x01\n"),
    "walrus_in_comprehension_target": _late("x = [i := 0 for i in range(3)]\n"),
    "except_order": _late("try:\n    pass\nexcept:\n    pass\nexcept ValueError:\n    pass\n"),
    "bare_star": _late("def f(*): pass\n"),
    "class_generic": _late("class A[T]: pass\n"),
    "except_star": _late("try:\n    pass\nexcept* ValueError:\n    pass\n"),
}
# ---------------------------------------------------------------- what fails when it runs
RUN = {
    "raise": _late("raise RuntimeError('no')\n"),
    "raise_class": _late("raise RuntimeError\n"),
    "raise_from": _late("raise ValueError('no') from None\n"),
    "raise_own": _late("class Mine(Exception): pass\nraise Mine('no')\n"),
    "assert": _late("assert False, 'no'\n"),
    "assert_true": _late("assert True, 'no'\n"),
    "zero_division": _late("x = 1 / 0\n"),
    "undefined": _late("y = undefined_name\n"),
    "undefined_call": _late("undefined_name()\n"),
    "undefined_in_def": _late("def f():\n    return undefined_name\n"),
    "call_lambda": _late("(lambda: [][0])()\n"),
    "decorator": _late("@undefined_decorator\ndef f(): pass\n"),
    "class_decorator": _late("@undefined_decorator\nclass A: pass\n"),
    "decorator_raises": _late("def d(f): raise ValueError('no')\n@d\ndef g(): pass\n"),
    "class_decorator_raises": _late("def d(f): raise ValueError('no')\n@d\nclass G: pass\n"),
    "method_decorator": _late("class A:\n    @undefined_decorator\n    def f(self): pass\n"),
    "default": _late("def f(a=undefined_default): pass\n"),
    "default_raises": _late("def f(a=1/0): pass\n"),
    "keyword_default": _late("def f(*, a=undefined_default): pass\n"),
    "method_default": _late("class A:\n    def f(self, a=undefined_default): pass\n"),
    "method_default_of_class": _late("class A:\n    N = 3\n    def f(self, a=N): return a\n"),
    "class_body": _late("class Q:\n    x = 1 / 0\n"),
    "class_body_name": _late("class Q:\n    x = undefined_name\n"),
    "class_body_raise": _late("class Q:\n    raise ValueError('no')\n"),
    "class_body_loop": _late("class Q:\n    for i in range(3):\n        x = i\n    y = [1, 2][x]\n"),
    "class_body_loop_fails": _late("class Q:\n    for i in range(3):\n        x = [1, 2][i]\n"),
    "class_body_scope": _late("class Q:\n    n = 2\n    m = [i for i in range(n)]\n"),
    "class_body_scope_fails": _late("class Q:\n    n = 2\n    m = [n for i in range(2)]\n"),
    "class_base": _late("class Z(int, str, nn.Module): pass\n"),
    "class_base_undefined": _late("class Z(Undefined): pass\n"),
    "class_base_number": _late("class Z(3): pass\n"),
    "class_base_twice": _late("class A: pass\nclass Z(A, A): pass\n"),
    "class_base_order": _late("class A: pass\nclass B(A): pass\nclass Z(A, B): pass\n"),
    "annotation": _late("def f(a: UndefinedType): pass\n"),
    "annotation_return": _late("def f() -> UndefinedType: pass\n"),
    "annotation_variable": _late("x: UndefinedType = 1\n"),
    "annotation_bare": _late("x: UndefinedType\n"),
    "annotation_in_def": _late("def f():\n    x: UndefinedType = 1\n"),
    "annotation_quoted": _late("def f(a: 'UndefinedType'): pass\n"),
    "annotation_union_text": _late("def f(a: 'X' | None): pass\n"),
    "annotation_union": _late("def f(a: int | None, b: torch.Tensor | None = None) -> list[int]: pass\n"),
    "annotation_class": _late("class A:\n    x: UndefinedType = 1\n"),
    "annotation_postponed": Case(
        modeling_tiny="from __future__ import annotations\n" + _MODEL + "def f(a: UndefinedType): pass\n"
    ),
    "annotation_typing": _late(
        "from typing import *\ndef f(a: Optional[Tuple[int, ...]], b: Dict[str, Any], c: Callable[[int], str]): pass\n"
    ),
    "key": _late("x = {}['a']\n"),
    "attribute_of_text": _late("x = ''.no_such\n"),
    "attribute_of_none": _late("x = None\ny = x.weight\n"),
    "index": _late("x = [1][5]\n"),
    "add_text": _late("x = 'a' + 1\n"),
    "not_callable": _late("x = (3)(4)\n"),
    "not_iterable": _late("for x in 3: pass\n"),
    "unpack": _late("a, b = 1, 2, 3\n"),
    "too_many_arguments": _late("def f(): pass\nf(1)\n"),
    "missing_argument": _late("def f(a): pass\nf()\n"),
    "int_of_text": _late("x = int('abc')\n"),
    "len_of_number": _late("x = len(3)\n"),
    "del_then_use": _late("x = 1\ndel x\ny = x\n"),
    "del_undefined": _late("del never_there\n"),
    "loop_else": _late("for i in range(3):\n    pass\nelse:\n    raise ValueError('no')\n"),
    "while_break": _late("while True:\n    break\nelse:\n    raise ValueError('no')\n"),
    "finally_raises": _late("try:\n    pass\nfinally:\n    raise ValueError('no')\n"),
    "caught": _late("try:\n    1 / 0\nexcept ZeroDivisionError:\n    pass\n"),
    "caught_other": _late("try:\n    1 / 0\nexcept KeyError:\n    pass\n"),
    "caught_tuple": _late("try:\n    {}[1]\nexcept (KeyError, ValueError) as e:\n    x = str(e)\n"),
    "caught_name_ends": _late("try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    pass\nx = e\n"),
    "else_raises": _late("try:\n    pass\nexcept ValueError:\n    pass\nelse:\n    raise ValueError('no')\n"),
    "reraised": _late("try:\n    1 / 0\nexcept ZeroDivisionError:\n    raise\n"),
    "name_caught": _late("try:\n    undefined_name\nexcept NameError:\n    x = 1\n"),
    "suppressed": _late("import contextlib\nwith contextlib.suppress(ZeroDivisionError):\n    1 / 0\n"),
    "context_of_own": _late(
        "class C:\n    def __enter__(self): return self\n    def __exit__(self, *a): return True\nwith C():\n    1 / 0\n"
    ),
    "exit": _late("import sys\nsys.exit(1)\n"),
    "raise_system_exit": _late("raise SystemExit(1)\n"),
    "conditional_definition": Case(
        head="if torch.__version__ >= '1.0':\n    WIDTH = 4\nelse:\n    WIDTH = 5", body="assert WIDTH == 4"
    ),
    "conditional_missing": Case(head="if False:\n    WIDTH = 4", body="assert WIDTH == 4"),
    "switch_on_version": Case(
        head="import transformers\nif transformers.__version__ < '4.0.0':\n    raise ImportError('too old')"
    ),
    "switch_on_version_fails": Case(
        head="import transformers\nif transformers.__version__ > '5.0.0':\n    raise ImportError('too new')"
    ),
    "switch_on_parsed": Case(
        head="from packaging import version\nimport transformers\n"
        "assert version.parse(transformers.__version__) >= version.parse('4.30')"
    ),
    "match": _late("match 3:\n    case 1:\n        raise ValueError('one')\n    case _:\n        x = 1\n"),
    "match_raises": _late("match 1:\n    case 1:\n        raise ValueError('one')\n    case _:\n        x = 1\n"),
    "match_in_body": Case(
        body="match config.width:\n    case 4:\n        pass\n    case _:\n        raise ValueError(config.width)"
    ),
    "walrus": _late("if (n := len('abc')) > 2:\n    m = n\nassert m == 3\n"),
    "star_expression": _late("a, *b = 1, 2, 3\nassert b == [2, 3]\n"),
    "async_def": _late("async def f():\n    await g()\n"),
    "lambda_default": _late("f = lambda a=undefined_default: a\n"),
    "generator_at_top": _late("x = sum(i for i in range(3))\nassert x == 3\n"),
    "global_counter": _late("n = 0\ndef f():\n    global n\n    n += 1\nf()\nassert n == 1\n"),
    "global_counter_fails": _late("n = 0\ndef f():\n    global n\n    n += 1\nf()\nassert n == 2\n"),
    "dataclass": _late("from dataclasses import dataclass\n@dataclass\nclass D:\n    a: int = 1\nassert D(2).a == 2\n"),
    "enum": _late("from enum import Enum\nclass E(Enum):\n    A = 1\nassert E.A.value == 1\n"),
    "named_tuple": _late("from collections import namedtuple\nP = namedtuple('P', 'a b')\nassert P(1, 2).b == 2\n"),
    "property_setter": _late(
        "class P:\n    @property\n    def x(self): return 1\n    @x.setter\n    def x(self, v): self.v = v\n"
        "p = P()\np.x = 3\nassert p.v == 3\n"
    ),
    "super_in_method": _late(
        "class A:\n    def f(self): return 1\nclass B(A):\n    def f(self): return super().f() + 1\nassert B().f() == 2\n"
    ),
    "closure": _late("def make(n):\n    def inner(x): return x + n\n    return inner\nassert make(2)(3) == 5\n"),
    "class_in_def": _late(
        "def make(n):\n    class C:\n        def f(self): return n\n    return C\nassert make(2)().f() == 2\n"
    ),
    "wrapped_init": Case(
        head="import functools\ndef wrap(f):\n    @functools.wraps(f)\n    def g(self, *a, **k):\n        return f(self, *a, **k)\n"
        "    return g",
        tail="class Other:\n    @wrap\n    def __init__(self, x): self.x = x\nassert Other(3).x == 3\n",
    ),
    "static_and_class_methods": _late(
        "class S:\n    @staticmethod\n    def a(x): return x\n    @classmethod\n    def b(cls, x): return cls.a(x)\n"
        "assert S.b(3) == 3\n"
    ),
    "method_alias": _late("class S:\n    def a(self): return 1\n    b = a\nassert S().b() == 1\n"),
    "call_in_class": _late("class S:\n    def double(x): return 2 * x\n    n = double(4)\nassert S.n == 8\n"),
    "main_guard": _late("if __name__ == '__main__':\n    raise ValueError('no')\n"),
    "doc_used": _late("x = __name__ + (__doc__ or '')\n"),
    "print": _late("print('hello')\n"),
    "type_checking": Case(
        head="from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import no_such_package_xyz",
    ),
    "global_dictionary": _late("TABLE = {}\nTABLE['a'] = 1\nTABLE.update(b=2)\nassert len(TABLE) == 2\n"),
    "registry": _late(
        "TABLE = {}\ndef register(name):\n    def add(f):\n        TABLE[name] = f\n        return f\n    return add\n"
        "@register('a')\ndef f(): return 1\nassert TABLE['a']() == 1\n"
    ),
    "string_formats": _late("x = '%s-%d' % ('a', 3) + '{:>4}'.format(2) + f'{3!r:>3}'\nassert x == 'a-3   2  3'\n"),
    "environment": _late("import os\nx = os.environ.get('NO_SUCH_VARIABLE_XYZ', '0')\nassert x == '0'\n"),
    "environment_missing": _late("import os\nx = os.environ['NO_SUCH_VARIABLE_XYZ']\n"),
    "logging": _late(
        "from transformers.utils import logging\nlogger = logging.get_logger(__name__)\nlogger.info('x')\n"
    ),
    "no_grad": _late("@torch.no_grad()\ndef f(x): return x\n"),
    "script": _late("def f(x: torch.Tensor) -> torch.Tensor: return x\n"),
    "functional": _late("import torch.nn.functional as F\nact = F.silu\n"),
    "post_init_twice": Case(body="self.post_init()"),
    "overload": _late("from typing import overload\n@overload\ndef f(x: int) -> int: ...\ndef f(x): return x\n"),
    "type_var": _late("from typing import TypeVar, Generic\nT = TypeVar('T')\nclass G(Generic[T]): pass\n"),
    "protocol": _late("from typing import Protocol\nclass P(Protocol):\n    def f(self) -> int: ...\n"),
    "abstract": _late(
        "from abc import ABC, abstractmethod\nclass P(ABC):\n    @abstractmethod\n    def f(self): ...\n"
    ),
    "typed_dict": _late("from typing import TypedDict\nclass P(TypedDict, total=False):\n    a: int\n"),
    "output_class": _late(
        "from dataclasses import dataclass\nfrom transformers.utils import ModelOutput\n@dataclass\n"
        "class Out(ModelOutput):\n    loss: torch.FloatTensor | None = None\n"
    ),
    "module_constants": _late("import math\nN = math.ceil(2.5)\nassert N == 3\nassert math.pi > 3\n"),
    "isinstance_of_own_config": Case(body="assert isinstance(config, TinyConfig)"),
    "unbound_local": _late("def f():\n    x = y\n    y = 1\ny = 2\nf()\n"),
    "global_of_builtin": _late("max = 3\nassert max == 3\n"),
    "sorted_key": _late("assert sorted([3, 1], key=lambda x: -x) == [3, 1]\n"),
    "string_mul": _late("x = 'a' * 3\nassert x == 'aaa'\n"),
    "chained": _late("assert 1 < 2 < 3\n"),
    "set_literal": _late("x = {1, 2} | {3}\nassert len(x) == 3\n"),
    "dict_union": _late("x = {'a': 1} | {'b': 2}\nassert len(x) == 2\n"),
    "empty_class": _late("class A: ...\n"),
    "slots": _late("class A:\n    __slots__ = ('a',)\n    def __init__(self): self.a = 1\nassert A().a == 1\n"),
    "class_getitem": _late("class A:\n    def __class_getitem__(cls, k): return k\nassert A[3] == 3\n"),
    "init_subclass": _late(
        "SEEN = []\nclass A:\n    def __init_subclass__(cls, **k):\n        SEEN.append(cls.__name__)\nclass B(A): pass\n"
        "assert SEEN == ['B']\n"
    ),
    "init_subclass_raises": _late(
        "class A:\n    def __init_subclass__(cls, **k):\n        raise TypeError('no')\nclass B(A): pass\n"
    ),
    "metaclass": _late(
        "class M(type):\n    def __new__(m, n, b, d):\n        raise TypeError('no')\nclass A(metaclass=M): pass\n"
    ),
    "set_name": _late(
        "class D:\n    def __set_name__(self, owner, name):\n        raise ValueError(name)\nclass A:\n    d = D()\n"
    ),
}
# ---------------------------------------------------------------- imports
IMPORTS = {
    "missing_package": _late("import no_such_package_xyz\n"),
    "missing_package_from": _late("from no_such_package_xyz import a\n"),
    "missing_package_dotted": _late("import no_such_package_xyz.sub as x\n"),
    "missing_in_def": _late("def f():\n    import no_such_package_xyz\n"),
    "missing_in_method": _late("class A:\n    def f(self):\n        import no_such_package_xyz\n"),
    "missing_in_if": _late("if False:\n    import no_such_package_xyz\n"),
    "missing_in_available": _late(
        "from transformers.utils import is_flash_attn_2_available\n"
        "if is_flash_attn_2_available():\n    from flash_attn import flash_attn_func\n"
    ),
    "missing_in_other_available": _late(
        "def is_there(): return False\nif is_there():\n    import no_such_package_xyz\n"
    ),
    "missing_in_try": _late(
        "try:\n    import no_such_package_xyz\nexcept ImportError:\n    no_such_package_xyz = None\n"
    ),
    "missing_in_try_used": _late(
        "try:\n    import no_such_package_xyz\nexcept ImportError:\n    pass\nx = no_such_package_xyz\n"
    ),
    "missing_in_handler": _late("try:\n    import math\nexcept ImportError:\n    import no_such_package_xyz\n"),
    "missing_in_try_not_found": _late(
        "try:\n    import no_such_package_xyz\nexcept ModuleNotFoundError as e:\n    assert e.name == 'no_such_package_xyz'\n"
    ),
    "missing_in_try_wrong_handler": _late("try:\n    import no_such_package_xyz\nexcept ValueError:\n    pass\n"),
    "missing_in_try_raises": _late(
        "try:\n    import no_such_package_xyz\nexcept ImportError:\n    raise ImportError('please install xyz')\n"
    ),
    "missing_in_try_flag": Case(
        head="try:\n    import no_such_package_xyz\n    HAS = True\nexcept ImportError:\n    HAS = False",
        body="assert not HAS",
    ),
    "missing_in_with": _late("with open('x') as f:\n    import no_such_package_xyz\n"),
    "missing_in_helper": Case(head="from .helper import x", helper="import no_such_package_xyz\nx = 1\n"),
    "missing_in_helper_def": Case(
        head="from .helper import x", helper="def f():\n    import no_such_package_xyz\nx = 1\n"
    ),
    "missing_in_configuration": Case(configuration_tiny="import no_such_package_xyz\n" + CONFIG),
    "missing_two": _late("import no_such_package_xyz\nimport another_missing_abc\n"),
    "find_spec": _late(
        "import importlib.util\nif importlib.util.find_spec('no_such_package_xyz') is not None:\n    raise ValueError('no')\n"
    ),
    "find_spec_there": _late(
        "import importlib.util\nif importlib.util.find_spec('safetensors') is None:\n    raise ValueError('no')\n"
    ),
    "import_module_missing": _late("import importlib\nimportlib.import_module('no_such_package_xyz')\n"),
    "present_package": _late("import safetensors\nfrom safetensors import safe_open\n"),
    "numpy": _late("import numpy as np\nx = np.float32\n"),
    "release_name_gone": _late("from transformers.utils import is_gone_for_good\n"),
    "release_name_gone_top": _late("from transformers import NoSuchModelXyz\n"),
    "release_name_not_exported": _late("from transformers import apply_rotary_pos_emb\n"),
    "release_name_attribute_only": _late("from transformers.modeling_utils import all_tied_weights_keys\n"),
    "release_module_gone": _late("from transformers.no_such_module import x\n"),
    "release_import_gone": _late("import transformers.no_such_module\n"),
    "release_import": _late("import transformers.modeling_utils\nx = transformers.PreTrainedModel\n"),
    "release_gone_in_try": _late(
        "try:\n    from transformers.utils import is_gone_for_good\nexcept ImportError:\n    is_gone_for_good = None\n"
    ),
    "release_gone_in_def": _late("def f():\n    from transformers.utils import is_gone_for_good\n"),
    "release_gone_in_if": _late("if True:\n    from transformers.utils import is_gone_for_good\n"),
    "release_model": _late("from transformers import LlamaForCausalLM, LlamaConfig\n"),
    "release_modeling": _late("from transformers.models.llama.modeling_llama import LlamaRMSNorm, rotate_half\n"),
    "release_submodule": _late("from transformers.models import llama\nfrom transformers import modeling_utils\n"),
    "release_cache": _late("from transformers.cache_utils import Cache, DynamicCache\n"),
    "release_outputs": _late("from transformers.modeling_outputs import CausalLMOutputWithPast\n"),
    "release_activations": _late("from transformers.activations import ACT2FN\nx = ACT2FN['silu']\n"),
    "release_activation_gone": _late("from transformers.activations import ACT2FN\nx = ACT2FN['no_such']\n"),
    "release_rope": _late("from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS\n"),
    "release_generation": _late(
        "from transformers.generation import GenerationMixin\nfrom transformers import GenerationConfig\n"
    ),
    "release_pruning": _late("from transformers.pytorch_utils import find_pruneable_heads_and_indices\n"),
    "release_masks": _late("from transformers.modeling_attn_mask_utils import _prepare_4d_causal_attention_mask\n"),
    "release_docstrings": _late(
        "from transformers.utils import add_start_docstrings, logging, replace_return_docstrings\n"
    ),
    "release_tokenizer": _late(
        "from transformers import AutoTokenizer, PreTrainedTokenizer, PreTrainedTokenizerFast\n"
    ),
    "release_file_utils": _late("from transformers.file_utils import ModelOutput\n"),
    "release_deepspeed": _late("from transformers.deepspeed import is_deepspeed_zero3_enabled\n"),
    "release_fx": _late("from transformers.utils.import_utils import is_torch_fx_available\n"),
    "release_remat": _late("from transformers.utils import is_torch_fx_proxy, is_torchdynamo_compiling\n"),
    "star_of_configuration": Case(modeling_tiny=_MODEL.replace("import TinyConfig", "import *")),
    "star_all_lacks": Case(
        modeling_tiny=_MODEL.replace("import TinyConfig", "import *"),
        configuration_tiny="__all__ = ['A']\nA = 1\n" + CONFIG,
    ),
    "star_all_wrong": Case(
        modeling_tiny=_MODEL.replace("import TinyConfig", "import *"),
        configuration_tiny="__all__ = ['TinyConfig', 'NoSuch']\n" + CONFIG,
    ),
    "star_private": Case(head="from .helper import *", body="assert _x", helper="_x = 1\n"),
    "star_public": Case(head="from .helper import *", body="assert x", helper="x = 1\n"),
    "star_math": _late("from math import *\nassert ceil(2.5) == 3\n"),
    "star_gone": _late("from math import *\nx = no_such_name_here\n"),
    "relative_missing_file": Case(head="from .no_such_file import x"),
    "relative_missing_in_try": Case(head="try:\n    from .no_such_file import x\nexcept ImportError:\n    x = None"),
    "relative_missing_in_type_checking": Case(
        head="from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .no_such_file import x"
    ),
    "relative_missing_in_docstring": Case(head='"""\nfrom .no_such_file import x\n"""'),
    "relative_missing_in_comment": Case(head="# from .no_such_file import x"),
    "relative_missing_in_def": Case(tail="def f():\n    from .no_such_file import x\n"),
    "relative_name_gone": Case(head="from .helper import no_such", helper="x = 1\n"),
    "relative_name_gone_in_try": Case(
        head="try:\n    from .helper import no_such\nexcept ImportError:\n    no_such = 1", helper="x = 1\n"
    ),
    "relative_package": Case(head="from .sub import x", deeper={"sub/__init__": "x = 1\n"}),
    "relative_package_module": Case(head="from .sub.deep import x", deeper={"sub/deep": "x = 1\n"}),
    "relative_module": Case(head="from . import helper", body="assert helper.x", helper="x = 1\n"),
    "relative_module_known": Case(
        head="from .helper import x\nfrom . import helper", body="assert helper.x", helper="x = 1\n"
    ),
    "relative_module_attribute_gone": Case(
        head="from .helper import x\nfrom . import helper", body="assert helper.y", helper="x = 1\n"
    ),
    "relative_two_dots": Case(head="from ..helper import x", helper="x = 1\n"),
    "relative_chain": Case(head="from .a import x", a="from .b import x\n", b="x = 1\n"),
    "relative_chain_gone": Case(head="from .a import x", a="from .b import x\n", b="y = 1\n"),
    "relative_chain_raises": Case(head="from .a import x", a="from .b import x\n", b="x = 1\nraise ValueError('no')\n"),
    "relative_chain_caught": Case(
        head="try:\n    from .a import x\nexcept ValueError:\n    x = 1", a="raise ValueError('no')\n"
    ),
    "relative_twice_after_failure": Case(
        head="try:\n    from .a import x\nexcept ValueError:\n    pass\nfrom .a import x", a="raise ValueError('no')\n"
    ),
    "circular": Case(head="from .a import x", a="from .b import y\nx = 1\n", b="from .a import x\ny = 1\n"),
    "circular_late": Case(head="from .a import x", a="x = 1\nfrom .b import y\n", b="from .a import x\ny = 1\n"),
    "circular_in_def": Case(
        head="from .a import x", a="from .b import y\nx = 1\n", b="def f():\n    from .a import x\ny = 1\n"
    ),
    "circular_module": Case(
        head="from .a import x", a="from . import b\nfrom .b import y\nx = 1\n", b="from . import a\ny = 1\n"
    ),
    "circular_with_top": Case(head="from .a import x", a="from .modeling_tiny import TinyForCausalLM\nx = 1\n"),
    "circular_configuration": Case(
        configuration_tiny="from .modeling_tiny import TinyForCausalLM\n" + CONFIG,
    ),
    "multi_line_import": Case(head="from .helper import (\n    x,\n    y,\n)", helper="x = y = 1\n"),
    "import_as": Case(head="from .helper import x as z", body="assert z == 1", helper="x = 1\n"),
    "module_getattr": Case(
        head="from .helper import anything",
        body="assert anything == 'anything'",
        helper="def __getattr__(n): return n\n",
    ),
    "module_getattr_refuses": Case(
        head="from .helper import anything", helper="def __getattr__(n): raise AttributeError(n)\n"
    ),
    "own_without_dot": Case(head="import helper", helper="x = 1\n"),
    "absolute_then_relative": Case(
        head="try:\n    from helper import x\nexcept ImportError:\n    from .helper import x", helper="x = 1\n"
    ),
    "init_in_folder": Case(__init__="raise ValueError('never run')\n"),
    "one_file": Case(
        raw={
            "auto_map": {
                "AutoConfig": "modeling_tiny.TinyConfig",
                "AutoModelForCausalLM": "modeling_tiny.TinyForCausalLM",
            }
        },
        modeling_tiny=CONFIG + _MODEL.replace("from .configuration_tiny import TinyConfig\n", ""),
        body="assert isinstance(config, TinyConfig)",
    ),
    "class_gone": Case(modeling_tiny=_MODEL.replace("class TinyForCausalLM", "class Renamed")),
    "configuration_class_gone": Case(
        configuration_tiny=CONFIG.replace("class TinyConfig", "class Renamed"),
        modeling_tiny=_MODEL.replace("import TinyConfig", "import Renamed as TinyConfig"),
    ),
    "class_is_no_model": Case(modeling_tiny=_MODEL.replace("(PreTrainedModel)", "(nn.Module)")),
    "configuration_is_no_configuration": Case(
        configuration_tiny="class TinyConfig:\n    def __init__(self, **k): pass\n"
    ),
    "no_post_init": Case(modeling_tiny=_MODEL.replace("        self.post_init()\n", "")),
    "no_super_init": Case(modeling_tiny=_MODEL.replace("        super().__init__(config)\n", "")),
    "tied_list": Case(fields="_tied_weights_keys = ['proj.weight']"),
    "tied_list_used": Case(fields="_tied_weights_keys = ['proj.weight']", raw={"tie_word_embeddings": True}),
    "other_config_class": Case(
        head="from transformers import LlamaConfig",
        modeling_tiny=_MODEL.replace("= TinyConfig", "= LlamaConfig").replace(
            "from torch import nn", "from torch import nn\nfrom transformers import LlamaConfig"
        ),
    ),
    "no_config_class": Case(modeling_tiny=_MODEL.replace("    config_class = TinyConfig\n", "")),
    "missing_field": Case(body="x = config.no_such_field"),
    "field_of_library": Case(body="x = config.is_decoder"),
    "keyword_of_library": Case(body="x = config.use_return_dict, config.output_attentions, config.pruned_heads"),
    "key_in_body": Case(body="x = {'a': 1}['b']"),
    "registers_config": _late("from transformers import AutoConfig\nAutoConfig.register('tiny_import', TinyConfig)\n"),
    "registers_wrong_type": _late("from transformers import AutoConfig\nAutoConfig.register('other', TinyConfig)\n"),
    "registers_known_type": _late(
        "from transformers import AutoConfig\nclass C(TinyConfig):\n    model_type = 'llama'\nAutoConfig.register('llama', C)\n"
    ),
    "registers_model": _late(
        "from transformers import AutoModelForCausalLM\nAutoModelForCausalLM.register(TinyConfig, TinyForCausalLM)\n"
    ),
    "registers_wrong_model": _late(
        "from transformers import AutoModel, LlamaConfig\nAutoModel.register(LlamaConfig, TinyForCausalLM)\n"
    ),
    "registers_for_auto_class": _late(
        "TinyConfig.register_for_auto_class()\nTinyForCausalLM.register_for_auto_class('AutoModelForCausalLM')\n"
    ),
    "registers_unregistered_part": Case(
        head="from transformers import AutoModel", body="AutoModel.from_config(config)"
    ),
    "registered_part": Case(
        head="""
        from transformers import AutoConfig, AutoModel
        class PartConfig(TinyConfig):
            model_type = "tiny_part"
        class Part(PreTrainedModel):
            config_class = PartConfig
            def __init__(self, config):
                super().__init__(config)
                self.post_init()
        AutoConfig.register("tiny_part", PartConfig)
        AutoModel.register(PartConfig, Part)
        """,
        body="self.part = AutoModel.from_config(PartConfig())",
    ),
    "registered_part_by_type": Case(
        head="""
        from transformers import AutoConfig
        class PartConfig(TinyConfig):
            model_type = "tiny_part"
        AutoConfig.register("tiny_part", PartConfig)
        """,
        body="x = AutoConfig.for_model('tiny_part').width",
    ),
    "unregistered_part_by_type": Case(
        head="from transformers import AutoConfig", body="x = AutoConfig.for_model('tiny_part')"
    ),
    "dotted_auto_map": Case(
        raw={"auto_map": {**RAW["auto_map"], "AutoModelForCausalLM": "sub.modeling_tiny.TinyForCausalLM"}},
        deeper={"sub/modeling_tiny": _MODEL},
    ),
    "stdlib_gone": _late("from collections import no_such_name\n"),
    "stdlib_module_gone": _late("import distutils_no\n"),
    "stdlib_collections_abc": _late("from collections import Mapping\n"),
    "torch_name_gone": _late("from torch.nn import NoSuchLayerXyz\n"),
    "torch_attribute_gone": _late("x = torch.no_such_function_xyz\n"),
    "torch_module_gone": _late("import torch.no_such_module_xyz\n"),
    "torch_six": _late("from torch._six import inf\n"),
    "nothing_unusual": PLAIN,
}
CASES = {**SYNTAX, **RUN, **IMPORTS, **SCOPES, **ATTRIBUTES, **MODULES}
