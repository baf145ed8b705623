"""The gate between evaluated code and the objects of this program: the only place that reflects on a value.

Every value that evaluated code can hold is of a kind listed in `kinds`; what an attribute gives is asked of the table
of the receiver's exact kind and admitted by its own. The rest of `interpret` uses these functions, never `getattr`,
`setattr`, `hasattr`, `delattr`, `vars` or `__dict__` on an evaluated value (`tests/interpret/test_gate.py` parses for it).
"""

from loadproof.interpret.language.gate.class_reading import fields_of, read_class
from loadproof.interpret.language.gate.host import annotated, find, has, is_evaluated, own, signature_names, state
from loadproof.interpret.language.gate.kinds import DATA, METHODS, PLAINLY, admitted
from loadproof.interpret.language.gate.names import check_name
from loadproof.interpret.language.gate.reading import read, reader
from loadproof.interpret.language.gate.supers import make_super
from loadproof.interpret.language.gate.types import (
    BUILTIN,
    GuardedType,
    class_of,
    guarded_type,
    real_type,
    seen_as,
    visible_type,
)
from loadproof.interpret.language.gate.writing import delete, write

__all__ = [
    "BUILTIN",
    "DATA",
    "METHODS",
    "PLAINLY",
    "GuardedType",
    "admitted",
    "annotated",
    "check_name",
    "class_of",
    "delete",
    "fields_of",
    "find",
    "guarded_type",
    "has",
    "is_evaluated",
    "make_super",
    "own",
    "read",
    "read_class",
    "reader",
    "real_type",
    "seen_as",
    "signature_names",
    "state",
    "visible_type",
    "write",
]
