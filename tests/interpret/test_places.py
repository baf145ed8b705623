"""File and line: of what makes a parameter, and of what raises."""

from __future__ import annotations

from pathlib import Path

import pytest

from loadproof.interpret.building import room_to_recurse
from loadproof.interpret.release.world import World
from tests.interpret.sources import world_of

OTHER = """


SIZE = int(
    "4"
)

def refuse(value):
    raise ValueError(value)

def look(table):
    return table["absent"]
"""
PROGRAM = """
from torch import nn
from .other import SIZE, look, refuse

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        try:
            refuse(1)
        except ValueError:
            pass
        self.first = nn.Linear(SIZE, 2)

def built():
    return Model()

def failing():
    getattr({}, "x", None)
    return look({"present": 1})
"""


def world(folder: Path) -> World:
    return world_of(folder, program=PROGRAM, other=OTHER)


def test_a_parameter_is_made_where_the_statement_stands_not_where_a_name_of_it_was_looked_up(tmp_path: Path) -> None:
    made = world(tmp_path)
    with room_to_recurse():
        model = made.load("remote.program", "built")()
    assert {p.source for p in model.parameters()} == {("program.py", 12)}


def test_an_exception_comes_from_the_innermost_function(tmp_path: Path) -> None:
    made = world(tmp_path)
    with room_to_recurse(), pytest.raises(KeyError) as caught:
        made.load("remote.program", "failing")()
    assert made.budget.origin(caught.value) == "other.py:12"
