"""What a pickle puts into its values: items of dicts and lists, and the state of objects."""

from __future__ import annotations

import _compat_pickle

from loadproof.formats.pickled.machine import Machine
from loadproof.formats.pickled.values import Called, Global, Mapping, Members, Stateful, Unhashed, Value


def push_global(machine: Machine, module: str, name: str, *, is_renamed: bool, is_strict: bool = True) -> None:
    """Name a function or class. `is_renamed`: names of Python 2 count as those of Python 3."""
    if is_renamed:
        module, name = _renamed(module, name)
    found = machine.globals.get((module, name))
    if found is None:
        found = machine.globals[(module, name)] = Global(module, name)
        if is_strict and str(found) not in machine.known.plain:
            machine.note_beyond("global", str(found))
    machine.stack.append(found)


def _renamed(module: str, name: str) -> tuple[str, str]:
    if (module, name) in _compat_pickle.NAME_MAPPING:
        return _compat_pickle.NAME_MAPPING[(module, name)]
    return _compat_pickle.IMPORT_MAPPING.get(module, module), name


def set_items(machine: Machine, items: list[Value]) -> None:
    """Put keys and values, in turn, into the topmost value."""
    target = machine.stack[-1]
    if len(items) % 2:
        machine.fail("an odd number of items for a dict")
    if isinstance(target, dict):
        if type(target) not in (dict, Mapping):
            machine.note_beyond("items", type(target).__name__)
        for key, value in zip(items[::2], items[1::2], strict=True):
            target[_as_key(machine, key)] = value
    elif isinstance(target, Called):
        target.items.extend(zip(items[::2], items[1::2], strict=True))
    else:
        machine.fail(f"items set on a {type(target).__name__}")


def _as_key(machine: Machine, key: Value) -> Value:
    if isinstance(key, list | dict):
        machine.fail("a list or a dict as the key of a dict")
    if isinstance(key, int) and key.bit_length() > 64:  # those can be made to have one hash, all of them
        machine.stop_at_limit("an integer of more than 64 bits as the key of a dict")
    return Unhashed(key) if isinstance(key, tuple | Called) else key


def append(machine: Machine, items: list[Value]) -> None:
    """Add to the topmost list."""
    target = machine.stack[-1]
    if isinstance(target, list):
        target.extend(items)
    elif isinstance(target, Called):
        target.items.extend((None, item) for item in items)
    else:
        machine.fail(f"items appended to a {type(target).__name__}")


def add_members(machine: Machine, items: list[Value]) -> None:
    """Add to the topmost set."""
    target = machine.stack[-1]
    if not isinstance(target, Members):
        machine.fail(f"members added to a {type(target).__name__}")
    target.extend(items)


def build(machine: Machine) -> None:
    """Put a state on the object below it."""
    state, target = machine.stack.pop(), machine.stack[-1]
    if isinstance(target, Mapping | Called):
        target.state = state
    elif isinstance(target, Stateful):
        target.set_state(state)
    else:
        machine.fail(f"a state put on a {type(target).__name__}")
    if isinstance(target, Called) and target.word not in machine.known.plain:
        machine.note_beyond("state", target.word)
