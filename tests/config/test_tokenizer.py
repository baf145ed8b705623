"""How many rows the tokenizer needs, from its small files."""

from __future__ import annotations

from pathlib import Path

import pytest

from loadproof.core.checkpoint import Tokenizer
from loadproof.formats import checkpoint_at


def needed(folder: Path, **files: str) -> Tokenizer | None:
    for name, text in files.items():
        (folder / f"{name}.json").write_text(text)
    return checkpoint_at(str(folder)).tokenizer


def test_highest_added_id_counts(tmp_path: Path) -> None:
    assert needed(tmp_path, added_tokens='{"<a>": 7, "<b>": 9}') == Tokenizer("added_tokens.json", 10)


def test_tokenizer_config_counts_too(tmp_path: Path) -> None:
    found = needed(
        tmp_path, added_tokens='{"<a>": 7}', tokenizer_config='{"added_tokens_decoder": {"11": {}, "2": {}}}'
    )
    assert found == Tokenizer("tokenizer_config.json", 12)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"<a>": "7", "<b>": -1, "<c>": true}', '{"<a>": 99999999999}'])
def test_malformed_files_say_nothing(tmp_path: Path, text: str) -> None:
    assert needed(tmp_path, added_tokens=text) is None


def test_no_file_no_answer(tmp_path: Path) -> None:
    assert needed(tmp_path, config="{}") is None
