"""What the library's text answered, as rows: parameters left as made, stored tensors that reach nothing, other sizes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loadproof.core.adapter import AdapterLoad, OtherClass
from loadproof.core.checkpoint import Manifest
from loadproof.core.expectation import Expected
from loadproof.core.families import fold, names_of
from loadproof.core.outcome import Assignment, Outcome, Row
from loadproof.core.tensors import Family
from loadproof.interpret.worlds.peft.predict import unfilled
from loadproof.interpret.worlds.peft.question import Answer

Stored = dict[str, Family]  # name -> the family that it belongs to


def outcome_of(answer: Answer, manifest: Manifest) -> Outcome:
    """The outcome with what else is known of the load."""
    stored: Stored = {name: f for f in manifest.families for name in names_of(f.template, f.axes)}
    load = _load_of(answer, stored)
    if answer.inconclusive is not None:
        return Outcome(inconclusive=answer.inconclusive, adapter=load)
    if answer.error is not None:
        rows = tuple(_mismatched(answer, stored))
        return Outcome(rows=rows, raises=True, error=answer.error, adapter=load)
    rows = (*_missing(answer), *_unused(answer, stored))
    return Outcome(rows=rows, assignments=tuple(_assignments(answer, stored)), adapter=load)


def _load_of(answer: Answer, stored: Stored) -> AdapterLoad:
    left = unfilled(answer) if answer.error is None else ()
    fates = [answer.fates.get(answer.parameter.get(name, name)) for name in left]
    expected = tuple(Expected(template, axes, shape) for template, axes, shape in fold(answer.expected.items()))
    of_base = {p: [name for name in answer.given.get(p, ()) if name in stored] for p in answer.base}
    over = [name for parameter, names in of_base.items() if parameter not in answer.restated for name in names]
    again = [name for parameter in answer.restated for name in of_base.get(parameter, ())]
    return AdapterLoad(
        model_class=answer.model_class,
        wrapper=answer.class_name,
        expected=expected,
        filled=0 if answer.error is not None else len(answer.expected) - len(left),
        made=len(answer.expected),
        zero=fates.count("zero"),
        overwritten=tuple(_families(over, stored)),
        restated=tuple(_families(again, stored)),
        warnings=answer.warnings,
        error_at=answer.error_at,
        others=tuple(OtherClass(o.class_name, o.is_whole, o.filled, o.made, o.error) for o in answer.others),
    )


def _families(names: Iterable[str], stored: Stored) -> Iterator[Family]:
    for template, axes, (dtype, shape, files) in fold(
        (name, (stored[name].dtype, stored[name].shape, stored[name].files)) for name in names
    ):
        yield Family(template, axes, dtype, shape, files)


def _missing(answer: Answer) -> Iterator[Row]:
    """Parameters of the adapter that stay as they were made, by the name that the library gives them."""
    left = [(answer.parameter.get(name, name), answer.expected[name]) for name in unfilled(answer)]
    for template, axes, shape in fold(left):
        yield Row("missing", template, axes, expected=shape)


def _unused(answer: Answer, stored: Stored) -> Iterator[Row]:
    for f in _families((name for name in answer.unused if name in stored), stored):
        yield Row("unexpected", f.template, f.axes, found=f.shape, stored=f.template, files=f.files, dtype=f.dtype)
    for template, axes, _ in fold((name, None) for name in answer.unused if name not in stored):
        yield Row("unexpected", template, axes)


def _mismatched(answer: Answer, stored: Stored) -> Iterator[Row]:
    """Names that are wanted and stored in different sizes."""
    differ = [
        (name, (shape, stored[name].shape, stored[name].files))
        for name, shape in answer.expected.items()
        if name in stored and tuple(stored[name].shape or ()) != tuple(shape)
    ]
    for template, axes, (wanted, found, files) in fold(differ):
        yield Row("mismatched", template, axes, expected=wanted, found=found, stored=template, files=files)


def _assignments(answer: Answer, stored: Stored) -> Iterator[Assignment]:
    """Stored tensors that reach a parameter, one by one: names of file and model need not fold alike."""
    for parameter, origin in answer.given.items():
        for name in origin:
            family = stored.get(name)
            if family is not None:
                made_of_several = len(origin) > 1
                yield Assignment(name, (), parameter, (), made_of_several, family.dtype, family.shape)
