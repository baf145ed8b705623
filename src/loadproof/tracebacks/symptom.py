"""Error text -> Symptom: what failed, in which engine and phase, with which names, sizes and launch flags."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from msgspec.structs import replace

from loadproof.core.symptom import Symptom
from loadproof.tracebacks.clean import Line, clean_line, expand
from loadproof.tracebacks.exceptions import Raised, read_exceptions
from loadproof.tracebacks.facts import find_engine, find_phase, find_run, find_version
from loadproof.tracebacks.knowledge.logs import elsewhere
from loadproof.tracebacks.match import Hit, is_wrapper, match_line, recognise
from loadproof.tracebacks.names import looks_like_name
from loadproof.tracebacks.normalise import normalise, unwrap
from loadproof.tracebacks.reports import Rows, read_reports
from loadproof.tracebacks.select import select
from loadproof.tracebacks.shapes import indivisible, read_shapes

_NAMES, _LINES, _LONGEST = 200, 40, 4000  # kept in the symptom
_LIBRARIES = (None, "torch", "transformers", "safetensors", "bitsandbytes", "peft", "accelerate")  # hosted by engines
_WORK = 3_000_000  # characters searched for known texts
_ENDS = 800  # lines at both ends of a log that are searched for engine, version and flags
_QUOTED = re.compile(r"['\"`]([^'\"`\s]{1,300})['\"`]")
_DOTTED = re.compile(r"(?<![\w./])[A-Za-z_][\w-]{0,120}(?:\.(?:[\w-]{1,120}|\{[^}\n]{0,60}\})){1,40}")
_SOURCE_LINE = re.compile(r"^\s+(?:File \"|[\^~]+\s*$)")
_BESIDE_2D = re.compile(
    r"lm_head|F\.linear|compute_logits|get_output_embeddings|HeadSpec|generate|生成|merge|合并|quanti|量化|flatten|展平|\.view\("
)
_PACKAGE_ERRORS = ("ImportError", "ModuleNotFoundError")  # some are known as a checkpoint's: its code, its quantizer
_HARMLESS = re.compile(r"(?:^|\.)pooler\.|position_ids$|inv_freq$|masked_bias$")
_NEAR = 12  # lines
_CAUSED_BY = re.compile(r"^\s*(?:\d+|Caused by): (?P<text>.+)$")


def read_symptom(lines: Iterable[str]) -> Symptom:
    """The symptom of a log, a traceback or a single message. Streams: memory stays bounded for logs of any size.

    The root exception is taken: the first one that is no wrapper ("Engine core initialization failed", ...), and of
    those rather one that the knowledge base recognises.
    """
    clean, pasted = _clean(lines)
    raised = read_exceptions(clean)
    texts = [line.text for line in clean]
    if not raised and (lone := _lone_name(texts)):
        texts = [f"KeyError: '{lone}'"]
        raised = read_exceptions([Line(texts[0])])
    root = choose_root(raised)
    rows = read_reports(texts)
    symptom = _assemble(root, _statements(root, raised, texts), rows, texts)
    symptom = replace(symptom, elsewhere=_elsewhere(symptom, root, texts))
    return replace(symptom, message=_verbatim(symptom.message, pasted)) if pasted else symptom


def _elsewhere(symptom: Symptom, root: Raised | None, texts: Sequence[str]) -> str:
    """What the error is about where no checkpoint causes it: the error's own text says so, or nothing else is known."""
    own = elsewhere(_full(root)) if root is not None else ""
    rows = symptom.missing or symptom.unexpected or symptom.mismatched
    if own and (root is None or root.type.rsplit(".", 1)[-1] not in _PACKAGE_ERRORS or not _is_known(symptom)):
        return own
    extra_only = symptom.unexpected and root is None and not (symptom.missing or symptom.mismatched)
    if extra_only and all(_HARMLESS.search(name) for name in symptom.unexpected):
        return "unused tensors that this class has no place for: nothing needs to be done"
    if rows or _is_known(symptom):
        return ""
    return next((said for text in texts[-_ENDS:] if (said := elsewhere(text))), "")


def _is_known(symptom: Symptom) -> bool:
    """Whether the first statement is one of the knowledge base."""
    return any(not hit.entry.wrapper for text in symptom.lines[:1] for hit in match_line(text))


def _clean(lines: Iterable[str]) -> tuple[list[Line], dict[str, str]]:
    """The lines without prefixes and paste damage, and what was pasted for each of those that this changed."""
    clean: list[Line] = []
    pasted: dict[str, str] = {}
    for raw in (piece for line in select(lines) for piece in expand(line)):
        whole = normalise(raw)
        for text in whole.split("\n"):
            clean.append(clean_line(text))
            if whole is not raw and whole != raw and len(pasted) < _LINES:
                pasted[clean[-1].text] = clean_line(raw).text
    return unwrap(clean), pasted


def _verbatim(message: str, pasted: dict[str, str]) -> str:
    """The message as it was pasted, where reading it took a correction."""
    first = message.split("\n")[0]
    return next((raw for text, raw in pasted.items() if first and first in text), message)


def _lone_name(texts: Sequence[str]) -> str:
    """The name, where the text is nothing but a tensor or layer name: what a bare KeyError leaves behind."""
    said = [text.strip() for text in texts if text.strip()]
    name = said[0].strip("'\"`") if len(said) == 1 else ""
    return name if looks_like_name(name) else ""


def choose_root(raised: Sequence[Raised]) -> Raised | None:
    """The exception to explain: first recognised, not a wrapper; else the first of the last chain; else the last."""
    real = [one for one in raised if not is_wrapper(one.type, one.message)]
    known = [one for one in real if (hit := recognise(one.type, one.message)) and not hit.entry.defers]
    if known:
        return max(known, key=lambda one: recognise(one.type, one.message).weight)  # type: ignore[union-attr]
    deferring = [one for one in real if recognise(one.type, one.message)]
    if deferring:
        return deferring[0]
    return _first_of_last_chain(real) or (raised[0] if raised else None)


def _first_of_last_chain(raised: Sequence[Raised]) -> Raised | None:
    if not raised:
        return None
    at = len(raised) - 1
    while at > 0 and raised[at - 1].link == "cause":
        at -= 1
    return raised[at]


def _statements(root: Raised | None, raised: Sequence[Raised], texts: Sequence[str]) -> list[str]:
    """The lines that mean something: the root first, then other recognised lines, each once."""
    said: dict[str, None] = {}
    if root is not None:
        said[_full(root)] = None
        at = next((i for i, text in enumerate(texts) if root.type in text), None)
        if at is not None and root.frames:
            said.update(dict.fromkeys(_code_of_last_frame(texts, root)))
    said.update(dict.fromkeys(_beside_2d(texts, next(iter(said), ""))))
    for caused in reversed(list(_caused_by(texts))):  # the deepest cause is the root
        said.setdefault(caused[:_LONGEST])
    work = _WORK
    for text in texts:
        work -= len(text[:_LONGEST])
        if len(said) >= _LINES or work < 0:
            break
        if text and not _SOURCE_LINE.match(text) and match_line(text):
            said.setdefault(text.strip()[:_LONGEST])
    for one in raised:
        if len(said) < _LINES and not is_wrapper(one.type, one.message):
            said.setdefault(_full(one))
    return list(said)


def _full(one: Raised) -> str:
    kind = one.type.rsplit(".", 1)[-1]
    return f"{kind}: {one.message}"[:_LONGEST] if one.message else kind


def _code_of_last_frame(texts: Sequence[str], root: Raised) -> Iterator[str]:
    """The source line under the innermost frame: it tells what was indexed or asserted."""
    place = root.frames[-1].split(" ")[0]
    path, _, number = place.rpartition(":")
    for at, text in enumerate(texts[:-1]):
        if path in text and number in text and texts[at + 1].startswith("    "):
            yield texts[at + 1].strip()[:400]
            return


def _beside_2d(texts: Sequence[str], statement: str) -> Iterator[str]:
    """Lines beside an error about a live weight that say which one, or what was done before: generate, merge, quantize."""
    if "2-D" not in statement:
        return
    kind = statement.split("\n")[0][:60].split(": ", 1)[-1]
    at = next((number for number, text in enumerate(texts) if kind in text), 0)
    near = (text for text in texts[max(0, at - _NEAR) : at + _NEAR] if _BESIDE_2D.search(text[:_LONGEST]))
    yield from (text.strip()[:400] for text in islice(near, 3))


def _caused_by(texts: Sequence[str]) -> Iterator[str]:
    inside = False
    for text in texts:
        if text.strip() in ("Caused by:", "Caused by"):
            inside = True
        elif inside and (found := _CAUSED_BY.match(text)):
            yield found["text"]
        elif text.strip():
            inside = False


def _assemble(root: Raised | None, said: list[str], rows: Rows, texts: Sequence[str]) -> Symptom:
    frames = tuple(root.frames) if root else ()
    ends = texts if len(texts) <= 2 * _ENDS else [*texts[:_ENDS], *texts[-_ENDS:]]
    text = "\n".join(one[:2000] for one in ends)
    seen = find_engine(said + list(texts[:300]), frames) or find_engine(ends, frames)
    engine = _engine_of_hits(said, seen) or seen
    message = said[0] if said else next((one.strip() for one in texts if one.strip()), "")
    return Symptom(
        engine=engine,
        engine_version=find_version(engine, text),
        phase=_phase_of_hits(said) or find_phase(message, frames),
        exception=root.type.rsplit(".", 1)[-1] if root else None,
        message=message[:_LONGEST],
        names=_names(said, rows),
        shapes=(*read_shapes("\n".join(said)), *indivisible("\n".join(said)))[:_NAMES],
        run=find_run(text),
        frames=frames,
        lines=tuple(said),
        missing=tuple(rows.missing),
        unexpected=tuple(rows.unexpected),
        mismatched=tuple(rows.mismatched.values()),
    )


def _engine_of_hits(said: Sequence[str], seen: str | None) -> str | None:
    """The engine whose own text this is, unless frames or names show a fork or a host program (see `find_engine`)."""
    own = next((hit.entry.engine for text in said[:1] for hit in match_line(text) if hit.entry.engine), None)
    return own if seen in _LIBRARIES else None


def _phase_of_hits(said: Sequence[str]) -> str | None:
    hits: list[Hit] = [hit for text in said[:1] for hit in match_line(text)]
    return next((hit.entry.phase for hit in hits if hit.entry.phase), None)


def _names(said: Sequence[str], rows: Rows) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for text in said:
        for hit in match_line(text):
            names.update(dict.fromkeys(hit.names))
    for text in said[:6]:
        found = [m[1] for m in _QUOTED.finditer(text)] + [m.group() for m in _DOTTED.finditer(text)]
        names.update(dict.fromkeys(name for name in found if looks_like_name(name)))
    for kind in (rows.mismatched, rows.missing, rows.unexpected):
        names.update(dict.fromkeys(list(kind)[:_NAMES]))
    return tuple(names)[:_NAMES]


__all__ = ["Line", "choose_root", "read_symptom"]
