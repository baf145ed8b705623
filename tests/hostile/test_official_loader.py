"""What we accept the official safetensors library accepts; what we say that it says, it says."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from loadproof.core.checkpoint import Problem
from loadproof.formats.header import read_header
from loadproof.readers.safetensors import refusal
from loadproof.storage import open_folder
from tests.hostile import safetensors_cases
from tests.hostile.mutating import mutate

safetensors = pytest.importorskip("safetensors")
pytest.importorskip("numpy")
CASES = list(safetensors_cases.cases())
SEEDS = [blob for case in CASES for blob in case.files.values() if 16 < len(blob) < 2000]


def official(path: Path) -> str | None:
    """The exception of the official library, or None."""
    try:
        with safetensors.safe_open(path, framework="np") as opened:
            opened.keys()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def ours(path: Path) -> tuple[Problem, ...]:
    with open_folder(str(path)) as folder, folder.open(path.name) as opened:
        return read_header(opened, path.name).problems


def agree(path: Path) -> None:
    said, problems = official(path), ours(path)
    errors = [problem for problem in problems if problem.severity == "error"]
    assert said is None or errors, said
    assert (said is not None) == any(map(refusal, problems)), (said, problems)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_refusal_is_the_text_of_the_official_library(case: safetensors_cases.Case, tmp_path: Path) -> None:
    path = case.write(tmp_path) / "model.safetensors"
    agree(path)
    said = official(path)
    texts = list(filter(None, map(refusal, ours(path))))
    assert said is None or any(said.startswith(_stem(text)) for text in texts), (said, texts)


def _stem(text: str) -> str:
    """Up to the kind of JSON error: positions and details of its wording are not promised."""
    return ": ".join(text.split(": ")[:3]).partition(" for tensor")[0]


@settings(max_examples=400, deadline=None)
@given(some.sampled_from(SEEDS), some.randoms(use_true_random=False))
def test_mutants_are_judged_as_the_official_library_judges_them(seed: bytes, random: object) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.safetensors")
        path.write_bytes(mutate(random, seed))  # type: ignore[arg-type]
        agree(path)


def test_fourteen_kinds_of_error_pass_the_official_library(tmp_path: Path) -> None:
    """They are the reason why a strict reader is worth having."""
    passed = set()
    for case in CASES:
        path = case.write(tmp_path / case.name) / "model.safetensors"
        if case.expect == "error" and official(path) is None:
            passed.add(case.name)
    assert passed == {
        "dim_over_i64", "dtype_as_map", "entry_as_array", "escaped", "conflicting_dtype", "conflicting_shape",
        "identical", "leading_newline", "leading_space", "meta_null", "metadata_key", "swapped_pair", "unknown_field",
        "zero_then_huge",
    }  # fmt: skip
