"""The parent: start a child, make sure from outside that its wall stands, hand out source text, take the answer.

The child is told nothing before its wall stands, and whatever becomes of it, the answer here is an `Expectation`: where
no wall can be raised it is `inconclusive`, and nothing is evaluated in this process instead.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO

import msgspec

from loadproof.core.expectation import Expectation
from loadproof.interpret.release.disk import Disk
from loadproof.interpret.sandbox.answers import decoded
from loadproof.interpret.sandbox.library import Library
from loadproof.interpret.sandbox.limits import ELAPSED_SECONDS
from loadproof.interpret.sandbox.line import Line, Refused
from loadproof.interpret.sandbox.messages import ANSWER, FOUND, NO_WALL, WALL
from loadproof.interpret.sandbox.packing import pack
from loadproof.interpret.sandbox.task import Task

_START = "import sys; sys.path[:0] = {paths!r}; from loadproof.interpret.sandbox.child import main; main({seconds})"
_ENVIRONMENT = ("LD_LIBRARY_PATH", "SYSTEMROOT")  # without which some interpreters do not start
_NO_WALL = "no wall can be put around the evaluation of the model source here"
_SWITCH = (
    "--evaluate-code-without-wall evaluates it all the same; a hole in the evaluator would run it with your rights"
)


class NoAnswer(Exception):  # noqa: N818 - an outcome
    """Why there is no answer, in words for the report."""

    def __init__(self, why: str, *, hint: str | None = None, forbidden_call: bool = False) -> None:
        super().__init__(why)
        self.hint, self.forbidden_call = hint, forbidden_call


class Child:
    """A process that has been started and imports what it needs. Ended by leaving its `with` block."""

    def __init__(self, seconds: int) -> None:
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._why = ""
        try:
            self._process = _started(seconds)
        except (OSError, ValueError, TypeError) as problem:  # no interpreter to start, or no process left to have
            self._why = f"no process could be started: {problem}"
        self._handle = _handle_of(self._process)

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            _end(self._process, self._handle)
            self._process = None

    def ask(self, task: Task, disk: Disk, *, without_wall: bool = False) -> Expectation:
        """The answer to the one task that a child can be given."""
        try:
            return self._ask(task, disk, without_wall)
        except NoAnswer as why:
            return msgspec.structs.replace(
                task.expectation, inconclusive=str(why), hint=why.hint, forbidden_call=why.forbidden_call
            )

    def _ask(self, task: Task, disk: Disk, without_wall: bool) -> Expectation:
        if self._process is None:
            raise NoAnswer(f"{_NO_WALL} ({self._why})")
        try:
            request = pack(task)
        except RecursionError:
            raise NoAnswer("config.json nests too deeply") from None
        deadline = time.monotonic() + ELAPSED_SECONDS
        line = Line(_number(self._process.stdout), _number(self._process.stdin), deadline)
        with _watched(self._process):
            wall = self._wall(self._process.pid, line, without_wall)
            return msgspec.structs.replace(self._conversation(line, task, request, Library(disk)), wall=wall)

    def _wall(self, process: int, line: Line, without_wall: bool) -> str:
        """What the child's wall consists of. Raises NoAnswer where there is none and none was done without."""
        try:
            kind, said = line.request()
        except (EOFError, OSError, TimeoutError):
            raise NoAnswer(f"{_NO_WALL} (the evaluator does not start behind it)") from None
        if kind == WALL and stands(process):
            return said
        if without_wall:
            return ""
        raise NoAnswer(f"{_NO_WALL} ({said if kind == NO_WALL else 'the kernel does not confirm it'})", hint=_SWITCH)

    def _conversation(self, line: Line, task: Task, request: bytes, library: Library) -> Expectation:
        try:
            line.reply(FOUND, request)
            while True:
                kind, name = line.request()
                if kind == ANSWER:
                    return decoded(line.answer(len(request)), task.expectation)
                line.reply(*library.reply(kind, name))
        except (EOFError, BrokenPipeError):
            raise self._ended() from None
        except TimeoutError:
            raise NoAnswer(f"the model source takes more than {ELAPSED_SECONDS} seconds") from None
        except Refused as what:
            raise NoAnswer(f"the model source makes the evaluator ask for {what}") from None

    def _ended(self) -> NoAnswer:
        status = None
        if self._process is not None:
            with suppress(subprocess.TimeoutExpired):
                status = self._process.wait(5)
        return why_ended(status, self._seconds)


def why_ended(status: int | None, seconds: int) -> NoAnswer:
    """What the status of a child that gave no answer means."""
    ends = {
        "SIGXCPU": f"the model source takes more than {seconds} seconds of processor time",
        "SIGKILL": f"the model source takes more than {seconds} seconds of processor time or too much memory",
        "SIGSEGV": "the model source nests too deeply",
        "SIGSYS": "the model source made the evaluator ask the system for something forbidden",
    }
    with suppress(ValueError):
        name = signal.Signals(-(status or 0)).name
        why = ends.get(name, f"the evaluation of the model source ended with {name}")
        return NoAnswer(why, forbidden_call=name == "SIGSYS")
    return NoAnswer("the evaluation of the model source failed")


def stands(process: int) -> bool:
    """What the kernel says of a child: one thread, a filter, no new privileges.

    Without /proc, or where it hides the process, the child's word is taken: it gave it before it read anything.
    """
    try:
        with open(f"/proc/{process}/status", encoding="ascii", errors="replace") as f:
            said = dict(text.rstrip("\n").split(":\t", 1) for text in f if ":\t" in text)
    except OSError:
        return True
    # gVisor has no line of that name: there it always holds.
    return (said.get("Seccomp"), said.get("NoNewPrivs", "1"), said.get("Threads")) == ("2", "1", "1")


def _started(seconds: int) -> subprocess.Popen[bytes]:
    """No site, no user folder, no variable that could lead to other code; compiled code is kept as this process does."""
    flags = ["-I", "-S", *(["-B"] if sys.dont_write_bytecode else [])]
    return subprocess.Popen(
        [sys.executable, *flags, "-c", _START.format(paths=_library_paths(), seconds=seconds)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=os.path.abspath(os.sep),
        env={key: os.environ[key] for key in _ENVIRONMENT if key in os.environ},
        start_new_session=True,
        bufsize=0,
    )


def _library_paths() -> list[str]:
    """The folders of this package and of msgspec: all that the child may import besides the standard library."""
    own = os.path.abspath(__file__)
    for _ in ("parent.py", "sandbox", "interpret", "loadproof"):
        own = os.path.dirname(own)
    return list(dict.fromkeys([own, os.path.dirname(os.path.dirname(os.path.abspath(msgspec.__file__)))]))


@contextmanager
def _watched(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Where a pipe cannot be waited for with a time limit (Windows), a timer ends the child."""
    if hasattr(os, "set_blocking"):
        yield
        return
    import threading

    timer = threading.Timer(ELAPSED_SECONDS, process.kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _number(pipe: IO[bytes] | None) -> int:
    return -1 if pipe is None else pipe.fileno()


def _handle_of(process: subprocess.Popen[bytes] | None) -> int | None:
    """Its pidfd: it means this child, even where a handler of the host program has waited for it already."""
    try:
        return None if process is None else os.pidfd_open(process.pid)
    except (AttributeError, OSError):  # not Linux, or older than 5.3
        return None


def _end(process: subprocess.Popen[bytes], handle: int | None) -> None:
    """End the child and whatever it might have started in its session."""
    with suppress(OSError):
        if handle is None:
            process.kill()
        else:
            signal.pidfd_send_signal(handle, 0)  # fails when it is gone: then its number may be another's
            os.killpg(process.pid, signal.SIGKILL)
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    if handle is not None:
        os.close(handle)
    process.wait()
