"""From what was read and what is expected to a verdict: used for the files as they are, and as edits would leave them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial

from msgspec.structs import replace

from loadproof.api.devices import on_devices
from loadproof.api.parts import faults_of_part
from loadproof.api.verdict import decide
from loadproof.config.plan.reading import diff_plans, plan_from_config
from loadproof.config.plan.tensors import plan_from_tensors
from loadproof.core.case import Case, Report, Timings
from loadproof.core.checkpoint import DonatedTie, Manifest, Selection, TieValue
from loadproof.core.config import ModelConfig
from loadproof.core.coverage import Skip
from loadproof.core.expectation import Expectation
from loadproof.core.outcome import Outcome
from loadproof.core.reading import Reading
from loadproof.core.session import Checkpoint
from loadproof.formats import StoredCheckpoint
from loadproof.readers.base import Reader

ADAPTERS = "peft"  # the reader whose config is that of an adapter
_NAMELESS = "the weights are not here and no index names them"
_EARLY = "the reader raises before it opens a weight file"


def seen_by(reader: Reader, checkpoint: StoredCheckpoint) -> StoredCheckpoint:
    """The checkpoint with the config that this reader asks for."""
    return checkpoint.of_adapter() if reader.name == ADAPTERS else checkpoint


@contextmanager
def expecting(reader: Reader, checkpoint: Checkpoint, reading: Reading) -> Iterator[Callable[[], Expectation]]:
    """The expectation, to be asked for in the block; a process that evaluates it starts before the headers are read."""
    config = checkpoint.config
    if reader.name != ADAPTERS and (config.path is None or not config.raw):
        yield lambda: _without_config(reader, checkpoint)
    elif bound := next((problem for problem in config.problems if problem.detail == "bound"), None):
        why = f"nothing was expanded: {bound.text}"
        yield lambda: Expectation(reader.name, "", "", "", "none", inconclusive=why)
    else:
        with reader.building(checkpoint, reading) as answer:
            yield lambda: _of_release(answer(), reading.release)


def _of_release(expectation: Expectation, release: str | None) -> Expectation:
    """A release was asked for: an answer from another one is no answer."""
    if release is None or not expectation.version or expectation.version == release:
        return expectation
    why = f"the source found is {expectation.reader} {expectation.version}, asked for was {release}"
    hint = f"give the source of {release} with --source, or install it"
    return Expectation(
        expectation.reader, release, expectation.class_name, expectation.model_type, "none", inconclusive=why, hint=hint
    )


def _without_config(reader: Reader, checkpoint: Checkpoint) -> Expectation:
    """Why no class is named. A GGUF file carries its config with it, so that no config.json is asked for."""
    single = checkpoint.inventory.single_file or ""
    if checkpoint.config.path is not None:
        why, hint = "config.json cannot be read", None
    elif single.endswith(".gguf"):
        why, hint = "GGUF files are not judged yet", None
    else:
        why = "there is no config.json"
        hint = "put config.json beside the weights, or check the folder that holds both"
    return Expectation(reader.name, "", "", "", "none", inconclusive=why, hint=hint)


def assemble(
    reader: Reader,
    checkpoint: StoredCheckpoint,
    selection: Selection,
    manifest: Manifest,
    expectation: Expectation,
    reading: Reading,
    on_disk: Callable[[str], str] = str,
) -> Case:
    """The case for what was read and what is expected: the outcome, the layer plans, and the stored bytes that decide.

    `on_disk` gives the name under which a tensor lies in its file, where the manifest is one after renames.
    """
    inventory, config = checkpoint.inventory, checkpoint.config
    judged = partial(_outcome, reader, config, selection, manifest, reading)
    expectation, outcome = on_devices(expectation, judged)
    expectation = _with_what_it_holds(expectation, outcome)
    expectation = _with_formulas(reader, expectation, outcome, config, reading)
    is_model = reader.name != ADAPTERS
    config_plan = plan_from_config(config, expectation) if is_model else None
    tensor_plan = plan_from_tensors(manifest.families) if is_model else None
    case = Case(inventory, selection, manifest, config, expectation, outcome, config_plan, tensor_plan)
    return replace(
        case,
        tokenizer=checkpoint.tokenizer,
        tie_values=_tie_values(checkpoint, case, on_disk),
        donated_ties=_donated_ties(checkpoint, case, on_disk),
        equal_duplicates=_equal_duplicates(checkpoint, manifest),
        reading=reading,
        checkpoint=checkpoint,
        plan_differs=diff_plans(config_plan, tensor_plan).layers if config_plan and tensor_plan else (),
    )


def _outcome(
    reader: Reader,
    config: ModelConfig,
    selection: Selection,
    manifest: Manifest,
    reading: Reading,
    expectation: Expectation,
) -> Outcome:
    breaks = _first(map(reader.react, config.problems)) or expectation.raises
    if selection.inconclusive:
        return Outcome(inconclusive=selection.inconclusive)
    if _is_nameless(selection, manifest):
        return Outcome(inconclusive=_NAMELESS)
    if breaks or expectation.inconclusive:
        return Outcome(raises=bool(breaks), error=breaks, inconclusive=expectation.inconclusive)
    return reader.load(manifest, expectation, config, reading)


def _with_what_it_holds(expectation: Expectation, outcome: Outcome) -> Expectation:
    """What an adapter should hold is known once the library has made it on its base."""
    load = outcome.adapter
    if load is None:
        return expectation
    name = f"{load.wrapper}({load.model_class})" if load.wrapper else load.model_class
    return replace(expectation, class_name=name, families=load.expected, parameters=load.made)


def _first(reactions: Iterable[str | None]) -> str | None:
    return next(filter(None, reactions), None)


def _with_formulas(
    reader: Reader, expectation: Expectation, outcome: Outcome, config: ModelConfig, reading: Reading
) -> Expectation:
    """Sizes as formulas over config fields, where a size differs: only then do the rules ask for them."""
    differs = any(row.kind in ("mismatched", "conversion") for row in outcome.rows)
    return reader.with_formulas(expectation, config, reading) if differs else expectation


def _is_nameless(selection: Selection, manifest: Manifest) -> bool:
    """Whether only pointers lie there, and no index names what they stand for."""
    kinds = {info.path: info.kind for info in manifest.files}
    pointers = bool(selection.files) and all(kinds.get(file) == "lfs-pointer" for file in selection.files)
    return manifest.names_only and pointers and not manifest.tensors


def _tie_values(checkpoint: Checkpoint, case: Case, on_disk: Callable[[str], str]) -> tuple[TieValue, ...]:
    """The bytes of tied tensors that are stored twice, compared; most checkpoints store them once."""
    if not case.expectation.ties:
        return ()
    from loadproof.formats.ties import compare_ties

    return compare_ties(checkpoint, case.manifest, case.expectation, case.outcome, on_disk)


def _donated_ties(checkpoint: Checkpoint, case: Case, on_disk: Callable[[str], str]) -> tuple[DonatedTie, ...]:
    """Ties whose source is not stored; most checkpoints store it, and then nothing is read."""
    if not case.outcome.tied or case.expectation.version.startswith("4."):
        return ()  # release 4 shares memory before it loads: the last key wins, there is no donor
    from loadproof.formats.ties import compare_donors

    return compare_donors(checkpoint, case.manifest, case.expectation, case.outcome, on_disk)


def _equal_duplicates(checkpoint: Checkpoint, manifest: Manifest) -> tuple[str, ...]:
    if not manifest.duplicates:
        return ()
    from loadproof.formats.ties import equal_duplicates

    return equal_duplicates(checkpoint, manifest)


def conclude(case: Case, timings: Timings) -> Report:
    """Findings and verdict for a case, with what was looked at and what was not."""
    from loadproof.rules import diagnose

    findings, unexplained = diagnose(case)
    findings = faults_of_part(case.checkpoint, case.selection, findings)
    verdict = decide(case, findings, unexplained)
    skipped = (*case.inventory.skipped, *case.manifest.skipped, *case.outcome.skipped, *_not_looked_at(case))
    return Report(case, verdict, findings, unexplained, _checked(case), tuple(dict.fromkeys(skipped)), timings)


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
    if named := case.manifest.only_named:
        skips.append(Skip(f"shapes and dtypes of {named:,} tensors", "only names are known"))
    elif case.manifest.names_only and (case.expectation.ties or case.manifest.duplicates):
        skips.append(Skip("the values of tensors that are stored twice", "names only"))
    early = _first(map(case.reaction, case.config.problems)) or case.expectation.raises
    why = case.expectation.inconclusive or (_EARLY if early else None)
    if why:
        skips.append(Skip("missing, unexpected and mismatched parameters", why))
    if case.expectation.wall == "":
        skips.append(Skip("a wall around the evaluation of the model source", "--evaluate-code-without-wall was given"))
    return skips
