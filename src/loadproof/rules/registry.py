"""The registry: every rule by its slug, in order of rank, with the circumstances in which it can have something to say.

A root cause stands before what follows from it. A rule is imported only where its gate is open, so that a healthy
checkpoint pays for a handful of rules and not for all (`tests/rules/test_registry.py` proves the gates harmless).
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from loadproof.rules.base import Rule
from loadproof.types import Case

Gate = Callable[[Case], bool]


def always(case: Case) -> bool:  # noqa: ARG001 - a gate like the others
    return True


def rows(case: Case) -> bool:
    """The reader reports something."""
    return bool(case.outcome.rows)


def unclear(case: Case) -> bool:
    """Anything but a clean load: rows, an exception, or no judgement."""
    judged = case.expectation.families and not case.expectation.inconclusive and not case.outcome.inconclusive
    return rows(case) or not judged or case.expectation.raises is not None


def fault(code: str) -> Gate:
    """A problem of this code was recorded while reading."""

    def recorded(case: Case) -> bool:
        problems = (*case.inventory.problems, *case.manifest.problems, *case.config.problems)
        return any(problem.code == code for problem in problems)

    return recorded


def renamed(case: Case) -> bool:
    """The reader loads tensors under other names than they are stored under."""
    return unclear(case) or any(found.stored != found.target for found in case.outcome.assignments)


def hybrid(case: Case) -> bool:
    """Layers of more than one kind, in the config or in the tensors."""
    plans = (case.config_plan, case.tensor_plan)
    return unclear(case) or any(plan is not None and len(set(plan.words)) > 1 for plan in plans)


def predicts(case: Case) -> bool:
    """Prediction heads (MTP) may be announced or stored."""
    return unclear(case) or bool(case.outcome.ignored) or "mtp" in case.config.text or "nextn" in case.config.text


def _has_index(case: Case) -> bool:
    return bool(case.inventory.indexes)


def _declares_quantization(case: Case) -> bool:
    return "quantization_config" in case.config.text or "compression_config" in case.config.text


def _stores_integers(case: Case) -> bool:
    return any(family.dtype in ("U8", "I8") for family in case.manifest.families)


def _stores_companions(case: Case) -> bool:
    return unclear(case) or any((family.dtype or "").startswith("F8") for family in case.manifest.families)


def _has_experts(case: Case) -> bool:
    return any(".experts.{}." in family.template for family in case.manifest.families)


def _names_another_class(case: Case) -> bool:
    return unclear(case) or case.expectation.class_name not in case.config.raw.get("architectures", ())


def _is_nested(case: Case) -> bool:
    return rows(case) or any(isinstance(value, dict) for value in case.config.raw.values())


def _is_otherwise_right(case: Case) -> bool:
    """What other releases make of the config is of interest once this one loads it; an older one is judged by it."""
    return not unclear(case) or case.expectation.version.startswith("4.")


RANK: tuple[tuple[str, Gate], ...] = (
    # the bytes are not what they should be: nothing behind them can be judged
    ("lfs-pointer", lambda case: any(file.kind == "lfs-pointer" for file in case.inventory.files)),
    ("config-invalid", fault("LP013")),
    ("config-missing", lambda case: case.config.path is None),
    ("config-value", fault("LP014")),
    ("not-weights", fault("LP002")),
    ("executable-payload", fault("LP012")),
    ("zero-filled", fault("LP005")),
    ("truncated", fault("LP003")),
    ("header-invalid", fault("LP006")),
    ("duplicate-header-key", fault("LP009")),
    ("entry-invalid", fault("LP007")),
    ("offsets-invalid", fault("LP008")),
    ("trailing-bytes", fault("LP004")),
    ("hostile-name", fault("LP011")),
    ("unsafe-pattern", fault("LP015")),
    # which files are read
    ("unsafe-path", fault("LP110")),
    ("index-invalid", fault("LP101")),
    ("shadowed-save", _has_index),
    ("rival-formats", lambda case: len(case.inventory.files) > 1),
    ("no-weights", lambda case: case.selection.entry is None),
    ("shard-missing", _has_index),
    ("shard-unindexed", _has_index),
    ("duplicate-tensor", lambda case: bool(case.manifest.duplicates)),
    ("index-wrong-shard", fault("LP106")),
    ("index-ghost-key", fault("LP104")),
    ("index-missing-key", fault("LP105")),
    ("total-size-wrong", _has_index),
    ("no-format-metadata", fault("LP010")),
    # which reader, which dialect
    ("reader-too-old", unclear),
    ("remote-code", lambda case: "auto_map" in case.config.text),
    ("layer-plan-word", hybrid),
    ("layer-plan-length", unclear),
    ("foreign-dialect", unclear),
    # what was dumped instead of a model
    ("zero3-placeholders", unclear),
    ("fsdp1-local-view", rows),
    ("rank-local-shard", rows),
    ("peft-dump", unclear),
    ("quant-config-missing", _stores_companions),
    ("packed-as-dense", _stores_integers),
    ("quant-config-stale", _declares_quantization),
    # names
    ("task-head-missing", rows),
    ("wrong-class", _names_another_class),
    ("wrapper-prefix", rows),
    ("repeated-prefix", renamed),
    ("nesting-prefix", renamed),
    ("backbone-only", renamed),
    # embedding, head, ties, vocabulary
    ("head-wrapped", rows),
    ("tie-level", _is_nested),
    ("tie-contradicted", lambda case: rows(case) or bool(case.tie_values)),
    ("head-missing", rows),
    ("head-flattened", rows),
    ("embedding-flattened", rows),
    ("head-transposed", rows),
    ("head-row-shard", rows),
    ("vocab-rows", rows),
    ("vocab-tokenizer", lambda case: case.tokenizer is not None),
    # the layer plan
    ("layer-numbering", rows),
    ("layer-plan-one-based", hybrid),
    ("layer-plan-default", hybrid),
    ("layer-plan-mismatch", hybrid),
    ("layer-plan-spellings", hybrid),
    ("depth-mismatch", rows),
    ("mtp-promised", predicts),
    ("mtp-unannounced", predicts),
    # layout
    ("expert-layout", rows),
    ("expert-gap", _has_experts),
    ("config-dims-wrong", unclear),
    ("saver-dropped", rows),
    # shapes and types
    ("transposed", rows),
    ("flattened", rows),
    ("shape-mismatch", rows),
    ("dtype-unlike-config", always),
    # what no reader reports
    ("duplicate-source", lambda case: bool(case.outcome.dropped)),
    ("ignored-weights", lambda case: unclear(case) or bool(case.outcome.ignored)),
    ("tie-redundant", lambda case: bool(case.tie_values)),
    ("config-dialect", _is_otherwise_right),
    # an exception that nothing else explains
    ("config-refused", lambda case: case.expectation.raises is not None),
)


def load(slug: str) -> Rule:
    """The rule of this slug. Raises `ModuleNotFoundError` for a slug that has no file."""
    rule = import_module(f"loadproof.rules.{slug.replace('-', '_')}").RULE
    assert isinstance(rule, Rule)
    return rule


def every_rule() -> tuple[Rule, ...]:
    """All rules of the registry, in order of rank."""
    return tuple(load(slug) for slug, _ in RANK)


def rules_for(case: Case) -> tuple[Rule, ...]:
    """The rules that can have something to say about this case, in order of rank."""
    return tuple(load(slug) for slug, gate in RANK if gate(case))


def absorbed_by(slugs: set[str]) -> set[str]:
    """Codes of what the rules of these slugs stand for when they fire (`Rule.absorbs`)."""
    return {code for slug, _ in RANK if slug in slugs for code in load(slug).absorbs}
