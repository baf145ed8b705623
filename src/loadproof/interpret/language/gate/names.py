"""Which names with underscores on both sides evaluated code may write, and for which kinds of receivers."""

from __future__ import annotations

from typing import Any

from loadproof.interpret.language.errors import ForbiddenAttribute

_READABLE = (
    "__name__ __qualname__ __module__ __doc__ __class__ __dict__ __mro__ __bases__ __annotations__ __version__ __init__ "
    "__post_init__ __new__ __len__ __getitem__ __setitem__ __delitem__ __contains__ __iter__ __setattr__ "
    "__getattribute__ __delattr__ __getattr__ __eq__ __ne__ __hash__ __repr__ __str__ __call__ __enter__ __exit__ "
    "__init_subclass__ __missing__ __set__ __get__ __or__ __and__ __dataclass_fields__ __members__"
)
READABLE = frozenset(_READABLE.split())
# Means nothing to Python and nothing here: pydantic keeps there which fields were given.
WRITABLE = frozenset(["__pydantic_fields_set__"])
GATED = frozenset(["__getattribute__", "__setattr__", "__delattr__"])  # would lead past the gate
OF_FUNCTIONS = frozenset(["__name__", "__qualname__", "__module__", "__doc__"])
OF_EXCEPTIONS = frozenset(["args", "name", "errno", "__init__", "__str__", "__repr__", "__eq__", "__hash__", "__doc__"])
DATA_DUNDERS = frozenset(["__len__", "__getitem__", "__contains__", "__iter__", "__eq__", "__setitem__"])
# In a class of ours: what the evaluator keeps about it, and what Python keeps.
HIDDEN = frozenset(
    [
        *(
            "__source_class__",
            "__direct__",
            "__visible__",
            "__family__",
            "__strict__",
            "__checks__",
            "__mro__",
            "__bases__",
        ),
        *("__config_annotation__", "__class__", "__dict__", "__weakref__", "__slots__", "__annotations__", "_abc_impl"),
    ]
)


def check_name(name: Any) -> None:
    """Refuse a dunder that is not on the list, and an instance of an evaluated subclass of `str`, which may lie."""
    if type(name) is not str:
        if issubclass(type(name), str):
            raise ForbiddenAttribute("an attribute name that is no plain text")
        raise TypeError("attribute name must be string")
    if name.startswith("__") and name not in READABLE:
        raise ForbiddenAttribute(f"attribute {name}")
