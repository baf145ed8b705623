"""Model source from strangers ends as `inconclusive`: nothing in it runs, escapes, exhausts the machine or stays behind."""

from __future__ import annotations

import json
import os
import resource
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from loadproof.api import check
from loadproof.core.config import ModelConfig
from loadproof.core.expectation import Expectation
from loadproof.interpret import expect
from loadproof.interpret.evaluation import evaluate
from loadproof.interpret.release.disk import on_disk
from loadproof.interpret.release.locate import find_source, version_of
from loadproof.interpret.release.world import World
from loadproof.interpret.sandbox import limits
from tests.cli.process import run
from tests.hostile.making import Case, Special
from tests.hostile.source_cases import COUNTED, ESCAPES, INERT, RUNAWAY, files, source

LLAMA = {"model_type": "llama", "num_hidden_layers": 1}


@pytest.fixture(autouse=True)
def canary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test may leave the file that every payload tries to make."""
    path = tmp_path / "canary"
    monkeypatch.setenv("LOADPROOF_CANARY", str(path))
    yield
    assert not path.exists()


def folder(where: Path, text: str | bytes | Special, **config: Any) -> Path:
    return Case("source", "x", "skip", "", files(text, **config)).write(where)


def read(root: Path) -> Expectation:
    raw = json.loads((root / "config.json").read_text())
    return expect(ModelConfig("config.json", raw), str(root), use_cache=False)


def here(root: Path) -> Expectation:
    """Evaluated in this process: the evaluator's own walls hold without the kernel's help."""
    release = find_source(None)
    assert release is not None
    raw = json.loads((root / "config.json").read_text())
    blank = Expectation("transformers", version_of(release), "", "", "installed")
    return evaluate(World(on_disk(release, str(root), is_trusted=True)), raw, blank, None)


@pytest.mark.parametrize("body", ESCAPES.values(), ids=ESCAPES)
def test_no_way_leads_out_and_nothing_stays_changed(
    body: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    found = here(folder(tmp_path, source(body)))
    assert found.inconclusive
    assert found.families == ()
    assert capfd.readouterr() == ("", "")


@pytest.fixture(scope="module")
def clean() -> Iterator[Expectation]:
    """A release's own class before the attacks of this module, compared once more behind them."""
    before = expect(ModelConfig("config.json", LLAMA), ".", use_cache=False)
    yield before
    assert expect(ModelConfig("config.json", LLAMA), ".", use_cache=False) == before


def test_attacks_in_one_process_leave_the_next_check_as_it_was(
    clean: Expectation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = here(folder(tmp_path / "plain", source()))
    assert plain.parameters == 2
    for name, body in ESCAPES.items():
        here(folder(tmp_path / name, source(body)))
    assert here(folder(tmp_path / "again", source())).families == plain.families


@pytest.mark.parametrize("body", INERT.values(), ids=INERT)
def test_what_would_act_on_the_machine_does_nothing(
    body: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    found = here(folder(tmp_path, source(body)))
    assert found.inconclusive or found.raises or found.parameters == 2
    assert all(type(value) in (str, int, float, bool, list, dict, type(None)) for value in found.config.values())
    assert type(found.base_model_prefix) is str
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("body", COUNTED.values(), ids=COUNTED)
def test_hungry_source_is_stopped_by_the_counters(body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = here(folder(tmp_path, source(body)))
    assert found.inconclusive or found.raises  # Python has bounds of its own
    assert time.process_time() - start < 5
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 256 * 1024  # KiB


@pytest.mark.parametrize("body", RUNAWAY.values(), ids=RUNAWAY)
def test_a_runaway_operation_is_ended_by_the_kernel(body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "CPU_SECONDS", 1)
    root = folder(tmp_path, source(body))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = read(root)
    assert found.inconclusive
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 4


def test_the_process_apart_answers_as_this_one_does(tmp_path: Path) -> None:
    root = folder(tmp_path, source("self.extra = nn.Embedding(3, 4)"))
    assert replace(read(root), wall=None) == here(root)


ODD_FILES: dict[str, str | bytes | Special] = {
    "null bytes": source() + "\0",
    "not utf-8": b"\xff\xfe" + source().encode("utf-16-le"),
    "deep parentheses": source("x = " + "(" * 100_000 + ")" * 100_000),
    "deep unary": source("x = " + "-" * 100_000 + "1"),
    "deep attributes": source("x = a" + ".a" * 100_000),
    "unterminated strings": source() + 'x = "' + '\\"' * 300_000,
    "five megabytes": source() + "#" * 5_000_000,
    "one long sum": source("x = " + "1+" * 50_000 + "1"),
    "named pipe": Special("fifo"),
    "device": Special("symlink", "/dev/zero"),
    "outside": Special("symlink", "/etc/passwd"),
    "folder": Special("dir"),
    "itself": Special("symlink", "modeling_evil.py"),
}


@pytest.mark.parametrize("content", ODD_FILES.values(), ids=ODD_FILES)
def test_an_odd_file_is_no_crash_and_no_hang(content: str | bytes | Special, tmp_path: Path) -> None:
    found = read(folder(tmp_path, content))
    assert found.inconclusive or found.raises or found.parameters == 2


def test_a_named_pipe_beside_the_code_is_not_opened(tmp_path: Path) -> None:
    root = folder(tmp_path, source(top="NOTHING = 1"))
    os.mkfifo(root / "modeling_pipe.py")
    (root / "modeling_zero.py").symlink_to("/dev/zero")
    assert read(root).parameters == 2


def test_links_of_a_hub_cache_are_read(tmp_path: Path) -> None:
    root = folder(tmp_path, source())
    snapshot, blobs = tmp_path / "models--a--b" / "snapshots" / "c0ffee", tmp_path / "models--a--b" / "blobs"
    snapshot.mkdir(parents=True)
    blobs.mkdir()
    for name in ("config.json", "modeling_evil.py"):
        (root / name).rename(blobs / name)
        (snapshot / name).symlink_to(f"../../blobs/{name}")
    assert read(snapshot).parameters == 2


AUTO_MAPS = (
    "../outside.EvilModel",
    "/etc/passwd.EvilModel",
    "..outside.EvilModel",
    "modeling_evil/../../x.EvilModel",
    "a/b--modeling_evil.EvilModel",
    "modeling_evil.\u202eEvil",
    "modeling_evil.",
    "",
    7,
    {"x": 1},
    ["modeling_evil.EvilModel"] * 100_000,
)


@pytest.mark.parametrize("entry", AUTO_MAPS, ids=range(len(AUTO_MAPS)))
def test_an_odd_auto_map_is_never_followed_out(entry: Any, tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text(source())
    root = folder(
        tmp_path, source(), auto_map={"AutoConfig": "modeling_evil.EvilConfig", "AutoModelForCausalLM": entry}
    )
    report = check(root, use_cache=False)
    assert report.case.expectation.inconclusive or report.case.expectation.parameters == 2


CONFIGS: dict[str, Any] = {
    "layers": {"num_hidden_layers": 1_000_000_000},
    "layer types": {"layer_types": ["full_attention"] * 1_000_000},
    "hidden size": {"hidden_size": 10**30},
    "negative": {"hidden_size": -1},
    "vocabulary": {"vocab_size": 2**63},
    "text": {"num_hidden_layers": "9" * 1_000_000},
    "nested": {"rope_scaling": json.loads("[" * 900 + "]" * 900)},
    "integer": {"anything": 10**4000},
    "surrogate": {"anything": "\ud800\x1b[31m\u202e"},
}


@pytest.mark.parametrize("fields", CONFIGS.values(), ids=CONFIGS)
def test_an_odd_config_ends_soon(fields: dict[str, Any], tmp_path: Path) -> None:
    root = tmp_path / "model"
    root.mkdir()
    (root / "config.json").write_text(json.dumps(LLAMA | fields))
    start = time.process_time()
    report = check(root, use_cache=True)
    assert time.process_time() - start < 5
    assert report.verdict in ("fails", "inconclusive", "loads-wrong")


@pytest.mark.parametrize("form", ["text", "concise", "json"])
def test_names_of_strangers_reach_no_terminal_unescaped(form: str, tmp_path: Path) -> None:
    bad = "\x1b[31m\u202e::error::\n\x9b\u200b"
    text = source(f"raise ValueError({bad!r} + '\\x1b]0;title\\x07')")
    root = folder(tmp_path, text, architectures=[bad], _name_or_path=bad, model_type=bad)
    done = run("check", str(root), "--format", form, "--color", "never")
    assert done.returncode in (0, 1, 3), done.stderr
    shown = done.stdout + done.stderr
    assert "Traceback" not in shown
    assert "internal error" not in shown
    assert not [c for c in shown if not c.isprintable() and c != "\n"]
    assert not [line for line in shown.splitlines() if line.lstrip().startswith("::")]


@pytest.mark.parametrize("command", ["plan", "explain"])
def test_the_other_commands_escape_as_well(command: str, tmp_path: Path) -> None:
    bad = "\x1b[31m\u202e::error::\x9b"
    root = folder(tmp_path, source(), model_type="llama", layer_types=[bad] * 4, architectures=[bad])
    arguments = ("plan", str(root)) if command == "plan" else ("explain", "-")
    text = f"RuntimeError: size mismatch for {bad}.weight: copying a param {bad}\n::error::x\n"
    done = run(*arguments, text=text)
    shown = done.stdout + done.stderr
    assert "Traceback" not in shown
    assert "internal error" not in shown
    assert not [c for c in shown if not c.isprintable() and c != "\n"]
