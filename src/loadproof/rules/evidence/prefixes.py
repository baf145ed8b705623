"""What a proved renaming means: a wrapper left in the names, a level of nesting, a repeated part, a bare backbone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from loadproof.core.boxes import Nearby
from loadproof.core.case import Case
from loadproof.core.edits import Fix, RenameTensors
from loadproof.core.families import count, names_of, show
from loadproof.core.findings import Evidence, Note
from loadproof.core.outcome import Assignment
from loadproof.core.places import NOWHERE, in_files, tensors_at
from loadproof.core.severity import Confidence
from loadproof.core.tensors import Axes
from loadproof.lexicon.adapters import PEFT
from loadproof.lexicon.wrappers import LEVELS, WRAPPERS
from loadproof.rules.base import Found
from loadproof.rules.evidence.name_differences import difference
from loadproof.rules.evidence.renamings import Proof, Rewrite, candidates, find_rewrite
from loadproof.rules.rows import count_rows, meet_axes

WRAPPER, REPEATED, NESTED, BACKBONE = "wrapper-prefix", "repeated-prefix", "nesting-prefix", "backbone-only"


def kind_of(case: Case, rewrite: Rewrite) -> str:
    """Which rule speaks for this renaming."""
    before, after = rewrite.before, rewrite.after
    if rewrite.wrappers or before[:2] == PEFT:
        return WRAPPER
    if not before:
        return BACKBONE if ".".join(after) == case.expectation.base_model_prefix else NESTED
    if not after and repeats(case, rewrite):
        return REPEATED
    if not after and before[0] not in LEVELS:
        return WRAPPER
    return NESTED


def repeats(case: Case, rewrite: Rewrite) -> bool:
    """Whether the parts taken out are copies of the part that stands before or behind them."""
    before, context = rewrite.before, rewrite.context
    if len(set(before)) > 1 and before[: len(before) // 2] != before[len(before) // 2 :]:
        return context[-len(before) :] == before
    if context[-1:] == before[:1]:
        return True
    start = len(context) + len(before)
    tails = {tuple(family.template.split(".")[start : start + 1]) for family in case.manifest.families}
    return len(before) > 1 or before[:1] in tails


def healed(case: Case) -> tuple[Rewrite, list[Assignment]] | None:
    """The change of prefix that the reader makes to most names it loads, with these names; None without one."""
    plain = [found for found in case.outcome.assignments if not found.converted and found.stored != found.target]
    groups: dict[Rewrite, list[Assignment]] = {}
    for found in plain:
        groups.setdefault(Rewrite(*difference(found.stored, found.target)), []).append(found)
    largest = max(groups.items(), key=lambda group: _names(group[1]), default=None)
    return largest if largest and 2 * _names(largest[1]) > _names(case.outcome.assignments) else None


def _names(assignments: Iterable[Assignment]) -> int:
    return sum(count(found.stored_axes) for found in assignments)


def healed_finding(case: Case, slug: str) -> Iterator[Found]:
    """An info where the reader corrects the names by itself and another engine may not."""
    found = healed(case) if not case.outcome.rows else None
    if found is None or kind_of(case, found[0]) != slug:
        return
    rewrite, names = found
    front = dotted(rewrite.context + rewrite.before)
    if slug == NESTED and not ("language_model" in rewrite.before and "language_model" not in rewrite.after):
        return  # every release renames its own old spellings; only a text class with multimodal names is remarkable
    back = dotted(rewrite.context + rewrite.after)
    does = f"turns into '{back}'" if back else "strips"
    text = f"{_names(names):,} names carry '{front}', which {case.expectation.reader} {does}; other engines refuse them"
    shown = tuple(
        Evidence(tensors_at(one.stored, one.stored_axes), f"loads as {show(one.target, one.target_axes)}")
        for one in names[:2]
    )
    pairs = tuple((one.stored, one.target, one.stored_axes) for one in names)
    fix = Fix("write the names of the class into the headers", "lossless", (RenameTensors(pairs),))
    yield Found(severity="info", confidence="certain", headline=text, evidence=shown, fixes=(fix,))


def prefix_findings(case: Case, slug: str) -> Iterator[Found]:
    """The finding of one of the four name rules, if the best proved renaming is of its kind."""
    if slug not in {kind_of(case, rewrite) for rewrite in candidates(case)}:
        return
    proof = find_rewrite(case, None if case.manifest.names_only else partial(_is_one_fault, case))
    if proof is None or kind_of(case, proof.steps[0]) != slug or only_a_head(proof):
        return
    yield finding_of(case, slug, proof)


def _is_one_fault(case: Case, first: Rewrite, other: Rewrite) -> bool:
    """Whether a second renaming belongs to the first; another kind, or the head alone, is found behind it."""
    moved = sum(count(f.axes) for f in case.manifest.families if other(first(f.template)) != first(f.template))
    return kind_of(case, first) == kind_of(case, other) and moved > 1


def only_a_head(proof: Proof) -> bool:
    """A single tensor under another name is the business of the head rules."""
    return sum(count(axes) for _, _, axes in proof.pairs) == 1


def finding_of(case: Case, slug: str, proof: Proof) -> Found:
    moved = sum(count(axes) for _, _, axes in proof.pairs)
    rest = count_rows(case.outcome.rows) - count_rows(proof.rows)
    notes = [Note("origin", who) for who in origins(proof.steps[0])]
    notes.append(
        Note(
            "note", f"without it: {f'{rest} rows are left' if rest else 'nothing is missing and nothing is left over'}"
        )
    )
    confidence: Confidence = "certain" if not rest else "likely"
    return Found(
        severity="error",
        confidence=confidence,
        headline=headline(case, slug, proof, moved),
        evidence=tuple(evidence(case, proof)),
        rows=proof.rows,
        fixes=fixes(case, proof),
        notes=tuple(notes),
    )


def headline(case: Case, slug: str, proof: Proof, moved: int) -> str:
    share = f"{moved:,} of {case.manifest.tensors:,} stored names"
    if slug == BACKBONE:
        return f"{share} lack '{'.'.join(proof.steps[0].after)}.', as a bare backbone without its head is saved"
    if slug == REPEATED:
        return f"{share} repeat '{'.'.join(proof.steps[0].before)}.'"
    if slug == WRAPPER:
        return f"{share} carry '{spelled(proof.steps[0])}', which the model does not have"
    if not proof.steps[0].after and not proof.steps[0].context and len(proof.steps) == 1:
        return f"{share} carry '{spelled(proof.steps[0])}', which {case.expectation.class_name} does not have"
    return f"{share} are nested otherwise than {case.expectation.class_name} nests them: {spelled_change(proof)}"


def spelled(rewrite: Rewrite) -> str:
    parts = [*rewrite.wrappers, *rewrite.before]
    return ".".join(dict.fromkeys(parts) if rewrite.wrappers else parts) + "."


def spelled_change(proof: Proof) -> str:
    """``language_model.model. -> model.language_model.`` for every step."""
    texts = []
    for step in proof.steps:
        front = "".join(part + "." for part in step.context)
        back = dotted(step.followers) if len(step.followers) == 1 else ""
        texts.append(f"'{front}{dotted(step.before)}{back}' for '{front}{dotted(step.after)}{back}'")
    return ", ".join(texts)


def dotted(parts: tuple[str, ...]) -> str:
    return "".join(part + "." for part in parts)


def origins(rewrite: Rewrite) -> list[str]:
    """Who puts such parts into names."""
    found = [WRAPPERS[part] for part in rewrite.wrappers]
    return found + (["a PEFT model saved without merging"] if rewrite.before[:2] == PEFT else [])


def evidence(case: Case, proof: Proof, shown: int = 3) -> Iterator[Evidence]:
    """The largest renamed families, as stored and as wanted."""
    files = {family.template: family.files for family in case.manifest.families}
    largest = sorted(proof.pairs, key=lambda pair: -count(pair[2]))[:shown]
    for old, new, axes in largest:
        wanted = show(new, axes) if new.count("{}") == len(axes) else new
        yield Evidence(in_files(files.get(old, ()), 2), f"{show(old, axes)}, wanted as {wanted}")
    if len(proof.pairs) > shown:
        yield Evidence(NOWHERE, f"and {len(proof.pairs) - shown} more families", "note")


def fixes(case: Case, proof: Proof) -> tuple[Fix, ...]:
    """Renaming moves no byte of a tensor; it is refused where two names would become one."""
    if case.manifest.names_only or _collides(case, proof):
        return ()
    pairs = tuple(pair for old, new, axes in proof.pairs for pair in _spelled_out(proof, old, new, axes))
    title = f"rename {sum(count(axes) for _, _, axes in pairs):,} tensors in the headers"
    return (Fix(title, "lossless", (RenameTensors(pairs),)),)


def _collides(case: Case, proof: Proof) -> bool:
    """Whether two tensors would bear one name."""
    moved = {old for old, _, _ in proof.pairs}
    taken: dict[tuple[str, int], Nearby] = {}
    for family in case.manifest.families:
        if family.template not in moved:
            taken.setdefault((family.template, len(family.axes)), Nearby()).add(family.axes)
    for _, new, axes in proof.pairs:
        held = taken.setdefault((new, len(axes)), Nearby())
        if any(meet_axes(axes, other) is not None for other in held.boxes_near(axes)):
            return True
        held.add(axes)
    return False


def _spelled_out(proof: Proof, old: str, new: str, axes: Axes) -> Iterator[tuple[str, str, Axes]]:
    """A family whose number of indices changes (`0.auto_model.`) is renamed name by name."""
    if old.count("{}") == new.count("{}"):
        yield old, new, axes
        return
    for name in names_of(old, axes):
        yield name, proof.change(name), ()
