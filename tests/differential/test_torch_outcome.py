"""What transformers makes of torch files of every kind, and what is foretold of them."""

from __future__ import annotations

import argparse
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

import loadproof  # noqa: E402
from loadproof.core.families import names_of  # noqa: E402
from tests.differential.torch_files import packed_again  # noqa: E402

pytestmark = pytest.mark.torch

CONFIG = transformers.LlamaConfig(
    hidden_size=32,
    intermediate_size=48,
    num_hidden_layers=2,
    num_attention_heads=2,
    num_key_value_heads=2,
    vocab_size=64,
    architectures=["LlamaForCausalLM"],
)
WEIGHTS = {name: torch.randn_like(value) for name, value in transformers.LlamaForCausalLM(CONFIG).state_dict().items()}
QUERY = "model.layers.0.self_attn.q_proj.weight"


def saved(value: Any, **options: Any) -> bytes:
    buffer = io.BytesIO()
    torch.save(value, buffer, **options)
    return buffer.getvalue()


def rewritten(content: bytes, change: Callable[[str, bytes], bytes]) -> bytes:
    """The archive with other contents of its members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(buffer, "w") as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return buffer.getvalue()


def quantized() -> Any:
    return torch.quantize_per_tensor(torch.randn(32, 32), 0.1, 0, torch.qint8)


FILES: dict[str, Callable[[], bytes]] = {
    "good": lambda: saved(WEIGHTS),
    "legacy": lambda: saved(WEIGHTS, _use_new_zipfile_serialization=False),
    "parameters": lambda: saved({name: torch.nn.Parameter(value) for name, value in WEIGHTS.items()}),
    "strided": lambda: saved({**WEIGHTS, QUERY: WEIGHTS[QUERY].t().contiguous().t()}),
    "views": lambda: saved({**WEIGHTS, QUERY: torch.randn(64, 32)[:32]}),
    "compressed": lambda: packed_again(saved(WEIGHTS), zipfile.ZIP_DEFLATED),
    "compressed zeros": lambda: packed_again(
        saved({k: torch.zeros_like(v) for k, v in WEIGHTS.items()}), zipfile.ZIP_DEFLATED
    ),
    "short record": lambda: rewritten(
        saved(WEIGHTS), lambda name, data: data[: len(data) // 2] if name.endswith("data/3") else data
    ),
    "nested": lambda: saved({"state_dict": WEIGHTS}),
    "nested and more": lambda: saved({"model": WEIGHTS, "epoch": 3}),
    "values behind": lambda: saved({**WEIGHTS, "epoch": 3, "args": {"a": 1}, "text": "x"}),
    "value first": lambda: saved({"epoch": 3, **WEIGHTS}),
    "integers first": lambda: saved({"step": torch.tensor(3), "epoch": 3, **WEIGHTS}),
    "floats first": lambda: saved({QUERY: WEIGHTS[QUERY], "epoch": 3, **WEIGHTS}),
    "a list": lambda: saved(list(WEIGHTS.values())),
    "nothing": lambda: saved(None),
    "empty": lambda: saved({}),
    "a number as key": lambda: saved({**WEIGHTS, 0: torch.ones(1)}),
    "a tuple as key": lambda: saved({**WEIGHTS, ("a", "b"): torch.ones(1)}),
    "an object": lambda: saved({**WEIGHTS, "args": argparse.Namespace(a=1)}),
    "protocol 4": lambda: saved(WEIGHTS, pickle_protocol=4),
    "sparse beside": lambda: saved({**WEIGHTS, "s": torch.eye(3).to_sparse()}),
    "sparse weight": lambda: saved({**WEIGHTS, QUERY: torch.eye(32).to_sparse()}),
    "meta beside": lambda: saved({**WEIGHTS, "z": torch.empty(3, device="meta")}),
    "meta weight": lambda: saved({**WEIGHTS, QUERY: torch.empty(32, 32, device="meta")}),
    "quantized beside": lambda: saved({**WEIGHTS, "q": quantized()}),
    "quantized weight": lambda: saved({**WEIGHTS, QUERY: quantized()}),
    "cut": lambda: saved(WEIGHTS)[:-40],
    "cut far": lambda: saved(WEIGHTS)[:40_000],
    "legacy cut": lambda: saved(WEIGHTS, _use_new_zipfile_serialization=False)[:-50],
}


def real(folder: Path) -> tuple[str, int, int, bool]:
    """(kind of exception or nothing, missing, unexpected, whether every weight is the stored one)."""
    try:
        model, info = transformers.LlamaForCausalLM.from_pretrained(folder, output_loading_info=True)
    except Exception as error:
        return type(error).__name__, 0, 0, False
    loaded = model.state_dict()
    same = all(torch.equal(value, WEIGHTS[name]) for name, value in loaded.items())
    return "", len(info["missing_keys"]), len(info["unexpected_keys"]), same


def foretold(folder: Path) -> tuple[str, int, int, bool]:
    report = loadproof.check(str(folder), use_cache=True)
    rows = report.case.outcome.rows
    counts = [
        sum(len(list(names_of(r.template, r.axes))) for r in rows if r.kind == k) for k in ("missing", "unexpected")
    ]
    if report.verdict == "fails":
        said = [report.case.outcome.error, *map(report.case.reaction, report.case.manifest.problems)]
        return next(filter(None, said)).partition(":")[0], 0, 0, False
    return "", counts[0], counts[1], report.verdict == "loads"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["float32", None])
@pytest.mark.parametrize("kind", FILES)
def test_the_outcome_is_the_one_that_was_foretold(kind: str, dtype: str | None, tmp_path: Path) -> None:
    config = {**CONFIG.to_dict(), "dtype": dtype}
    (tmp_path / "config.json").write_text(json.dumps({k: v for k, v in config.items() if v is not None}))
    (tmp_path / "pytorch_model.bin").write_bytes(FILES[kind]())
    found = real(tmp_path)
    if kind == "views":
        found = (*found[:3], True)  # another tensor was stored
    if kind.startswith("cut") and found[0] == "OSError":
        found = ("RuntimeError", *found[1:])  # torch's zip reader asks for bytes before a short file: [Errno 22]
    assert foretold(tmp_path) == found
