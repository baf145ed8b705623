"""LP414 renamed-parameter: a parameter has another name in this release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from loadproof.core.case import Case
from loadproof.core.edits import Fix, RenameTensors
from loadproof.core.families import count, show
from loadproof.core.findings import Evidence
from loadproof.core.outcome import Row
from loadproof.core.places import Place, about, in_files, source_line
from loadproof.core.tensors import Axes
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.near_names import is_near
from loadproof.rules.evidence.whatif import explained_by, renamed
from loadproof.rules.evidence.wording import plural
from loadproof.rules.rows import of_kind

MOST = 4  # kinds of names; more are another dialect or another class


class _Pair(Struct, frozen=True):
    """One tensor, or one family of them, under two names."""

    have: Row
    want: Row
    stored: str  # the template in the file

    @property
    def right(self) -> str:
        return _in_words_of_the_file(self.stored, self.have.template, self.want.template)


def check(case: Case) -> Iterable[Found]:
    """Missing and unexpected names of equal shape and indices that mean the same, each the only one for the other."""
    nears = _nears(case)
    pairs = [pair for pair in nears if _is_only(pair, nears)]
    if not nears or len({pair.want.template for pair in nears}) > MOST:
        return
    gone = _proof(case, pairs) if pairs else []
    if gone:
        yield _renamed(case, pairs, gone)
    elif len(nears) > len(pairs):
        yield _doubtful(case, [pair for pair in nears if pair not in pairs])


def _nears(case: Case) -> list[_Pair]:
    missing = of_kind(case.outcome.rows, "missing")
    return [
        _Pair(have, want, have.stored or have.template)
        for have in of_kind(case.outcome.rows, "unexpected")
        for want in missing
        if _fits(have, want) and is_near(have.template, want.template)
    ]


def _fits(have: Row, want: Row) -> bool:
    return have.found is not None and have.found == want.expected and have.axes == want.axes


def _is_only(pair: _Pair, pairs: list[_Pair]) -> bool:
    return sum(pair.have is other.have or pair.want is other.want for other in pairs) == 1


def _in_words_of_the_file(stored: str, have: str, want: str) -> str:
    """The wanted name with what else the file writes otherwise than the reader: `backbone.` for `model.`."""
    here, there = have.split("."), want.split(".")
    back = next(-n for n in range(1, len(here) + 1) if here[-n] != there[-n])
    parts = stored.split(".")
    if len(parts) < -back or parts[back] != here[back]:
        return want
    parts[back] = there[back]
    return ".".join(parts)


def _proof(case: Case, pairs: list[_Pair]) -> list[Row]:
    """The rows that go with the other names, if these are all of the pairs and none is new."""
    names = {pair.stored: pair.right for pair in pairs}
    gone, new = explained_by(case, renamed(case.manifest.families, lambda name: names.get(name, name)))
    wanted = {row.template for pair in pairs for row in (pair.have, pair.want)}
    return [] if new or not wanted <= {row.template for row in gone} else gone


def _renamed(case: Case, pairs: list[_Pair], gone: list[Row]) -> Found:
    first = pairs[0]
    used = f"{case.expectation.class_name} of {case.expectation.reader} {case.expectation.version}"
    number = sum(count(pair.want.axes) for pair in pairs)
    if len(pairs) == 1:
        headline = f"{_shown(first.stored, first.have)} is called {first.want.template.replace('{}', '*')} in {used}"
    else:
        headline = f"{plural(len(pairs), 'kind')} of parameters have other names in {used}"
    edit = RenameTensors(tuple((pair.stored, pair.right, _axes(pair.have)) for pair in pairs))
    fixes = () if case.manifest.names_only else (Fix(f"rename {plural(number, 'tensor')}", "lossless", (edit,)),)
    return Found(
        severity="error",
        confidence="likely",
        headline=headline,
        evidence=tuple(line for pair in pairs for line in _evidence(case, pair)),
        rows=tuple(gone),
        fixes=fixes,
    )


def _doubtful(case: Case, pairs: list[_Pair]) -> Found:
    """Several names fit one parameter, or one name several: which is meant cannot be told."""
    lines = dict.fromkeys(line for pair in pairs for line in _evidence(case, pair))
    wanted = dict.fromkeys(pair.want.template.replace("{}", "*") for pair in pairs)
    how = "rename the one that is meant; names and shapes do not tell which"
    return Found(
        severity="error",
        confidence="possible",
        headline=f"more than one stored tensor may be {' or '.join(wanted)} under another name"
        if len(wanted) == 1
        else f"{' and '.join(wanted)} may be stored under other names, and which is which cannot be told",
        evidence=tuple(lines),
        rows=tuple(dict.fromkeys(row for pair in pairs for row in (pair.have, pair.want))),
        fixes=(Fix(how, "manual"),),
    )


def _evidence(case: Case, pair: _Pair) -> Iterator[Evidence]:
    shape = list(pair.want.expected or ())
    yield Evidence(in_files(pair.have.files[:2], 2), f"{_shown(pair.stored, pair.have)} {shape}")
    yield Evidence(_source(case, pair.want), f"{show(pair.want.template, pair.want.axes)} {shape}, not stored")


def _shown(stored: str, row: Row) -> str:
    axes = _axes(row)
    return show(stored, axes) if stored.count("{}") == len(axes) else stored


def _axes(row: Row) -> Axes:
    return row.stored_axes if row.stored_axes is not None else row.axes


def _source(case: Case, row: Row) -> Place:
    source = next((e.source for e in case.expectation.families if e.template == row.template), "")
    return source_line(source) if source else about("expected")


RULE = Rule(
    code="LP414",
    slug="renamed-parameter",
    group="names",
    title="A parameter has another name in this release",
    check=check,
)
