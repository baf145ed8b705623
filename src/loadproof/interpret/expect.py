"""`expect`: what a model class of one transformers release expects, read from its source text."""

from __future__ import annotations

import os
from typing import Any

import msgspec

from loadproof.config.quantization import quantization_entries
from loadproof.core.config import ModelConfig
from loadproof.core.expectation import Expectation
from loadproof.interpret import cache
from loadproof.interpret.release import quantizers
from loadproof.interpret.release.locate import find_source, is_installed, version_of

_INSTALL = 'pip install "loadproof[transformers]"'


def expect(
    config: ModelConfig,
    folder: str,
    *,
    class_name: str | None = None,
    source: str | None = None,
    names_only: bool = False,  # noqa: ARG001 - part of the reader's interface
    use_cache: bool = True,
    apart: bool = True,
) -> Expectation:
    """The parameters, shapes, ties, ignore lists and conversion rules of a model class. Never raises on what it reads,
    only (ValueError) where the caller's `source` holds no release.

    `source` is the package folder of a release (or one that holds it), else the installed one is read. `class_name`
    overrides the class that the Auto classes would pick. `folder` is where a repository's own code is looked for.
    `names_only` changes nothing here: shapes cost nothing. What cannot be told is `inconclusive`; what the library itself
    would raise while it builds configuration or model is `raises`. A release that is not the installed one is read in a
    process of its own, unless `apart` is false: to read many classes of one that is trusted.
    """
    root = find_source(source)
    blank = Expectation("transformers", "", class_name or "", _model_type(config), "none")
    if root is None and source is not None:
        raise ValueError(f"{source}: no transformers source there (give the folder that holds modeling_utils.py)")
    if root is None:
        why = "no transformers source found: what the model class expects is not known"
        return msgspec.structs.replace(blank, inconclusive=why, hint=_INSTALL)
    blank = msgspec.structs.replace(blank, version=version_of(root), source="installed")
    if config.path is None and not config.raw:
        return msgspec.structs.replace(blank, inconclusive="there is no config.json, so no class is named")
    key = cache.key_of(root, blank.version, folder, config.raw, class_name)
    use_cache = use_cache and bool(key)
    found = cache.load(key) if use_cache else None
    if found is None:
        installed = source is None or not apart or is_installed(root)
        found = _evaluate(root, folder, config.raw, blank, class_name, key if use_cache else None, installed)
    return found


def _model_type(config: ModelConfig) -> str:
    stated = config.raw.get("model_type")
    return stated if isinstance(stated, str) else ""


def _evaluate(
    root: str,
    folder: str,
    raw: dict[str, Any],
    blank: Expectation,
    class_name: str | None,
    key: str | None,
    installed: bool,
) -> Expectation:
    from loadproof.interpret.evaluation import evaluate

    found, files = evaluate(root, os.path.abspath(folder), raw, blank, class_name, installed=installed)
    if quantization_entries(raw):
        words, file = quantizers.known_methods(root)
        found = msgspec.structs.replace(found, quantizers=words)
        files = [*files, file]
    if key is not None and found.inconclusive is None:
        cache.store(key, files, found)
    return found
