"""Every regular expression of the code base, and the lines that could make one slow."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from re import _constants as kinds  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any

import loadproof

METHODS = {"search", "match", "fullmatch", "findall", "finditer", "sub", "subn", "split"}
_ANCHORED = {"match", "fullmatch"}
_TRIED = "a7._ -,:/'\"[({|\\<=`#x\t"


@dataclass(frozen=True)
class Use:
    """One pattern, and how it is applied: an anchored one is tried at the line's first character only."""

    where: str
    pattern: re.Pattern[str]
    anchored: bool

    def run(self, line: str) -> None:
        if self.anchored:
            self.pattern.match(line)
        else:
            for _ in self.pattern.finditer(line):
                pass


def uses() -> list[Use]:
    """Every pattern of loadproof, each once for each way it is applied."""
    found: dict[tuple[str, int, bool], Use] = {}
    for module in _modules():
        source = ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8"))
        applied = _applied(source)
        for use in (*_constants(module, applied), *_calls(module.__name__, source), *_knowledge(module)):
            alike = re.sub(r"LP\d+", "LP000", use.pattern.pattern)
            found.setdefault((alike, use.pattern.flags, use.anchored), use)
    return list(found.values())


def _modules() -> Iterator[ModuleType]:
    for info in pkgutil.walk_packages(loadproof.__path__, "loadproof."):
        if not info.name.endswith("__main__"):
            try:
                yield importlib.import_module(info.name)
            except ImportError:  # an extra that is not installed
                continue


def _applied(source: ast.Module) -> dict[str, set[str]]:
    """Name of a constant -> the methods called on it in its module."""
    applied: dict[str, set[str]] = {}
    for node in ast.walk(source):
        if isinstance(node, ast.Attribute) and node.attr in METHODS and isinstance(node.value, ast.Name):
            applied.setdefault(node.value.id, set()).add(node.attr)
    return applied


def _constants(module: ModuleType, applied: dict[str, set[str]]) -> Iterator[Use]:
    for name, value in vars(module).items():
        methods = applied.get(name, {"search"})
        for pattern in _inside(value):
            yield Use(f"{module.__name__}.{name}", pattern, methods <= _ANCHORED)


def _inside(value: Any, depth: int = 4) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield value
    elif depth and isinstance(value, (tuple, list, set, frozenset)):
        for item in value:
            yield from _inside(item, depth - 1)
    elif depth and isinstance(value, dict):
        for key, item in value.items():
            yield from (*_inside(key, depth - 1), *_inside(item, depth - 1))


def _calls(module: str, source: ast.Module) -> Iterator[Use]:
    """``re.search("...", text)`` with a pattern that is written there."""
    for node in ast.walk(source):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        if not (isinstance(node.func.value, ast.Name) and node.func.value.id == "re" and node.func.attr in METHODS):
            continue
        first = node.args[0] if node.args else None
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield Use(f"{module}:{node.lineno}", re.compile(first.value), node.func.attr in _ANCHORED)


def _knowledge(module: ModuleType) -> Iterator[Use]:
    """Patterns that are written as plain text: those of the knowledge base and of its conditions."""
    if module.__name__ == "loadproof.tracebacks.knowledge":
        from loadproof.tracebacks.patterns import compile_text

        for entry in (*module.entries(), *module.own_entries()):
            yield from (Use(f"entry {text}", compile_text(text), False) for text in entry.patterns)
            conditions = [ranked.when for ranked in entry.causes if ranked.when is not None]
            for when in conditions:
                texts = (when.name, when.text, when.near, when.frame, when.engine, when.lacks)
                yield from (Use(f"condition {text}", re.compile(text), False) for text in texts if text)
        for engine in module.engines():
            yield from (
                Use(f"engine {text}", re.compile(text), False) for text in (engine.sign, engine.package) if text
            )
    if module.__name__ == "loadproof.tracebacks.knowledge.logs":
        signs = [sign.sign for sign in (*module.logs().phases, *module.logs().flags)]
        signs += [*module.logs().wrappers, *("|".join(one.signs) for one, _ in module._all_elsewhere())]
        yield from (Use(f"log {text}", re.compile(text), False) for text in signs)
    if module.__name__ == "loadproof.tracebacks.knowledge.codes":
        for text in (*module.codes().proofs.values(), *filter(None, module.codes().signs.values())):
            yield Use(f"stored {text}", re.compile(text), False)


def lines(pattern: re.Pattern[str], size: int) -> Iterator[str]:
    """Repetitive lines of about `size` characters, made of what the pattern itself is made of."""
    for lead, unit in _units(pattern):
        for text in (unit, lead + unit, lead + unit * 3, unit + " "):
            if text:
                yield (text * (size // len(text) + 1))[:size]
        if unit:
            yield lead + unit * max(1, (size - len(lead)) // len(unit)) + "\x00"


def _units(pattern: re.Pattern[str]) -> list[tuple[str, str]]:
    found: dict[tuple[str, str], None] = dict.fromkeys(_repeats(parser.parse(pattern.pattern, pattern.flags), ""))
    alphabet = "".join(dict.fromkeys(unit[:1] for _, unit in found))
    found.update(dict.fromkeys((lead, character) for lead, _ in list(found) for character in alphabet))
    return list(found) or [("", _sample(parser.parse(pattern.pattern, pattern.flags)) or "a")]


def _repeats(tree: Iterable[Any], lead: str) -> Iterator[tuple[str, str]]:
    """(what comes before, one turn) of every repeat without a small bound."""
    for kind, value in tree:
        if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
            _least, most, body = value
            if most > 8:
                yield from ((lead, unit) for unit in _samples(body))
            yield from _repeats(body, lead)
        elif kind is kinds.SUBPATTERN:
            yield from _repeats(value[-1], lead)
        elif kind is kinds.BRANCH:
            for option in value[1]:
                yield from _repeats(option, lead)
        elif kind in (kinds.ATOMIC_GROUP,):
            yield from _repeats(value, lead)
        elif kind in (kinds.ASSERT, kinds.ASSERT_NOT):
            yield from _repeats(value[1], lead)
        lead += _sample([(kind, value)])


def _samples(body: Any) -> Iterator[str]:
    """Texts for one turn of a repeat: for a single set of characters several of its members."""
    if len(body) == 1 and body[0][0] in (kinds.IN, kinds.ANY, kinds.NOT_LITERAL, kinds.CATEGORY):
        one = re.compile(_one(body[0]), re.DOTALL)
        yield from (character for character in _TRIED if one.fullmatch(character))
    yield _sample(body)


def _one(item: Any) -> str:
    kind, value = item
    if kind is kinds.ANY:
        return "."
    if kind is kinds.NOT_LITERAL:
        return f"[^{re.escape(chr(value))}]"
    parts = []
    negated = ""
    for member, what in value if kind is kinds.IN else [(kind, value)]:
        if member is kinds.NEGATE:
            negated = "^"
        elif member is kinds.LITERAL:
            parts.append(re.escape(chr(what)))
        elif member is kinds.RANGE:
            parts.append(f"{re.escape(chr(what[0]))}-{re.escape(chr(what[1]))}")
        else:
            parts.append(_CATEGORY[what])
    return f"[{negated}{''.join(parts)}]"


_CATEGORY = {
    kinds.CATEGORY_DIGIT: r"\d", kinds.CATEGORY_NOT_DIGIT: r"\D", kinds.CATEGORY_SPACE: r"\s",
    kinds.CATEGORY_NOT_SPACE: r"\S", kinds.CATEGORY_WORD: r"\w", kinds.CATEGORY_NOT_WORD: r"\W",
}  # fmt: skip


def _sample(tree: Iterable[Any]) -> str:
    """A short text that the tree matches, near enough."""
    text = ""
    for kind, value in tree:
        if kind is kinds.LITERAL:
            text += chr(value)
        elif kind in (kinds.IN, kinds.ANY, kinds.NOT_LITERAL):
            one = re.compile(_one((kind, value)), re.DOTALL)
            text += next((character for character in _TRIED if one.fullmatch(character)), "\u2502")
        elif kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
            text += _sample(value[2]) * max(1, min(value[0], 4))
        elif kind is kinds.SUBPATTERN:
            text += _sample(value[-1])
        elif kind is kinds.BRANCH:
            text += _sample(value[1][0])
        elif kind is kinds.ATOMIC_GROUP:
            text += _sample(value)
    return text


def seconds(run: Callable[[], None], limit: float = 1.0) -> float:
    """CPU seconds of one call, which is cut off at `limit`: a pattern may take years."""
    old = signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, limit)
    begin = time.process_time()
    try:
        run()
    except _TooLongError:
        return limit
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, old)
    return time.process_time() - begin


class _TooLongError(Exception):
    pass


def _stop(*_: object) -> None:
    raise _TooLongError
