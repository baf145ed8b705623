"""`torch.nn.Module`: parameters, buffers and children by name, exactly as torch keeps them, object identity included."""

# ruff: noqa: ARG002 - the signatures are torch's
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from loadproof.interpret.language import limits
from loadproof.interpret.language.errors import UnknownUsed, certain
from loadproof.interpret.language.gate import has, state
from loadproof.interpret.language.objects import Made, Unknown
from loadproof.interpret.language.values import Open, Value
from loadproof.interpret.shapes.dtypes import DType
from loadproof.interpret.shapes.loading import load_state_dict
from loadproof.interpret.shapes.tensor import Buffer, Parameter, Tensor, typed_as

set_plain = object.__setattr__
_SLOTS = ("_parameters", "_buffers", "_modules")


class Module(Open):
    training = True
    _parameters: dict[str, Value]
    _buffers: dict[str, Value]
    _modules: dict[str, Value]
    _non_persistent: set[str]

    def __init__(self, *_: object, **__: object) -> None:
        state = self.__dict__
        state["_parameters"], state["_buffers"], state["_modules"], state["_non_persistent"] = {}, {}, {}, set()

    def __init_subclass__(cls, **_: object) -> None:
        pass

    # ---- registration by assignment
    def __setattr__(self, key: str, value: Value) -> None:
        state = self.__dict__
        if isinstance(value, (Parameter, Module, Buffer)):
            self._register(state, key, value)
        elif key in state.get("_parameters", ()):
            self._replace_parameter(state, key, value)
        elif key in state.get("_modules", ()):
            if value is None:
                state["_modules"][key] = None
            else:
                raise TypeError(f"cannot assign '{type(value).__name__}' as child module '{key}'")
        elif key in state.get("_buffers", ()):
            state["_buffers"][key] = value
        elif isinstance(value, Made):
            raise UnknownUsed(f"{value._name} may hold parameters, and its source is not read")
        else:
            set_plain(self, key, value)

    def _register(self, state: dict[str, Any], key: str, value: Any) -> None:
        if "_parameters" not in state:
            raise certain(AttributeError("cannot assign module before Module.__init__() call"))
        own = "_parameters" if isinstance(value, Parameter) else "_modules" if isinstance(value, Module) else "_buffers"
        for slot in _SLOTS:
            if slot != own:  # what takes the place of another of its kind keeps that place
                state[slot].pop(key, None)
        state.pop(key, None)
        state[own][key] = value
        if own == "_buffers":
            (self._non_persistent.discard if value.persistent else self._non_persistent.add)(key)

    def _replace_parameter(self, state: dict[str, Any], key: str, value: Any) -> None:
        if value is not None and not isinstance(value, Unknown):
            raise TypeError(f"cannot assign '{type(value).__name__}' as parameter '{key}'")
        state["_parameters"][key] = value if value is None else Parameter(value)

    def __getattr__(self, key: str) -> Any:
        state = self.__dict__
        for slot in _SLOTS:
            if key in state.get(slot, ()):
                return state[slot][key]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{key}'")

    def __delattr__(self, key: str) -> None:
        for slot in _SLOTS:
            if key in self.__dict__[slot]:
                del self.__dict__[slot][key]
                return
        object.__delattr__(self, key)

    def register_buffer(self, name: str, tensor: Value = None, persistent: bool = True) -> None:
        name = self._free_name(name, "buffer", "_buffers")
        if not isinstance(tensor, (Tensor, Unknown)) and tensor is not None:
            text = f"cannot assign '{type(tensor).__name__}' object to buffer '{name}' (torch Tensor or None required)"
            raise certain(TypeError(text))
        self.__dict__.pop(name, None)
        self._buffers[name] = tensor
        if isinstance(tensor, Tensor):
            tensor.source = limits.current().place
        (self._non_persistent.discard if persistent else self._non_persistent.add)(name)

    def register_parameter(self, name: str, param: Value) -> None:
        name = self._free_name(name, "parameter", "_parameters")
        if not isinstance(param, (Parameter, Unknown)) and param is not None:
            kind = "torch.Tensor" if isinstance(param, Tensor) else type(param).__name__
            text = f"cannot assign '{kind}' object to parameter '{name}' (torch.nn.Parameter or None required)"
            raise certain(TypeError(text))
        self._parameters[name] = param

    def add_module(self, name: str, module: Value) -> None:
        if isinstance(module, Made):
            raise UnknownUsed(f"{module._name} may hold parameters, and its source is not read")
        if not isinstance(module, (Module, Unknown)) and module is not None:
            raise certain(TypeError(f"{type(module).__name__} is not a Module subclass"))
        self._modules[self._free_name(name, "module", "_modules")] = module
        limits.checked_layers(len(self._modules))

    register_module = add_module

    def _free_name(self, name: str, kind: str, slot: str) -> str:
        """The name, as torch takes it. Raises KeyError for one with a dot, none at all, and an attribute's."""
        name = _plain_name(name)
        if has(self, name) and name not in state(self)[slot]:
            raise certain(KeyError(f"attribute '{name}' already exists"))
        if "." in name:
            got = f", got: {name}" if kind == "module" else ""
            raise certain(KeyError(f'{kind} name can\'t contain "."{got}'))
        if not name:
            raise certain(KeyError(f'{kind} name can\'t be empty string ""'))
        return name

    # ---- walking
    def children(self) -> list[Value]:
        return [m for m in self._modules.values() if m is not None]

    def named_children(self) -> list[tuple[str, Value]]:
        return [(n, m) for n, m in self._modules.items() if m is not None]

    def named_modules(
        self, memo: Any = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        return self._walk(set() if memo is None else memo, prefix, remove_duplicate)

    def _walk(self, memo: set[int], prefix: str, once: bool) -> Iterator[tuple[str, Any]]:
        step = limits.current().step
        todo: list[tuple[str, Any, int]] = [(prefix, self, 0)]
        while todo:
            path, module, depth = todo.pop()
            limits.checked_nesting(depth)
            if once:
                if id(module) in memo:
                    continue
                memo.add(id(module))
            step()
            yield path, module
            children = [
                (f"{path}.{n}" if path else n, m, depth + 1) for n, m in module._modules.items() if m is not None
            ]
            todo.extend(reversed(children))

    def modules(self) -> Iterator[Value]:
        return (m for _, m in self.named_modules())

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        walk = self._walk(set(), prefix, remove_duplicate) if recurse else iter([(prefix, self)])
        for path, module in walk:
            for name, p in module._parameters.items():
                if p is None or (remove_duplicate and id(p) in seen):
                    continue
                seen.add(id(p))
                yield f"{path}.{name}" if path else name, p

    def parameters(self, recurse: bool = True) -> Iterator[Value]:
        return (p for _, p in self.named_parameters(recurse=recurse))

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True, persistent_only: bool = False
    ) -> Iterator[tuple[str, Any]]:
        for path, module in self._walk(set(), prefix, remove_duplicate) if recurse else iter([(prefix, self)]):
            for name, b in module._buffers.items():
                if b is None or (persistent_only and name in module._non_persistent):
                    continue
                yield f"{path}.{name}" if path else name, b

    def buffers(self, recurse: bool = True) -> Iterator[Value]:
        return (b for _, b in self.named_buffers(recurse=recurse))

    def state_dict(self, *_: object, **__: object) -> dict[str, Value]:
        """Module by module, parameters before buffers."""
        out: dict[str, Value] = {}
        for path, module in self._walk(set(), "", False):
            prefix = f"{path}." if path else ""
            out.update((prefix + name, p) for name, p in module._parameters.items() if p is not None)
            kept = ((name, b) for name, b in module._buffers.items() if name not in module._non_persistent)
            out.update((prefix + name, b) for name, b in kept if b is not None)
        return out

    def get_submodule(self, path: str) -> Value:
        """The module at a dotted path. Raises AttributeError as torch does, also for what is no module."""
        module: Value = self
        for part in _parts(path):
            module = _child(module, part)
        return module

    def set_submodule(self, path: str, module: Value, strict: Value = False) -> None:
        *owners, name = _parts(path) or [""]
        if not name:
            raise ValueError("Cannot set the submodule without a target name!")
        self._owner(owners)._modules[name] = module

    def get_parameter(self, path: str) -> Value:
        return self._entry(path, "_parameters", "is not an nn.Parameter")

    def get_buffer(self, path: str) -> Value:
        return self._entry(path, "_buffers", "is not a buffer")

    def _owner(self, parts: list[str]) -> Module:
        owner = self.get_submodule(".".join(parts))
        if not isinstance(owner, Module):
            raise AttributeError(f"`{'.'.join(parts)}` is not an nn.Module")
        return owner

    def _entry(self, path: str, slot: str, otherwise: str) -> Value:
        *owners, name = _parts(path) or [""]
        owner = self._owner(owners)
        found: dict[str, Value] = state(owner)[slot]
        if name not in found:
            raise AttributeError(f"{type(owner).__name__} has no attribute `{name}`, or it {otherwise}")
        return found[name]

    # ---- what does not change the names
    def apply(self, fn: Value) -> Value:
        return self

    def _itself(self, *_: object, **__: object) -> Value:
        return self

    def train(self, mode: Value = True) -> Value:
        for module in self.modules():
            if isinstance(module, Module):
                set_plain(module, "training", mode)
        return self

    def eval(self) -> Value:
        return self.train(False)

    to = half = float = double = bfloat16 = cuda = cpu = requires_grad_ = to_empty = _itself
    _apply = compile = type = xpu = share_memory = _itself

    def _hook(self, *_: object, **__: object) -> Value:
        return Unknown("hook")

    register_forward_hook = register_forward_pre_hook = register_full_backward_hook = _hook
    register_load_state_dict_pre_hook = register_load_state_dict_post_hook = register_state_dict_pre_hook = _hook
    _register_load_state_dict_pre_hook = _register_state_dict_hook = register_state_dict_post_hook = _hook
    register_backward_hook = register_full_backward_pre_hook = _hook
    load_state_dict = load_state_dict
    _load_from_state_dict = _save_to_state_dict = zero_grad = _hook
    get_extra_state = set_extra_state = forward = _hook

    def _get_name(self) -> str:
        return self.__class__.__name__

    def extra_repr(self) -> str:
        return ""

    def __repr__(self) -> str:
        """As torch prints it: what the module says of itself, then its children, indented."""
        said = str(self.extra_repr())
        inside = [f"({name}): {_indented(repr(module))}" for name, module in self._modules.items()]
        lines = [*(said.split("\n") if said else ()), *inside]
        if not inside and len(lines) < 2:
            return f"{self._get_name()}({said})"
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"

    def __call__(self, *_: object, **__: object) -> Value:
        return Unknown(f"output of {type(self).__name__}")


class Layer(Module):
    """A layer of torch that can fill its parameters anew. `Module` itself has no such method."""

    def reset_parameters(self, *_: object, **__: object) -> None:
        pass


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")


def _plain_name(name: Value) -> str:
    """A name as it is spelled, never an instance of an evaluated subclass of `str` with an equality of its own."""
    return str.__str__(name) if isinstance(name, str) else str(name)


def _parts(path: Value) -> list[str]:
    if type(path) is not str:  # a subclass would split itself as it likes
        raise TypeError("the path of a module must be a string")
    return path.split(".") if path else []


def _child(module: Any, name: str) -> Any:
    """A child by name. What is no module has none: its attributes are not walked."""
    children = state(module)["_modules"] if isinstance(module, Module) else {}
    if name not in children:
        raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
    return children[name]


Module.__family__ = Module


def param(*shape: Value, dtype: Value = None) -> Parameter:
    """A parameter of that shape; without a dtype it has the model's."""
    return Parameter(typed_as(Tensor(shape), dtype if isinstance(dtype, DType) else None))


def spread(value: Value, n: int) -> tuple[Value, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * n
