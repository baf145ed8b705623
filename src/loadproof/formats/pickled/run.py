"""Drive the machine from its first opcode to the last."""

from __future__ import annotations

import struct

from loadproof.formats.pickled.machine import Machine, PickleError
from loadproof.formats.pickled.opcodes import TABLE
from loadproof.formats.pickled.values import Value

MAX_OPCODES = 30_000_000
_WORDS: dict[type[Exception], str] = {
    IndexError: "the stack is empty",
    KeyError: "a memo entry that was never put",
    UnicodeDecodeError: "text that is not UTF-8",
    RecursionError: "values nested too deeply",
}


def run(machine: Machine) -> Value:
    """The value that the pickle describes; `machine.pos` is then where it ended.

    Raises `PickleError`, or `LimitError` where the pickle may be well-formed; nothing else.
    """
    data, table, budget = machine.data, TABLE, MAX_OPCODES
    here = machine.pos
    try:
        while not machine.done:
            here = machine.pos
            machine.pos = here + 1
            table[data[here]](machine)
            budget -= 1
            if not budget:
                machine.stop_at_limit(f"more than {MAX_OPCODES:,} opcodes")
        return machine.stack.pop()
    except (LookupError, ValueError, TypeError, AttributeError, RecursionError, OverflowError, struct.error) as error:
        raise PickleError(here, _why(machine, here, error)) from None


def _why(machine: Machine, here: int, error: Exception) -> str:
    if here >= machine.end:
        return "the pickle ends without its last opcode"
    return _WORDS.get(type(error)) or f"opcode 0x{machine.data[here]:02x} does not fit what it is given ({error})"
