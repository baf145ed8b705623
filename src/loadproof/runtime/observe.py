"""A live module as data: head, embedding, tie and wrappers, for the LP9 rules."""

from __future__ import annotations

from typing import Any

from loadproof.core.live import LiveModel
from loadproof.core.tensors import Shape
from loadproof.runtime.placement import Role, describe
from loadproof.runtime.unwrap import input_embedding, output_head, unwrap, weight_holder


def observe(model: Any, vocab: int | None = None, hidden: int | None = None) -> LiveModel:
    """What the rules need to know of `model`. `vocab`/`hidden` override what the modules say of themselves."""
    inner, wrappers = unwrap(model)
    head, embedding = _holder(output_head(inner)), _holder(input_embedding(inner))
    names = _names(inner)
    parameters = []
    for role, module in (("input-embedding", embedding), ("output-head", head)):
        weight = _weight(module)
        if weight is not None:
            shape = expected_shape(inner, module, role, vocab, hidden)  # type: ignore[arg-type]
            parameters.append(describe(weight, role, names.get(id(module), role) + ".weight", shape, module))  # type: ignore[arg-type]
    h, e = _weight(head), _weight(embedding)
    declared, e = _declared_tie(inner, h, e)
    both = h is not None and e is not None
    return LiveModel(
        class_name=type(inner).__name__,
        parameters=tuple(parameters),
        wrappers=wrappers,
        tie_declared=declared,
        tied=(h is e) if both else None,
        shares_storage=_same_storage(h, e) if both else None,
        placeholders=_placeholders(inner),
        vocab_size=_config_value(inner, "vocab_size"),
    )


def expected_shape(model: Any, module: Any, role: Role, vocab: int | None, hidden: int | None) -> Shape | None:
    """(rows, columns) from the caller, else the module's own attributes, else the config; None when nobody knows."""
    names = ("out_features", "in_features") if role == "output-head" else ("num_embeddings", "embedding_dim")
    rows = vocab or getattr(module, names[0], None) or _config_value(model, "vocab_size")
    columns = hidden or getattr(module, names[1], None) or _config_value(model, "hidden_size")
    if type(module).__name__ == "Conv1D" and rows and columns:  # transformers' Conv1D stores [in, out]
        return (int(columns), int(rows))
    return (int(rows), int(columns)) if rows and columns else None


def _declared_tie(model: Any, head: Any, embedding: Any) -> tuple[bool | None, Any]:
    """(whether a tie of the head is declared, the parameter it should be).

    transformers 5 has worked that out itself: `all_tied_weights_keys` (modeling_utils.py:2425) knows which level of a
    composite config counts and which embedding is meant. Without it the flag of the config is taken.
    """
    ties = getattr(model, "all_tied_weights_keys", None)
    if ties is None:
        value = _config_value(model, "tie_word_embeddings")
        return (None if value is None else bool(value)), embedding
    names = dict(model.named_parameters(remove_duplicate=False))
    source = next((s for target, s in ties.items() if head is not None and names.get(target) is head), None)
    return source is not None, names.get(source, embedding)


def _config_value(model: Any, name: str) -> Any:
    config = getattr(model, "config", None)
    if config is None:
        return None
    text = getattr(config, "text_config", None)
    value = getattr(text, name, None) if text is not None and not isinstance(text, dict) else None
    return value if value is not None else getattr(config, name, None)


def _holder(module: Any) -> Any | None:
    return None if module is None else weight_holder(module)


def _weight(module: Any) -> Any | None:
    if module is None:
        return None
    own = module.__dict__.get("_parameters", {}).get("weight")
    return own if own is not None else None


def _names(model: Any) -> dict[int, str]:
    return {id(module): name for name, module in model.named_modules()}


def _same_storage(a: Any, b: Any) -> bool | None:
    try:
        return bool(a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr() != 0)
    except (RuntimeError, NotImplementedError, AttributeError):
        return None


def _placeholders(model: Any) -> int:
    return sum(1 for p in model.parameters() if p.numel() == 0)
