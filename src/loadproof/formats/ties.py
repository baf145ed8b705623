"""Tied tensors that are stored twice, compared by their bytes with a few ranged reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

from msgspec.structs import replace

from loadproof.core.checkpoint import DonatedTie, Manifest, TieValue
from loadproof.core.expectation import Expectation
from loadproof.core.families import join_name, names_of, split_name
from loadproof.core.outcome import Assignment, Outcome
from loadproof.core.session import Checkpoint
from loadproof.core.tensors import TensorRecord

WHOLE = 8 * 1024 * 1024  # bytes up to which everything is compared
SAMPLE = 64 * 1024
SAMPLES = 24
MOST_DUPLICATES = 64  # more of them are judged by the index alone


OnDisk = Callable[[str], str]  # the name under which a tensor lies in its file: another one where a rename is supposed


def compare_ties(
    checkpoint: Checkpoint, manifest: Manifest, expectation: Expectation, outcome: Outcome, on_disk: OnDisk = str
) -> tuple[TieValue, ...]:
    """One comparison for every tie of which both sides are stored under different names.

    Small tensors are compared whole; of large ones samples spread over the whole length are read, so that a difference
    is certain and equality is not (`TieValue.complete`). Never raises: what cannot be read is not comparable.
    """
    return _compared(checkpoint, manifest, list(_stored_pairs(expectation, outcome)), on_disk)


def compare_donors(
    checkpoint: Checkpoint, manifest: Manifest, expectation: Expectation, outcome: Outcome, on_disk: OnDisk = str
) -> tuple[DonatedTie, ...]:
    """Every tie whose source is not stored while several other members are, with these members compared.

    Which of them fills the others is what the reader said in `Outcome.tied`. Never raises, like `compare_ties`.
    """
    ties = list(_donated(expectation, outcome))
    pairs = [list(combinations(tie.stored.values(), 2)) for tie in ties]
    values = [_compared(checkpoint, manifest, wanted, on_disk) for wanted in pairs]
    return tuple(replace(tie, values=found) for tie, found in zip(ties, values, strict=True) if found)


def _donated(expectation: Expectation, outcome: Outcome) -> Iterator[DonatedTie]:
    donors: dict[str, str] = {}
    for filled, given in outcome.tied:
        donors[filled] = donors.get(given, given)
    for source in dict.fromkeys(source for _, source in expectation.ties if source in donors):
        members = [target for target, its_source in expectation.ties if its_source == source]
        stored = {name: found for name in members if (found := _stored_name(outcome, name)) is not None}
        if len(stored) > 1:
            takers = tuple(name for name in (source, *members) if name in donors)
            yield DonatedTie(source, takers, donors[source], stored)


def _compared(
    checkpoint: Checkpoint, manifest: Manifest, pairs: list[tuple[str, str]], on_disk: OnDisk
) -> tuple[TieValue, ...]:
    if not pairs or manifest.names_only:
        return ()
    names = {name: on_disk(name) for pair in pairs for name in pair}
    held = checkpoint.records(tuple(info.path for info in manifest.files), set(names.values()))
    records = {name: replace(held[old], name=name) for name, old in names.items() if old in held}
    return tuple(
        _compare(checkpoint, records[target], records[source])
        for target, source in pairs
        if target in records and source in records
    )


def equal_duplicates(checkpoint: Checkpoint, manifest: Manifest) -> tuple[str, ...]:
    """Names that several files hold with equal type, shape and (of large ones: sampled) bytes. Never raises."""
    if manifest.names_only or len(manifest.duplicates) > MOST_DUPLICATES:
        return ()
    equal = []
    names = {twice.name for twice in manifest.duplicates}
    holders = dict.fromkeys(file for twice in manifest.duplicates for file in twice.files)
    records = {file: checkpoint.records((file,), names) for file in holders}
    for twice in manifest.duplicates:
        copies = [records[file].get(twice.name) for file in twice.files]
        last = copies[-1]
        if last is not None and all(
            copy is not None and _compare(checkpoint, copy, last).equal for copy in copies[:-1]
        ):
            equal.append(twice.name)
    return tuple(equal)


def _stored_pairs(expectation: Expectation, outcome: Outcome) -> Iterator[tuple[str, str]]:
    """The names in the file behind both ends of a tie."""
    for target, source in expectation.ties:
        pair = (_stored_name(outcome, target), _stored_name(outcome, source))
        if pair[0] is not None and pair[1] is not None and pair[0] != pair[1]:
            yield pair[0], pair[1]


def _stored_name(outcome: Outcome, name: str) -> str | None:
    template, indices = split_name(name)
    for assignment in outcome.assignments:
        if assignment.target == template and not assignment.converted:
            return _at(assignment, indices)
    return None


def _at(assignment: Assignment, indices: tuple[int, ...]) -> str | None:
    """The stored name that goes to the target at these indices; families map index by index."""
    targets = list(names_of(assignment.target, assignment.target_axes))
    stored = list(names_of(assignment.stored, assignment.stored_axes))
    wanted = join_name(assignment.target, indices)
    if len(targets) != len(stored) or wanted not in targets:
        return None
    return stored[targets.index(wanted)]


def _compare(checkpoint: Checkpoint, target: TensorRecord, source: TensorRecord) -> TieValue:
    if (target.dtype, target.shape) != (source.dtype, source.shape):
        text = f"{target.dtype} {list(target.shape)} against {source.dtype} {list(source.shape)}"
        return _value(target, source, None, True, text)
    size = target.end - target.begin
    try:
        for begin, length in _ranges(size):
            if checkpoint.payload(target, begin, length) != checkpoint.payload(source, begin, length):
                return _value(target, source, False, True, f"bytes differ near {begin:,} of {size:,}")
    except (OSError, ValueError) as error:
        return _value(target, source, None, True, f"not readable: {error}")
    whole = size <= WHOLE
    text = f"all {size:,} bytes are equal" if whole else f"{SAMPLE * SAMPLES:,} of {size:,} bytes compared, all equal"
    return _value(target, source, True, whole, text)


def _ranges(size: int) -> Iterator[tuple[int, int]]:
    """The whole tensor, or samples spread evenly from the first to the last byte."""
    if size <= WHOLE:
        for begin in range(0, size, SAMPLE * SAMPLES):
            yield begin, min(SAMPLE * SAMPLES, size - begin)
        return
    for number in range(SAMPLES):
        yield (size - SAMPLE) * number // (SAMPLES - 1), SAMPLE


def _value(target: TensorRecord, source: TensorRecord, equal: bool | None, complete: bool, text: str) -> TieValue:
    return TieValue(target.name, source.name, equal, complete, text, target.shape, target.file, source.file)
