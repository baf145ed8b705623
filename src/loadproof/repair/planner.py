"""Edits -> Plan."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from loadproof.core.edits import Edit
from loadproof.core.session import Checkpoint
from loadproof.repair import file_edits, tensor_edits, torch_edits
from loadproof.repair.compiler import Compiler
from loadproof.repair.disk import RealDisk
from loadproof.repair.draft import Draft, RefusedError
from loadproof.repair.journal import next_undo
from loadproof.repair.plan import Plan, Refusal
from loadproof.repair.stream import sources_of

HANDLERS = {**tensor_edits.HANDLERS, **file_edits.HANDLERS, **torch_edits.HANDLERS}


def plan_edits(checkpoint: Checkpoint, edits: Iterable[Edit]) -> Plan:
    """The plan for these edits, one after another. Never raises on bad content: `refusals` says what is wrong."""
    edits, root = tuple(edits), checkpoint.folder
    if root is None:
        refusal = Refusal("the files do not lie on this machine", "download them, and fix the copy")
        return Plan(root="", edits=edits, number=0, refusals=(refusal,))
    draft = Draft(checkpoint.inventory, root)
    with RealDisk(root) as disk:
        number = next_undo(disk)
    try:
        for edit in edits:
            HANDLERS[type(edit)](draft, edit)
        file_edits.follow(draft)
        compiler = Compiler(draft, number)
        compiler.run()
    except RefusedError as refused:
        refusal = Refusal(refused.reason, refused.alternative, refused.file)
        return Plan(root=root, edits=edits, number=number, refusals=(refusal,))
    except ValueError as error:  # templates and indices of an edit that do not fit each other
        refusal = Refusal(f"an edit contradicts itself: {error}")
        return Plan(root=root, edits=edits, number=number, refusals=(refusal,))
    except RecursionError:
        refusal = Refusal("a JSON file is nested too deeply to be edited")
        return Plan(root=root, edits=edits, number=number, refusals=(refusal,))
    plan = Plan(draft.root, edits, number, tuple(compiler.changes), tuple(compiler.steps), tuple(compiler.streams))
    linked = tuple(info.path for info in checkpoint.inventory.files if info.link)
    return replace(plan, sources=sources_of(plan), linked=linked, follow_links=checkpoint.follow_links)
