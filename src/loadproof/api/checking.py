"""`check`: the way from a location to a verdict, stage by stage."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Unpack

from msgspec.structs import replace

from loadproof.api.judging import assemble, conclude, expecting, seen_by
from loadproof.api.parts import as_part
from loadproof.api.records import with_records
from loadproof.core.case import Report, Timings
from loadproof.core.checkpoint import Inventory
from loadproof.core.known_names import ADAPTER_CONFIG
from loadproof.core.reading import Asked, asked_for
from loadproof.core.training import OF_ITS_OWN
from loadproof.formats import StoredCheckpoint, checkpoint_at
from loadproof.formats.sniff import claims_weights
from loadproof.lexicon.formats import FORMATS
from loadproof.lexicon.shards import SUFFIXES
from loadproof.readers import get_reader, suited
from loadproof.storage import Storage

_WEIGHT_KINDS = frozenset({*(one.name for one in FORMATS), "lfs-pointer"})
_MOST_SUBFOLDERS = 1000
_TOKENIZERS = ("tokenizer.json", "tokenizer_config.json", "tokenizer.model", "vocab.json", "special_tokens_map.json")
_WEIGHT_NAMES = (*SUFFIXES, ".index.json")


class NoCheckpointError(ValueError):
    """The location does not exist or holds neither weights nor a config; or the base that was named does not exist."""


def check(
    location: str | os.PathLike[str] | Storage,
    **asked: Unpack[Asked],
) -> Report:
    """Whether the checkpoint at `location` (a folder, one weight file, or a storage) loads into `reader`, and if not, why.

    Only headers, indexes, the config and the text of the model's source are read. `reader` may name a release
    (``transformers@5.2.0``); `source` is the folder of another release's source; with `names_only` the index stands for
    shards that are not there. With ``follow_links=False`` links that leave the folder are not followed (those of a hub
    cache are): for folders of strangers. `device` is the machine to judge for (``cpu``, ``cuda``, ``cuda:8.9``, ``mps``,
    ...), as some quantizers decide by it; without one a CPU and a CUDA device are judged. An adapter is put on its base:
    the folder `base`, else the one that it names, if that lies here. Raises `NoCheckpointError` when there is nothing to
    check, `ValueError` for an unknown reader or device; content never raises.
    """
    started = perf_counter()
    reading = asked_for(**asked)
    if reading.base is not None and not os.path.exists(reading.base):
        raise NoCheckpointError(
            f"{reading.base}: the base does not exist; give its folder, or a folder with its config.json"
        )
    get_reader(reading.reader)
    where = os.fspath(location) if isinstance(location, str | os.PathLike) else location
    with while_reading(where), open_checkpoint(where, follow_links=reading.follow_links) as checkpoint:
        checkpoint.inventory = with_records(checkpoint)
        reading = suited(checkpoint.inventory, reading)
        chosen = get_reader(reading.reader)
        checkpoint = seen_by(chosen, checkpoint)
        with expecting(chosen, checkpoint, reading) as expected:
            selection = chosen.select(checkpoint, reading)
            manifest = checkpoint.manifest(selection, reading.names_only)
            read_done = perf_counter()
            expectation = as_part(checkpoint, selection, expected())
        expected_done = perf_counter()
        case = assemble(chosen, checkpoint, selection, manifest, expectation, reading)
        report = _with_proven_fixes(conclude(case, Timings(read_done - started, expected_done - read_done)))
    return replace(report, timings=replace(report.timings, total_s=perf_counter() - started))


@contextmanager
def while_reading(location: str | Storage) -> Iterator[None]:
    """`NoCheckpointError` for a folder that vanishes or fails as a whole while it is read; files are judged one by one."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error) or type(error).__name__
        raise NoCheckpointError(f"{_named(location)}: {reason} (while it was read)") from None


def _with_proven_fixes(report: Report) -> Report:
    """A healthy checkpoint offers no edits, and does not pay for their proof."""
    if not any(fix.edits for finding in report.findings for fix in finding.fixes):
        return report
    from loadproof.api.peeling import with_proven_fixes

    return with_proven_fixes(report)


def _named(location: str | Storage) -> str:
    return location if isinstance(location, str) else location.place


def open_checkpoint(location: str | Storage, *, follow_links: bool = True) -> StoredCheckpoint:
    """What lies at `location`; a config.json stands for its folder.

    Raises `NoCheckpointError` where nothing there is a checkpoint's.
    """
    if not location:
        raise NoCheckpointError("the path is empty")
    if isinstance(location, str) and os.path.basename(location) in ("config.json", ADAPTER_CONFIG):
        location = os.path.dirname(location) or "."
    named = _named(location)
    try:
        checkpoint = checkpoint_at(location, follow_links=follow_links)
    except OSError as error:
        raise NoCheckpointError(f"{named}: {error.strerror or type(error).__name__}{_hub(named)}") from None
    inventory = checkpoint.inventory
    if (why := _is_no_weight_file(inventory)) is not None:
        raise NoCheckpointError(f"{named}: {why}{_beside(named)}")
    if any(problem.severity == "error" for problem in inventory.problems):
        return checkpoint
    if any(state.kind != OF_ITS_OWN for state in inventory.states):
        return checkpoint
    for info in inventory.files:
        is_config = info.path in ("config.json", ADAPTER_CONFIG)
        if is_config or info.kind in _WEIGHT_KINDS or info.path.endswith(_WEIGHT_NAMES):
            return checkpoint
    raise NoCheckpointError(f"{named}: no checkpoint here (no config.json, no weight files){_deeper(named)}")


def _is_no_weight_file(inventory: Inventory) -> str | None:
    """What a single file is that neither its name nor its content calls weights; None for every other location."""
    name = inventory.single_file
    if name is None or name.endswith(_WEIGHT_NAMES) or claims_weights(name):
        return None
    if any(info.path == name and info.kind in _WEIGHT_KINDS for info in inventory.files):
        return None
    what = "a tokenizer" if name in _TOKENIZERS else "no weight file"
    return f"this is {what}, not a checkpoint"


def _beside(location: str) -> str:
    folder = os.path.dirname(location) or "."
    return f"; check its folder: {folder}" if os.path.isfile(os.path.join(folder, "config.json")) else ""


def _deeper(location: str) -> str:
    """The subfolders that do hold a checkpoint: checkpoint-N of a trainer, snapshots of a hub cache."""
    found = []
    for above in (location, os.path.join(location, "snapshots")):
        try:
            names = sorted(os.listdir(above))[:_MOST_SUBFOLDERS]
        except OSError:
            continue
        folders = (os.path.join(above, name) for name in names)
        found += [folder for folder in folders if os.path.isfile(os.path.join(folder, "config.json"))]
    more = f" and {len(found) - 3} more" if len(found) > 3 else ""
    return f"; check {', '.join(found[:3])}{more}" if found else ""


def _hub(location: str) -> str:
    """A hint for names of repositories: nothing is fetched here."""
    is_remote = "://" in location or re.fullmatch(r"[\w.-]+/[\w.-]+", location)
    return " (a hub name? download it first; for --names-only the config and the index are enough)" if is_remote else ""


__all__ = ["NoCheckpointError", "check", "conclude", "expecting", "open_checkpoint", "while_reading"]
