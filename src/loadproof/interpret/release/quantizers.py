"""The quantization methods that a release knows, read from the text of its `quantizers/auto.py`."""

from __future__ import annotations

import ast

from loadproof.interpret.language.errors import LimitReached
from loadproof.interpret.release.files import RELEASE, Files, text_of

_FILE = f"{RELEASE}/quantizers/auto.py"
_TABLE = "AUTO_QUANTIZATION_CONFIG_MAPPING"


def known_methods(files: Files) -> tuple[str, ...] | None:
    """The words of `quant_method` that the release acts upon.

    A word outside of them is skipped with a warning (`AutoHfQuantizer.supports_quant_method`). None: not established.
    """
    try:
        tree = ast.parse(text_of(files.read(_FILE) or b""))
    except (LimitReached, ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    return next((words for node in tree.body if (words := _words(node)) is not None), None)


def _words(node: ast.stmt) -> tuple[str, ...] | None:
    """The keys of the table; None for any other statement, and for keys that are not plain text."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    is_table = any(isinstance(target, ast.Name) and target.id == _TABLE for target in targets)
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
    if not is_table or not isinstance(value, ast.Dict):
        return None
    words = tuple(key.value for key in value.keys if isinstance(key, ast.Constant) and isinstance(key.value, str))
    return words if len(words) == len(value.keys) else None
