"""Edits -> Plan."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from loadproof.core.checkpoint import Inventory
from loadproof.core.edits import Edit
from loadproof.repair import file_edits, tensor_edits
from loadproof.repair.compiler import Compiler
from loadproof.repair.disk import RealDisk
from loadproof.repair.draft import Draft, RefusedError
from loadproof.repair.journal import next_undo
from loadproof.repair.plan import Plan, Refusal
from loadproof.repair.stream import sources_of

HANDLERS = {**tensor_edits.HANDLERS, **file_edits.HANDLERS}


def plan_edits(inventory: Inventory, edits: Iterable[Edit]) -> Plan:
    """The plan for these edits, one after another. Never raises on bad content: `refusals` says what is wrong."""
    edits = tuple(edits)
    draft = Draft(inventory)
    with RealDisk(inventory.root) as disk:
        number = next_undo(disk)
    try:
        for edit in edits:
            HANDLERS[type(edit)](draft, edit)
        file_edits.follow(draft)
        compiler = Compiler(draft, number)
        compiler.run()
    except RefusedError as refused:
        refusal = Refusal(refused.reason, refused.alternative, refused.file)
        return Plan(root=inventory.root, edits=edits, number=number, refusals=(refusal,))
    except ValueError as error:  # templates and indices of an edit that do not fit each other
        refusal = Refusal(f"an edit contradicts itself: {error}")
        return Plan(root=inventory.root, edits=edits, number=number, refusals=(refusal,))
    except RecursionError:
        refusal = Refusal("a JSON file is nested too deeply to be edited")
        return Plan(root=inventory.root, edits=edits, number=number, refusals=(refusal,))
    plan = Plan(draft.root, edits, number, tuple(compiler.changes), tuple(compiler.steps), tuple(compiler.streams))
    linked = tuple(info.path for info in inventory.files if info.link)
    return replace(plan, sources=sources_of(plan), linked=linked, follow_links=inventory.follow_links)
