"""`HeadSpec`: what the output head must look like, and its repair in place.

Only a 1-D parameter of exactly rows * columns ordinary elements is viewed again; everything else is refused with the
reason. The repair keeps storage and Parameter object, so ties and optimizer references survive (verified: logits
bitwise equal before the damage and after the repair).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from loadproof.core.live import LiveModel
from loadproof.rules.evidence.live_parameters import Fault, judge
from loadproof.runtime.errors import HeadFault
from loadproof.runtime.observe import expected_shape, observe
from loadproof.runtime.placement import describe
from loadproof.runtime.unwrap import input_embedding, output_head, require_tensor, unwrap, weight_holder


@dataclass(frozen=True)
class HeadSpec:
    """Rows and columns of the output head: ``weight.shape == (vocab, hidden)``."""

    vocab: int
    hidden: int

    @classmethod
    def from_model(cls, model: Any) -> HeadSpec:
        """By the head's own `out_features` / `in_features`, else the config. Raises HeadFault without a head."""
        inner, _ = unwrap(model)
        head = output_head(inner)
        if head is None:
            raise HeadFault(f"{type(inner).__name__} has no output head (get_output_embeddings() is None, no lm_head)")
        shape = expected_shape(inner, weight_holder(head), "output-head", None, None)
        if shape is None:
            raise HeadFault(
                f"{type(inner).__name__}: neither the head's out_features/in_features nor config.vocab_size/hidden_size"
                " say its sizes; use HeadSpec(vocab=..., hidden=...)"
            )
        return cls(*shape)

    def assert_2d(self, weight: Any) -> None:
        """Raise HeadFault (a ValueError) unless `weight` is [vocab, hidden] as it will be used.

        DTensors are judged by their global shape, bitsandbytes weights by `quant_state.shape`.
        """
        require_tensor(weight)
        live = describe(weight, "output-head", "weight", (self.vocab, self.hidden))
        fault = judge(live)
        if fault is not None:
            raise HeadFault(text_of(fault))

    def sanitize(self, model: Any) -> Any:
        """Bring the head (and a flattened embedding) back to two dimensions in place; returns `model`.

        Raises HeadFault when that is not provably right; the model is then unchanged.
        """
        return ensure_lm_head_2d(model, self.vocab, self.hidden)


def assert_2d(weight: Any, vocab: int | None = None, hidden: int | None = None) -> None:
    """`HeadSpec(vocab, hidden).assert_2d(weight)`; without sizes only the number of dimensions is checked."""
    require_tensor(weight)
    if vocab is not None and hidden is not None:
        HeadSpec(vocab, hidden).assert_2d(weight)
    elif weight.dim() != 2:
        raise HeadFault(f"weight must be 2-D [vocab, hidden], found {weight.dim()}-D {list(weight.shape)}")


def sanitize(model: Any) -> Any:
    """`HeadSpec.from_model(model).sanitize(model)`."""
    return HeadSpec.from_model(model).sanitize(model)


def ensure_lm_head_2d(model: Any, vocab: int | None = None, hidden: int | None = None) -> Any:
    """View a flattened head or embedding as [rows, columns] again, in place, and restore a provable tie.

    `vocab`, `hidden`: rows and columns of the head; default: what the modules and the config say. Returns `model`.
    Raises HeadFault for everything else that is wrong (placeholders, local shards, packed, transposed, other sizes),
    before anything is changed.
    """
    live = observe(model, vocab, hidden)
    found = [fault for fault in map(judge, live.parameters) if fault is not None]
    refused = [fault for fault in found if not fault.viewable]
    if refused:
        raise HeadFault("\n".join(text_of(fault) for fault in refused[: 1 if live.tied else 2]))
    inner, _ = unwrap(model)
    retie = _tie_is_proven(live) and _retie(inner)
    for fault in found:
        _view(inner, fault, skip_head=retie)
    return model


def _view(model: Any, fault: Fault, skip_head: bool) -> None:
    head = fault.parameter.role == "output-head"
    if head and skip_head:
        return
    module = weight_holder(output_head(model) if head else input_embedding(model))
    weight, shape = module.weight, fault.parameter.expected
    if shape is not None and tuple(weight.shape) != shape:
        weight.data = weight.data.view(*shape)


def _tie_is_proven(live: LiveModel) -> bool:
    """The config declares the tie and both weights lie in one storage, yet they are two objects."""
    return bool(live.tie_declared and live.tied is False and live.shares_storage)


def _retie(model: Any) -> bool:
    head, embedding = weight_holder(output_head(model)), weight_holder(input_embedding(model))
    if head.weight.numel() != embedding.weight.numel() or head.weight.data_ptr() != embedding.weight.data_ptr():
        return False
    head.weight = embedding.weight
    return True


def text_of(fault: Fault) -> str:
    """One message: parameter, expected, found, cause, what to do."""
    p = fault.parameter
    expected = list(p.expected) if p.expected else "unknown"
    return (
        f"[{fault.code}] {p.name} must be 2-D [rows, columns] {expected}, found {len(p.shape)}-D {list(p.shape)} "
        f"{p.dtype}: {fault.cause}. What to do: {fault.action}."
    )
