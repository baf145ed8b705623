"""Demand-driven reader of a transformers source tree: source text -> model object of `faketorch` modules.

Every top-level definition and every method is turned into a closure only when it is reached, so a
model costs milliseconds although the tree holds hundreds of files.  torch, transformers and
numpy are never imported.

What is *not* taken from the source text but written here ("glue"):
  config base      how raw JSON fields become attributes. Two generations are handled:
                   field style (annotated class fields + `__post_init__`) and init style (`__init__(**kwargs)`)
  model base       `Kernel`: the few `PreTrainedModel` members a constructor touches
  ties             dict style (`_tied_weights_keys = {target: source}`, expanded by the release's own
                   `get_expanded_tied_weights_keys`) or list style (the release's own `tie_weights` is run,
                   ties are then read off object identity)
  Auto* classes    resolved through the release's own name tables
"""
import abc
import ast
import builtins
import collections
import collections.abc
import copy
import dataclasses
import enum
import functools
import importlib.util
import inspect
import itertools
import math
import numbers
import operator
import os
import re
import types
import typing

from loadproof.interpret import evaluator
from loadproof.interpret import faketorch as ft
from loadproof.interpret.faketorch import Namespace, Unknown

NO_DEFAULT = object()
UNSET = object()


class Unresolvable(Exception):
    """The source asks for something that cannot be had without running it (download, auto class without entry)."""


class MissingSource(Unknown):
    """A name from a file the repository folder lacks. May be imported; building anything with it is an error."""

    def _refuse(self, *a, **k):
        raise Unresolvable(f"no source file for {self._name}")
    __call__ = __mro_entries__ = __bool__ = __iter__ = __getitem__ = _refuse


# ---------------------------------------------------------------- what evaluated code may reach on the host
ALLOWED_BUILTINS = {k: getattr(builtins, k) for k in (
    "abs all any bool bytes callable classmethod complex dict divmod enumerate filter float format frozenset hash id int "
    "isinstance issubclass iter len list map max min next object pow property range repr reversed round set slice sorted "
    "staticmethod str sum super tuple type zip ArithmeticError AssertionError AttributeError BaseException Exception "
    "DeprecationWarning FutureWarning ImportError IndexError KeyError LookupError ModuleNotFoundError NotImplemented "
    "NotImplementedError OSError OverflowError RuntimeError StopIteration TypeError UserWarning ValueError Warning "
    "ZeroDivisionError Ellipsis"
).split()}


def _guarded(function):
    def wrapper(obj, name, *rest):
        evaluator.check_attribute(name)
        return function(obj, name, *rest)
    return wrapper


ALLOWED_BUILTINS.update(getattr=_guarded(getattr), hasattr=_guarded(hasattr), setattr=_guarded(setattr),
                        delattr=_guarded(delattr), vars=lambda o: o.__dict__, print=lambda *a, **k: None)


class HostModule:
    """A standard-library module reduced to its public, non-module members."""

    FORBIDDEN = {"FunctionType", "LambdaType", "CodeType", "attrgetter", "methodcaller", "sys", "getmembers"}

    def __init__(self, module):
        self.__dict__["_module"] = module

    def __getattr__(self, key):
        if key.startswith("_") or key in self.FORBIDDEN:
            raise AttributeError(key)
        value = getattr(self._module, key)
        return HOST.get(value.__name__, Unknown(key)) if isinstance(value, types.ModuleType) else value


HOST = {m.__name__: HostModule(m) for m in (
    math, copy, collections, collections.abc, itertools, functools, re, operator, inspect, enum, types, dataclasses,
    typing, abc, numbers)}
HOST["warnings"] = Unknown("warnings")


# numpy, as far as constructors use it
NUMPY = Namespace("numpy", dict(
    newaxis=None, prod=lambda x, *a, **k: ft.product(list(x)) if not isinstance(x, ft.Tensor) else 0,
    linspace=lambda a, b, n, *r, **k: [a + (b - a) * i / max(1, n - 1) for i in range(n)],
    log2=math.log2, log=math.log, sqrt=lambda x: math.sqrt(x) if isinstance(x, (int, float)) else x, ceil=math.ceil,
    floor=math.floor, cumsum=lambda x: list(itertools.accumulate(x)), pi=math.pi, arange=ft.arange, zeros=ft.factory,
    ones=ft.factory, sin=ft.torch.sin, cos=ft.torch.cos, array=lambda v, *a, **k: ft.Tensor(ft.shape_of(v)), round=round, float32=ft.dtype("f"),
    ndarray=ft.Tensor, int64=int))

# transformers sub-modules that a constructor never needs: every name in them becomes Unknown (or a small stub)
STUBBED = [
    "utils", "integrations", "generation.utils", "cache_utils", "masking_utils", "modeling_flash_attention_utils",
    "processing_utils", "loss", "distributed", "quantizers", "safetensors_conversion", "dynamic_module_utils",
    "modeling_outputs", "peft", "audio_utils", "image_utils", "feature_extraction_utils", "tokenization_utils_base",
    "video_utils", "modeling_attn_mask_utils", "hf_argparser", "core_model_loading", "conversion_mapping",
    "time_series_utils", "monkey_patching"]
# base classes replaced by an empty one
BLANK_BASES = {"GenerationMixin", "PushToHubMixin", "PeftAdapterMixin", "DistributedMixin", "FlashAttentionKwargs",
               "TransformersKwargs"}


def default_root():
    """Folder of the installed transformers package, found without importing it."""
    if os.environ.get("TRANSFORMERS_SRC"):
        return os.environ["TRANSFORMERS_SRC"]
    spec = importlib.util.find_spec("transformers")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("no transformers source: install it or set TRANSFORMERS_SRC to the package folder")
    return list(spec.submodule_search_locations)[0]


# ---------------------------------------------------------------- lazy class members
class LazyMethod:
    """Descriptor that builds the function at first access and then replaces itself in the class."""

    def __init__(self, node, mod, kind):
        self.node, self.mod, self.kind = node, mod, kind

    def __set_name__(self, owner, name):
        self.owner, self.name = owner, name

    def __get__(self, obj, cls):
        function = evaluator.method(self.node, self.mod, self.owner)
        function = {"staticmethod": staticmethod, "classmethod": classmethod}.get(self.kind, lambda f: f)(function)
        type.__setattr__(self.owner, self.name, function)
        return function.__get__(obj, cls)


class LazyProperty(property):
    def __init__(self, getter, mod, setter=None):
        self.nodes, self.mod, self.built = {"get": getter, "set": setter}, mod, {}

    def __set_name__(self, owner, name):
        self.owner, self.name = owner, name

    def _function(self, which):
        if which not in self.built:
            self.built[which] = evaluator.method(self.nodes[which], self.mod, self.owner)
        return self.built[which]

    def __get__(self, obj, cls):
        return self if obj is None else self._function("get")(obj)

    def __set__(self, obj, value):
        if self.nodes["set"] is None:
            raise AttributeError(f"can't set attribute {self.name}")
        return self._function("set")(obj, value)


class LazyClassProperty:
    def __init__(self, node, mod):
        self.node, self.mod = node, mod

    def __set_name__(self, owner, name):
        self.owner = owner

    def __get__(self, obj, cls):
        return evaluator.method(self.node, self.mod, self.owner)(cls)


class Field:
    """dataclasses.field()"""

    def __init__(self, default=NO_DEFAULT, default_factory=None, **k):
        self.default, self.default_factory = default, default_factory

    def get(self):
        return self.default_factory() if self.default_factory else self.default


# ---------------------------------------------------------------- one source file
class SourceModule:
    """Index of the top-level names of one file; `resolve(name)` evaluates a name when it is first asked for."""

    def __init__(self, world, name, path):
        self.world, self.name, self.path = world, name, path
        with open(path, encoding="utf-8") as f:
            self.tree = ast.parse(f.read())
        self.globals = {"__name__": name}
        self.defs, self.classes, self.assignments, self.busy = {}, {}, collections.defaultdict(list), set()
        self._index(self.tree.body)

    def _index(self, body):
        for s in body:
            if isinstance(s, (ast.ClassDef, ast.FunctionDef)):
                self.defs[s.name] = s
                if isinstance(s, ast.ClassDef):      # a class may be rebound later (AutoModel = auto_class_update(AutoModel))
                    self.classes[s.name] = s
            elif isinstance(s, ast.Import):
                for a in s.names:
                    self.defs[a.asname or a.name.split(".")[0]] = ("import", a.name if a.asname else a.name.split(".")[0])
            elif isinstance(s, ast.ImportFrom):
                for a in s.names:
                    self.defs[a.asname or a.name] = ("from", s.level, s.module, a.name)
            elif isinstance(s, ast.Assign):
                for target in s.targets:
                    for n in ast.walk(target):
                        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
                            self.assignments[n.id].append(s)
                            self.defs[n.id] = s
            elif isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name) and s.value is not None:
                self.defs[s.target.id] = s
            elif isinstance(s, ast.If):
                self._index_if(s)
            elif isinstance(s, ast.Try):
                if imports_optional_package(s.body):
                    for handler in s.handlers:
                        self._index(handler.body)
                else:
                    self._index(s.body)

    def _index_if(self, s):
        """Module-level `if`: torch is available, every other optional package is not."""
        test = ast.unparse(s.test)
        if "TYPE_CHECKING" in test:
            self._index(s.body)
            return
        other = any(x in test for x in ("not", "npu", "xla", "flex"))
        if "is_torch_available" in test or ("is_torch_" in test and not other):
            self._index(s.body)
            return
        self._index(s.orelse)
        if "is_" in test and not s.orelse:
            for x in s.body:
                if isinstance(x, (ast.ClassDef, ast.FunctionDef)):
                    self.defs.setdefault(x.name, x)

    def resolve(self, name):
        if name in self.globals:
            return self.globals[name]
        if name not in self.defs:
            if name in ALLOWED_BUILTINS:
                return ALLOWED_BUILTINS[name]
            raise KeyError(name)
        if name in self.busy:
            raise RecursionError(f"{self.name}:{name}")
        self.busy.add(name)
        try:
            value = self._make(name, self.defs[name])
        finally:
            self.busy.discard(name)
        if value is not UNSET:
            self.globals[name] = value
        return self.globals[name]

    def _make(self, name, d):
        glue = self.world.override(self.name, name)
        if glue is not None:
            return glue
        if isinstance(d, tuple):
            return self.world.host(d[1]) if d[0] == "import" else self.world.import_from(self, *d[1:])
        if isinstance(d, ast.FunctionDef):
            if any("as_validated_field" in ast.unparse(x) for x in d.decorator_list):
                return lambda default=None, **k: default
            return evaluator.method(d, self, None)
        if isinstance(d, ast.ClassDef):
            return self.make_class(d)
        for s in self.assignments.get(name, [d]) if isinstance(d, ast.Assign) else [d]:
            targets = [s.target] if isinstance(s, ast.AnnAssign) else s.targets
            env = evaluator.Env(None, self)
            evaluator.statement(ast.Assign(targets, s.value))(env)
            self.globals.update(env)
        return UNSET

    def evaluate(self, node, local=None):
        env = evaluator.Env(None, self)
        env.update(local or {})
        return evaluator.expression(node)(env)

    # ---- classes
    def make_class(self, d):
        bases = []
        for b in d.bases:
            base = self.evaluate(b)
            if isinstance(base, MissingSource):
                base()                                  # raises: the base class may hold parameters
            base = ft.Blank if isinstance(base, Unknown) else base
            if base not in bases:
                bases.append(base)
        if ft.Blank in bases and len(bases) > 1:
            bases.remove(ft.Blank)
        bases = types.resolve_bases(tuple(bases)) or (object,)
        members, fields = {"__module__": self.name, "__qualname__": d.name}, {}
        for s in d.body:
            self._class_statement(s, members, fields)
        members["_own_fields"] = fields
        metaclass = next((type(b) for b in reversed(bases) if type(b) is not type), type)
        extra = {} if metaclass is type else {"metaclass": metaclass}
        cls = types.new_class(d.name, bases, extra, lambda ns: ns.update(members))
        if any("dataclass" in ast.unparse(x) for x in d.decorator_list) and not self.world.is_config(cls):
            cls.__init__ = dataclass_init
        if "sub_configs_defaults" in members and self.world.is_config(cls):
            spec = self.world.load("transformers.configuration_utils", "SubConfigSpec")
            cls.sub_configs_defaults = {k: v if isinstance(v, spec) else spec(config_class=v)
                                        for k, v in members["sub_configs_defaults"].items()}
        self.globals[d.name] = cls
        return cls

    def _class_statement(self, s, members, fields):
        if isinstance(s, ast.FunctionDef):
            self._class_function(s, members)
        elif isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name):
            name, is_field = s.target.id, "ClassVar" not in ast.unparse(s.annotation)
            if s.value is not None:
                members[name] = self._class_value(s.value, members)
            elif name == "config":
                members["_config_annotation"] = (self, s.annotation)
            if is_field:
                fields[name] = members[name] if s.value is not None else NO_DEFAULT
        elif isinstance(s, ast.Assign):
            value = self._class_value(s.value, members)
            for target in s.targets:
                if isinstance(target, ast.Name):
                    members[target.id] = value
        elif isinstance(s, ast.If):
            for x in s.body:
                self._class_statement(x, members, fields)
        elif isinstance(s, ast.ClassDef):
            members[s.name] = self.make_class(s)

    def _class_value(self, node, members):
        try:
            return self.evaluate(node, members)
        except Exception as exc:
            self.world.notes.append((self.name, ast.unparse(node)[:80], repr(exc)))
            return Unknown("class attribute")

    def _class_function(self, s, members):
        decorators = [ast.unparse(x) for x in s.decorator_list]
        if any(x == "property" or x.endswith("cached_property") for x in decorators):
            members[s.name] = LazyProperty(s, self)
        elif "classproperty" in decorators:
            members[s.name] = LazyClassProperty(s, self)
        elif any(x.endswith(".setter") for x in decorators):
            getter = members.get(s.name)
            members[s.name] = LazyProperty(getter.nodes["get"] if isinstance(getter, LazyProperty) else s, self, s)
        else:
            kind = next((k for k in ("staticmethod", "classmethod") if k in decorators), None)
            kind = {"__init_subclass__": "classmethod", "__class_getitem__": "classmethod", "__new__": "staticmethod"}.get(
                s.name, kind)
            members[s.name] = LazyMethod(s, self, kind)


# ---------------------------------------------------------------- object construction glue
def inherited_fields(cls):
    fields = {}
    for c in reversed(cls.__mro__):
        fields.update(c.__dict__.get("_own_fields", {}))
    return fields


def dataclass_init(self, *args, **kwargs):
    fields = inherited_fields(type(self))
    kwargs.update(zip(fields, args))
    for name, default in fields.items():
        value = kwargs.get(name, default)
        setattr(self, name, value.get() if isinstance(value, Field) else value)
    if hasattr(self, "__post_init__"):
        self.__post_init__()


def field_style_config_init(self, *args, **kwargs):
    """Annotated fields first (a subclass may override a default without annotation), the rest goes to __post_init__."""
    cls = type(self)
    fields = inherited_fields(cls)
    for name, default in fields.items():
        if name in kwargs:
            value = kwargs[name]
        else:
            for c in cls.__mro__:
                if name in c.__dict__ and not isinstance(c.__dict__[name], (property, LazyMethod)):
                    default = c.__dict__[name]
                    break
            if default is NO_DEFAULT:
                raise TypeError(f"Missing required field - '{name}'")
            value = default.get() if isinstance(default, Field) else default
        setattr(self, name, value)
    self.__post_init__(**{k: v for k, v in kwargs.items() if k not in fields})


class GradientCheckpointingLayer(ft.Module):
    gradient_checkpointing = False


def imports_optional_package(body):
    """`try: from apex... except ImportError:` - only torch, numpy, transformers and the host modules exist here."""
    for s in body:
        if isinstance(s, ast.Import):
            packages = [a.name for a in s.names]
        elif isinstance(s, ast.ImportFrom) and not s.level:
            packages = [s.module or ""]
        else:
            continue
        if any(p.split(".")[0] not in {"torch", "numpy", "transformers"} and p not in HOST for p in packages):
            return True
    return False


def function_names(class_node):
    return {s.name for s in class_node.body if isinstance(s, ast.FunctionDef)}


# ---------------------------------------------------------------- the world
class World:
    """One transformers release (and, optionally, one folder of remote code under the module name `remote`)."""

    def __init__(self, root=None, remote=None):
        self.root, self.remote = root or default_root(), remote
        self.modules, self.notes, self.class_index = {}, [], None
        self.stubbed = list(STUBBED)

    def enable_rules(self):
        self.stubbed = [s for s in self.stubbed if s not in ("core_model_loading", "conversion_mapping")]
        loading = self.module("transformers.core_model_loading")
        if loading is None:
            return
        loading.globals["Future"] = type("Future", (), {})
        loading.globals["log_conversion_errors"] = lambda *a, **k: ft.Unknown("context")

    def rules(self, model):
        if self.module("transformers.core_model_loading") is None:
            return []
        return self.load("transformers.conversion_mapping", "get_model_conversion_mapping")(model)

    # ---- files and imports
    def path(self, name):
        parts = name.split(".")
        top = self.root if parts[0] == "transformers" else self.remote if parts[0] == "remote" else None
        if top is None:
            return None
        stem = os.path.join(top, *parts[1:])
        return next((p for p in (stem + ".py", os.path.join(stem, "__init__.py")) if os.path.exists(p)), None)

    def module(self, name):
        if name not in self.modules:
            path = self.path(name)
            if path is None:
                return None
            self.modules[name] = SourceModule(self, name, path)
        return self.modules[name]

    def load(self, module, name):
        m = self.module(module)
        if m is None:
            raise Unresolvable(f"no source file for {module}")
        return m.resolve(name)

    def host(self, name):
        if name in HOST:
            return HOST[name]
        for prefix, value in (("torch.nn.functional", ft.nn.functional), ("torch.nn.utils", ft.nn.utils)):
            if name.startswith(prefix):
                return value
        return {"torch": ft.torch, "torch.nn": ft.nn, "numpy": NUMPY}.get(name) or Unknown(name)

    def import_from(self, mod, level, module, name):
        if level:
            package = mod.name.split(".") if mod.path.endswith("__init__.py") else mod.name.split(".")[:-1]
            base = package[: len(package) - (level - 1)]
            return self.from_absolute(".".join(base + ([module] if module else [])), name)
        module = module or ""
        if (module, name) == ("dataclasses", "field"):
            return Field
        if module.startswith("torch.nn"):
            if "parametrizations" in module and name == "weight_norm":
                return ft.weight_norm_parametrized
            owner = {"torch.nn.functional": ft.nn.functional, "torch.nn.utils": ft.nn.utils}.get(module, ft.nn)
            return getattr(owner, name)
        if module == "huggingface_hub.dataclasses":
            return lambda x=None, **k: x
        if module.split(".")[0] == "transformers":
            return self.from_absolute(module, name)
        return getattr(self.host(module), name)

    def from_absolute(self, module, name):
        glue = self.override(module, name)
        if glue is not None:
            return glue
        relative = module.partition(".")[2] if module.startswith("transformers") else ""
        if relative.startswith("models.auto"):
            return self.auto(name)
        if any(relative == s or relative.startswith(s + ".") for s in self.stubbed):
            return self.stub(module, name)
        m = self.module(module)
        if m is None:
            if module.startswith("remote."):
                return MissingSource(f"{module}.{name}")
            return Unknown(f"{module}.{name}")
        if name in m.defs:
            return m.resolve(name)
        cls = self.find_class(name)
        if cls is not None:
            return cls
        sub = self.module(f"{module}.{name}")
        return Namespace(f"{module}.{name}", {}, sub.resolve) if sub is not None else Unknown(f"{module}.{name}")

    def stub(self, module, name):
        if module.endswith("type_validators") and name != "interval" and name.endswith("field"):
            return lambda default=None, **k: default
        if name == "interval" or module.endswith("type_validators"):
            return lambda *a, **k: (lambda default=None, **kk: default)
        if name == "is_torch_available":
            return lambda *a, **k: True
        if name.startswith("is_"):
            return lambda *a, **k: False
        if name in ("torch_int", "torch_float"):
            return int if name == "torch_int" else float
        if name == "HeterogeneousConfigMixin":
            return self.load("transformers.integrations.heterogeneity.configuration_utils", name)
        if name == "ContextManagers":
            return lambda *a, **k: Unknown("context")
        if name == "ModelOutput":
            return ft.Blank
        return Unknown(f"{module}.{name}")

    def override(self, module, name):
        if name in ("PreTrainedConfig", "PretrainedConfig"):
            return self.config_base()
        if name == "PreTrainedModel":
            return self.model_base()
        if name in BLANK_BASES:
            return ft.Blank
        if name == "GradientCheckpointingLayer":
            return GradientCheckpointingLayer
        if name == "RotaryEmbeddingConfigMixin" and module != "transformers.modeling_rope_utils":
            return self.load("transformers.modeling_rope_utils", name)
        if name in ("logger", "init"):
            return Unknown(name)
        return None

    def find_class(self, name):
        """A modeling or configuration class anywhere in the tree, by name (first file in walk order)."""
        if self.class_index is None:
            self.class_index = {}
            for folder, _, files in os.walk(os.path.join(self.root, "models")):
                for f in files:
                    if f.startswith(("modeling_", "configuration_")) and f.endswith(".py"):
                        if f.startswith(("modeling_tf_", "modeling_flax_")):
                            continue
                        path = os.path.join(folder, f)
                        module = "transformers." + os.path.relpath(path, self.root)[:-3].replace(os.sep, ".")
                        with open(path, encoding="utf-8") as stream:
                            for cls in re.findall(r"^class (\w+)", stream.read(), re.M):
                                self.class_index.setdefault(cls, module)
        module = self.class_index.get(name)
        return self.load(module, name) if module else None

    # ---- Auto* tables
    def auto(self, name):
        if name == "CONFIG_MAPPING_NAMES":
            return self.config_names()
        if name.endswith("_MAPPING_NAMES"):
            return self.load("transformers.models.auto.modeling_auto", name)
        if name == "CONFIG_MAPPING":
            return ConfigMapping(self)
        if name == "AutoConfig":
            return self.auto_config
        if name.startswith("AutoModel") or name == "AutoBackbone":
            return AutoModelStub(self, name)
        return Unknown("auto." + name)

    @functools.cached_property
    def auto_config(self):
        return auto_config_class(self)

    @functools.cached_property
    def _config_names(self):
        newer = self.module("transformers.models.auto.auto_mappings")
        auto = self.module("transformers.models.auto.configuration_auto")
        names = dict((newer or auto).resolve("CONFIG_MAPPING_NAMES"))
        for s in auto.tree.body:
            if (isinstance(s, ast.Expr) and isinstance(s.value, ast.Call)
                    and ast.unparse(s.value.func) == "CONFIG_MAPPING_NAMES.update"):
                names.update(ast.literal_eval(s.value.args[0]))
        names["gpt-sw3"] = "GPT2Config"
        return names

    def config_names(self):
        return self._config_names

    # ---- config base
    def is_config(self, cls):
        return any(c.__name__ in ("PreTrainedConfig", "PretrainedConfig") for c in cls.__mro__)

    @functools.cached_property
    def _config_base(self):
        m = self.module("transformers.configuration_utils")
        name = next(n for n in ("PreTrainedConfig", "PretrainedConfig") if isinstance(m.defs.get(n), ast.ClassDef))
        node = copy.copy(m.defs[name])
        field_style = "__post_init__" in function_names(node)
        drop = {"__init_subclass__", "__repr__", "__eq__", "__iter__"}
        node.body = [s for s in node.body if not (isinstance(s, ast.FunctionDef) and s.name in drop)]
        m.globals["is_torch_available"] = lambda: False
        m.globals["GenerationConfig"] = self._generation_config()
        base = m.make_class(node)
        if field_style:
            base.__init__ = field_style_config_init
            base.validate = lambda self: None
        base.__hash__ = object.__hash__
        base.from_dict = classmethod(
            lambda cls, raw, **k: cls(**{key: v for key, v in raw.items() if key != "model_type"}))
        m.globals["PreTrainedConfig"] = m.globals["PretrainedConfig"] = base
        return base

    def config_base(self):
        return self._config_base

    def _generation_config(self):
        m = self.module("transformers.generation.configuration_utils")
        node = m.defs.get("GenerationConfig")
        getter = next((s for s in node.body if isinstance(s, ast.FunctionDef)
                       and s.name == "_get_default_generation_params"), None)
        defaults = evaluator.method(getter, m, None)() if getter else {}

        class GenerationConfig:
            _get_default_generation_params = staticmethod(lambda: defaults)
            def __init__(self, *a, **k): pass
        return GenerationConfig

    # ---- model base
    @functools.cached_property
    def _model_base(self):
        m = self.module("transformers.modeling_utils")
        node = copy.copy(m.defs["PreTrainedModel"])
        dict_ties = "get_expanded_tied_weights_keys" in function_names(node)
        keep = {"get_input_embeddings", "set_input_embeddings", "base_model"}
        keep |= ({"post_init", "get_expanded_tied_weights_keys", "can_generate"} if dict_ties else
                 {"tie_weights", "tie_embeddings_and_encoder_decoder", "_tie_or_clone_weights",
                  "_tie_encoder_decoder_weights", "get_output_embeddings"})
        node.body = [s for s in node.body if not isinstance(s, ast.FunctionDef) or s.name in keep]
        node.bases = [ast.Name("__Kernel", ast.Load())]
        m.globals["__Kernel"] = make_kernel(m, dict_ties)
        return m.make_class(node)

    def model_base(self):
        base = self._model_base
        self.module("transformers.modeling_utils").globals["PreTrainedModel"] = base
        return base


def make_kernel(modeling_utils, dict_ties):
    """The part of PreTrainedModel that is written here and not read from source."""
    mixin = "EmbeddingAccessMixin"
    embedding_access = modeling_utils.resolve(mixin) if mixin in modeling_utils.defs else ft.Blank

    class Kernel(ft.Module, embedding_access):
        _no_split_modules = _skip_keys_device_placement = _keep_in_fp32_modules = None
        _keep_in_fp32_modules_strict = _tied_weights_keys = None
        _supports_flash_attn = _supports_flex_attn = _supports_sdpa = supports_gradient_checkpointing = False

        def __init__(self, config, *a, **k):
            ft.Module.__init__(self)
            self.config, self.name_or_path = config, ""
            state = config.__dict__
            state["_attn_implementation_internal"] = state.get("_attn_implementation_internal") or (
                "sdpa" if type(self)._supports_sdpa else "eager")
            state["_experts_implementation_internal"] = state.get("_experts_implementation_internal") or "grouped_mm"

        dtype = property(lambda self: ft.dtype("torch.float32"))
        device = property(lambda self: Unknown("device"))

        def post_init(self): self.tie_weights()
        def init_weights(self):
            if not dict_ties:
                self.tie_weights()
        def init_parallel_plans(self): pass
        def tie_weights(self, *a, **k): pass
        def can_generate(self): return False
        def resize_token_embeddings(self, *a, **k): pass
        def get_correct_attn_implementation(self, implementation, *a, **k): return implementation
        def _initialize_weights(self, *a, **k): pass
        def _backward_compatibility_gradient_checkpointing(self): pass
        @classmethod
        def is_custom_code(cls): return False

        @classmethod
        def _from_config(cls, config, **k):
            for key in ("dtype", "torch_dtype", "attn_implementation"):
                k.pop(key, None)
            return cls(config, **k)

    Kernel.dict_ties = dict_ties
    return Kernel


class ConfigMapping:
    """model_type -> configuration class."""

    def __init__(self, world):
        self.world = world

    def __getitem__(self, model_type):
        cls = self.world.find_class(self.world.config_names()[model_type])
        if cls is None:
            raise KeyError(model_type)
        return cls

    def __contains__(self, model_type): return model_type in self.world.config_names()
    def keys(self): return self.world.config_names().keys()
    def get(self, model_type, default=None): return self[model_type] if model_type in self else default


def auto_config_class(world):
    """A class, as sources put it into `sub_configs` and test it with issubclass."""
    class AutoConfig:
        def __new__(cls, *a, **k): raise Unresolvable("AutoConfig()")
        @classmethod
        def for_model(cls, model_type, *a, **k): return ConfigMapping(world)[model_type](*a, **k)
        @classmethod
        def from_pretrained(cls, *a, **k): raise Unresolvable("AutoConfig.from_pretrained")
    return AutoConfig


class AutoModelStub:
    """AutoModelFor*.from_config through the release's `<NAME>_MAPPING_NAMES` table."""

    def __init__(self, world, name):
        self.world, self.__name__ = world, name

    def _table(self):
        m = self.world.module("transformers.models.auto.modeling_auto")
        for s in m.classes[self.__name__].body:
            if isinstance(s, ast.Assign) and s.targets[0].id == "_model_mapping":
                lazy_mapping = m.defs[s.value.id].value          # _LazyAutoMapping(CONFIG_MAPPING_NAMES, <table>)
                return dict(m.resolve(lazy_mapping.args[1].id))

    def from_config(self, config, **k):
        table, names, cls_name = self._table(), self.world.config_names(), type(config).__name__
        own = getattr(type(config), "model_type", None)
        candidates = [t for t, c in names.items() if c == cls_name]
        model_type = next((t for t in candidates if t == own), None) or next(
            (t for t in candidates if t in table), None) or config.model_type
        if model_type not in table:
            model_type = next((t for t in candidates if t in table), None)
            if model_type is None:
                raise Unresolvable(f"{self.__name__} has no entry for {cls_name}")
        name = table[model_type]
        name = name[0] if isinstance(name, (tuple, list)) else name
        cls = self.world.find_class(name)
        if cls is None:
            raise Unresolvable(name)
        sub = config.sub_configs.get("text_config") if hasattr(config, "sub_configs") else None
        if sub is not None and config_class_of(cls) is sub:
            config = config.get_text_config()
        return cls._from_config(config, **k)


def config_class_of(model_class):
    for c in model_class.__mro__:
        if isinstance(c.__dict__.get("config_class"), type):
            return c.__dict__["config_class"]
        if "_config_annotation" in c.__dict__:
            mod, annotation = c.__dict__["_config_annotation"]
            try:
                return mod.evaluate(annotation)
            except Exception:
                continue


# ---------------------------------------------------------------- results
def build_config(world, model_type, raw):
    raw = {k: v for k, v in copy.deepcopy(raw).items() if k != "model_type"}
    return ConfigMapping(world)[model_type].from_dict(raw)


def build_model(world, class_name, config):
    cls = world.find_class(class_name)
    if cls is None:
        raise Unresolvable(f"class {class_name} not found under {world.root}")
    return cls._from_config(config)


def tie_map(model):
    """{target parameter: source parameter}"""
    if type(model).dict_ties:
        return dict(getattr(model, "all_tied_weights_keys", None) or {})
    groups = collections.defaultdict(list)
    for name, p in model.named_parameters(remove_duplicate=False):
        groups[id(p)].append(name)
    patterns = list(getattr(model, "_tied_weights_keys", None) or []) + list(
        getattr(model, "_dynamic_tied_weights_keys", None) or [])
    out = {}
    for names in groups.values():
        if len(names) > 1:
            source = next((n for n in names if not any(re.search(p, n) for p in patterns)), names[0])
            out.update((n, source) for n in names if n != source)
    return out


def manifest_of(model):
    shape = lambda t: list(t.shape) if getattr(t, "shape", None) is not None else None
    params = {n: shape(p) for n, p in model.named_parameters(remove_duplicate=False)}
    ties = tie_map(model)
    for target, source in ties.items():
        if source in params and target in params:
            params[target] = params[source]
    buffers = {n: shape(b) for n, b in model.named_buffers(remove_duplicate=False, persistent_only=True)}
    patterns = lambda name: sorted(getattr(model, name, None) or [])
    return dict(params=params, buffers=buffers, ties=ties, ignore_on_save=patterns("_keys_to_ignore_on_save"),
                ignore_on_load_missing=patterns("_keys_to_ignore_on_load_missing"),
                ignore_on_load_unexpected=patterns("_keys_to_ignore_on_load_unexpected"))


def manifest(world, class_name, model_type, raw):
    return manifest_of(build_model(world, class_name, build_config(world, model_type, raw)))


def remote_manifest(world, raw):
    """Manifest of a repository's own modeling code: `world.remote` is its folder, `raw` its config.json."""
    auto_map = raw.get("auto_map") or {}
    config_ref = auto_map.get("AutoConfig")
    model_ref = next((auto_map[k] for k in ("AutoModelForCausalLM", "AutoModel", "AutoModelForConditionalGeneration",
                                            "AutoModelForSequenceClassification") if k in auto_map), None)
    if not config_ref or not model_ref:
        raise Unresolvable("no auto_map with AutoConfig and a model class")
    split = lambda ref: ref.split("--")[-1].rsplit(".", 1)
    (config_module, config_name), (model_module, model_name) = split(config_ref), split(model_ref)
    config_class = world.load("remote." + config_module, config_name)
    config = config_class(**{k: v for k, v in raw.items() if k != "model_type"})
    architecture = (raw.get("architectures") or [model_name])[0]
    return manifest_of(world.load("remote." + model_module, architecture)._from_config(config))
