"""`should_convert_module`, which a quantizer asks for every module and every entry of its list, without evaluating each.

Only where the text of the release is the one that is known here; any other text is evaluated as it stands.
"""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from typing import Any

from loadproof.interpret.language import limits
from loadproof.interpret.language.patterns import check_repeats
from loadproof.interpret.language.values import Value
from loadproof.interpret.release.definitions import FunctionSource, parse
from loadproof.interpret.release.ports import File

NAME = "should_convert_module"
_KNOWN = r"""
if patterns is None:
    return True
boundary = r"(?:(?<=\.)|(?=\.|$))"
return not any(re.match(rf"(?:{key}){boundary}", full_name) or full_name.endswith(key) for key in patterns)
"""
_BOUNDARY = r"(?:(?<=\.)|(?=\.|$))"
_PLAIN = re.compile(r"(?:[\w.-]|\.\*)+")  # names, with `.*` in them: they can be joined


def shortcut(file: File) -> Any:
    """The function as one of ours, None where the text says something else."""
    source = file.function_source(NAME)
    return _should_convert if source is not None and _body(source) == _dumped(parse(_KNOWN)) else None


def _body(source: FunctionSource) -> list[str]:
    body = source.node().body
    is_docstring = body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    return _dumped(body[1:] if is_docstring else body)


def _dumped(body: list[ast.stmt]) -> list[str]:
    return [ast.dump(node) for node in body]


def _should_convert(full_name: str, patterns: Any = None) -> Value:
    if patterns is None:
        return True
    keys = tuple(patterns)
    limits.current().charge(len(keys), "list of modules")
    if not all(type(key) is str for key in keys) or type(full_name) is not str:
        raise TypeError("endswith first arg must be str or a tuple of str")
    return not (full_name.endswith(keys) or any(one.match(full_name) for one in _compiled(keys)))


@lru_cache(maxsize=16)
def _compiled(keys: tuple[str, ...]) -> list[re.Pattern[str]]:
    plain = [key for key in keys if _PLAIN.fullmatch(key)]
    others = [f"(?:{key}){_BOUNDARY}" for key in keys if not _PLAIN.fullmatch(key)]
    joined = [f"(?:{'|'.join(plain)}){_BOUNDARY}"] if plain else []
    for one in (*others, *plain):
        check_repeats(one)
    return [re.compile(one) for one in (*joined, *others)]
