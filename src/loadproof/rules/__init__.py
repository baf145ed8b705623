"""The rules, one file each, in order of rank: a root cause stands before what follows from it.

A rule of higher rank explains rows first; a later rule sees only what is left (see `loadproof.rules.diagnose`).
"""

from __future__ import annotations

from importlib import import_module

from loadproof.rules.base import Rule, RuleDocs
from loadproof.rules.diagnose import guarded, run_rules
from loadproof.types import Case, Finding, Row

RANK: tuple[str, ...] = (
    # the bytes are not what they should be: nothing behind them can be judged
    "lfs-pointer",
    "config-invalid",
    "config-missing",
    "config-value",
    "not-weights",
    "executable-payload",
    "zero-filled",
    "truncated",
    "header-invalid",
    "duplicate-header-key",
    "entry-invalid",
    "offsets-invalid",
    "trailing-bytes",
    "hostile-name",
    "unsafe-pattern",
    # which files are read
    "unsafe-path",
    "index-invalid",
    "shadowed-save",
    "rival-formats",
    "no-weights",
    "shard-missing",
    "shard-unindexed",
    "duplicate-tensor",
    "index-wrong-shard",
    "index-ghost-key",
    "index-missing-key",
    "total-size-wrong",
    "no-format-metadata",
    # which reader, which dialect
    "reader-too-old",
    "remote-code",
    "config-dialect",
    "layer-plan-word",
    "layer-plan-length",
    "foreign-dialect",
    # what was dumped instead of a model
    "zero3-placeholders",
    "fsdp1-local-view",
    "rank-local-shard",
    "peft-dump",
    "quant-config-missing",
    "packed-as-dense",
    "quant-config-stale",
    # names
    "task-head-missing",
    "wrong-class",
    "wrapper-prefix",
    "repeated-prefix",
    "nesting-prefix",
    "backbone-only",
    # embedding, head, ties, vocabulary
    "head-wrapped",
    "tie-level",
    "tie-contradicted",
    "head-missing",
    "head-flattened",
    "embedding-flattened",
    "head-transposed",
    "head-row-shard",
    "vocab-rows",
    "vocab-tokenizer",
    # the layer plan
    "layer-plan-one-based",
    "layer-plan-default",
    "layer-plan-mismatch",
    "layer-plan-spellings",
    "depth-mismatch",
    "mtp-promised",
    "mtp-unannounced",
    # layout and class
    "expert-layout",
    "expert-gap",
    "config-dims-wrong",
    "saver-dropped",
    # shapes and types
    "transposed",
    "flattened",
    "shape-mismatch",
    "dtype-unlike-config",
    # what no reader reports
    "duplicate-source",
    "ignored-weights",
    "tie-redundant",
)


def _load(slug: str) -> Rule | None:
    name = f"loadproof.rules.{slug.replace('-', '_')}"
    try:
        rule = import_module(name).RULE
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return None
    assert isinstance(rule, Rule)
    return rule


RULES: tuple[Rule, ...] = tuple(rule for rule in map(_load, RANK) if rule is not None)


def diagnose(case: Case) -> tuple[tuple[Finding, ...], tuple[Row, ...]]:
    """Findings (the first is the cause) and the reported rows that none of them explains."""
    return run_rules(case, RULES, guarded)


__all__ = ["RANK", "RULES", "Rule", "RuleDocs", "diagnose"]
