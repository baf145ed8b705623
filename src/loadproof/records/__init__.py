"""Whose are the hidden records beside a checkpoint? A record counts only if this user made it for this very folder.

Nothing here writes into a checkpoint, and nothing needs a POSIX system: `check` looks at records everywhere.
"""

from loadproof.records.key import KeyUnusableError
from loadproof.records.names import JOURNAL, PREFIX, UNDO
from loadproof.records.seal import Place, Seal, place_of
from loadproof.records.survey import BLOCKING, Found, look, survey

__all__ = [
    "BLOCKING",
    "JOURNAL",
    "PREFIX",
    "UNDO",
    "Found",
    "KeyUnusableError",
    "Place",
    "Seal",
    "look",
    "place_of",
    "survey",
]
