"""What the folder can say of a code, as data (`codes.json`): which codes answer one question, and what has to be stored."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module

from msgspec import Struct, json
from msgspec.structs import replace

from loadproof.tracebacks.knowledge import FOLDER

_WORD = re.compile(r"\{([a-z_]+)\.([A-Z_]+)\}")


class Codes(Struct, frozen=True, forbid_unknown_fields=True):
    """Texts are regular expressions; ``{ends.HEAD_WEIGHT}`` stands for an expression of the lexicon."""

    kin: tuple[frozenset[str], ...]  # codes that answer one question: a finding of one decides a cause of another
    proofs: dict[str, str]  # stored names that are the fault themselves, whatever this release makes of them
    signs: dict[str, str]  # without such a stored name the cause cannot be; with one it stays open for other readers
    shared: frozenset[str]  # faults that every reader would meet: the check of one reader decides them


@cache
def codes() -> Codes:
    """The file, with the words of the lexicon put in."""
    found = json.decode((FOLDER / "codes.json").read_bytes(), type=Codes)
    return replace(found, proofs=_filled(found.proofs), signs=_filled(found.signs))


def _filled(texts: dict[str, str]) -> dict[str, str]:
    return {code: _WORD.sub(_of_lexicon, text) for code, text in texts.items()}


def _of_lexicon(word: re.Match[str]) -> str:
    return str(getattr(import_module(f"loadproof.lexicon.{word[1]}"), word[2]))
