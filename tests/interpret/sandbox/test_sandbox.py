"""The process that evaluates strangers' text: what it cannot do even with the first wall open, and how it ends."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from loadproof.api import check
from loadproof.core.config import ModelConfig
from loadproof.core.expectation import Expectation
from loadproof.interpret import evaluation, expect
from loadproof.interpret.sandbox import limits, parent
from tests.cli.process import run
from tests.hostile.making import one_tensor
from tests.hostile.source_cases import AUTO_MAP, source
from tests.interpret.sandbox.misbehaving import FORGED
from tests.interpret.sandbox.opening import TESTS, opened, require_wall

FORBIDDEN = "the model source made the evaluator ask the system for something forbidden"


@pytest.fixture(autouse=True)
def wall() -> None:
    require_wall()


def model(folder: Path, text: str, **config: Any) -> Path:
    folder.mkdir(exist_ok=True)
    raw = {"model_type": "evil", "architectures": ["EvilModel"], "auto_map": AUTO_MAP, "hidden_size": 4} | config
    (folder / "config.json").write_text(json.dumps(raw))
    (folder / "modeling_evil.py").write_text(text)
    return folder


def read(folder: Path, **options: Any) -> Expectation:
    raw = json.loads((folder / "config.json").read_text())
    return expect(ModelConfig("config.json", raw), str(folder), use_cache=False, **options)


# ---------------------------------------------------------------- with the first wall open
FORBIDDEN_ACTS = {
    "read": "said = open('/etc/passwd').read()",
    "read a file of the model": "said = open('config.json').read()",
    "write": "open('/tmp/loadproof-was-here', 'w')",
    "rename": "import os; os.rename(FOLDER + '/config.json', FOLDER + '/gone')",
    "delete": "import os; os.unlink(FOLDER + '/config.json')",
    "look": "import os; said = os.path.isfile('/etc/passwd')",
    "list": "import os; said = os.listdir('/')",
    "connect": "import _socket; said = _socket.socket()",
    "fork": "import os; said = os.fork()",
    "program": "import os; os.system('true')",
    "environment of the parent": "import os; said = open(f'/proc/{os.getpid() - 1}/environ').read()",
    "another process": "import os, signal; os.kill(1, 0)",
    "thread by number": "import ctypes; ctypes.CDLL(None).syscall(56, 0x50f00, 0, 0, 0, 0)",
}


@pytest.mark.parametrize("act", FORBIDDEN_ACTS.values(), ids=FORBIDDEN_ACTS)
def test_code_that_got_out_is_ended_at_its_first_forbidden_call(act: str, tmp_path: Path) -> None:
    root = model(tmp_path / "model", f"FOLDER = {str(tmp_path / 'model')!r}\n{act}")
    before = sorted(os.listdir(root))
    with opened():
        found = read(root)
    assert (found.inconclusive, found.forbidden_call, found.families) == (FORBIDDEN, True, ())
    assert sorted(os.listdir(root)) == before
    assert not os.path.exists("/tmp/loadproof-was-here")


def test_code_that_got_out_finds_no_variable_of_the_parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)
    with opened():
        found = read(model(tmp_path, "import os, sys\nsaid = sorted({**os.environ}) + sys.argv[1:]"))
    assert found.class_name in ("[]", "['LC_CTYPE']")


def test_code_that_got_out_reaches_only_python_files_below_the_two_folders(tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("SECRET = 1")
    text = (
        "names = ('outside.py', '../outside.py', 'remote/../outside.py', '/etc/passwd', 'remote/config.json', 'remote//x.py')\n"
        "said = [world.files.read(name) for name in names] + [world.files.list('remote'), world.files.list('..')]"
    )
    with opened():
        found = read(model(tmp_path / "model", text))
    assert found.class_name == str([None] * 6 + [{"modeling_evil.py": "file"}, {}])


def test_a_forbidden_call_is_a_finding_and_the_verdict_stays_open(tmp_path: Path) -> None:
    with opened():
        report = check(model(tmp_path, "open('/etc/passwd')"), use_cache=False)
    assert report.findings[0].code == "LP019"
    assert report.case.expectation.inconclusive == FORBIDDEN


def test_attacks_that_stay_inside_of_the_evaluator_are_no_forbidden_call(tmp_path: Path) -> None:
    found = read(model(tmp_path, source("open('/etc/passwd').read()")))
    assert found.inconclusive
    assert not found.forbidden_call


# ---------------------------------------------------------------- where there is no wall
@pytest.mark.parametrize("module", ["unfiltered", "lying"])
def test_without_a_filter_nothing_is_evaluated_anywhere(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation, "_evaluate", lambda *_: pytest.fail("evaluated in this process"))
    with opened(module):
        found = read(model(tmp_path, source()))
    assert (found.inconclusive or "").startswith("no wall can be put around the evaluation of the model source here (")
    assert "--evaluate-code-without-wall" in (found.hint or "")
    assert found.wall is None


@pytest.mark.parametrize("module", ["unfiltered", "lying"])
def test_the_switch_evaluates_all_the_same_and_the_report_says_so(module: str, tmp_path: Path) -> None:
    root = model(tmp_path, source())
    with opened(module):
        report = check(root, use_cache=False, evaluate_code_without_wall=True)
    assert (report.case.expectation.parameters, report.case.expectation.wall) == (2, "")
    assert any("--evaluate-code-without-wall" in skip.why for skip in report.skipped)


def test_an_answer_without_a_wall_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = model(tmp_path / "model", source())
    with opened("unfiltered"):
        assert check(root, evaluate_code_without_wall=True).case.expectation.wall == ""
        assert check(root).case.expectation.inconclusive


def test_the_switch_changes_nothing_where_there_is_a_wall(tmp_path: Path) -> None:
    assert (read(model(tmp_path, source()), without_wall=True).wall or "").startswith("system calls filtered")


def test_where_no_process_can_be_started_nothing_is_evaluated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "_evaluate", lambda *_: pytest.fail("evaluated in this process"))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    found = read(model(tmp_path / "model", source()), without_wall=True)
    assert "no process could be started" in (found.inconclusive or "")


def test_check_names_the_wall_in_force(tmp_path: Path) -> None:
    done = run("check", str(model(tmp_path, source())), "-v", "--no-cache")
    assert "wall     the model source was evaluated apart: system calls filtered" in done.stdout


# ---------------------------------------------------------------- limits and the end
def test_the_bounds_of_the_kernel_are_in_force_before_anything_is_read() -> None:
    with parent.Child(7) as child:
        process = child._process
        assert process is not None
        assert process.stdout is not None
        assert os.read(process.stdout.fileno(), 1) == b"W"
        text = Path(f"/proc/{process.pid}/limits").read_text()
    soft = {line[:25].strip(): line[25:].split()[:2] for line in text.splitlines()}
    assert soft["Max cpu time"] == ["7", "8"]
    assert soft["Max address space"] == [str(limits.MEMORY)] * 2
    for name in ("file size", "core file size", "processes", "open files"):
        assert soft[f"Max {name}"] == ["0", "0"]


ENDS = {
    "loop": "processor time",
    "memory": "too much memory",
    "crash": "nests too deeply",
    "abort": "SIGABRT",
    "leave": "failed",
    "flood": "asks? for|ask for",
    "ask_for_ever": "asks? for|ask for",
    "never_listen": "asks? for|ask for",
    "huge": "an answer that is too long",
    "garbage": "cannot be told",
    "nested": "cannot be told",
    "many_lists": "",
    "second_greeting": "ask for what is no request",
    "no_such_request": "ask for what is no request",
    "wait": "more than 3 seconds",
}


@pytest.mark.parametrize(("kind", "said"), ENDS.items(), ids=ENDS)
def test_a_child_that_misbehaves_costs_little_and_leaves_nothing(
    kind: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import re

    monkeypatch.setattr(limits, "CPU_SECONDS", 1)
    monkeypatch.setattr(parent, "ELAPSED_SECONDS", 3 if kind == "wait" else 60)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with opened("misbehaving"):
        found = read(model(tmp_path, "", misbehave=kind))
    if kind == "memory":
        assert found.inconclusive
    elif said:
        assert re.search(said, found.inconclusive or ""), found.inconclusive
    assert not found.forbidden_call
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000  # KiB
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


@pytest.mark.parametrize("kind", FORGED)
def test_a_forged_answer_says_nothing_but_of_its_own_model(kind: str, tmp_path: Path) -> None:
    with opened("misbehaving"):
        found = read(model(tmp_path, "", misbehave=kind))
    honest = read(model(tmp_path, source()))
    assert (found.reader, found.version, found.forbidden_call) == (honest.reader, honest.version, False)
    assert found.wall == honest.wall
    if kind not in ("another_release", "claims_no_wall", "odd_operation"):
        assert found.inconclusive == "what the model source makes cannot be told"


def test_forged_rules_that_cannot_be_applied_end_inconclusive(tmp_path: Path) -> None:
    root = model(tmp_path, "", misbehave="odd_operation")
    (root / "model.safetensors").write_bytes(one_tensor("a.0"))
    with opened("misbehaving"):
        report = check(root, use_cache=False)
    assert report.verdict == "inconclusive"
    assert "conversion rules of the model class cannot be applied" in (report.case.outcome.inconclusive or "")


def test_a_child_does_not_outlive_its_parent() -> None:
    program = "from loadproof.interpret.sandbox.parent import Child; c = Child(10); print(c._process.pid, flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stdin=subprocess.PIPE) as started:
        assert started.stdout is not None
        child = int(started.stdout.readline())
        time.sleep(0.3)
        started.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 20
    while os.path.exists(f"/proc/{child}") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not os.path.exists(f"/proc/{child}")


def test_a_child_that_is_not_asked_ends_with_its_block() -> None:
    with parent.Child(10) as child:
        process = child._process
        assert process is not None
    assert process.returncode is not None


# ---------------------------------------------------------------- the same answer
BODIES = (
    "pass",
    "self.extra = nn.Embedding(3, 4)",
    "raise ValueError('no')",
    "x = unknown_name",
    "import os; os.getcwd()",
)


@pytest.mark.parametrize("body", BODIES)
def test_the_answer_inside_is_the_one_outside(body: str, tmp_path: Path) -> None:
    from tests.hostile.test_sources import here

    root = model(tmp_path, source(body))
    assert replace(read(root), wall=None) == here(root)


def test_long_integers_and_half_surrogates_of_a_config_come_through(tmp_path: Path) -> None:
    from tests.hostile.test_sources import here

    odd = {
        "big": 1 << 90,
        "small": -(1 << 70),
        "half": "\ud800",
        "nan": float("nan"),
        "in": {"key\udc00": [1.5, None, True]},
    }
    root = model(tmp_path, source(), **odd)
    assert repr(read(root).config) == repr(here(root).config)


def test_a_field_whose_name_is_no_text_ends_inconclusive(tmp_path: Path) -> None:
    assert (
        read(model(tmp_path, source(), **{"key\udc00": 1})).inconclusive == "what the model source makes cannot be told"
    )


def test_everything_that_an_evaluation_needs_is_imported_before_the_wall(tmp_path: Path) -> None:
    """A module that is missing behind the wall would be an ImportError of ours in the middle of an evaluation."""
    program = (
        "import json, sys\nfrom loadproof.interpret.sandbox import child\nchild._import_all()\nbefore = set(sys.modules)\n"
        "from loadproof.interpret.evaluation import evaluate\nfrom loadproof.interpret.release.disk import on_disk\n"
        "from loadproof.interpret.release.locate import find_source\nfrom loadproof.interpret.release.world import World\n"
        "from loadproof.core.expectation import Expectation\nsys.meta_path.clear()\nhashlib = __import__('hashlib')\n"
        "for folder in sys.argv[1:]:\n"
        "    raw = json.load(open(folder + '/config.json'))\n"
        "    disk = on_disk(find_source(None), folder, is_trusted=True)\n"
        "    evaluate(World(disk), raw, Expectation('transformers', '5', '', '', 'installed'), None)\n"
        "print(sorted(set(sys.modules) - before))\n"
    )
    bodies = (*BODIES, "x = '\\N{BULLET}'; y = f'{1:>10}'; z = '%s' % 3; import re; re.compile('a|b{2}')")
    folders = [str(model(tmp_path / str(number), source(body))) for number, body in enumerate(bodies)]
    native = model(tmp_path / "native", "", model_type="llama", num_hidden_layers=1, auto_map={})
    done = subprocess.run(
        [sys.executable, "-c", f"import hashlib\n{program}", *folders, str(native)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(TESTS.parent)},
    )
    assert done.stdout.strip() == "[]", done.stderr[-2_000:]
