"""What is imported when: a check must start fast and must never touch torch."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import loadproof

ROOT = Path(__file__).parents[1]
HEAVY = {"torch", "transformers", "numpy", "safetensors", "huggingface_hub"}
SLOW = HEAVY | {"rich", "rich_argparse", "pathlib", "logging", "urllib", "asyncio", "importlib.metadata", "dataclasses"}


def modules_after(code: str) -> set[str]:
    """Names in `sys.modules` of a fresh interpreter after `code`."""
    probe = f"import sys\nsys.argv = ['loadproof']\n{code}\nprint('\\n' + ' '.join(sorted(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    return set(result.stdout.splitlines()[-1].split())


def test_check_leaves_no_heavy_library_behind() -> None:
    code = "from loadproof.cli.main import main\nmain(['check', 'examples/layer-plan-mismatch'])"
    loaded = modules_after(code)
    assert "loadproof.rules" in loaded
    assert not loaded & HEAVY


def test_a_report_to_a_pipe_needs_no_rich() -> None:
    code = "from loadproof.cli.main import main\nmain(['check', 'examples/healthy', '--color', 'always'])"
    assert not modules_after(code) & SLOW


@pytest.mark.parametrize("form", ["text", "json", "sarif", "junit"])
def test_a_format_imports_nothing_that_only_another_needs(form: str) -> None:
    code = f"from loadproof.cli.main import main\nmain(['check', 'examples/healthy', '--format', '{form}'])"
    formats = {"github", "gitlab", "html", "json_v1", "junit", "markdown", "sarif"}
    mine = {"json": "json_v1"}.get(form, form)
    loaded = modules_after(code) & {f"loadproof.report.{name}" for name in formats}
    assert loaded == {f"loadproof.report.{mine}"} - {"loadproof.report.text"}


def test_version_needs_nothing_at_all() -> None:
    loaded = modules_after("from loadproof.cli.main import main\nmain(['--version'])")
    assert {name for name in loaded if name.startswith("loadproof")} == {
        "loadproof",
        "loadproof.cli",
        "loadproof.cli.main",
        "loadproof.version",
    }
    assert not loaded & (SLOW | {"msgspec", "argparse", "re"})


def test_importing_the_package_imports_no_stage() -> None:
    loaded = modules_after("import loadproof")
    assert {name for name in loaded if name.startswith("loadproof.")} == {"loadproof.version"}


@pytest.mark.torch
def test_every_public_name_exists() -> None:
    for name in loadproof.__all__:
        assert getattr(loadproof, name) is not None
    assert set(loadproof.__all__) <= set(dir(loadproof))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        loadproof.nothing  # noqa: B018


def test_the_arrows_of_the_architecture_hold() -> None:
    result = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stdout[-3000:]
