"""Whatever config.json holds, reading it ends with a config and named problems."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loadproof.config.parse import MAX_BYTES
from loadproof.formats import checkpoint_at
from loadproof.readers.transformers.reactions import react
from tests.config.build import LLAMA, config_of, folder, found

NOT_JSON = "is not a valid JSON file."


def test_a_plain_config_has_no_problems(tmp_path: Path) -> None:
    config = config_of(tmp_path, LLAMA)
    assert config.path == "config.json"
    assert config.raw == LLAMA
    assert not config.problems


def test_no_config_is_no_problem_of_the_config_stage(tmp_path: Path) -> None:
    config = folder(tmp_path, {}).config
    assert (config.path, config.raw, config.problems) == (None, {}, ())


@pytest.mark.parametrize(
    ("content", "detail", "said"),
    [
        (b"", "empty", NOT_JSON),
        (b"{", "syntax", NOT_JSON),
        (b'{"a": 1} // note', "syntax", NOT_JSON),
        (b'\xef\xbb\xbf{"a": 1}', "syntax", NOT_JSON),
        (b"[]", "not-object", "ValueError: Unrecognized model in "),
        (b'{"model_type": "\xff"}', "encoding", NOT_JSON),
        ('{"a": 1}'.encode("utf-16"), "encoding", NOT_JSON),
        (b'{"vocab_size": ' + b"9" * 5000 + b"}", "number", "Exceeds the limit (4300 digits)"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "depth", "recursion"),
    ],
)
def test_what_the_library_turns_away_is_an_error_that_quotes_it(
    tmp_path: Path, content: bytes, detail: str, said: str
) -> None:
    config = config_of(tmp_path, content)
    assert found(config) == [("LP013", detail, "error")]
    assert said in (react(config.problems[0]) or "")
    assert config.raw == {}


def test_a_syntax_error_names_its_line_and_column(tmp_path: Path) -> None:
    config = config_of(tmp_path, '{\n  "a": 1,\n  "b": nope\n}')
    assert config.problems[0].text == "config.json is not JSON: Expecting value at line 3, column 8"


def test_a_key_with_two_values_is_an_error_and_the_last_one_counts(tmp_path: Path) -> None:
    config = config_of(tmp_path, '{"num_hidden_layers": 1, "num_hidden_layers": 2}')
    assert found(config) == [("LP013", "duplicate-key", "error")]
    assert config.raw == {"num_hidden_layers": 2}
    assert react(config.problems[0]) is None


def test_a_key_repeated_with_the_same_value_is_a_warning(tmp_path: Path) -> None:
    assert found(config_of(tmp_path, '{"a": 1, "a": 1}')) == [("LP013", "duplicate-key", "warning")]


def test_nan_is_a_warning_since_only_some_readers_take_it(tmp_path: Path) -> None:
    assert found(config_of(tmp_path, '{"rope_theta": NaN}')) == [("LP013", "constant", "warning")]


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    with open(tmp_path / "config.json", "wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert found(folder(tmp_path, {}).config) == [("LP013", "huge", "error")]


def test_a_pipe_or_a_folder_under_the_name_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "config.json")
    assert found(folder(tmp_path, {}).config) == [("LP013", "special", "error")]
    os.unlink(tmp_path / "config.json")
    os.mkdir(tmp_path / "config.json")
    assert found(folder(tmp_path, {}).config) == [("LP013", "special", "error")]


def test_a_folder_under_the_name_is_no_config_to_the_library(tmp_path: Path) -> None:
    os.mkdir(tmp_path / "config.json")
    said = react(folder(tmp_path, {}).config.problems[0])
    assert said is not None
    assert said.startswith("ValueError: Unrecognized model in ")


def test_a_link_out_of_the_folder_is_followed_unless_it_is_a_strangers(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(json.dumps(LLAMA))
    inside = tmp_path / "checkpoint"
    inside.mkdir()
    (inside / "config.json").symlink_to(tmp_path / "secret")
    assert checkpoint_at(str(inside)).config.raw == LLAMA
    config = checkpoint_at(str(inside), follow_links=False).config
    assert found(config) == [("LP110", "symlink", "error")]
    assert config.raw == {}


def test_what_a_link_leads_to_is_not_quoted(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text('{"password": "hunter2", "password": "hunter3"}')
    inside = tmp_path / "checkpoint"
    inside.mkdir()
    (inside / "config.json").symlink_to(tmp_path / "secret")
    problems = checkpoint_at(str(inside)).config.problems
    assert [problem.detail for problem in problems] == ["duplicate-key"]
    assert not any(word in str(problems) for word in ("password", "hunter"))


def test_a_hub_cache_snapshot_is_read_through_its_link(tmp_path: Path) -> None:
    blobs, snapshot = tmp_path / "blobs", tmp_path / "snapshots" / "abc"
    blobs.mkdir()
    snapshot.mkdir(parents=True)
    (blobs / "0123").write_text(json.dumps(LLAMA))
    (snapshot / "config.json").symlink_to("../../blobs/0123")
    config = folder(snapshot, {}).config
    assert not config.problems
    assert config.raw == LLAMA


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=80) | st.text('{}[]",:\\u0019aNe-. \n', max_size=60).map(str.encode))
def test_any_bytes_end_in_a_config(tmp_path: Path, content: bytes) -> None:
    config = config_of(tmp_path, content)
    assert isinstance(config.raw, dict)
    try:
        value = json.loads(content.decode())
    except ValueError:
        assert config.problems
    else:
        assert config.raw == value or not isinstance(value, dict) or value != value or "NaN" in content.decode()
