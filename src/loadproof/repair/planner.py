"""Edits -> Plan."""

from __future__ import annotations

import os
from collections.abc import Iterable

from loadproof.repair import file_edits, tensor_edits
from loadproof.repair.compiler import Compiler
from loadproof.repair.draft import Draft, RefusedError
from loadproof.repair.journal import UNDO
from loadproof.repair.plan import Plan, Refusal
from loadproof.types import Edit, Inventory

HANDLERS = {**tensor_edits.HANDLERS, **file_edits.HANDLERS}


def plan_edits(inventory: Inventory, edits: Iterable[Edit]) -> Plan:
    """The plan for these edits, one after another. Never raises on bad content: `refusals` says what is wrong."""
    edits = tuple(edits)
    draft = Draft(inventory)
    number = next_number(inventory.root)
    try:
        for edit in edits:
            HANDLERS[type(edit)](draft, edit)
        file_edits.follow(draft)
        compiler = Compiler(draft, number)
        compiler.run()
    except RefusedError as refused:
        refusal = Refusal(refused.reason, refused.alternative, refused.file)
        return Plan(root=inventory.root, edits=edits, number=number, refusals=(refusal,))
    return Plan(draft.root, edits, number, tuple(compiler.changes), tuple(compiler.steps), tuple(compiler.streams))


def next_number(root: str) -> int:
    """The number of the undo record that the next repair of this folder leaves."""
    tails = (name.removeprefix(UNDO) for name in os.listdir(root) if name.startswith(UNDO))
    return max((int(tail) for tail in tails if tail.isascii() and tail.isdigit()), default=0) + 1
