"""From tensors, configuration and base to an outcome: the question, what the library's text answers, and its rows."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from loadproof.config.edited import with_edits
from loadproof.core.case import Case
from loadproof.core.checkpoint import Manifest
from loadproof.core.config import ModelConfig
from loadproof.core.edits import Edit
from loadproof.core.expectation import Expectation
from loadproof.core.families import names_of
from loadproof.core.outcome import Outcome
from loadproof.core.reading import Reading
from loadproof.core.tensors import Family
from loadproof.interpret.adapters import foretell
from loadproof.interpret.worlds.peft.folder import LABEL
from loadproof.interpret.worlds.peft.question import Question, StoredTensor
from loadproof.readers.base import Reader
from loadproof.readers.peft.rows import outcome_of

_PATTERN = "LP015"


def load(manifest: Manifest, expectation: Expectation, config: ModelConfig, reading: Reading) -> Outcome:
    """The outcome. Nothing is raised: what cannot be said is `inconclusive`."""
    why = _unread(manifest, config, expectation)
    if why is not None:
        return Outcome(inconclusive=why)
    assert expectation.base is not None
    tensors = {
        name: StoredTensor(f.dtype or "", f.shape or ())
        for f in manifest.families
        for name in names_of(f.template, f.axes)
    }
    question = Question(config.raw, tensors, expectation.base.raw, reading.class_name)
    answer = foretell(
        question,
        source=reading.source,
        use_cache=reading.use_cache,
        without_wall=reading.evaluate_code_without_wall,
    )
    if answer.error is not None:
        answer = replace(answer, error=answer.error.replace(f"at '{LABEL}'", "at the folder"))
    return outcome_of(answer, manifest)


def _unread(manifest: Manifest, config: ModelConfig, expectation: Expectation) -> str | None:
    """Why the adapter cannot be judged, if so."""
    if manifest.format == "torch" and not manifest.families:
        return "adapter_model.bin is a torch file, whose tensors are not read here"
    if any(family.shape is None for family in manifest.families):
        return "the shapes of the stored tensors are not known"
    if any(problem.code == _PATTERN for problem in config.problems):
        return "a pattern of adapter_config.json may run for ever"
    base = expectation.base
    if base is not None and "auto_map" in base.raw and not _is_native(base.raw):
        return "the base is made by its repository's own code, on which adapters are not judged"
    return None


def _is_native(raw: dict[str, object]) -> bool:
    """Whether config.json names a model type beside its own code; what the release makes of it is found out there."""
    return isinstance(raw.get("model_type"), str)


def what_if(reader: Reader, case: Case, edits: Sequence[Edit], families: Sequence[Family] | None) -> Outcome | None:
    """The outcome under these edits of the configuration and for these stored tensors."""
    expectation = reader.build_if(case, edits) if edits else case.expectation
    if expectation is None or expectation.inconclusive is not None or expectation.base is None:
        return None
    manifest = case.manifest if families is None else replace(case.manifest, families=tuple(families))
    return load(manifest, expectation, with_edits(case.config, edits) if edits else case.config, case.reading)
