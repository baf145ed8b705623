"""Reports built by hand, without any stage behind them."""

from __future__ import annotations

from typing import Any

from loadproof.core.case import Case, Report, Timings
from loadproof.core.checkpoint import FileInfo, Inventory, Manifest, Selection
from loadproof.core.config import LayerPlan, ModelConfig
from loadproof.core.edits import Fix, SetJson
from loadproof.core.expectation import Expectation, Expected
from loadproof.core.findings import Evidence, Finding
from loadproof.core.outcome import Outcome, Row
from loadproof.core.places import Place, about
from loadproof.formats import StoredCheckpoint
from loadproof.storage.memory import Memory

FILES = tuple(FileInfo(f"model-{n:05d}-of-00012.safetensors", 1000, "safetensors") for n in range(1, 13))
LAYER = "model.language_model.layers.{}."
MISSING = (
    "A_log",
    "conv1d.weight",
    "dt_bias",
    "in_proj_ba.weight",
    "in_proj_qkvz.weight",
    "norm.weight",
    "out_proj.weight",
)
ROWS = (
    *(Row("missing", f"{LAYER}linear_attn.{name}", ((20,),), expected=(8, 8)) for name in MISSING),
    *(Row("unexpected", f"{LAYER}self_attn.{name}_proj.weight", ((20,),), found=(8, 8)) for name in "qkvo"),
)
PLAN_FINDING = Finding(
    "LP301",
    "layer-plan-mismatch",
    "error",
    "certain",
    "config.json says linear attention where the checkpoint holds full attention",
    (
        Evidence(Place("config.json", 37), 'text_config.layer_types[20] = "linear_attention"'),
        Evidence(
            Place("model-00005-of-00012.safetensors"),
            f"{LAYER.format(20)}self_attn.{{q,k,v,o}}_proj.weight (4 tensors)",
        ),
        Evidence(about("config"), "LLLFLLLFLLLFLLLFLLLFLLLF        (L linear, F full; 1 of 24 differs)", "layers"),
        Evidence(about("tensors"), "LLLFLLLFLLLFLLLFLLLFFLLF", "layers"),
        Evidence(Place("modeling_qwen3_next.py", 873), "layer_types[layer_idx] chooses the mixer", "source"),
    ),
    ROWS,
    11,
    (
        Fix(
            'set layer_types[20] to "full_attention"',
            "lossless",
            (SetJson("config.json", ("text_config", "layer_types", 20), "full_attention"),),
        ),
    ),
)


def report(*findings: Finding, verdict: Any = "loads-wrong", **changes: Any) -> Report:
    """A report over a 24-layer checkpoint; `changes` replace fields of the case, `unexplained` or `skipped`."""
    outcome = Outcome(tuple(row for finding in findings for row in finding.rows))
    case: dict[str, Any] = {
        "inventory": Inventory("checkpoint", (FileInfo("config.json", 900, "json"), *FILES)),
        "selection": Selection("model.safetensors.index.json", tuple(f.path for f in FILES), "safetensors-sharded"),
        "manifest": Manifest("safetensors-sharded", FILES, (), 291, 123_456_789),
        "config": ModelConfig("config.json", {}),
        "expectation": Expectation(
            "transformers",
            "5.24.0",
            "Qwen3NextForCausalLM",
            "qwen3_next",
            "installed",
            (Expected("a", (), (1,)),),
            parameters=491,
        ),
        "outcome": outcome,
        "config_plan": LayerPlan(("linear_attention",) * 3 + ("full_attention",), "config"),
        "tensor_plan": LayerPlan(("linear_attention", None, "conv", "full_attention"), "tensors"),
    }
    case["checkpoint"] = StoredCheckpoint(Memory({}, "/x/checkpoint"), case["inventory"], case["config"])
    unexplained = changes.pop("unexplained", ())
    skipped = changes.pop("skipped", ())
    return Report(
        Case(**(case | changes)),
        verdict,
        findings,
        unexplained,
        ("names", "headers"),
        skipped,
        Timings(0.01, 0.02, 0.04),
    )
