"""The base install, without any extra: ``make base`` runs this with the Python of an environment that has no more.

Only the standard library and loadproof are used, so that nothing else is needed there.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

EXTRAS = ("torch", "transformers", "numpy", "safetensors", "huggingface_hub", "pytest")
EXAMPLES = sorted(path for path in (Path(__file__).parents[1] / "examples").iterdir() if path.is_dir())
HINT = 'pip install "loadproof[transformers]"'


def run(*arguments: str) -> tuple[int, str]:
    """Exit status and all that is printed. Fails on a traceback."""
    command = [sys.executable, "-m", "loadproof", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd="/")
    said = done.stdout + done.stderr
    must("Traceback" not in said and "internal error" not in said, f"{' '.join(arguments)}: {said}")
    return done.returncode, said


def must(holds: bool, otherwise: str) -> None:
    if not holds:
        raise SystemExit(f"base install: {otherwise}")


def check_examples() -> None:
    """Without a source of transformers the answer is open, says why, and names what to install."""
    for example in EXAMPLES:
        status, said = run("check", str(example))
        is_open = status == 3 and "verdict  inconclusive" in said and HINT in said
        must(is_open or (status == 1 and "error[LP" in said), f"check {example.name} ended with {status}:\n{said}")
    status, said = run("check", str(EXAMPLES[0]), "--format", "json")
    must(status in (1, 3) and said.startswith("{"), f"the JSON report of {EXAMPLES[0].name}:\n{said}")


def check_other_commands() -> None:
    for arguments, status, words in (
        (("rules",), 0, "LP301  layer-plan-mismatch"),
        (("explain", "LP301"), 0, "## What it finds"),
        (("plan", str(EXAMPLES[0].parent / "layer-plan-mismatch")), 1, "1 of 24 layers differs: 20"),
        (("check", "/no/such/place"), 2, "/no/such/place"),
        (("check", str(EXAMPLES[0]), "--exit-zero", "--format", "html"), 0, "<!doctype html>"),
        (("completion", "bash"), 0, "complete -o"),
        (("mcp",), 2, "pip install 'loadproof[mcp]'"),
        (("--help",), 0, "commands"),
    ):
        got, said = run(*arguments)
        must(got == status and words in said, f"{' '.join(arguments)} ended with {got}:\n{said}")


def check_library() -> None:
    import loadproof

    report = loadproof.check(str(EXAMPLES[0].parent / "healthy"))
    must(report.verdict == "inconclusive", f"check() says {report.verdict}")
    for name in ("ci_guards", "transformers"):
        try:
            importlib.import_module(f"loadproof.integrations.{name}")
        except ImportError as error:
            must("pip install" in str(error), f"loadproof.integrations.{name}: {error}")


def main() -> None:
    there = [name for name in EXTRAS if importlib.util.find_spec(name) is not None]
    must(not there, f"this is no base install: {', '.join(there)} is here")
    must(len(EXAMPLES) > 3, "no examples")
    check_examples()
    check_other_commands()
    check_library()
    print(
        f"base install: {len(EXAMPLES)} examples, 8 other commands and the library answer (Python {sys.version.split()[0]})"
    )


if __name__ == "__main__":
    main()
