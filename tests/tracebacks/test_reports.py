"""Whole load reports of every library are read as rows."""

from __future__ import annotations

import pytest

from loadproof.tracebacks.reports import read_reports
from loadproof.tracebacks.symptom import read_symptom

V5 = """\
\x1b[1mQwen3ForCausalLM LOAD REPORT\x1b[0m from: /m
Key                                           | Status     |
----------------------------------------------+------------+-
model.layers.{0...39}.mlp.experts.gate_up_proj | \x1b[31mMISSING\x1b[0m    |
model.layers.{0...39}.mlp.experts.{0...7}.up_proj.weight | UNEXPECTED |
lm_head.weight                                | MISMATCH   | Reinit due to size mismatch - ckpt: torch.Size([10, 4]) vs model:torch.Size([12, 4])

Notes:
- UNEXPECTED: can be ignored when loading from different task/architecture; not ok if you expect identical arch.
- MISSING: those params were newly initialized because missing from the checkpoint."""


def test_the_table_of_transformers_5() -> None:
    symptom = read_symptom(V5.split("\n"))
    assert symptom.missing == ("model.layers.{0...39}.mlp.experts.gate_up_proj",)
    assert symptom.unexpected == ("model.layers.{0...39}.mlp.experts.{0...7}.up_proj.weight",)
    assert [(m.name, m.stored, m.wanted) for m in symptom.mismatched] == [("lm_head.weight", (10, 4), (12, 4))]


@pytest.mark.parametrize(
    ("text", "missing", "unexpected"),
    [
        ("Some weights of X were not initialized from the model checkpoint at /m and are newly initialized: ['a.weight', 'b.bias']", ["a.weight", "b.bias"], []),
        ("Some weights of the model checkpoint at /m were not used when initializing X: ['c.weight']\n- This IS expected", [], ["c.weight"]),
        ("Some weights of the model checkpoint at /m were not used when initializing X: ['c.weight',\n 'd.weight']", [], ["c.weight", "d.weight"]),
        ('\tMissing key(s) in state_dict: "a.weight", "b.weight". \n\tUnexpected key(s) in state_dict: "c.weight". ', ["a.weight", "b.weight"], ["c.weight"]),
        ("There were missing keys in the checkpoint model loaded: ['lm_head.weight'].", ["lm_head.weight"], []),
        ("ValueError: Following weights were not initialized from checkpoint: {'a.b.weight', 'c.d.weight'}", ["a.b.weight", "c.d.weight"], []),
        ("ValueError: Received 2 parameters not in model: \na.scales,\nb.biases.", [], ["a.scales", "b.biases"]),
        ("ValueError: Missing 2 parameters: \na.b.weight,\nc.d.weight.", ["a.b.weight", "c.d.weight"], []),
        ("UserWarning: Found missing adapter keys while loading the checkpoint: ['base_model.model.x.lora_A.default.weight']", ["base_model.model.x.lora_A.default.weight"], []),
        ("RuntimeError: Required but not provided tensors:{'a.b.scale'}", ["a.b.scale"], []),
        ("nothing of that kind: at all", [], []),
    ],
)  # fmt: skip
def test_lists_of_names(text: str, missing: list[str], unexpected: list[str]) -> None:
    rows = read_reports(text.split("\n"))
    assert list(rows.missing) == missing
    assert list(rows.unexpected) == unexpected


@pytest.mark.parametrize(
    ("text", "name", "stored", "wanted"),
    [
        ("size mismatch for a.b: copying a param with shape torch.Size([0]) from checkpoint, the shape in current model is torch.Size([3, 4]).", "a.b", (0,), (3, 4)),
        ("- lm_head.weight: found shape torch.Size([10, 4]) in the checkpoint and torch.Size([12, 4]) in the model instantiated", "lm_head.weight", (10, 4), (12, 4)),
        ("ValueError: Expected shape (256, 64) but received shape (16384,) for parameter lm_head.weight", "lm_head.weight", (16384,), (256, 64)),
        ("tensor 'blk.0.ffn_gate.weight' has wrong shape; expected  4096, 11008, got  4096, 14336,     1,     1", "blk.0.ffn_gate.weight", (4096, 14336), (4096, 11008)),
        ("Mismatched parameter scales shape. Actual [1024, 40], expected [256, 40]", "scales", (1024, 40), (256, 40)),
    ],
)  # fmt: skip
def test_size_differences(text: str, name: str, stored: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    (row,) = read_reports([text]).mismatched.values()
    assert (row.name, row.stored, row.wanted) == (name, stored, wanted)
