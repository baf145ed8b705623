"""Sequential, ModuleList, ModuleDict, ParameterList, ParameterDict."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from loadproof.interpret.language.gate import has
from loadproof.interpret.language.values import Value
from loadproof.interpret.shapes.module import Module
from loadproof.interpret.shapes.tensor import Parameter


class _Container(Module):
    def __iter__(self) -> Iterator[Value]:
        return iter(self._modules.values())

    def __len__(self) -> int:
        return len(self._modules)

    def append(self, module: Value) -> Value:
        self.add_module(str(len(self._modules)), module)
        return self

    def extend(self, modules: Any) -> Any:
        for module in modules:
            self.append(module)
        return self

    def insert(self, i: int, module: Value) -> None:
        modules = list(self)
        modules.insert(i, module)
        self._modules.clear()
        self.extend(modules)

    def pop(self, i: int = -1) -> Value:
        modules = list(self)
        found = modules.pop(i)
        self._modules.clear()
        self.extend(modules)
        return found

    def _at(self, i: int) -> Value:
        return list(self._modules.values())[i]

    def __setitem__(self, i: int, module: Value) -> None:
        self._modules[list(self._modules)[i]] = module

    def __delitem__(self, i: Any) -> None:
        modules = list(self)
        del modules[i]
        self._modules.clear()
        self.extend(modules)


class Sequential(_Container):
    def __init__(self, *modules: Value) -> None:
        super().__init__()
        if len(modules) == 1 and isinstance(modules[0], dict):
            for key, module in modules[0].items():
                self.add_module(key, module)
        else:
            self.extend(modules)

    def __getitem__(self, i: Any) -> Any:
        return Sequential(dict(list(self._modules.items())[i])) if isinstance(i, slice) else self._at(i)


class ModuleList(_Container):
    def __init__(self, modules: Value = None) -> None:
        super().__init__()
        self.extend(modules if modules is not None else ())

    def __getitem__(self, i: Any) -> Any:
        return ModuleList(list(self._modules.values())[i]) if isinstance(i, slice) else self._at(i)

    def __add__(self, other: Any) -> ModuleList:
        return ModuleList([*self, *other])

    def __iadd__(self, other: Any) -> Any:
        return self.extend(other)


class ModuleDict(Module):
    def __init__(self, modules: Value = None) -> None:
        super().__init__()
        self.update(modules if modules is not None else {})

    def update(self, modules: Any) -> None:
        for key, module in modules.items() if has(modules, "items") else modules:
            self.add_module(key, module)

    def __getitem__(self, key: str) -> Value:
        return self._modules[key]

    def __setitem__(self, key: str, module: Value) -> None:
        self.add_module(key, module)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)

    def __contains__(self, key: Value) -> bool:
        return key in self._modules

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def pop(self, key: str) -> Value:
        return self._modules.pop(key)

    def clear(self) -> None:
        self._modules.clear()

    def keys(self) -> Value:
        return self._modules.keys()

    def values(self) -> Value:
        return self._modules.values()

    def items(self) -> Any:
        return self._modules.items()


def _as_parameter(p: Value) -> Parameter:
    return p if isinstance(p, Parameter) else Parameter(p)


class ParameterList(Module):
    def __init__(self, params: Value = None) -> None:
        super().__init__()
        self.extend(params if params is not None else ())

    def append(self, p: Value) -> Value:
        self._parameters[str(len(self._parameters))] = _as_parameter(p)
        return self

    def extend(self, params: Any) -> Any:
        for p in params:
            self.append(p)
        return self

    def __iter__(self) -> Iterator[Value]:
        return iter(self._parameters.values())

    def __len__(self) -> int:
        return len(self._parameters)

    def __getitem__(self, i: int) -> Value:
        return list(self._parameters.values())[i]

    def __setitem__(self, i: int, p: Value) -> None:
        self._parameters[str(i)] = _as_parameter(p)


class ParameterDict(Module):
    def __init__(self, params: Any = None) -> None:
        super().__init__()
        self.update(params if params is not None else {})

    def update(self, params: Any) -> None:
        for key, p in params.items() if has(params, "items") else params:
            self[key] = p

    def __setitem__(self, key: str, p: Value) -> None:
        self._parameters[key] = _as_parameter(p)

    def __getitem__(self, key: str) -> Value:
        return self._parameters[key]

    def __contains__(self, key: Value) -> bool:
        return key in self._parameters

    def __delitem__(self, key: str) -> None:
        del self._parameters[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __len__(self) -> int:
        return len(self._parameters)

    def keys(self) -> Value:
        return self._parameters.keys()

    def values(self) -> Value:
        return self._parameters.values()

    def pop(self, key: str) -> Value:
        return self._parameters.pop(key)

    def items(self) -> Any:
        return self._parameters.items()
