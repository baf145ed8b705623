"""Symptom -> ranked causes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from loadproof.core.severity import Confidence
from loadproof.core.symptom import Symptom
from loadproof.tracebacks.base import Cause, Ranked, When
from loadproof.tracebacks.knowledge import causes
from loadproof.tracebacks.lookups import lacks
from loadproof.tracebacks.match import OWN, Hit, match_line
from loadproof.tracebacks.names import classify, layer_of, on_disk
from loadproof.tracebacks.pairing import pair
from loadproof.tracebacks.votes import Vote

PHRASE, SENTENCE = 14, 28  # plain characters of a pattern
_RANK: dict[str, int] = {"certain": 0, "likely": 1, "possible": 2}


def candidates(symptom: Symptom) -> tuple[Cause, ...]:
    """Causes of a symptom, most probable first; empty when nothing in it is recognised.

    Without a checkpoint no cause is more than ``likely`` unless the text itself states it.
    """
    if symptom.elsewhere:
        return ()
    ranked: dict[str, Vote] = {}
    for vote in _votes(symptom):
        known = ranked.get(vote[0])
        if known is None or _RANK[vote[1]] < _RANK[known[1]]:
            ranked[vote[0]] = vote if known is None else (*vote[:2], known[2] or vote[2], vote[3])
    order = sorted(ranked.values(), key=lambda vote: vote[1] == "possible")
    return tuple(_fill(*vote, symptom) for vote in order)


def _votes(symptom: Symptom) -> Iterator[Vote]:
    """(cause, confidence, name, what speaks for it), the best statement first.

    What other lines of a log say is weak evidence for an exception that is itself unknown: `possible` at most.
    """
    first, others = _hits(symptom)
    rows = list(pair(symptom))
    stated = list(_from_hits([hit for hit in first if not hit.entry.defers], symptom))
    both = symptom.missing and symptom.unexpected  # two sides compared say more than the sentence above one of them
    yield from (*rows, *stated) if both else (*stated, *rows)
    yield from _from_hits([hit for hit in first if hit.entry.defers], symptom)
    strange = bool(symptom.exception) and not first and not rows
    for vote in _from_hits(others, symptom):
        yield (vote[0], "possible", *vote[2:]) if strange else vote


def _hits(symptom: Symptom) -> tuple[list[Hit], list[Hit]]:
    lines = symptom.lines or (symptom.message,)
    first = [hit for hit in match_line(lines[0]) if not hit.entry.wrapper]
    others = [hit for line in lines[1:] for hit in match_line(line) if not hit.entry.wrapper]
    return first, sorted(others, key=lambda hit: (hit.entry.defers, -hit.weight))


def _from_hits(hits: list[Hit], symptom: Symptom) -> Iterator[Vote]:
    """The causes of an entry are alternatives: where the first of them is likely, the others are possible."""
    for hit in hits:
        name = hit.names[0] if hit.names else ""
        settled = False
        for ranked in hit.entry.causes:
            if _holds(ranked, name, symptom):
                sure = "possible" if settled else _sure(hit, ranked, symptom)
                settled = settled or sure == "likely"
                yield ranked.cause, sure, name, hit.line


def _sure(hit: Hit, ranked: Ranked, symptom: Symptom) -> Confidence:
    """`likely` needs two witnesses: one says no more than that the cause is possible.

    Witnesses are a text of more than a phrase (one of a whole sentence counts twice: no other fault prints it),
    the name it gives, every other condition that holds, and the frames or flags of the run.
    """
    if ranked.confidence == "possible" or hit.text.startswith(OWN):
        return ranked.confidence  # loadproof's own message says what it found
    text = (hit.weight >= PHRASE) + (hit.weight >= SENTENCE)
    return (
        "likely" if text + _conditions(ranked.when, symptom) + bool(symptom.frames or symptom.run) > 1 else "possible"
    )


def _conditions(when: When | None, symptom: Symptom) -> int:
    if when is None:
        return 0
    named = bool(when.engine) and symptom.engine is not None
    return named + sum(map(bool, (when.name, when.kind, when.text, when.near, when.frame, when.run)))


def _holds(ranked: Ranked, name: str, symptom: Symptom) -> bool:
    when = ranked.when
    return when is None or all(test(when, name, symptom) for test in _TESTS)


def _name(when: When, name: str, symptom: Symptom) -> bool:
    if not when.name:
        return True
    return any(re.search(when.name, one) for one in ((name,) if name else symptom.names))


def _kind(when: When, name: str, symptom: Symptom) -> bool:
    if not when.kind and not when.unlike:
        return True
    kind = classify(name or (symptom.names[0] if symptom.names else ""))
    return when.kind in ("", kind) and kind not in when.unlike.split()


def _text(when: When, _name: str, symptom: Symptom) -> bool:
    text = "\n".join((*symptom.lines, *symptom.frames, symptom.engine or "", str(symptom.run.get("model", ""))))
    wanted = all(re.search(condition, text) for condition in (when.text, when.near) if condition)
    return wanted and not (when.lacks and re.search(when.lacks, text))


def _frame(when: When, _name: str, symptom: Symptom) -> bool:
    return not when.frame or any(re.search(when.frame, frame) for frame in symptom.frames)


def _engine(when: When, _name: str, symptom: Symptom) -> bool:
    return not when.engine or bool(re.search(when.engine, symptom.engine or ""))


def _run(when: When, _name: str, symptom: Symptom) -> bool:
    return not when.run or symptom.run.get(when.run) not in (None, False, 0, 1)


def _asks(when: When, _name: str, symptom: Symptom) -> bool:
    return not when.asks or lacks(when.asks, symptom)


_TESTS = (_name, _kind, _text, _frame, _engine, _run, _asks)


def _fill(key: str, confidence: Confidence, name: str, why: str, symptom: Symptom) -> Cause:
    cause = causes()[key]
    name = name or (symptom.names[0] if symptom.names else "")
    layer = layer_of(name) if name else None
    values = {
        "{name}": name or "the name",
        "{layer}": "N" if layer is None else str(layer),
        "{disk}": ", ".join(on_disk(name)[:3]).replace("{}", "*") if name else "?",
        "{shape}": _sizes(symptom),
        "{engine}": symptom.engine or "the engine",
    }
    texts = {field: _put(getattr(cause, field), values) for field in ("headline", "confirms", "refutes", "remedy")}
    return replace(cause, confidence=confidence, because=(why,) if why else (), **texts)


def _put(text: str, values: dict[str, str]) -> str:
    for hole, value in values.items():
        text = text.replace(hole, value)
    return text.replace("(: ", "(").rstrip(": ") if text.endswith(": ") else text


def _sizes(symptom: Symptom) -> str:
    if symptom.mismatched:
        one = symptom.mismatched[0]
        return f"{one.name} is {list(one.stored)} in the file, {list(one.wanted)} in the model"
    return " against ".join(str(list(shape)) for shape in symptom.shapes[:2]) or "see the message"
