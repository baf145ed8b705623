"""Whatever stands in a checkpoint, in a log or in a path: every command, in every format, prints it escaped and short."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests import zoo
from tests.cli.process import Result, run
from tests.hostile.making import entry, st

ESCAPES = "\x1b[2J\x1b]0;title\x07"  # clears the screen, sets the title
BAD = {
    "ansi": f"a{ESCAPES}b",
    "c1": "a\x9b2Jb\x85",
    "newline": "a\n::error::b\r\nverdict  loads",
    "bidi": "a\u202eb\u2066c",
    "invisible": "a\u200bb\ufeff\u2028",
    "workflow": "::set-output name=x::y",
    "markup": "[bold red]a[/]<script>|`*",
    "long": "x" * 100_000,
    "nul": "a\0b\x7f",
}
SURROGATE = "a\ud800b"
SGR = re.compile(r"\x1b\[[0-9;]*m")


def assert_harmless(done: Result, color: bool = False) -> None:
    for shown in (done.stdout, done.stderr):
        plain = SGR.sub("", shown) if color else shown
        assert "Traceback" not in plain
        assert "internal error" not in plain
        assert not {c for c in plain if not c.isprintable() and c != "\n"}
        assert not [line for line in plain.splitlines() if line.lstrip().startswith("::")]
        assert max(map(len, plain.splitlines()), default=0) < 3_000
    assert done.returncode in (0, 1, 2, 3)


def assert_json(done: Result) -> Any:
    """One JSON document in ASCII control-free text: a log that shows it raw is as safe as the text report."""
    assert_harmless_json = {c for c in done.stdout if not c.isprintable() and c != "\n"}
    assert not assert_harmless_json
    assert "Traceback" not in done.stderr
    assert "x" * 3_000 not in done.stdout
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A llama under a prefix with hostile extra tensors, config values, files and shard names; and a healthy one."""
    top = tmp_path_factory.mktemp("models")
    healthy = zoo.build("llama").write(top / "healthy")
    evil = zoo.build("llama").mutate(*map(zoo.mutation, ('add_prefix("wrapped.")', "shards(2)"))).write(top / "evil")
    raw = json.loads((evil / "config.json").read_text())
    raw |= {"_name_or_path": BAD["ansi"], "layer_types": [BAD["newline"]] * 3, BAD["bidi"]: BAD["long"], "x": SURROGATE}
    raw |= {"quantization_config": {"quant_method": BAD["ansi"], "ignore": list(BAD.values())}, "dtype": BAD["c1"]}
    (evil / "config.json").write_text(json.dumps(raw))
    extra = {name: entry("F32", [2], 8 * at, 8 * at + 8) for at, name in enumerate(BAD.values())}
    blob = st({"__metadata__": {"format": "pt", **{v: v for v in BAD.values()}}, **extra}, bytes(8 * len(BAD)))
    name = f"model{ESCAPES}\u202e\n::error::.safetensors"
    (evil / name).write_bytes(blob)
    os.rename(evil / name, os.path.join(os.fsencode(evil), os.fsencode(name) + b"\xff.safetensors"))
    index_path = evil / "model.safetensors.index.json"
    index = json.loads(index_path.read_text())
    index["weight_map"] |= {value: f"{value}.safetensors" for key, value in BAD.items() if key != "long"}
    index["weight_map"] |= {BAD["long"]: "gone.safetensors", SURROGATE: f"{SURROGATE}.safetensors"}
    index_path.write_text(json.dumps(index))
    (evil / "tokenizer_config.json").write_text(json.dumps({"chat_template": "{{" + ESCAPES, "added": BAD}))
    return evil, healthy


COMMANDS: dict[str, tuple[str, ...]] = {
    "check": ("check", "EVIL"),
    "check verbose": ("check", "EVIL", "-v"),
    "check quiet": ("check", "EVIL", "-q"),
    "check concise": ("check", "EVIL", "--format", "concise"),
    "check names only": ("check", "EVIL", "--names-only", "-v"),
    "check with a class": ("check", "EVIL", "--class", BAD["ansi"]),
    "check for a reader": ("check", "EVIL", "--reader", BAD["newline"]),
    "check from a source": ("check", "EVIL", "--source", BAD["bidi"]),
    "fix": ("fix", "EVIL", "-v"),
    "fix a code": ("fix", "EVIL", BAD["ansi"]),
    "diff": ("diff", "EVIL", "HEALTHY", "-v"),
    "diff the other way": ("diff", "HEALTHY", "EVIL"),
    "plan": ("plan", "EVIL"),
    "explain with the checkpoint": ("explain", f"KeyError: '{BAD['ansi']}.weight'", "--checkpoint", "EVIL", "-v"),
    "undo": ("undo", "EVIL"),
    "no such folder": ("check", f"/nowhere/{BAD['newline']}"),
    "no such option": ("check", f"--{BAD['ansi']}"),
    "no such command": (BAD["ansi"],),
    "no such rule": ("explain", f"LP999{BAD['ansi']}"),
}


def command(name: str, models: tuple[Path, Path]) -> tuple[str, ...]:
    return tuple({"EVIL": str(models[0]), "HEALTHY": str(models[1])}.get(a, a) for a in COMMANDS[name])


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_prints_nothing_that_a_terminal_or_a_log_obeys(name: str, models: tuple[Path, Path]) -> None:
    assert_harmless(run(*command(name, models)))


@pytest.mark.parametrize("name", ["check", "diff", "plan", "fix"])
def test_colours_are_the_only_escapes(name: str, models: tuple[Path, Path]) -> None:
    arguments = command(name, models)
    assert_harmless(run(*arguments, "--color", "always"), color=True)


@pytest.mark.parametrize("arguments", [("check", "EVIL", "-v"), ("explain", f"KeyError: '{BAD['ansi']}'")])
def test_json_holds_escaped_text(arguments: tuple[str, ...], models: tuple[Path, Path]) -> None:
    arguments = tuple(str(models[0]) if a == "EVIL" else a for a in arguments)
    assert assert_json(run(*arguments, "--format", "json"))


@pytest.mark.parametrize("form", ["text", "concise", "json"])
def test_a_report_in_a_file_is_escaped_as_well(form: str, models: tuple[Path, Path], tmp_path: Path) -> None:
    run("check", str(models[0]), "--format", form, "--output", str(tmp_path / "report"))
    shown = (tmp_path / "report").read_text("utf-8")
    assert not {c for c in shown if not c.isprintable() and c != "\n"}
    assert not [line for line in shown.splitlines() if line.lstrip().startswith("::")]


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_log_is_quoted_escaped(form: str) -> None:
    lines = [f"RuntimeError: Error(s) in loading state_dict for {value}:\n  size mismatch for {value}.weight: copying a "
             f"param with shape torch.Size([2]) from checkpoint, the shape in current model is torch.Size([3])."
             for value in BAD.values()]  # fmt: skip
    log = "\n".join([*lines, f"KeyError: '{BAD['ansi']}'", f"ValueError: {BAD['long']}", "::error::x"])
    done = run("explain", "-", "--format", form, text=log)
    assert_json(done) if form == "json" else assert_harmless(done)


def test_a_folder_with_a_hostile_name_is_named_escaped(tmp_path: Path) -> None:
    for value in (BAD["ansi"], BAD["newline"], BAD["bidi"]):
        folder = tmp_path / value.replace("/", "_")
        zoo.build("llama").write(folder)
        for arguments in (("check",), ("fix",), ("plan",), ("undo",)):
            assert_harmless(run(*arguments, str(folder)))


@pytest.mark.parametrize("apply", [True, False])
def test_a_repair_among_hostile_names_is_told_escaped(apply: bool, tmp_path: Path) -> None:
    made = zoo.build("llama").mutate(zoo.mutation('add_prefix("module.")')).write(tmp_path / "model")
    (made / f"notes{ESCAPES}\n::error::.txt").write_text(ESCAPES)
    assert_harmless(run("fix", str(made), *(["--apply", "--readers-stopped"] if apply else []), "-v"))
    if apply:
        assert_harmless(run("undo", str(made)))
