"""What the reader would report if config.json were otherwise: the proof of a config-only repair.

A rule that supposes a wrong field writes it, lets the model's source be read again and predicts again. The rows that
vanish are the ones the field explains; a repair is offered as proven only if no new row appears.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from loadproof.core.case import Case
from loadproof.core.config import ModelConfig
from loadproof.core.edits import DeleteJson, Edit, SetJson
from loadproof.core.expectation import Expectation
from loadproof.core.outcome import Outcome, Row
from loadproof.readers import get_reader
from loadproof.rules.evidence.whatif import is_judged
from loadproof.rules.rows import subtract


def with_edits(config: ModelConfig, edits: Sequence[Edit]) -> ModelConfig:
    """The config after these edits of it. Missing parents are made; `text` stays, so lines are those of the file."""
    raw = copy.deepcopy(config.raw)
    for edit in edits:
        if not isinstance(edit, SetJson | DeleteJson):
            continue
        node: Any = raw
        for part in edit.path[:-1]:
            node = node.setdefault(part, {}) if isinstance(node, dict) else node[part]
        if isinstance(edit, SetJson):
            node[edit.path[-1]] = edit.value
        elif isinstance(node, dict):
            node.pop(edit.path[-1], None)
    return replace(config, raw=raw)


def expectation_if(case: Case, edits: Sequence[Edit]) -> Expectation | None:
    """What the class would expect under the edited config; None where that cannot be said for the same release."""
    reader = get_reader(case.expectation.reader)
    class_name = case.expectation.class_name or None
    try:
        config = with_edits(case.config, edits)
    except (IndexError, KeyError, TypeError):
        return None
    made = reader.expect(
        config,
        case.inventory.root,
        class_name=class_name,
        source=case.source,
        names_only=case.manifest.names_only,
        use_cache=case.use_cache,
        without_wall=case.without_wall,
    )
    usable = made.inconclusive is None and made.raises is None and made.version == case.expectation.version
    return made if usable else None


def outcome_if(case: Case, edits: Sequence[Edit]) -> Outcome | None:
    """The outcome under the edited config, None where it cannot be said."""
    expectation = expectation_if(case, edits)
    if expectation is None:
        return None
    config = with_edits(case.config, edits)
    outcome = get_reader(expectation.reader).predict(case.manifest, expectation, config)
    return outcome if is_judged(outcome) else None


def explained_by_config(case: Case, edits: Sequence[Edit]) -> tuple[list[Row], list[Row]] | None:
    """(rows that vanish, rows that are new) under the edited config, None where it cannot be said.

    The new rows are counted against all that is reported, not only against what is left to explain.
    """
    outcome = outcome_if(case, edits)
    if outcome is None:
        return None
    return subtract(case.outcome.rows, outcome.rows), subtract(outcome.rows, case.outcome.rows)
