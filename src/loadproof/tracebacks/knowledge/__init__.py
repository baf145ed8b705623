"""The knowledge base: error texts and what causes them, as data. One file an engine, one entry a text.

To add a text: add an entry (or a pattern to one) with an example to the file of its engine; nothing else. To add an
engine: add its file, with the sign by which a log betrays it. Files are decoded when they are first asked for.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

from msgspec import Struct, json
from msgspec.structs import replace

from loadproof.tracebacks.base import Cause, Entry, Example, Ranked, When

FOLDER = Path(__file__).parent
# Files of causes; the first cause of a code is what loadproof's own message of that code leads to.
_CAUSES = (
    "files", "configs", "vocabulary", "plan", "names", "shapes", "quantization", "readers", "engines", "adapters", "live",
)  # fmt: skip


class Texts(Struct, frozen=True, forbid_unknown_fields=True):
    """A file of ``engines/`` or ``texts/``. Only the former have a name and a sign."""

    entries: tuple[Entry, ...] = ()
    words: dict[str, str] = {}  # regular expressions that conditions name as ``@word``
    name: str = ""
    sign: str = ""  # by what a log betrays the engine
    rank: int = 0  # of several engines that left signs the highest is meant: forks and hosts before libraries
    asks: Literal["file", "model", ""] = ""  # where its loader looks a name up: see `lookups.py`
    package: str = ""  # what the engine calls itself where it prints its version, when not by its name


@cache
def texts() -> tuple[Texts, ...]:
    """Every file of entries, texts that engines share first."""
    decode = json.Decoder(Texts).decode
    files = (*sorted((FOLDER / "texts").glob("*.json")), *sorted((FOLDER / "engines").glob("*.json")))
    return tuple(decode(file.read_bytes()) for file in files)


@cache
def engines() -> tuple[Texts, ...]:
    """The engines, those of the highest rank first."""
    return tuple(sorted((one for one in texts() if one.name), key=lambda one: -one.rank))


@cache
def causes() -> dict[str, Cause]:
    """Every cause by its key."""
    decode = json.Decoder(tuple[Cause, ...]).decode
    files = (FOLDER / "causes" / f"{name}.json" for name in _CAUSES)
    return {cause.key: cause for file in files for cause in decode(file.read_bytes())}


@cache
def titles() -> dict[str, str]:
    """A title for every code that has causes and no rule."""
    return json.decode((FOLDER / "titles.json").read_bytes(), type=dict[str, str])


@cache
def entries() -> tuple[Entry, ...]:
    """Every entry; the words of conditions are put in."""
    return tuple(_worded(entry, file.words) if file.words else entry for file in texts() for entry in file.entries)


@cache
def own_entries() -> tuple[Entry, ...]:
    """Entries of loadproof's own messages: a finding, or an exception of `loadproof.runtime`, carries a code."""
    first: dict[str, Cause] = {}
    for cause in causes().values():
        first.setdefault(cause.code, cause)
    return tuple(map(_of_code, first.values()))


def _of_code(cause: Cause) -> Entry:
    """The entry of one code; the weight of its longer patterns puts it before what the rest of the text resembles."""
    code = f"[{cause.code}]"
    live = (f"{code} <name> must be 2-D [rows, columns]",) if code.startswith("[LP9") else ()
    said = Example(f"error{code} {cause.slug}: what was found", cause.key)
    return Entry((*live, f"{code} {cause.slug}", code), (Ranked(cause.key, "likely"),), (said,))


def _worded(entry: Entry, words: dict[str, str]) -> Entry:
    return replace(entry, causes=tuple(_put_words(ranked, words) for ranked in entry.causes))


def _put_words(ranked: Ranked, words: dict[str, str]) -> Ranked:
    if ranked.when is None:
        return ranked
    given = {field: getattr(ranked.when, field) for field in When.__struct_fields__}
    named = {field: words[text[1:]] for field, text in given.items() if text.startswith("@")}
    return replace(ranked, when=replace(ranked.when, **named)) if named else ranked


__all__ = ["Texts", "causes", "engines", "entries", "own_entries", "texts", "titles"]
