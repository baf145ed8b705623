"""Which stored tensor every tied parameter takes, told by its value in the real library."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from loadproof.api import check
from loadproof.core.outcome import Outcome

pytestmark = pytest.mark.torch
SIZES: dict[str, Any] = {
    "vocab_size": 40, "d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2,
    "decoder_attention_heads": 2, "encoder_ffn_dim": 16, "decoder_ffn_dim": 16, "max_position_embeddings": 32,
    "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2, "tie_word_embeddings": True,
}  # fmt: skip
T5 = {"d_ff": 16, "d_kv": 4, "num_layers": 1, "num_heads": 2}
FAMILIES: dict[str, dict[str, Any]] = {
    "Bart": {}, "MBart": {}, "Pegasus": {}, "M2M100": {}, "Marian": {}, "PLBart": {}, "Blenderbot": {},
    "BlenderbotSmall": {}, "Mvp": {}, "PegasusX": {}, "T5": T5, "MT5": T5, "UMT5": T5, "LongT5": T5,
    "BigBirdPegasus": {"attention_type": "original_full"},
    "LED": {"attention_window": [4], "max_encoder_position_embeddings": 32, "max_decoder_position_embeddings": 32},
    "NllbMoe": {"num_experts": 2, "encoder_sparse_step": 0, "decoder_sparse_step": 0},
}  # fmt: skip


def _model(family: str) -> Any:
    import transformers

    config = getattr(transformers, f"{family}Config")(**{**SIZES, **FAMILIES[family]})
    name = "MarianMTModel" if family == "Marian" else f"{family}ForConditionalGeneration"
    config.architectures = [name]
    return getattr(transformers, name)(config)


def _write(folder: Path, model: Any, kept: dict[str, int], members: set[str]) -> None:
    """The members of the tie that are kept, each full of its own number."""
    import torch
    from safetensors.torch import save_file

    tensors = {name: tensor.clone() for name, tensor in model.state_dict().items() if name not in members}
    tensors |= {name: torch.full((40, 16), float(number)) for name, number in kept.items()}
    folder.mkdir()
    model.config.save_pretrained(folder)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


def _taken(outcome: Outcome, name: str) -> str:
    """The stored member of which this one has its values, as we predict it."""
    given: dict[str, str] = {}
    for filled, source in outcome.tied:
        given[filled] = given.get(source, source)
    return given.get(name, name)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_tied_parameter_takes_the_tensor_that_the_library_gives_it(family: str, tmp_path: Path) -> None:
    model = _model(family)
    ties = model.all_tied_weights_keys
    source = next(iter(ties.values()))
    members = {name: number for number, name in enumerate((source, *ties), 1)}
    assert set(ties.values()) == {source}
    for count in range(1, len(members) + 1):
        for kept in combinations(members, count):
            folder = tmp_path / "-".join(str(members[name]) for name in kept)
            _write(folder, model, {name: members[name] for name in kept}, set(members))
            _compare(type(model), folder, members, source, kept)


def _compare(cls: Any, folder: Path, members: dict[str, int], source: str, kept: tuple[str, ...]) -> None:
    loaded, report = cls.from_pretrained(folder), check(folder)
    real = {name: round(loaded.get_parameter(name)[0, 0].item()) for name in members}
    assert real == {name: members[_taken(report.case.outcome, name)] for name in members}, kept
    assert report.verdict == ("loads-wrong" if _is_guessed(real, members, source, kept) else "loads"), kept


def _is_guessed(real: dict[str, int], members: dict[str, int], source: str, kept: tuple[str, ...]) -> bool:
    """Whether the source took a head in place of an embedding, or one of two embeddings."""
    embeddings = {members[name] for name in kept if name != "lm_head.weight"} or {members[name] for name in kept}
    return source not in kept and not embeddings <= {real[source]}
