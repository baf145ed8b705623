"""No idea of `escape_ideas.txt` gets hold of an object of the host, or changes what all evaluations share.

There a line alone is an expression for `result`, several lines are a whole program; a blank line ends an idea.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loadproof.interpret.building import room_to_recurse
from loadproof.interpret.language import limits
from loadproof.interpret.language.objects import Namespace
from loadproof.interpret.release.stubs import GenerationMixin
from loadproof.interpret.shapes.dtypes import FLOAT32, META
from loadproof.interpret.shapes.namespaces import NN, TORCH
from tests.interpret.sources import world_of
from tests.interpret.test_closed_world import nested, offence, visible_functions, walk

HEAD = """
import abc, collections, collections.abc, contextlib, copy, dataclasses, enum, functools, inspect, itertools, math, operator
import os, re, sys, types, typing, warnings, argparse, numbers, logging
import numpy as np
import torch
from torch import nn
from easydict import EasyDict
class Own(nn.Module):
    x = 1
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
    def method(self):
        return self
    @property
    def shown(self):
        return 1
    @functools.cached_property
    def kept(self):
        return self
    @classmethod
    def made(cls):
        return cls
    @staticmethod
    def free():
        return 1
class Plain:
    pass
@dataclasses.dataclass
class Data:
    x: int = 0
own = Own()
def f(a=1):
    return a
def g():
    yield 1
def caught(e=KeyError):
    try:
        raise e("x")
    except e as problem:
        return problem
"""


def ideas() -> Iterator[tuple[str, str]]:
    kind = ""
    for block in (Path(__file__).parent / "escape_ideas.txt").read_text().split("\n\n"):
        if block.startswith("## "):
            kind = block[3:].strip()
        else:
            yield kind, block.strip("\n")


PROGRAMS = list(ideas())


def program(idea: str) -> str:
    return f"{HEAD}\n{idea if chr(10) in idea else 'result = ' + idea}\n"


def shared() -> tuple[Any, ...]:
    """What an escape would leave changed behind it."""
    members = [(id(s), sorted((k, id(v)) for k, v in object.__getattribute__(s, "_members").items())) for s in nested()]
    classes = [sorted(vars(cls)) for cls in (type(FLOAT32), NN.Linear, NN.Module, Namespace, GenerationMixin)]
    return dict(vars(FLOAT32)), dict(vars(META)), members, classes, TORCH.nn is NN


def test_the_ideas_are_many_and_differ() -> None:
    assert len({idea for _, idea in PROGRAMS}) == len(PROGRAMS) >= 200


def text_of(problem: Exception) -> str:
    """An exception's text, which evaluated code may have made of what has none."""
    try:
        return str(problem)
    except Exception:
        return ""


def test_the_programs_get_as_far_as_their_idea(tmp_path: Path) -> None:
    world = world_of(tmp_path, program=program("f(7), own.method().layer.in_features, Data().x, caught().args, [*g()]"))
    with room_to_recurse():
        assert world.load("remote.program", "result") == (7, 2, 0, ("x",), [1])


@pytest.mark.parametrize(("kind", "idea"), PROGRAMS, ids=[f"{k.split()[0]}{i}" for i, (k, _) in enumerate(PROGRAMS)])
def test_the_idea_fails(kind: str, idea: str, tmp_path: Path) -> None:
    before = shared()
    world = world_of(tmp_path, program=program(idea))
    limits.start()
    try:
        with room_to_recurse():
            found = world.load("remote.program", "result")
    except Exception as problem:
        found = text_of(problem)
    visible = visible_functions()
    assert {
        path: said for path, value in walk({"result": found}, 2) for said in [offence(value, visible)] if said
    } == {}
    assert not isinstance(found, str) or ("<function" not in found and "<loadproof" not in found)
    assert shared() == before
