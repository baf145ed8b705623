"""The registry: every rule by its place in order of rank, and when it can have something to say.

A place is ``group/slug``, the file of a rule, or ``group/table#slug``, its row in a table of rules.

A root cause stands before what follows from it. A rule is imported only where its gate is open, so that a healthy
checkpoint pays for a handful of rules and not for all (`tests/rules/test_registry.py` proves the gates harmless).
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from loadproof.core.case import Case
from loadproof.rules.base import Rule

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


def _says_mlx(case: Case) -> bool:
    return any(metadata.get("format") == "mlx" for metadata in case.manifest.metadata.values())


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
    """What other releases make of the config is of interest once this one loads it; an older one is judged by it.

    Code of the repository that raises is of another release, too.
    """
    ran = case.expectation.source == "remote-code" and case.expectation.raises is not None
    return ran or not unclear(case) or case.expectation.version.startswith("4.")


def _holds_an_adapter(case: Case) -> bool:
    return any(file.path == "adapter_config.json" for file in case.inventory.files)


RANK: tuple[tuple[str, Gate], ...] = (
    ("files/code-forbidden-call", lambda case: case.expectation.forbidden_call),
    # the bytes are not what they should be: nothing behind them can be judged
    ("files/lfs-pointer", lambda case: any(file.kind == "lfs-pointer" for file in case.inventory.files)),
    ("config/table#config-invalid", fault("LP013")),
    ("config/config-missing", lambda case: case.config.path is None),
    ("config/table#config-value", fault("LP014")),
    ("files/table#not-weights", fault("LP002")),
    ("files/executable-payload", fault("LP012")),
    ("files/table#zero-filled", fault("LP005")),
    ("files/table#truncated", fault("LP003")),
    ("files/header-invalid", fault("LP006")),
    ("files/table#duplicate-header-key", fault("LP009")),
    ("files/table#entry-invalid", fault("LP007")),
    ("files/table#offsets-invalid", fault("LP008")),
    ("files/table#trailing-bytes", fault("LP004")),
    ("files/table#compressed-storage", fault("LP020")),
    ("files/table#pickle-refused", fault("LP021")),
    ("files/hostile-name", fault("LP011")),
    ("config/table#unsafe-pattern", fault("LP015")),
    ("files/foreign-record", fault("LP018")),
    # which files are read
    ("index/unsafe-path", fault("LP110")),
    ("index/dangling-link", fault("LP114")),
    ("index/index-invalid", fault("LP101")),
    ("index/shadowed-save", _has_index),
    ("index/rival-formats", lambda case: len(case.inventory.files) > 1),
    ("index/training-state", lambda case: bool(case.inventory.states)),
    ("index/no-weights", lambda case: case.selection.entry is None),
    ("index/shard-missing", _has_index),
    ("index/shard-unindexed", _has_index),
    ("index/duplicate-tensor", lambda case: bool(case.manifest.duplicates)),
    ("index/index-wrong-shard", fault("LP106")),
    ("index/index-ghost-key", fault("LP104")),
    ("index/index-missing-key", fault("LP105")),
    ("index/total-size-wrong", _has_index),
    ("files/no-format-metadata", fault("LP010")),
    # which reader, which dialect
    ("reader/reader-too-old", unclear),
    ("reader/remote-code", lambda case: "auto_map" in case.config.text),
    ("plan/layer-plan-word", hybrid),
    ("plan/layer-plan-length", unclear),
    ("names/mlx-dialect", lambda case: unclear(case) or _says_mlx(case)),
    ("names/foreign-dialect", unclear),
    # what was dumped instead of a model
    ("names/no-flat-state-dict", lambda case: bool(case.manifest.values)),
    ("shapes/zero3-placeholders", unclear),
    ("shapes/fsdp1-local-view", rows),
    ("shapes/rank-local-shard", rows),
    ("names/peft-dump", unclear),
    ("quantization/quant-config-missing", _stores_companions),
    ("quantization/packed-as-dense", _stores_integers),
    ("quantization/quant-companion-renamed", _declares_quantization),
    ("quantization/quant-companion-missing", _declares_quantization),
    ("quantization/quant-layout", lambda case: _declares_quantization(case) or unclear(case)),
    ("quantization/quant-method", _declares_quantization),
    ("quantization/quant-group-size", _declares_quantization),
    ("quantization/quant-cache-scales", rows),
    ("quantization/quant-scheme", _declares_quantization),
    ("quantization/quant-set-mismatch", _declares_quantization),
    ("quantization/quant-config-stale", _declares_quantization),
    ("reader/version-pair", _declares_quantization),
    # names
    ("names/task-head-missing", rows),
    ("names/wrong-class", _names_another_class),
    ("names/wrapper-prefix", rows),
    ("names/repeated-prefix", renamed),
    ("names/nesting-prefix", renamed),
    ("names/backbone-only", renamed),
    ("names/renamed-parameter", rows),
    # embedding, head, ties, vocabulary
    ("vocabulary/head-wrapped", rows),
    ("vocabulary/tie-level", _is_nested),
    ("vocabulary/tie-donor", lambda case: bool(case.donated_ties)),
    ("vocabulary/tie-contradicted", lambda case: rows(case) or bool(case.tie_values or case.donated_ties)),
    ("vocabulary/head-missing", rows),
    ("vocabulary/head-flattened", rows),
    ("vocabulary/embedding-flattened", rows),
    ("vocabulary/head-transposed", rows),
    ("vocabulary/head-row-shard", rows),
    ("vocabulary/vocab-rows", rows),
    ("vocabulary/vocab-tokenizer", lambda case: case.tokenizer is not None),
    # the layer plan
    ("plan/layer-numbering", rows),
    ("plan/layer-plan-one-based", hybrid),
    ("plan/layer-plan-default", hybrid),
    ("plan/layer-plan-mismatch", hybrid),
    ("plan/layer-plan-spellings", hybrid),
    ("plan/depth-mismatch", rows),
    ("plan/mtp-promised", predicts),
    ("plan/mtp-unannounced", predicts),
    # layout
    ("names/expert-layout", rows),
    ("names/expert-gap", _has_experts),
    ("shapes/config-dims-wrong", unclear),
    ("names/saver-dropped", rows),
    # shapes and types
    ("shapes/transposed", rows),
    ("shapes/flattened", rows),
    ("shapes/shape-mismatch", rows),
    ("quantization/quant-misread", rows),
    ("shapes/dtype-unlike-config", always),
    ("adapters/adapter-beside-model", _holds_an_adapter),
    # what no reader reports
    ("index/linked-files", lambda case: any(file.link for file in case.inventory.files)),
    ("names/duplicate-source", lambda case: bool(case.outcome.dropped)),
    ("names/ignored-weights", lambda case: unclear(case) or bool(case.outcome.ignored)),
    ("vocabulary/tie-redundant", lambda case: bool(case.tie_values)),
    ("reader/config-dialect", _is_otherwise_right),
    # an exception that nothing else explains
    ("config/config-refused", lambda case: case.expectation.raises is not None),
)


def troubled(case: Case) -> bool:
    """An adapter that was judged and does not load whole."""
    load = case.outcome.adapter
    return load is not None and (bool(load.overwritten) or case.outcome.raises or rows(case))


# Rules of adapters: faults of files are the same as those of a model, names and sizes are judged by rules of their own.
_OF_FILES = ("files/", "config/table#")
ADAPTERS: tuple[tuple[str, Gate], ...] = (
    *((place, gate) for place, gate in RANK if place.startswith(_OF_FILES)),
    ("adapters/adapter-empty", unclear),
    ("shapes/zero3-placeholders", unclear),
    ("adapters/adapter-prefix", troubled),
    ("adapters/adapter-release", rows),
    ("adapters/adapter-vocab", troubled),
    ("adapters/adapter-config", troubled),
    ("adapters/adapter-base-mismatch", troubled),
    ("adapters/adapter-foreign-parts", lambda case: case.outcome.adapter is not None or case.selection.entry is None),
    ("adapters/adapter-overwrites-base", troubled),
    ("adapters/adapter-dropped", rows),
    ("adapters/adapter-partial", rows),
    ("adapters/adapter-refused", troubled),
)


# Rules of live models: what is not there, what is a piece, what is packed, what has the wrong shape.
LIVE: tuple[str, ...] = (
    "live/placeholder-parameter",
    "live/local-shard",
    "live/packed-parameter",
    "live/head-not-2d",
    "live/head-rows",
    "live/tie-broken",
)


def module_of(place: str) -> str:
    """The module that holds the rule of this place."""
    return f"loadproof.rules.{place.partition('#')[0].replace('/', '.').replace('-', '_')}"


def load(place: str) -> Rule:
    """The rule at this place. Raises `ModuleNotFoundError` or `KeyError` where there is none."""
    module, slug = import_module(module_of(place)), place.partition("#")[2]
    rule = module.RULES[slug] if slug else module.RULE
    assert isinstance(rule, Rule)
    return rule


def every_rule() -> tuple[Rule, ...]:
    """All rules of checkpoints, in order of rank."""
    return tuple(load(place) for place, _ in RANK)


def adapter_rules() -> tuple[Rule, ...]:
    """All rules of adapters, in order of rank; those of files are among those of checkpoints too."""
    return tuple(load(place) for place, _ in ADAPTERS)


def live_rules() -> tuple[Rule, ...]:
    """All rules of live models, in order of rank."""
    return tuple(map(load, LIVE))


def rules_for(case: Case) -> tuple[Rule, ...]:
    """The rules that can have something to say about this case, in order of rank."""
    ranked = ADAPTERS if case.expectation.reader == "peft" else RANK
    return tuple(load(place) for place, gate in ranked if gate(case))
