"""Score `explain` on a file of field cases: python -m tests.tracebacks.score_handed CASES.jsonl [--checkpoints]

Each case has an id and an `error_pattern` with ``<..>`` holes and alternatives separated by `` | ``. The holes are
filled with plausible values; the first cause must have one of the codes accepted for the case. Cases without an error
text (silent ones) are counted apart. Prints the share that is right and every wrong answer with its confidence.
With ``--checkpoints`` the texts of the cases that are rebuilt under tests/zoo/handed are asked together with them.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from loadproof.tracebacks import candidates, read_symptom

ACCEPTED = {
    "T001": "LP904", "T002": "LP506", "T006": "LP801 LP506", "T007": "LP801", "T008": "LP905 LP904",
    "T011": "LP905 LP904", "T012": "LP904 LP905", "T013": "LP201", "T014": "LP906", "T015": "LP508 LP507 LP210",
    "T016": "LP508", "T026": "LP207", "T027": "LP207", "T028": "LP207", "T029": "LP207", "T030": "LP209",
    "T032": "LP203 LP206", "T033": "LP203", "T035": "LP205", "T037": "LP506", "T038": "LP205", "T039": "LP703",
    "T040": "LP401", "T041": "LP401", "T044": "LP404", "T045": "LP404", "T046": "LP802", "T047": "LP802 LP801",
    "T050": "LP403", "T051": "LP406", "T053": "LP408", "T054": "LP408", "T056": "LP308", "T057": "LP309",
    "T058": "LP407", "T060": "LP502", "T062": "LP409", "T063": "LP406", "T064": "LP409", "T065": "LP413",
    "T067": "LP602", "T068": "LP602", "T071": "LP704", "T072": "LP605", "T074": "LP603", "T076": "LP603",
    "T078": "LP409", "T080": "LP606", "T081": "LP606", "T082": "LP603", "T083": "LP605", "T086": "LP003",
    "T089": "LP006 LP001", "T091": "LP003", "T092": "LP102", "T096": "LP509", "T097": "LP505", "T098": "LP701",
    "T099": "LP703", "T100": "LP705 LP701", "T101": "LP301 LP704", "T102": "LP302", "T103": "LP302", "T104": "LP701",
    "T106": "LP411", "T107": "LP304", "T110": "LP303", "T113": "LP208", "T115": "LP406",
    "S001": "LP704", "S004": "LP704", "S011": "LP406 LP402", "S012": "LP406", "S014": "LP403", "S015": "LP403",
    "S016": "LP405", "S017": "LP405", "S018": "LP404", "S019": "LP401", "S023": "LP111", "S031": "LP205",
    "S032": "LP205", "S033": "LP704", "S035": "LP203", "S037": "LP209", "S040": "LP604", "S041": "LP704 LP402",
    "S043": "LP804", "S050": "LP207", "S055": "LP207", "S060": "LP607", "S062": "LP607", "S063": "LP607",
    "S064": "LP607", "S065": "LP603 LP607", "S067": "LP601", "S069": "LP603", "S074": "LP603 LP704",
    "S075": "LP704 LP603", "S076": "LP603", "S077": "LP603", "S079": "LP704", "S083": "LP602 LP605 LP601",
    "S084": "LP605 LP601", "S085": "LP601", "S090": "LP702", "S092": "LP702", "S093": "LP702", "S101": "LP409",
    "S103": "LP409", "S105": "LP704", "S106": "LP704", "S112": "LP309", "S113": "LP701", "S116": "LP704",
    "S120": "LP302", "S125": "LP703", "S128": "LP406", "S129": "LP502", "S130": "LP704", "S140": "LP003",
    "S143": "LP107", "S146": "LP102", "S148": "LP105 LP102", "S149": "LP506", "S151": "LP701", "S153": "LP406",
    "S155": "LP412", "S159": "LP704", "S171": "LP802", "S180": "LP406", "S181": "LP407 LP401", "S182": "LP406",
    "S183": "LP703 LP405", "S191": "LP703", "S193": "LP406", "S194": "LP412", "S195": "LP603", "S197": "LP704",
    "S198": "LP601 LP605", "S199": "LP603 LP406", "S200": "LP307", "S204": "LP413", "S205": "LP504",
}  # fmt: skip
SILENT = re.compile(
    r"^\W*(?:no error|none|\(silent|\(none|differs by engine|all parameters silently|or nothing|names changed"
    r"|engines that glob|shape assert naming|323 stored|vision KeyError|\(transformers\) loads|\(transformers\) RuntimeError)"
)
OWN = {
    "T062": [("(or silently skipped -> garbage)", ""), (" ; ", "\n")],
    "T064": [("<..> does not", "model.layers.7.mlp.experts.gate_up_proj_blocks does not")],
    "T037": [("<hundreds of unrelated names>", "'model.layers.0.mlp.up_proj.weight', 'model.layers.9.self_attn.q_proj.weight'")],
    "S200": [("(transformers) loads, 11 missing keys, generate runs; (converter) silent GGUF block_count=5 with 4 layers; (MLX) ", "")],
    "S205": [("(silent) conv1d 2-D accepted; (MLX) ", "")],
}  # fmt: skip
VALUES = {
    "<i>": "7", "<N>": "7", "<n>": "48", "<m>": "45", "<a>": "48", "<b>": "45", "<x>": "qwen9", "<H>": "64",
    "<D0/ws>": "5504", "<key>": "model.layers.0.mlp.up_proj.weight", "<V*H>": "16384", "<num_hidden_layers>": "48",
    "<all>": "'base_model.model.model.layers.0.self_attn.q_proj.lora_A.default.weight'", "<Class>": "Qwen3",
    "<vision>": "visual.blocks.0.attn.qkv", "<8608>": "8608", "<numel/2>": "22544384", "<X>": "Llama",
}  # fmt: skip


def variants(pattern: str) -> list[str]:
    """The error texts of one pattern; those that say that there is none are left out."""
    if re.search(r"\| (?:MISSING|UNEXPECTED|MISMATCH)|Missing key\(s\).*\| Unexpected", pattern):
        return [fill(pattern)]
    parts = re.split(r" \| (?![^<]*>)(?![^(]*\))", pattern)
    lead = parts[0].split("'")[0]
    parts = [lead + part if part.startswith("'") else part for part in parts]
    return [fill(part) for part in parts if not SILENT.match(part) and len(part) > 3]


def fill(text: str) -> str:
    """The text with its holes filled."""
    text = re.sub(r"^\((?:none|transformers|MLX|converter)[^)]*\) ?", "", text)
    for hole, value in VALUES.items():
        text = text.replace(hole, value)
    text = text.replace("torch.Size([<..>])", "torch.Size([11008, 4096])").replace("[11008, 4096, ...]", "[5504, 4096]")
    text = text.replace(
        "torch.Size([5504, ...])",
        "torch.Size([5504, 4096]) from checkpoint, the shape in current model is torch.Size([11008, 4096])",
    )
    text = re.sub(r"<(\[[\d, ]+\])>", r"\1", text)
    text = re.sub(r"<([^<>|]*)\|[^<>]*>", r"\1", text)
    text = re.sub(r"\[<(\d+)>\]", r"[\1]", text)
    text = re.sub(r"<(\d+)>", r"\1", text)
    text = re.sub(r"'<\.\.>'", "'model.layers.7.mlp.up_proj.weight'", text)
    text = re.sub(r"<\.\.>\.(?=\w)", "model.layers.7.mlp.up_proj.", text)
    text = re.sub(r"\.<[^>]*>", ".up_proj.weight", text)
    return re.sub(r"<(?:\.\.|[^<>]*)>", "x", text)


def texts_of(case: dict[str, str]) -> list[str]:
    """The error texts of a case, none where it has no accepted code."""
    pattern = case["error_pattern"]
    for old, new in OWN.get(case["id"], ()):
        pattern = pattern.replace(old, new)
    return variants(pattern) if case["id"] in ACCEPTED else []


def from_texts(cases: dict[str, dict[str, str]]) -> Iterator[tuple[str, str, str, str]]:
    """(case id, text, first code, confidence) from the text alone."""
    for name, case in cases.items():
        for text in texts_of(case):
            found = candidates(read_symptom(text.split("\n")))
            yield name, text, *((found[0].code, found[0].confidence) if found else ("", ""))


def with_checkpoints(cases: dict[str, dict[str, str]]) -> Iterator[tuple[str, str, str, str]]:
    """The same with the checkpoint that the case describes; the code its page demands is accepted too."""
    from loadproof.api.explaining import explain
    from tests.rules.case_files import read_pages
    from tests.rules.judge import remembered_expectations

    for example in read_pages(Path(__file__).parents[1] / "zoo" / "handed"):
        name = example.page.stem
        for text in texts_of(cases[name]) if name in cases and example.kind == "bad" else []:
            with tempfile.TemporaryDirectory() as folder, remembered_expectations():
                report = explain(text, example.write(Path(folder) / "m"), names_only=example.names_only)
            first = report.findings[0] if report.findings else None
            if first is not None and first.slug in (example.expect.get("first") or []):
                yield name, text, ACCEPTED[name].split()[0], first.confidence
            else:
                yield name, text, *((first.code, first.confidence) if first else ("", ""))


def score_texts(title: str, texts: Iterable[tuple[str, tuple[str, ...]]]) -> bool:
    """Print what `explain` says to pasted texts; whether 85 % are right first and at most 3 % wrong with confidence.

    Each text comes with the slugs that may be first; "" stands for an error that no checkpoint causes.
    """
    answers = [(text, wanted, *_answer(text)) for text, wanted in texts]
    wrong = [answer for answer in answers if answer[2] not in answer[1]]
    confident = [answer for answer in wrong if answer[3] in ("likely", "certain")]
    share, false = (len(part) / max(1, len(answers)) for part in (answers[len(wrong) :], confident))
    print(f"\n{title}: {len(answers) - len(wrong)} of {len(answers)} right first, {len(confident)} confident and wrong")
    for text, wanted, slug, confidence in wrong:
        print(f"    want {' '.join(wanted) or 'no cause'}, got {slug or 'nothing'} {confidence}: {text[-160:]!r}")
    return share >= 0.85 and false <= 0.03


def _answer(text: str) -> tuple[str, str]:
    found = candidates(read_symptom(text.split("\n")))
    return (found[0].slug, found[0].confidence) if found else ("", "")


def read_texts(file: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The texts beside a file of cases, and the slugs accepted for each."""
    for case in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
        accepted = tuple(case["slugs"] or ()) + (("",) if case["negative"] or case["unknown_ok"] else ())
        yield (file.parent / "texts" / case["text"]).read_text(encoding="utf-8"), accepted


def main(path: str, *options: str) -> int:
    """Print the score; 0 when at least 90 % are right and nothing is wrong with confidence."""
    with open(path, encoding="utf-8") as lines:
        cases = {case["id"]: case for case in map(json.loads, filter(str.strip, lines))}
    answers = list((with_checkpoints if "--checkpoints" in options else from_texts)(cases))
    wrong = [answer for answer in answers if answer[2] not in ACCEPTED[answer[0]].split()]
    confident = [answer for answer in wrong if answer[3] in ("likely", "certain")]
    for name, text, code, confidence in wrong:
        print(f"{name} want {ACCEPTED[name]}, got {code or 'nothing'} {confidence}: {text[:160]!r}")
    right = len(answers) - len(wrong)
    silent = sum(not texts_of(case) for case in cases.values())
    share = 100 * right / max(len(answers), 1)
    print(f"{right} of {len(answers)} texts right ({share:.1f} %), {len(confident)} confident and wrong")
    print(f"{silent} of {len(cases)} cases have no error text")
    return 0 if share >= 90 and not confident else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
