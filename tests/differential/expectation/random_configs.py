"""Random raw configurations of a model type, as they might stand in a config.json.

Fields are left out (so that defaults are tried), depths are small and random, layer plans are drawn from the words of the
default plan, whole numbers are scaled, switches flipped. Many of them are refused by the library; that is wanted too.
"""

from __future__ import annotations

import random
from typing import Any

_DEPTHS = "num_hidden_layers num_layers n_layer n_layers depth encoder_layers decoder_layers num_decoder_layers num_encoder_layers"
_KEPT_OUT = (
    "transformers_version architectures _name_or_path dtype torch_dtype id2label label2id return_dict output_hidden_states "
    "output_attentions chunk_size_feed_forward problem_type is_encoder_decoder backbone_config per_layer_config"
)
DEPTHS = frozenset(_DEPTHS.split())
KEPT_OUT = frozenset(_KEPT_OUT.split())


def random_config(full: dict[str, Any], rng: random.Random, boldness: float) -> dict[str, Any]:
    """A raw dictionary made from the full default one. `boldness` (0..1) is how often whole numbers change."""
    out: dict[str, Any] = {}
    plans: dict[str, list[str]] = {}
    for key, value in full.items():
        if key == "model_type":
            out[key] = value
        elif key not in KEPT_OUT and value is not None:
            _draw(out, plans, key, value, rng, boldness)
    _draw_plans(out, plans, rng)
    return out


def _draw(
    out: dict[str, Any], plans: dict[str, list[str]], key: str, value: Any, rng: random.Random, boldness: float
) -> None:
    if isinstance(value, dict):
        if value.get("model_type") is not None:
            out[key] = random_config(value, rng, boldness)
        elif not key.startswith("rope") or rng.random() < 0.5:
            out[key] = value
    elif isinstance(value, bool):
        if rng.random() < 0.6:
            out[key] = value ^ (rng.random() < 0.25)
    elif key in DEPTHS and isinstance(value, int):
        out[key] = rng.randint(2, 9) if value > 1 else value
    elif isinstance(value, int) and not key.endswith(("token_id", "token_index")):
        _draw_number(out, key, value, rng, boldness)
    elif isinstance(value, list) and len(value) > 1 and all(isinstance(x, str) for x in value):
        plans[key] = value
    elif not (isinstance(value, list) and len(value) > 8) and rng.random() < 0.5:
        out[key] = value


def _draw_number(out: dict[str, Any], key: str, value: int, rng: random.Random, boldness: float) -> None:
    draw = rng.random()
    if draw < boldness and value > 0:
        scaled = value + rng.choice([1, 8, 64]) if key == "vocab_size" else int(value * rng.choice([0.5, 1, 2, 3]))
        out[key] = max(1, scaled)
    elif draw < 0.8:
        out[key] = value


def _draw_plans(out: dict[str, Any], plans: dict[str, list[str]], rng: random.Random) -> None:
    depth = next((out[k] for k in sorted(DEPTHS) if isinstance(out.get(k), int)), None)
    for key, words in plans.items():
        if "layer" not in key and "block" not in key:
            out[key] = words
        elif depth is None or rng.random() < 0.6:
            known = sorted(set(words))
            out[key] = [rng.choice(known) for _ in range(depth or rng.choice([3, 4, 6, 8]))]
