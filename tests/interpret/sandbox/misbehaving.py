"""Loaded by a child under test: instead of an evaluation it does to its parent what the text of the model file says."""

from __future__ import annotations

import ctypes
import os
from typing import Any

import msgspec

from loadproof.core.expectation import Expectation, Expected
from loadproof.core.loading import ConversionRule, Loading, Operation
from loadproof.interpret.sandbox import child
from loadproof.interpret.sandbox.messages import ANSWER, LENGTH, LIST, READ, REQUEST
from loadproof.interpret.sandbox.packing import pack
from loadproof.interpret.sandbox.pipe_files import ask
from loadproof.interpret.sandbox.task import Task

FAMILY = Expected("a.{}", ((0, 1),), (4,))
FORGED: dict[str, Any] = {
    "another_release": {"reader": "other", "version": "9.9"},
    "negative_size": {"families": (msgspec.structs.replace(FAMILY, shape=(-1,)),), "parameters": 2},
    "endless_size": {"families": (msgspec.structs.replace(FAMILY, shape=(1 << 60,)),), "parameters": 2},
    "wrong_count": {"families": (FAMILY,), "parameters": 3},
    "unsorted": {"families": (msgspec.structs.replace(FAMILY, axes=((1, 0),)),), "parameters": 2},
    "endless_product": {
        "families": (msgspec.structs.replace(FAMILY, template="{}.{}", axes=(tuple(range(9_000)),) * 2),),
        "parameters": 81_000_000,
    },
    "endless_index": {"families": (msgspec.structs.replace(FAMILY, axes=((0, 1 << 40),)),), "parameters": 2},
    "no_axis": {"families": (msgspec.structs.replace(FAMILY, axes=()),), "parameters": 1},
    "odd_operation": {
        "families": (FAMILY,),
        "parameters": 2,
        "private": Loading(
            rules=(
                ConversionRule(
                    "WeightConverter",
                    (r"a.(\d+)",),
                    (r"a.\1", "c"),
                    r"^(?P<g0>a\.(\d+))$",
                    operations=(Operation("Chunk", {"dim": "x"}),),
                ),
            )
        ),
    },
    "claims_no_wall": {"wall": "", "forbidden_call": True, "class_name": "Odd"},
}


def misbehave(task: Task) -> Expectation:
    kind = str(task.raw["misbehave"])
    if kind in FORGED:
        return msgspec.structs.replace(task.expectation, source="remote-code", **FORGED[kind])
    globals()[kind]()
    return task.expectation


def loop() -> None:
    while True:
        pass


def memory() -> None:
    kept: list[Any] = []
    while True:
        kept.append(bytearray(1 << 20))


def crash() -> None:
    ctypes.string_at(8, 1)


def abort() -> None:
    os.abort()


def leave() -> None:
    os._exit(0)


def flood() -> None:
    while True:
        os.write(1, b"x" * 65_536)


def ask_for_ever() -> None:
    while True:
        ask(LIST, "transformers")


def never_listen() -> None:
    while True:
        os.write(1, REQUEST.pack(READ, 31) + b"transformers/modeling_utils.py\n")


def huge() -> None:
    os.write(1, REQUEST.pack(ANSWER, 0) + LENGTH.pack(0xFFFFFFFF))
    flood()


def garbage() -> None:
    _answer(bytes(range(256)) * 100)


def nested() -> None:
    _answer(b"\x91" * 1_000_000)


def many_lists() -> None:
    content = pack({"reader": "r", "version": "v", "class_name": "c", "model_type": "m", "source": "remote-code"})
    _answer(
        bytes([content[0] + 1])
        + content[1:]
        + b"\xa6config\x81\xa1x\xdd"
        + (1_900_000).to_bytes(4, "big")
        + b"\x90" * 1_900_000
    )


def second_greeting() -> None:
    ask(b"W", "again")


def no_such_request() -> None:
    ask(b"\0", "x")


def wait() -> None:
    os.read(0, 1)


def _answer(content: bytes) -> None:
    os.write(1, REQUEST.pack(ANSWER, 0) + LENGTH.pack(len(content)))
    left = memoryview(content)
    while left:
        left = left[os.write(1, left) :]
    os._exit(0)


child._done = misbehave
