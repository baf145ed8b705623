"""A policy file as layers: ``[tool.loadproof]`` of pyproject.toml, or the same keys at the top of loadproof.toml."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from loadproof.core.near import did_you_mean
from loadproof.policy.codes import code_problem
from loadproof.policy.find import LARGEST, PROJECT, parse_toml
from loadproof.policy.keys import KEYS, Value, wrong_value
from loadproof.policy.layers import Layer, PolicyError
from loadproof.policy.lines import lines_of

_OVERRIDES, _PATHS = "overrides", "paths"
_IN_OVERRIDES = tuple(name for name in KEYS if name != "baseline")


def read_policy(file: str) -> list[Layer]:
    """The layers of a file: what it says of all targets, then each of its overrides.

    Raises `PolicyError` for what cannot be read, and for keys, values and codes that mean nothing.
    """
    text = _text(file)
    try:
        document = parse_toml(text)
    except ValueError as error:  # an integer of too many digits is no TOMLDecodeError
        raise PolicyError(f"{file}: this is no TOML: {error}") from None
    prefix: tuple[str, ...] = ()
    if os.path.basename(file) == PROJECT:
        prefix, document = ("tool", "loadproof"), _inner(document, file)
    places = _Places(file, prefix, lines_of(text))
    return [*_layers(document, places)]


class _Places:
    """Where the keys of a file stand, for messages and for `loadproof config`."""

    def __init__(self, file: str, prefix: tuple[str, ...], lines: Mapping[tuple[str | int, ...], int]) -> None:
        self.file, self.prefix, self.lines = file, prefix, lines

    def of(self, *path: str | int) -> str:
        line = self.lines.get((*self.prefix, *path))
        return self.file if line is None else f"{self.file}:{line}"


def _text(file: str) -> str:
    try:
        with open(file, "rb") as opened:
            content = opened.read(LARGEST + 1)
    except OSError as error:
        raise PolicyError(f"{file}: {error.strerror or type(error).__name__}") from None
    if len(content) > LARGEST:
        raise PolicyError(f"{file}: more than {LARGEST:,} bytes")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise PolicyError(f"{file}: this is no UTF-8 text: {error.reason} at byte {error.start:,}") from None


def _inner(document: Mapping[str, object], file: str) -> dict[str, object]:
    tool = document.get("tool", {})
    found = tool.get("loadproof", {}) if isinstance(tool, dict) else {}
    if not isinstance(found, dict):
        raise PolicyError(f"{file}: tool.loadproof is no table")
    return found


def _layers(document: Mapping[str, object], places: _Places) -> Iterator[Layer]:
    own = {name: value for name, value in document.items() if name != _OVERRIDES}
    yield _layer(own, places, (), tuple(KEYS))
    overrides = document.get(_OVERRIDES, [])
    if not isinstance(overrides, list) or not all(isinstance(one, dict) for one in overrides):
        raise PolicyError(f"{places.of(_OVERRIDES)}: overrides is no list of tables; write [[...overrides]]")
    for number, override in enumerate(overrides):
        at = (_OVERRIDES, number)
        yield _layer(
            {k: v for k, v in override.items() if k != _PATHS}, places, at, _IN_OVERRIDES, _paths(override, places, at)
        )


def _paths(override: Mapping[str, object], places: _Places, at: tuple[str | int, ...]) -> tuple[str, ...]:
    paths = override.get(_PATHS)
    if not isinstance(paths, list) or not paths or not all(isinstance(one, str) and one for one in paths):
        raise PolicyError(f'{places.of(*at)}: an override needs paths = ["runs/old/*", ...]')
    return tuple(paths)


def _layer(
    table: Mapping[str, object],
    places: _Places,
    at: tuple[str | int, ...],
    known: tuple[str, ...],
    paths: tuple[str, ...] | None = None,
) -> Layer:
    values: dict[str, Value] = {}
    for name, raw in table.items():
        where = places.of(*at, name)
        if name not in known:
            raise PolicyError(f"{where}: unknown key '{name}'{did_you_mean(name, known, _all(known))}")
        if (wanted := wrong_value(name, raw)) is not None:
            raise PolicyError(f"{where}: {name} is {_shown(raw)}, expected {wanted}")
        values[name] = _value(name, raw, where, places.file)
    return Layer(values, {name: places.of(*at, name) for name in values}, paths)


def _shown(raw: object) -> str:
    try:
        return repr(raw)
    except ValueError:  # hexadecimal digits are read without a limit, and not written in decimal
        return "an integer of too many digits"


def _all(known: tuple[str, ...]) -> str:
    return f"; there are: {', '.join(known)}"


def _value(name: str, raw: object, where: str, file: str) -> Value:
    kind = KEYS[name].kind
    if kind in ("codes", "severities") and isinstance(raw, list | dict):
        for word in raw:
            if problem := code_problem(word):
                raise PolicyError(f"{where}: {problem}")
        return tuple(raw) if isinstance(raw, list) else dict(raw)
    if kind == "path" and isinstance(raw, str):
        return os.path.join(os.path.dirname(file), raw)
    return raw if isinstance(raw, str | bool) else None
