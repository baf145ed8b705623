"""`check`: the way from a location to a verdict, stage by stage."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import NamedTuple

from msgspec.structs import replace

from loadproof.api.leftovers import untold
from loadproof.api.parts import as_part, faults_of_part
from loadproof.api.records import with_records
from loadproof.api.verdict import decide
from loadproof.config import read_config
from loadproof.config.plan.reading import plan_from_config
from loadproof.config.plan.tensors import plan_from_tensors
from loadproof.config.tokenizer import read_tokenizer
from loadproof.core.case import Case, Report, Timings
from loadproof.core.checkpoint import Inventory, Manifest, Selection, TieValue
from loadproof.core.config import ModelConfig
from loadproof.core.coverage import Skip
from loadproof.core.expectation import Expectation
from loadproof.core.families import count
from loadproof.core.findings import Finding
from loadproof.core.outcome import Outcome
from loadproof.formats import read_manifest, take_inventory
from loadproof.readers import get_reader
from loadproof.readers.base import Reader

_WEIGHT_KINDS = frozenset({"safetensors", "torch", "gguf", "lfs-pointer"})
_MOST_SUBFOLDERS = 1000
_NAMELESS = "the weights are not here and no index names them"
_EARLY = "the reader raises before it opens a weight file"
_WEIGHT_NAMES = (".safetensors", ".bin", ".pt", ".pth", ".gguf", ".ckpt", ".index.json")


class NoCheckpointError(ValueError):
    """The location does not exist or holds neither weights nor a config."""


def check(
    location: str | os.PathLike[str],
    *,
    reader: str = "transformers",
    class_name: str | None = None,
    source: str | None = None,
    names_only: bool = False,
    use_cache: bool = True,
    follow_links: bool = True,
    evaluate_code_without_wall: bool = False,
) -> Report:
    """Whether the checkpoint at `location` (a folder or one weight file) loads into `reader`, and if not, why.

    Only headers, indexes, the config and the text of the model's source are read. `reader` may name a release
    (``transformers@5.2.0``); `source` is the folder of another release's source; with `names_only` the index stands for
    shards that are not there. With ``follow_links=False`` links that leave the folder are not followed (those of a hub
    cache are): for folders of strangers. Raises `NoCheckpointError` when there is nothing to check, `ValueError` for an unknown
    reader; content never raises.
    """
    started = perf_counter()
    chosen, version = choose_reader(reader)
    with reading(os.fspath(location)):
        inventory = with_records(open_checkpoint(os.fspath(location), follow_links=follow_links))
        config = read_config(inventory)
        options = Expecting(class_name, source, names_only, use_cache, evaluate_code_without_wall)
        with expecting(chosen, config, inventory, options) as expected:
            selection = chosen.select(inventory, config, names_only)
            manifest = read_manifest(inventory, selection, names_only)
            read_done = perf_counter()
            expectation = as_part(inventory, selection, _of_release(expected(), version))
        expected_done = perf_counter()
        case = _case(chosen, inventory, config, selection, manifest, expectation, options)
        case = replace(case, source=source, use_cache=use_cache, without_wall=evaluate_code_without_wall)
        report = conclude(case, Timings(read_done - started, expected_done - read_done))
    return replace(report, timings=replace(report.timings, total_s=perf_counter() - started))


@contextmanager
def reading(location: str) -> Iterator[None]:
    """`NoCheckpointError` for a folder that vanishes or fails as a whole while it is read; files are judged one by one."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error) or type(error).__name__
        raise NoCheckpointError(f"{location}: {reason} (while it was read)") from None


def conclude(case: Case, timings: Timings) -> Report:
    """Findings and verdict for a case, with what was looked at and what was not."""
    from loadproof.rules import diagnose

    findings, unexplained = diagnose(case)
    findings = _cause_first((*findings, *untold(case, findings)))
    findings = faults_of_part(case.inventory, case.selection, findings)
    verdict = decide(case, findings, unexplained)
    skipped = (*case.inventory.skipped, *case.manifest.skipped, *case.outcome.skipped, *_not_looked_at(case))
    return Report(case, verdict, findings, unexplained, _checked(case), tuple(dict.fromkeys(skipped)), timings)


def choose_reader(spec: str) -> tuple[Reader, str | None]:
    """The reader of ``NAME[@VERSION]`` and the release asked for."""
    name, _, version = spec.partition("@")
    return get_reader(name), version or None


def open_checkpoint(location: str, *, follow_links: bool = True) -> Inventory:
    """What lies at `location`; a config.json stands for its folder.

    Raises `NoCheckpointError` where nothing there is a checkpoint's.
    """
    if not location:
        raise NoCheckpointError("the path is empty")
    if os.path.basename(location) == "config.json":
        location = os.path.dirname(location) or "."
    try:
        inventory = take_inventory(location, follow_links=follow_links)
    except OSError as error:
        raise NoCheckpointError(f"{location}: {error.strerror or type(error).__name__}{_hub(location)}") from None
    if any(problem.severity == "error" for problem in inventory.problems):
        return inventory
    for info in inventory.files:
        if info.path == "config.json" or info.kind in _WEIGHT_KINDS or info.path.endswith(_WEIGHT_NAMES):
            return inventory
    raise NoCheckpointError(f"{location}: no checkpoint here (no config.json, no weight files){_deeper(location)}")


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


class Expecting(NamedTuple):
    """How the expectation is made."""

    class_name: str | None
    source: str | None
    names_only: bool
    use_cache: bool
    without_wall: bool


@contextmanager
def expecting(
    reader: Reader, config: ModelConfig, inventory: Inventory, options: Expecting
) -> Iterator[Callable[[], Expectation]]:
    """The expectation, to be asked for in the block; a process that evaluates it starts before the headers are read."""
    if config.path is None or not config.raw:
        yield lambda: _without_config(reader, config)
    elif bound := next((problem for problem in config.problems if problem.detail == "bound"), None):
        why = f"nothing was expanded: {bound.text}"
        yield lambda: Expectation(reader.name, "", "", "", "none", inconclusive=why)
    else:
        with reader.expecting(config, inventory.root, **options._asdict()) as answer:
            yield answer


def _without_config(reader: Reader, config: ModelConfig) -> Expectation:
    why = "there is no config.json" if config.path is None else "config.json cannot be read"
    hint = "put config.json beside the weights, or check the folder that holds both" if config.path is None else None
    return Expectation(reader.name, "", "", "", "none", inconclusive=why, hint=hint)


def _of_release(expectation: Expectation, version: str | None) -> Expectation:
    """A release was asked for: an answer from another one is no answer."""
    if version is None or not expectation.version or expectation.version == version:
        return expectation
    why = f"the source found is {expectation.reader} {expectation.version}, asked for was {version}"
    hint = f"give the source of {version} with --source, or install it"
    return Expectation(
        expectation.reader, version, expectation.class_name, expectation.model_type, "none", inconclusive=why, hint=hint
    )


def _case(
    reader: Reader,
    inventory: Inventory,
    config: ModelConfig,
    selection: Selection,
    manifest: Manifest,
    expectation: Expectation,
    options: Expecting,
) -> Case:
    breaks = _breaks_early(config, expectation)
    if selection.inconclusive:
        outcome = Outcome(inconclusive=selection.inconclusive)
    elif _is_nameless(selection, manifest):
        outcome = Outcome(inconclusive=_NAMELESS)
    elif breaks or expectation.inconclusive:
        outcome = Outcome(raises=bool(breaks), error=breaks, inconclusive=expectation.inconclusive)
    else:
        outcome = reader.predict(manifest, expectation, config)
        expectation = _with_symbols(expectation, outcome, config, options)
    config_plan = plan_from_config(config, expectation)
    tensor_plan = plan_from_tensors(manifest.families)
    case = Case(inventory, selection, manifest, config, expectation, outcome, config_plan, tensor_plan)
    return replace(
        case,
        tokenizer=read_tokenizer(inventory),
        tie_values=_tie_values(case),
        equal_duplicates=_equal_duplicates(inventory, manifest),
    )


def _with_symbols(expectation: Expectation, outcome: Outcome, config: ModelConfig, options: Expecting) -> Expectation:
    """Sizes as formulas over config fields, where a size differs: only then do the rules ask for them."""
    if not any(row.kind in ("mismatched", "conversion") for row in outcome.rows):
        return expectation
    from loadproof.interpret.symbols import with_symbols

    return with_symbols(expectation, config, options.source, without_wall=options.without_wall)


def _is_nameless(selection: Selection, manifest: Manifest) -> bool:
    """Whether only pointers lie there, and no index names what they stand for."""
    kinds = {info.path: info.kind for info in manifest.files}
    pointers = bool(selection.files) and all(kinds.get(file) == "lfs-pointer" for file in selection.files)
    return manifest.names_only and pointers and not manifest.tensors


def _tie_values(case: Case) -> tuple[TieValue, ...]:
    """The bytes of tied tensors that are stored twice, compared; most checkpoints store them once."""
    if not case.expectation.ties:
        return ()
    from loadproof.formats.ties import compare_ties

    return compare_ties(case.inventory, case.manifest, case.expectation, case.outcome)


def _equal_duplicates(inventory: Inventory, manifest: Manifest) -> tuple[str, ...]:
    if not manifest.duplicates:
        return ()
    from loadproof.formats.ties import equal_duplicates

    return equal_duplicates(inventory, manifest)


def _cause_first(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    order = {"error": 0, "warning": 1, "info": 2}
    return tuple(sorted(findings, key=lambda finding: order[finding.severity]))


def _checked(case: Case) -> tuple[str, ...]:
    looked = ["names"]
    if any(family.shape is not None for family in case.manifest.families):
        looked += ["headers", "shapes"]
    if case.inventory.indexes:
        looked.append("index")
    if case.config.path:
        looked.append("config")
    if case.expectation.families:
        looked.append("model source")
    return tuple(looked)


def _not_looked_at(case: Case) -> list[Skip]:
    skips = []
    if named := sum(count(family.axes) for family in case.manifest.families if family.shape is None):
        skips.append(Skip(f"shapes and dtypes of {named:,} tensors", "only names are known"))
    elif case.manifest.names_only and (case.expectation.ties or case.manifest.duplicates):
        skips.append(Skip("the values of tensors that are stored twice", "names only"))
    why = case.expectation.inconclusive or (_EARLY if _breaks_early(case.config, case.expectation) else None)
    if why:
        skips.append(Skip("missing, unexpected and mismatched parameters", why))
    if case.expectation.wall == "":
        skips.append(Skip("a wall around the evaluation of the model source", "--evaluate-code-without-wall was given"))
    return skips


def _breaks_early(config: ModelConfig, expectation: Expectation) -> str | None:
    """The exception of a reader that gives up on the config or the class."""
    return next((problem.breaks for problem in config.problems if problem.breaks), None) or expectation.raises
