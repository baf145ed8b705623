"""Dtypes and devices: names that compare and print. Widths are not modelled."""

from __future__ import annotations

from loadproof.interpret.language.objects import Unknown
from loadproof.interpret.language.values import Sealed, Value


class DType(Sealed):
    """A dtype: a name that compares and prints. Widths are not modelled."""

    __visible__ = True

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __getattr__(self, key: str) -> Value:
        if key.startswith("__"):
            raise AttributeError(key)
        if key == "is_floating_point":
            return "float" in self._name
        return Unknown(f"{self._name}.{key}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DType) and other._name == self._name

    def __hash__(self) -> int:
        return hash(self._name)

    def __call__(self, *_: object, **__: object) -> Value:
        return Unknown(self._name)


FLOAT32 = DType("float32")


class Device(Sealed):
    """Models are built on the meta device, as the library does while loading."""

    __visible__ = True

    def __init__(self, name: Value = "meta", index: Value = None) -> None:
        self.type, self.index = (name.split(":")[0] if isinstance(name, str) else "meta"), index

    def __enter__(self) -> Value:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def __repr__(self) -> str:
        return f"device(type='{self.type}')"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and other.type == self.type

    def __hash__(self) -> int:
        return hash(self.type)


META = Device()
