"""Every integration imports with its extras missing, or says which one to install."""

from __future__ import annotations

import pkgutil
import subprocess
import sys

import pytest

import loadproof.integrations

MODULES = [module.name for module in pkgutil.iter_modules(loadproof.integrations.__path__)]


def importing(module: str, *absent: str) -> str:
    """What becomes of the import where these packages are not there: "imported", or the error in one line."""
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({absent!r}))\n"
        f"try:\n import loadproof.integrations.{module}\n print('imported')\n"
        "except ImportError as error:\n print(f'{type(error).__name__}: {error}')"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


@pytest.mark.parametrize("module", MODULES)
def test_an_integration_imports_or_says_what_to_install(module: str) -> None:
    said = importing(module, "torch", "transformers", "pytest", "peft", "safetensors", "numpy", "mcp")
    assert said == "imported" or "pip install" in said


def test_the_callback_needs_no_pytest() -> None:
    pytest.importorskip("transformers")
    assert importing("transformers", "pytest", "_pytest") == "imported"


def test_the_callback_without_transformers_names_the_extra() -> None:
    said = importing("transformers", "transformers")
    assert said.startswith("ImportError: loadproof.integrations.transformers needs transformers")
    assert said.endswith("pip install 'loadproof[transformers]'")


def test_the_guards_without_pytest_say_so() -> None:
    assert "needs pytest" in importing("ci_guards", "pytest")
