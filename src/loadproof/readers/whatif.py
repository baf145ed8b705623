"""A case once more with another config or other stored names: the same for every reader that builds and loads."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from loadproof.config.edited import with_edits
from loadproof.core.case import Case
from loadproof.core.config import ModelConfig
from loadproof.core.edits import Edit
from loadproof.core.expectation import Expectation, Kin
from loadproof.core.outcome import Outcome
from loadproof.core.tensors import Family
from loadproof.readers.base import Reader


def build_if(reader: Reader, case: Case, edits: Sequence[Edit]) -> Expectation | None:
    """What the class of the case would expect; None where it cannot be built, or comes from another release."""
    if case.checkpoint is None:
        return None
    try:
        config = with_edits(case.config, edits)
    except (IndexError, KeyError, TypeError):
        return None
    reading = replace(case.reading, class_name=case.expectation.class_name or None)
    made = reader.build(case.checkpoint.edited(case.inventory, config), reading)
    usable = made.inconclusive is None and made.raises is None and made.version == case.expectation.version
    return made if usable else None


def what_if(reader: Reader, case: Case, edits: Sequence[Edit], families: Sequence[Family] | None) -> Outcome | None:
    """The outcome under these edits of the config and for these stored tensors; None where it cannot be said."""
    expectation = build_if(reader, case, edits) if edits else case.expectation
    if expectation is None:
        return None
    manifest = case.manifest if families is None else replace(case.manifest, families=tuple(families), values=())
    return reader.load(manifest, expectation, with_edits(case.config, edits) if edits else case.config)


def as_class(
    reader: Reader, case: Case, kin: Kin, config: ModelConfig, families: Sequence[Family]
) -> tuple[Expectation, Outcome] | None:
    """Another class of the same release under this config, and these stored tensors loaded into it; None where it cannot
    be built. Files that are not there do not matter: the names alone are asked about."""
    if case.checkpoint is None:
        return None
    as_kin = replace(case.reading, class_name=kin.class_name)
    made = reader.build(case.checkpoint.edited(case.inventory, config), as_kin)
    if made.inconclusive is not None or made.raises is not None:
        return None
    known = bool(case.manifest.families)
    manifest = replace(case.manifest, families=tuple(families), values=(), unread=(), names_only=not known)
    return made, reader.load(manifest, made, config)
