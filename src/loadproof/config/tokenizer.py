"""How many embedding rows the tokenizer beside the weights needs, from its small files only."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loadproof.config.parse import parse_object
from loadproof.config.read import read_small
from loadproof.core.checkpoint import Inventory, Tokenizer
from loadproof.storage import Storage

_NUMBER = re.compile(r"[0-9]{1,9}")


def read_tokenizer(storage: Storage, inventory: Inventory) -> Tokenizer | None:
    """The highest id among the added tokens plus one, None when no small file lists any.

    Added tokens carry the highest ids, so this bounds the rows from below; the vocabulary proper (tokenizer.json, tens
    of megabytes) is not read. Malformed entries are passed over.
    """
    found = [(max(ids) + 1, name) for name in _FILES if (ids := list(_ids(storage, inventory, name)))]
    if not found:
        return None
    rows, name = max(found)
    return Tokenizer(name, rows)


_FILES = ("tokenizer_config.json", "added_tokens.json")


def _ids(storage: Storage, inventory: Inventory, name: str) -> Iterator[int]:
    if not any(info.path == name for info in inventory.files):
        return
    data, _ = read_small(storage, name)
    if data is None:
        return
    raw, _, _ = parse_object(data, name, "")
    listed = raw.get("added_tokens_decoder") if name == "tokenizer_config.json" else raw
    if not isinstance(listed, dict):
        return
    for key, value in listed.items():
        if name == "added_tokens.json":
            if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9:
                yield value
        elif _NUMBER.fullmatch(key):
            yield int(key)
