"""Reports of every verdict whose every text is an attack on some format; the same ones at every run."""

from __future__ import annotations

import random
from collections.abc import Iterator

from loadproof.core.case import Report
from loadproof.core.checkpoint import FileInfo, Inventory
from loadproof.core.coverage import Skip
from loadproof.core.edits import Fix, SetJson
from loadproof.core.findings import Evidence, Finding, Note
from loadproof.core.outcome import Outcome, Row
from loadproof.core.places import Place, about
from loadproof.core.results import Checked, Checks
from tests.report.build import report

VERDICTS = ("loads", "loads-wrong", "fails", "inconclusive")
NAMES = (
    "model.layers.0.mlp.up_proj.weight",
    "a\x1b[2Jb\x07",
    "\u202egnp.exe\u2066\u200b",
    "\x00\x01\x0b\x0c\x0e\x1f\x7f\x85\ufffe\uffff",
    "\ud800 lone \udfff",
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "]]><!--&#0;&x;",
    "::error file=x::y\n::add-mask::z",
    "\r\n::stop-commands::t",
    "##[error]x ##vso[task.setvariable]y",
    "%0A::set-output name=x::y,z:%25",
    "a|b|c `code` ``` ~~~ *x* _y_ [l](https://example.invalid) ![i](x)",
    "```\n<details>\n# h\n| - |",
    "@everyone #1 GH-1 www.example.invalid https://example.invalid",
    "{0} {1} [a](1) {{x}} {}",
    "</pre></details></td></tr>",
    "javascript:alert(1)",
    "../../etc/passwd",
    "a b/c?d#e%20f",
    "-rf --output=/x $(id) `id` ; rm \\ '",
    "\U000e0001\U0010ffff漢字é",
    "x" * 5_000,
    "",
)
CODES = (("LP301", "layer-plan-mismatch"), ("LP011", "hostile-name"), ("LP102", "shard-missing"), ("LP704", "engine"))


def reports(number: int, seed: int = 7) -> Iterator[Report]:
    """That many, every verdict as often as the others."""
    chance = random.Random(seed)
    for index in range(number):
        yield _report(chance, VERDICTS[index % 4])


def many(number: int, seed: int = 11) -> Checks:
    """The same as one result, with targets that are no checkpoint between them."""
    chance = random.Random(seed)
    status = {"loads": 0, "loads-wrong": 1, "fails": 1, "inconclusive": 3}
    targets = [Checked(_text(chance), one, status=status[one.verdict]) for one in reports(number, seed)]
    errors = [Checked(name, error=f"{name}: no checkpoint here", status=2) for name in NAMES]
    return Checks((*targets, *errors))


def _text(chance: random.Random) -> str:
    return "".join(chance.choice(NAMES) for _ in range(chance.choice((1, 1, 1, 2))))


def _report(chance: random.Random, verdict: str) -> Report:
    file = _text(chance).replace("/", "") or "config.json"
    findings = [_finding(chance, file) for _ in range(chance.randrange(4))]
    rows = tuple(_row(chance) for _ in range(chance.randrange(3)))
    folder = _text(chance).replace("\0", "") or "folder"
    return report(
        *findings,
        verdict=verdict,
        unexplained=rows,
        skipped=(Skip(_text(chance), _text(chance)),),
        inventory=Inventory(folder, (FileInfo(file, 9, "json"),)),
        outcome=Outcome(rows, inconclusive=_text(chance) or None, error=_text(chance)),
    )


def _finding(chance: random.Random, file: str) -> Finding:
    code, slug = chance.choice(CODES)
    places = (
        Place(file, chance.choice((None, 1, 37))),
        Place(file, offset=12),
        Place(tensor=_text(chance)),
        about("x"),
    )
    evidence = tuple(
        Evidence(chance.choice(places), _text(chance), chance.choice(("", "", "layers", "source"))) for _ in range(4)
    )
    fix = Fix(_text(chance), chance.choice(("lossless", "lossy", "manual")), (SetJson(file, ("x",), _text(chance)),))
    return Finding(
        code,
        slug,
        chance.choice(("error", "warning", "info")),
        chance.choice(("certain", "likely", "possible")),
        _text(chance),
        evidence,
        (_row(chance),),
        1,
        (fix,) if chance.random() < 0.7 else (),
        (Note("reader", _text(chance)),),
    )


def _row(chance: random.Random) -> Row:
    kind = chance.choice(("missing", "unexpected", "mismatched", "conversion", "misread"))
    return Row(kind, _text(chance), (), (4, 4), (16,), text=_text(chance))
