"""What transformers raises over a fault, and the faults of the same kind that it takes without a word."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from loadproof.core.checkpoint import Problem
from loadproof.formats import checkpoint_at
from loadproof.readers.transformers.reactions import react
from tests.hostile import index_cases, safetensors_cases, unread_cases
from tests.hostile.making import Case
from tests.hostile.selecting import select

HEADER = "SafetensorError: Error while deserializing header: "


def fault(code: str, detail: str, particular: str = "", file: str = "model.safetensors", **more: str) -> Problem:
    return Problem(code, file, "", detail=detail, particular=particular, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("raising", "taken"),
    [
        (fault("LP006", "padding", "other-bytes"), fault("LP006", "padding")),
        (fault("LP006", "metadata", "a map"), fault("LP006", "metadata", found="null")),
        (fault("LP007", "span"), fault("LP007", "span", "replaced")),
        (fault("LP008", "reversed"), fault("LP008", "reversed", "replaced")),
        (fault("LP007", "overflow", "64-bits"), fault("LP007", "overflow")),
        (fault("LP007", "sub-byte", "byte-boundary"), fault("LP007", "sub-byte")),
        (fault("LP009", "identical", tensor="__metadata__"), fault("LP009", "identical", tensor="a")),
        (fault("LP003", "changed", "beyond-end"), fault("LP003", "changed")),
        (fault("LP101", "json", "Expecting value"), fault("LP101", "duplicate-key")),
        (fault("LP110", "nul-byte"), fault("LP110", "absolute-path")),
        (fault("LP014", "dtype", "torch.fp16"), fault("LP014", "dtype")),
        (fault("LP013", "depth", "too deep"), fault("LP013", "depth")),
        (fault("LP013", "special", "/x/config.json", "config.json"), fault("LP013", "special", "/x/a.json", "a.json")),
    ],
    ids=lambda problem: f"{problem.code}-{problem.detail}",
)
def test_one_fault_raises_and_its_neighbour_is_taken(raising: Problem, taken: Problem) -> None:
    assert react(raising) is not None
    assert react(taken) is None


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (fault("LP003", "too-short"), HEADER + "header too small"),
        (fault("LP003", "too-short", "not-safetensors", "pytorch_model.bin"), "EOFError: Ran out of input"),
        (fault("LP001", "lfs-pointer", "over-limit"), HEADER + "header too large"),
        (
            fault("LP001", "lfs-pointer", file="model.safetensors.index.json"),
            "JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
        ),
        (
            fault("LP102", "permission", "/x/m.safetensors", "m.safetensors"),
            "FileNotFoundError: No such file or directory: /x/m.safetensors",
        ),
        (fault("LP102", "permission", "/x/m.bin", "m.bin"), "PermissionError: Permission denied: /x/m.bin"),
        (fault("LP101", "value-type", "dict"), "TypeError: unhashable type: 'dict'"),
        (
            fault("LP101", "value-type", "int"),
            "TypeError: '<' not supported between instances of 'int' and 'str'",
        ),
        (
            fault("LP114", "dangling-link", "/x/config.json", "config.json"),
            "ValueError: Unrecognized model in /x. Should have a `model_type` key in its config.json.",
        ),
        (fault("LP114", "dangling-link", "/x/m", "m"), "FileNotFoundError: No such file or directory: /x/m"),
        (
            fault("LP014", "dtype", "torch.torch.fp16"),
            "AttributeError: module 'torch' has no attribute 'torch.fp16'",
        ),
    ],
)
def test_the_text_depends_on_what_is_open_below_the_detail(problem: Problem, said: str) -> None:
    assert react(problem) == said


def _problems(case: Case, folder: Path) -> Iterator[Problem]:
    checkpoint = checkpoint_at(str(case.write(folder)))
    yield from checkpoint.inventory.problems
    yield from checkpoint.manifest(select(checkpoint.inventory)).problems


@pytest.mark.parametrize("cases", [safetensors_cases, index_cases, unread_cases])
def test_no_reaction_to_a_hostile_file_lacks_what_it_is_made_of(cases: object, tmp_path: Path) -> None:
    """A fact that forgets its particulars would leave a hole in the text."""
    texts = [
        said
        for number, case in enumerate(cases.cases())  # type: ignore[attr-defined]
        for problem in _problems(case, tmp_path / str(number))
        if (said := react(problem))
    ]
    assert texts
    assert not [said for said in texts if said.endswith((" ", ": ")) or "``" in said or "''" in said or "None:" in said]
