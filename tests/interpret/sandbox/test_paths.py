"""Nothing of the evaluator opens a path but the source of its files: the child has none, and could not use one."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import loadproof.interpret

TOP = Path(loadproof.interpret.__file__).parent
# Where the parent's side touches the file system, or a process begins or ends.
ALLOWED = {
    *(
        "adapters.py",
        "cache.py",
        "expect.py",
        "release/disk.py",
        "release/seen.py",
        "release/locate.py",
        "release/machine.py",
    ),
    *("sandbox/parent.py", "sandbox/line.py", "sandbox/child.py", "sandbox/pipe_files.py", "sandbox/wall.py"),
    "sandbox/kernel.py",
}
MODULES = {
    "os",
    "io",
    "pathlib",
    "shutil",
    "tempfile",
    "glob",
    "posix",
    "nt",
    "subprocess",
    "socket",
    "mmap",
    "fileinput",
}
OTHERS = sorted(str(path.relative_to(TOP)) for path in TOP.rglob("*.py") if str(path.relative_to(TOP)) not in ALLOWED)


def uses(tree: ast.AST) -> list[str]:
    """Names of modules and functions by which a path could be opened, as a text imports or calls them."""
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name.split(".")[0] in MODULES]
        elif isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").split(".")[0] in MODULES:
            found.append(node.module or "")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("open", "__import__"):
            found.append(node.func.id)
    return found


@pytest.mark.parametrize("name", OTHERS)
def test_no_other_file_of_the_evaluator_touches_the_file_system(name: str) -> None:
    assert uses(ast.parse((TOP / name).read_text())) == []


def test_the_list_of_allowed_files_is_no_longer_than_it_must_be() -> None:
    assert {name for name in ALLOWED if not uses(ast.parse((TOP / name).read_text()))} == set()


@pytest.mark.parametrize("text", ["import os.path", "from io import open", "open('x')", "__import__('os')"])
def test_such_uses_are_seen(text: str) -> None:
    assert uses(ast.parse(text))
