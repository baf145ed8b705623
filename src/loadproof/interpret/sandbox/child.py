"""The child: import everything, raise the wall, and only then read the first byte from strangers."""

from __future__ import annotations

import gc
import importlib
import os
import pkgutil
import time

import msgspec

import loadproof.interpret
from loadproof.core.expectation import Expectation
from loadproof.interpret.evaluation import evaluate
from loadproof.interpret.release.world import World
from loadproof.interpret.sandbox import limits
from loadproof.interpret.sandbox.messages import NO_WALL, WALL
from loadproof.interpret.sandbox.packing import pack, unpack
from loadproof.interpret.sandbox.pipe_files import PipeFiles, answer, ask
from loadproof.interpret.sandbox.task import Task
from loadproof.interpret.sandbox.wall import NoWall, raise_wall
from loadproof.interpret.symbolic import add_symbols
from loadproof.interpret.worlds.peft.predict import predict
from loadproof.interpret.worlds.peft.question import Question
from loadproof.interpret.worlds.peft.world import PeftWorld

# The compiler loads the first for a character by its name, the others stand behind coding lines and conversions.
_LATER = ("unicodedata", "encodings.ascii", "encodings.latin_1", "encodings.unicode_escape", "encodings.idna")


def main(seconds: int) -> None:
    """Serve one task over standard input and output, then end."""
    _import_all()
    task = unpack(ask(*_walled(seconds))[1], Task)
    answer(_packed(task, _done(task)))
    os._exit(0)  # objects of strangers are not taken apart one by one


def _import_all() -> None:
    for module in pkgutil.walk_packages(loadproof.interpret.__path__, "loadproof.interpret."):
        importlib.import_module(module.name)
    for name in _LATER:
        importlib.import_module(name)


def _walled(seconds: int) -> tuple[bytes, str]:
    """What the wall consists of, or why there is none: then the parent decides whether a task is given at all."""
    try:
        stands = raise_wall(seconds)
    except NoWall as why:
        limits.restrict(seconds)
        return NO_WALL, str(why)
    _rehearse()
    return WALL, stands


def _rehearse() -> None:
    """What every evaluation does, once before anything is at stake: an interpreter that needs more ends here and now."""
    kept = [bytearray(size) for size in (100, 10_000, 1_000_000, 20_000_000)]
    kept.clear()
    time.process_time()
    gc.collect()


def _done(task: Task) -> Expectation:
    if task.work == "adapter":
        answer = predict(PeftWorld(PipeFiles(), task.machine), msgspec.convert(task.raw, Question))
        return msgspec.structs.replace(task.expectation, config={"answer": msgspec.to_builtins(answer)})
    world = World(PipeFiles(), task.machine)
    world.devices = task.devices
    if task.work == "symbols":
        return add_symbols(task.expectation, world, task.raw)
    return evaluate(world, task.raw, task.expectation, task.class_name)


def _packed(task: Task, found: Expectation) -> bytes:
    try:
        return pack(found)
    except (TypeError, ValueError, RecursionError):
        return pack(
            msgspec.structs.replace(task.expectation, inconclusive="what the model source makes cannot be told")
        )
