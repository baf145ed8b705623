"""A long list of computed numbers costs nothing until somebody looks, and is the same list then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from loadproof.interpret.language.long_list import LongList
from tests.interpret.sources import evaluate

LIST = "import math\n{head}result = [{element} for i in range(1, {end})]"


def made(folder: Path, element: str, end: int = 30_001, head: str = "") -> Any:
    return evaluate(folder, LIST.format(head=head, element=element, end=end))


def test_it_has_the_items_of_the_comprehension(tmp_path: Path) -> None:
    found = made(tmp_path, "math.log(i, n) if i > n else 1", head="n = 7\n")
    import math

    wanted = [math.log(i, 7) if i > 7 else 1 for i in range(1, 30_001)]
    assert isinstance(found, LongList)
    assert (len(found), found[0], found[-1]) == (30_000, wanted[0], wanted[-1])
    assert found == wanted
    assert (len(found), found[20_000]) == (30_000, wanted[20_000])


def test_it_is_a_list_for_evaluated_code(tmp_path: Path) -> None:
    text = "x = [i * 2 for i in range(5000)]\nx.append(1)\nresult = (len(x), x[-1], sum(x[:3]), isinstance(x, list))"
    assert evaluate(tmp_path, text, "result") == (5001, 1, 6, True)


def test_a_table_of_a_million_numbers_is_no_work(tmp_path: Path) -> None:
    text = """
        import torch

        def tables():
            return [torch.tensor([i / 2 for i in range(30_000)]).shape[0] for _ in range(200)]

        result = sum(tables())
    """
    assert evaluate(tmp_path, text) == 6_000_000


@pytest.mark.parametrize("element", ["[i]", "f(i)", "(n := i)", "str(i)", "abs(i)"])
def test_what_may_do_more_than_compute_is_computed_at_once(element: str, tmp_path: Path) -> None:
    assert not isinstance(made(tmp_path, element, head="f = lambda x: x\n"), LongList)


def test_short_ones_are_lists(tmp_path: Path) -> None:
    assert type(made(tmp_path, "i", end=100)) is list


def test_what_fails_at_an_end_fails_at_once(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        made(tmp_path, "1 / (i - 1)")
