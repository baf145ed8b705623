"""Code from strangers is evaluated in a process of its own, which the operating system keeps small.

Strangers' is what a checkpoint brings along, and the source of a release that is not the installed one (`--source`).

The evaluator's own limits count steps and elements, but one operation of Python's can take for ever by itself:
hashing a nested tuple that shares its parts, a regular expression that backtracks. Memory, processor time, files and
processes of the child are limited by the kernel; whatever happens to it, the answer here is `inconclusive`.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from typing import Any

import msgspec

from loadproof.core.expectation import Expectation

CPU_SECONDS = 10
RELEASE_SECONDS = 30  # of the processor for a class of a release: the evaluator's own clock ends earlier
WALL_SECONDS = 60
MEMORY = 1 << 30  # bytes of address space
_FILES = 32  # open at once
_START = "import sys; sys.path[:0] = {paths!r}; from loadproof.interpret.apart import main; main()"
Answer = tuple[Expectation, list[str]]


def evaluate_apart(
    root: str,
    folder: str,
    raw: dict[str, Any],
    blank: Expectation,
    class_name: str | None,
    *,
    seconds: int | None = None,
) -> Answer | None:
    """What `evaluation.evaluate` returns, computed in a child; None where no process can be started."""
    return _ask("evaluate", (root, folder, raw, class_name), blank, seconds or CPU_SECONDS)


def symbols_apart(root: str, raw: dict[str, Any], expectation: Expectation) -> Expectation | None:
    """What `symbols.with_symbols` returns, computed in a child; None where that fails."""
    answer = _ask("symbols", (root, raw), expectation, RELEASE_SECONDS)
    return answer[0] if answer is not None and answer[0].inconclusive is None else None


def _ask(task: str, arguments: tuple[Any, ...], blank: Expectation, seconds: int) -> Answer | None:
    import subprocess

    try:
        request = json.dumps([task, arguments, msgspec.to_builtins(blank), seconds]).encode()
    except RecursionError:
        return _given_up(blank, "config.json nests too deeply"), []
    try:
        ended = subprocess.run(
            [sys.executable, "-I", "-S", "-B", "-c", _START.format(paths=_library_paths())],
            input=request,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=os.path.abspath(os.sep),
            env={key: os.environ[key] for key in ("SYSTEMROOT", "PATH") if key in os.environ},
            timeout=WALL_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return _given_up(blank, f"the model source takes more than {WALL_SECONDS} seconds"), []
    except (OSError, ValueError):  # no interpreter to start, or no process left to have
        return None
    if ended.returncode:
        return _given_up(blank, _why(ended.returncode, seconds)), []
    return _decoded(ended.stdout) or (_given_up(blank, "what the model source makes cannot be told"), [])


def _library_paths() -> list[str]:
    """The folders of this package and of msgspec: all that the child may import besides the standard library."""
    top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return list(dict.fromkeys([top, os.path.dirname(os.path.dirname(os.path.abspath(msgspec.__file__)))]))


def _given_up(blank: Expectation, why: str) -> Expectation:
    return msgspec.structs.replace(blank, inconclusive=why)


def _why(status: int, seconds: int) -> str:
    import signal

    ends = {
        "SIGXCPU": f"the model source takes more than {seconds} seconds of processor time",
        "SIGKILL": f"the model source takes more than {seconds} seconds of processor time or too much memory",
        "SIGSEGV": "the model source nests too deeply",
    }
    with suppress(ValueError):
        name = signal.Signals(-status).name
        return ends.get(name, f"the evaluation of the model source ended with {name}")
    return "the evaluation of the model source failed"


def _decoded(answer: bytes) -> Answer | None:
    """The child's answer, checked like any other input; None when it is not one."""
    try:
        found, files = json.loads(answer)
        return msgspec.convert(found, Expectation), msgspec.convert(files, list[str])
    except (ValueError, TypeError, RecursionError):  # msgspec.ValidationError is a ValueError
        return None


# ---------------------------------------------------------------- in the child
def main() -> None:
    """Read a request from standard input, write the answer to standard output."""
    task, arguments, blank, seconds = json.load(sys.stdin.buffer)
    work = _symbols if task == "symbols" else _evaluate
    _restrict(seconds)
    found, files = work(msgspec.convert(blank, Expectation), *arguments)
    sys.stdout.write(json.dumps([msgspec.to_builtins(found, enc_hook=str), files]))
    sys.stdout.flush()
    os._exit(0)  # objects of strangers are not taken apart one by one


def _evaluate(blank: Expectation, root: str, folder: str, raw: dict[str, Any], class_name: str | None) -> Answer:
    from loadproof.interpret.evaluation import evaluate

    return evaluate(root, folder, raw, blank, class_name, apart=False)


def _symbols(expectation: Expectation, root: str, raw: dict[str, Any]) -> Answer:
    from loadproof.interpret.symbols import add_symbols

    return add_symbols(expectation, root, raw), []


def _restrict(seconds: int) -> None:
    """Bounds that cannot be lifted again. They are missing on Windows, and some of them elsewhere."""
    try:
        import resource
    except ImportError:
        return
    bounds = {"AS": MEMORY, "CPU": seconds, "FSIZE": 0, "NPROC": 0, "CORE": 0, "NOFILE": _FILES}
    for name, bound in bounds.items():
        with suppress(AttributeError, ValueError, OSError):
            kind = getattr(resource, f"RLIMIT_{name}")
            hard = resource.getrlimit(kind)[1]
            limit = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
            resource.setrlimit(kind, (limit, limit + 1 if name == "CPU" else limit))
