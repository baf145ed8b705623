"""The real library: expectation of a real model as our own data, and what a real `from_pretrained` reports."""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from loadproof.core.expectation import Expectation, Expected
from loadproof.core.families import fold, names_of, split_name
from loadproof.core.loading import ConversionRule, Loading, Operation
from loadproof.core.outcome import Outcome


class Report(Struct, frozen=True):
    """The sets of a load report, by name. `raised` is the exception of a strict run, None when it came through."""

    missing: frozenset[str] = frozenset()
    unexpected: frozenset[str] = frozenset()
    mismatched: frozenset[str] = frozenset()
    conversion: frozenset[str] = frozenset()
    reported: bool = False
    raised: str | None = None


SETS = ("missing", "unexpected", "mismatched", "conversion")


def load(cls: Any, folder: str) -> Report:
    """The report of a lenient load (mismatched sizes ignored), and the exception of a strict one.

    Where the lenient load comes through and reports nothing that can raise, the strict one is the same and is left out.
    """
    import transformers.modeling_utils as modeling_utils

    caught: list[Report] = []
    original = modeling_utils.log_state_dict_report

    def capture(*args: Any, loading_info: Any, **more: Any) -> None:
        caught.append(_report(loading_info))

    modeling_utils.log_state_dict_report = capture
    try:
        error = _raised(cls, folder, ignore_mismatched_sizes=True)
    finally:
        modeling_utils.log_state_dict_report = original
    report = caught[0] if caught else Report()
    if error is not None or report.mismatched or report.conversion:
        error = _raised(cls, folder)
    return replace(report, raised=error)


def _report(info: Any) -> Report:
    mismatched = frozenset(row[0] for row in info.mismatched_keys)
    missing, unexpected = frozenset(info.missing_keys), frozenset(info.unexpected_keys)
    return Report(missing, unexpected, mismatched, frozenset(info.conversion_errors), True)


def _raised(cls: Any, folder: str, **options: Any) -> str | None:
    try:
        cls.from_pretrained(folder, **options)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def predicted(outcome: Outcome) -> Report:
    """Our outcome in the same form. A name in two rows of one kind is a fault of ours."""
    sets: dict[str, list[str]] = {kind: [] for kind in SETS}
    for row in outcome.rows:
        sets[row.kind] += names_of(row.template, row.axes)
    for kind, names in sets.items():
        assert len(set(names)) == len(names), (kind, sorted(n for n in names if names.count(n) > 1)[:3])
    return Report(*(frozenset(sets[kind]) for kind in SETS), reported=True, raised=outcome.error)


def expectation_of(model: Any) -> Expectation:
    """What a live model expects; the same data that `interpret` reads from source."""
    from transformers.conversion_mapping import get_model_conversion_mapping

    shapes = {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}
    families = tuple(Expected(t, axes, shape) for t, axes, shape in fold(shapes.items()))
    text = model.config.get_text_config().to_dict()
    return Expectation(
        "transformers",
        _release(),
        type(model).__name__,
        model.config.model_type,
        "installed",
        families,
        tuple(model.all_tied_weights_keys.items()),
        model.base_model_prefix,
        tuple(sorted({split_name(name)[0] for name, _ in model.named_buffers()})),
        {**model.config.to_dict(), **text},
        len(shapes),
        private=Loading(
            tuple(sorted(model._keys_to_ignore_on_load_missing or ())),
            tuple(sorted(model._keys_to_ignore_on_load_unexpected or ())),
            (),
            tuple(map(_rule, get_model_conversion_mapping(model))),
        ),
    )


def _release() -> str:
    import transformers

    return str(transformers.__version__)


def _rule(rule: Any) -> ConversionRule:
    return ConversionRule(
        type(rule).__name__,
        tuple(rule.source_patterns),
        tuple(rule.target_patterns),
        rule.compiled_sources.pattern,
        rule.scope_prefix,
        rule.base_model_prefix,
        getattr(rule, "offset", None),
        tuple(Operation(type(op).__name__, dict(vars(op))) for op in getattr(rule, "operations", ())),
    )
