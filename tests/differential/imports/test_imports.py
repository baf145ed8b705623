"""Remote code is imported as the real library imports it: `loads` is never said where it raises, nor `fails` where it loads."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.differential.imports.attribute_cases import ATTRIBUTES, HEALTHY
from tests.differential.imports.cases import CASES
from tests.differential.imports.compare import compare, ours

pytestmark = pytest.mark.torch
FEW = (
    *(
        "nothing_unusual",
        "syntax_in_unused_def",
        "null_byte",
        "unknown_coding",
        "late_future",
        "type_statement",
        "raise",
    ),
    *("undefined", "default", "class_body", "annotation", "annotation_union", "caught", "suppressed", "missing_in_def"),
    *(
        "missing_in_try_flag",
        "release_name_gone",
        "star_of_configuration",
        "relative_missing_in_try",
        "relative_package",
    ),
    *("circular", "circular_late", "class_gone", "no_post_init", "tied_list", "tied_list_used", "registered_part"),
    *("module_with_a_dot", "list_of_numbers", "eval", "caught_by_a_number", "super_in_a_function", "module_name"),
    *("torch_attribute_gone", "nn_attribute", "transformers_attribute"),
    *("isinstance_of_own_config", "unbound_local", "generator_starts_late", "generator_reads_late"),
)


def judge(names: tuple[str, ...], folder: Path) -> None:
    answers = compare({name: CASES[name] for name in names}, folder)
    wrong = {name: tuple(a) for name, a in answers.items() if a.is_wrong}
    assert not wrong


def test_a_few_import_styles(tmp_path: Path) -> None:
    judge(FEW, tmp_path)


def test_modules_show_what_they_have(tmp_path: Path) -> None:
    for name in HEALTHY:
        assert (name, ours(CASES[name].write(tmp_path / name))) == (name, ("loads", ""))


@pytest.mark.oracle
@pytest.mark.parametrize("part", range(8))
def test_every_import_style(part: int, tmp_path: Path) -> None:
    judge(tuple(CASES)[part::8], tmp_path)


@pytest.mark.oracle
def test_most_import_styles_are_judged(tmp_path: Path) -> None:
    doubted = set(ATTRIBUTES) - set(HEALTHY)  # what a package's text does not mention is left open
    styles = {name: case for name, case in CASES.items() if name not in doubted}
    answers = compare(styles, tmp_path)
    known = [name for name, a in answers.items() if a.ours != "inconclusive"]
    assert len(known) >= 0.93 * len(styles)
