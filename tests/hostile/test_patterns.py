"""Patterns of strangers, searched in names of strangers: a check ends soon and `inconclusive`, never in a hang."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from loadproof.api import check
from tests.cli.process import run
from tests.hostile.making import entry, st
from tests.hostile.source_cases import files, source
from tests.hostile.test_release_source import CONFIG, release

BOMBS: dict[str, Any] = {
    "repeat of a repeat": [r"(a+)+$"],
    "alternatives": [r"(a|aa)+$"],
    "many unbounded": [".*" * 40 + "b"],
    "many optional": ["a?" * 200 + "b"],
    "many bounded": ["a{0,99}" * 60 + "b"],
    "long": ["a" * 100_000],
    "many": [f"name{i}.*" for i in range(50_000)],
}
ODD: dict[str, Any] = {
    "unfinished": ["("],
    "no text": [1, None, ["a"]],
    "no list": 7,
    "one text": "abc",
    "lookbehind": ["(?<=a*)b"],
    "huge repeat": ["a{99999999999}"],
    "escape": ["\x1b[2J\\"],
    "empty": ["", ""],
}
NAMES = ("a" * 511 + "!", "a" * 2_000_000, "a." * 200, "proj.weight")


def write(root: Path, contents: dict[str, Any], names: tuple[str, ...] = NAMES) -> Path:
    root.mkdir(exist_ok=True)
    for name, content in contents.items():
        (root / name).write_text(content)
    tensors = {name: entry("F32", [2], 8 * at, 8 * at + 8) for at, name in enumerate(names)}
    (root / "model.safetensors").write_bytes(st({"__metadata__": {"format": "pt"}, **tensors}, bytes(8 * len(names))))
    return root


def with_patterns(root: Path, attribute: str, patterns: Any) -> Path:
    """A repository whose model class has these patterns."""
    text = source().replace("config_class = EvilConfig", f"config_class = EvilConfig\n    {attribute} = {patterns!r}")
    return write(root, files(text))


def verdict(root: Path, **options: Any) -> tuple[str, str]:
    start = time.process_time()
    report = check(root, use_cache=False, **options)
    assert time.process_time() - start < 5
    return report.verdict, report.case.outcome.inconclusive or ""


@pytest.mark.parametrize("attribute", ["_keys_to_ignore_on_load_missing", "_keys_to_ignore_on_load_unexpected"])
@pytest.mark.parametrize("patterns", BOMBS.values(), ids=BOMBS)
def test_an_ignore_list_of_remote_code_is_no_bomb(attribute: str, patterns: Any, tmp_path: Path) -> None:
    said, why = verdict(with_patterns(tmp_path, attribute, patterns))
    assert said == "inconclusive"
    assert "may run for ever" in why


@pytest.mark.parametrize("attribute", ["_keys_to_ignore_on_load_missing", "_tied_weights_keys"])
@pytest.mark.parametrize("patterns", ODD.values(), ids=ODD)
def test_an_odd_ignore_list_is_no_crash(attribute: str, patterns: Any, tmp_path: Path) -> None:
    done = run("check", str(with_patterns(tmp_path, attribute, patterns)), "--no-cache")
    assert "Traceback" not in done.stdout + done.stderr
    assert "internal error" not in done.stdout + done.stderr
    assert done.returncode in (0, 1, 3)


MAPPINGS = {
    **{name: {patterns[0]: "b"} for name, patterns in BOMBS.items() if name != "many"},
    "no such group": {r"^a(.*)": r"\9"},
    "growing": {r"a": "a" * 100_000},
    "to nothing": {r".*": ""},
    "to a brace": {r"a": "{}"},
    "to a surrogate": {r"a": "\ud800"},
    "unfinished": {"(": "b"},
    "numbers": {1: 2},
}


@pytest.mark.parametrize("mapping", MAPPINGS.values(), ids=MAPPINGS)
def test_a_name_mapping_is_no_bomb(mapping: Any, tmp_path: Path) -> None:
    root = release(tmp_path / "release")
    (root / "transformers" / "__init__.py").write_text('__version__ = "4.57.1"\n')
    path = root / "transformers" / "models" / "evil" / "modeling_evil.py"
    text = path.read_text().replace(
        "config_class = EvilConfig", f"config_class = EvilConfig\n    _checkpoint_conversion_mapping = {mapping!r}"
    )
    path.write_text(text, errors="surrogatepass")
    model = write(tmp_path / "model", {"config.json": json.dumps(CONFIG)})
    start = time.monotonic()
    done = run("check", str(model), "--source", str(root), "--no-cache")
    assert time.monotonic() - start < 20
    assert "Traceback" not in done.stdout + done.stderr
    assert "internal error" not in done.stdout + done.stderr
    assert done.returncode in (0, 1, 3)


FIELDS = ("ignore", "modules_to_not_convert", "targets")
LISTS: dict[str, Any] = {
    "bomb": ["re:(a+)+$", "re:" + "a?" * 200, r"(a+)+$"],
    "long": ["a" * 1_000_000],
    "many": [f"re:layers.{i}.*" for i in range(20_000)],
    "nested": [[["a"]]],
    "no list": {"a": 1},
    "numbers": [1, 2.5, None, True],
    "escape": ["re:\x1b[2J(", "\u202e"],
}


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("method", ["compressed-tensors", "fp8"])
def test_lists_of_a_quantization_config_end_soon(method: str, field: str, tmp_path: Path) -> None:
    for name, value in LISTS.items():
        quantization = {"quant_method": method, field: value, "config_groups": {"g": {field: value}}}
        raw = {"model_type": "llama", "num_hidden_layers": 1, "quantization_config": quantization}
        said, _ = verdict(write(tmp_path / name, {"config.json": json.dumps(raw)}))
        assert said in ("fails", "loads-wrong", "inconclusive")
