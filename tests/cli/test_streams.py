"""The command line called from a program: any stream will do, and Ctrl-C ends it without a traceback."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from loadproof.cli.main import main
from tests.cli.process import EXAMPLES, ROOT

HEALTHY_OR_NOT = str(EXAMPLES / "layer-plan-mismatch")
COMMANDS = [
    ["check", HEALTHY_OR_NOT], ["check", HEALTHY_OR_NOT, "--format", "json"], ["plan", HEALTHY_OR_NOT], ["rules"],
    ["fix", HEALTHY_OR_NOT], ["diff", HEALTHY_OR_NOT, HEALTHY_OR_NOT], ["explain", "LP301"], ["--version"],
]  # fmt: skip


class Plain:
    """The least that a program may put in the place of standard output."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def flush(self) -> None: ...


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_any_stream_takes_the_output(arguments: list[str]) -> None:
    plain, memory = Plain(), io.StringIO()
    with contextlib.redirect_stdout(memory), contextlib.redirect_stderr(io.StringIO()):
        status = main(arguments)
    with contextlib.redirect_stdout(plain), contextlib.redirect_stderr(Plain()):  # type: ignore[type-var]
        assert main(arguments) == status < 2
    assert len(plain.text) > 5
    if "json" in arguments:
        assert json.loads(memory.getvalue())["verdict"] == json.loads(plain.text)["verdict"]
    else:
        assert plain.text == memory.getvalue()


def test_standard_input_may_be_text_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("RuntimeError: weight must be 2-D\n"))
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main(["explain", "-"]) == 0
    assert "LP" in out.getvalue()


def test_a_pipe_in_memory_that_closes_is_no_error() -> None:
    class Closed(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    with contextlib.redirect_stdout(Closed()), contextlib.redirect_stderr(io.StringIO()):
        assert main(["rules"]) == 141


_INTERRUPTED = """
import os, signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
from loadproof.cli.main import main
sys.argv[1:] = {arguments!r}
sys.exit(main())
"""
MODULES = ["msgspec._core", "loadproof.cli.check", "loadproof.formats.header", "loadproof.report.text"]


@pytest.mark.parametrize("module", MODULES)
def test_an_interrupt_while_modules_load_ends_without_a_word(module: str, tmp_path: Path) -> None:
    run = _run(_INTERRUPTED.format(module=module, arguments=["check", HEALTHY_OR_NOT]))
    assert (run.returncode, run.stdout, run.stderr) == (130, "", "")


@pytest.mark.parametrize("module", ["msgspec._core", "loadproof.cli.fix", "loadproof.repair.in_place"])
def test_an_interrupted_fix_says_what_to_do_or_nothing(module: str) -> None:
    run = _run(_INTERRUPTED.format(module=module, arguments=["fix", HEALTHY_OR_NOT]))
    assert run.returncode == 130
    assert "Traceback" not in run.stderr


def test_an_ignored_interrupt_stays_ignored() -> None:
    code = _INTERRUPTED.format(module="loadproof.report.text", arguments=["check", HEALTHY_OR_NOT])
    run = _run("import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n" + code)
    assert run.returncode == 1


def test_a_caller_keeps_its_own_way_with_interrupts() -> None:
    before = signal.getsignal(signal.SIGINT)
    with contextlib.redirect_stdout(io.StringIO()):
        main(["rules"])
    assert signal.getsignal(signal.SIGINT) is before


def _run(code: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "XDG_CACHE_HOME": "/nonexistent"}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60
    )
