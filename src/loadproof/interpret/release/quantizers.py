"""The quantization methods that a release knows, read from the text of its `quantizers/auto.py`."""

from __future__ import annotations

import ast
import os

_FILE = os.path.join("quantizers", "auto.py")
_TABLE = "AUTO_QUANTIZATION_CONFIG_MAPPING"
_LARGEST = 1 << 20  # bytes


def known_methods(root: str) -> tuple[tuple[str, ...] | None, str]:
    """(the words of `quant_method` that the release in `root` acts upon, the file they were read from).

    A word outside of them is skipped with a warning (`AutoHfQuantizer.supports_quant_method`). None: not established.
    """
    path = os.path.join(root, _FILE)
    try:
        with open(path, encoding="utf-8") as file:
            tree = ast.parse(file.read(_LARGEST))
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return None, path
    return next((words for node in tree.body if (words := _words(node)) is not None), None), path


def _words(node: ast.stmt) -> tuple[str, ...] | None:
    """The keys of the table; None for any other statement, and for keys that are not plain text."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    is_table = any(isinstance(target, ast.Name) and target.id == _TABLE for target in targets)
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
    if not is_table or not isinstance(value, ast.Dict):
        return None
    words = tuple(key.value for key in value.keys if isinstance(key, ast.Constant) and isinstance(key.value, str))
    return words if len(words) == len(value.keys) else None
