"""`expect`: what a model class of one transformers release expects, read from its source text."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from loadproof.config.quantization import quantization_entries
from loadproof.core.config import ModelConfig
from loadproof.core.device import DEFAULTS
from loadproof.core.expectation import Expectation
from loadproof.interpret import cache
from loadproof.interpret.release import auto_map
from loadproof.interpret.release.locate import find_source, is_installed, version_of

if TYPE_CHECKING:
    from loadproof.interpret.sandbox.parent import Child

_INSTALL = 'pip install "loadproof[transformers]"'
_CODE_ELSEWHERE = "the model's own code is not on this machine"
_TYPE_TABLES = ("configuration_auto.py", "auto_mappings.py")


class Question(NamedTuple):
    """Everything an evaluation is made from."""

    root: str  # package folder of the release
    is_trusted: bool  # it is the installed one, or was called so
    folder: str  # of the repository's own code
    raw: dict[str, Any]
    blank: Expectation
    class_name: str | None
    key: str | None  # of the cache
    without_wall: bool
    devices: tuple[str, ...]


def expect(
    config: ModelConfig,
    folder: str | None,
    *,
    class_name: str | None = None,
    source: str | None = None,
    use_cache: bool = True,
    without_wall: bool = False,
    is_trusted: bool = False,
    devices: tuple[str, ...] = DEFAULTS,
) -> Expectation:
    """The parameters, shapes, ties, ignore lists and conversion rules of a model class. Never raises on what it reads,
    only (ValueError) where the caller's `source` holds no release.

    `source` is the package folder of a release (or one that holds it), else the installed one is read. `class_name`
    overrides the class that the Auto classes would pick. `folder` is where a repository's own code is looked for; None:
    it is not on this machine.
    What cannot be told is `inconclusive`; what the library itself would raise while it builds configuration or model is
    `raises`.

    A repository's own code, and a release that is not the installed one, is evaluated in a process of its own behind the
    operating system's wall. Where there is no such wall the answer is `inconclusive`, unless `without_wall` is given. A
    release that `is_trusted` is read in this process: to read many classes of it.

    `devices` are the machines to judge for (`core.device`). Where a quantizer asks what the machine is, the expectation is
    that for the first of them, and holds those for the others (`Expectation.elsewhere`).
    """
    with expecting(
        config,
        folder,
        class_name=class_name,
        source=source,
        use_cache=use_cache,
        without_wall=without_wall,
        is_trusted=is_trusted,
        devices=devices,
    ) as answer:
        return answer()


@contextmanager
def expecting(
    config: ModelConfig,
    folder: str | None,
    *,
    class_name: str | None = None,
    source: str | None = None,
    use_cache: bool = True,
    without_wall: bool = False,
    is_trusted: bool = False,
    devices: tuple[str, ...] = DEFAULTS,
) -> Iterator[Callable[[], Expectation]]:
    """The same for a caller who has something to do in between: where a process is needed, it is started here already."""
    root = find_source(source)
    blank = Expectation("transformers", "", class_name or "", _model_type(config), "none")
    if root is None and source is not None:
        raise ValueError(f"{source}: no transformers source there (give the folder that holds modeling_utils.py)")
    if root is None:
        why = "no transformers source found: what the model class expects is not known"
        yield lambda: msgspec.structs.replace(blank, inconclusive=why, hint=_INSTALL)
        return
    blank = msgspec.structs.replace(blank, version=version_of(root), source="installed")
    if config.path is None and not config.raw:
        yield lambda: msgspec.structs.replace(blank, inconclusive="there is no config.json, so no class is named")
        return
    if folder is None and auto_map.has_code(config.raw):
        yield lambda: msgspec.structs.replace(blank, source="none", inconclusive=_CODE_ELSEWHERE)
        return
    folder = folder or ""
    trusted = source is None or is_trusted or is_installed(root)
    quantized = bool(quantization_entries(config.raw))
    machines = devices if quantized else ()
    key = cache.key_of(root, blank.version, folder, config.raw, class_name, trusted, machines) if use_cache else None
    known = cache.load(key, Expectation) if key else None
    if known is not None:
        yield lambda: known
        return
    question = Question(
        root, trusted, os.path.abspath(folder), config.raw, blank, class_name, key or None, without_wall, devices
    )
    with _answering(question) as answer:
        yield answer


def _model_type(config: ModelConfig) -> str:
    stated = config.raw.get("model_type")
    return stated if isinstance(stated, str) else ""


@contextmanager
def _answering(question: Question) -> Iterator[Callable[[], Expectation]]:
    """Text of strangers is answered for by a child, which starts now; the installed release in this process."""
    own_code = _needs_own_code(question)
    if question.is_trusted and not own_code:
        yield lambda: _here(question)
        return
    from loadproof.interpret.sandbox import limits, parent

    if own_code:
        named = auto_map.named_class(question.class_name, question.raw)
        blank = msgspec.structs.replace(question.blank, source="remote-code", class_name=named)
        question = question._replace(blank=blank)
    with parent.Child(limits.CPU_SECONDS if own_code else limits.RELEASE_SECONDS) as child:
        yield lambda: _apart(question, child)


def _needs_own_code(question: Question) -> bool:
    """Whether the repository's own code makes the model. Of a release that is not trusted nothing is evaluated for that."""
    if not auto_map.has_code(question.raw) or not question.is_trusted:
        return False
    is_asked_for = auto_map.is_asked_for(question.class_name, question.raw)
    if is_asked_for or not _may_be_native(question.root, question.blank.model_type):
        return True
    from loadproof.interpret import building

    try:
        return building.needs_own_code(building.release(question.root)[0], question.raw, question.class_name)
    except Exception:  # the tables of the release cannot be read: `evaluate` says so, and sees no other code
        return False


def _may_be_native(root: str, model_type: str) -> bool:
    """Whether the tables of the installed release have the word: where not, they need not be evaluated."""
    from loadproof.interpret.release.disk import on_disk
    from loadproof.interpret.release.files import RELEASE

    files, word = on_disk(root, is_trusted=True), model_type.encode("utf-8", "surrogatepass")
    return any(word in (files.read(f"{RELEASE}/models/auto/{name}") or b"") for name in _TYPE_TABLES)


def _here(question: Question) -> Expectation:
    from loadproof.interpret import building
    from loadproof.interpret.evaluation import evaluate

    world, disk = building.release(question.root)
    world.devices = question.devices
    found = evaluate(world, question.raw, question.blank, question.class_name)
    if question.key is not None and found.inconclusive is None:
        cache.store(question.key, disk.seen, found, world.supposed if quantization_entries(question.raw) else None)
    return found


def _apart(question: Question, child: Child) -> Expectation:
    from loadproof.interpret.release.disk import on_disk
    from loadproof.interpret.release.machine import survey
    from loadproof.interpret.sandbox.task import Task

    disk = on_disk(question.root, question.folder, is_trusted=question.is_trusted)
    machine = survey(disk, question.folder, is_installed_release=is_installed(question.root))
    task = Task("evaluate", question.raw, question.class_name, question.blank, machine, question.devices)
    found = child.ask(task, disk, without_wall=question.without_wall)
    if question.key is not None and found.inconclusive is None and found.wall:
        cache.store(question.key, disk.seen, found, machine.packages)
    return found
