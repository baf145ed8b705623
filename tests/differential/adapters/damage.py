"""Kinds of damage: name -> function of (configuration, tensors) that gives both anew. Tensors are (dtype, shape) here."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

Tensors = dict[str, tuple[int, ...]]
Config = dict[str, Any]
Damage = Callable[[Config, Tensors], tuple[Config, Tensors]]
_TOP = "base_model.model."
_PAIR = re.compile(r"(lora_[AB])\.weight")
_WHOLE = re.compile(r"(lm_head|classifier|embed_tokens|score)\.weight\Z")


def _names(change: Callable[[str], str]) -> Damage:
    return lambda config, tensors: (config, {change(name): shape for name, shape in tensors.items()})


def _shapes(change: Callable[[str, tuple[int, ...]], tuple[int, ...] | None]) -> Damage:
    def act(config: Config, tensors: Tensors) -> tuple[Config, Tensors]:
        changed = {name: change(name, shape) for name, shape in tensors.items()}
        return config, {name: shape for name, shape in changed.items() if shape is not None}

    return act


def _config(**fields: Any) -> Damage:
    return lambda config, tensors: ({**config, **fields}, tensors)


def _without(*fields: str) -> Damage:
    return lambda config, tensors: ({k: v for k, v in config.items() if k not in fields}, tensors)


def _flipped(field: str) -> Damage:
    return lambda config, tensors: ({**config, field: not config.get(field)}, tensors)


def _added(make: Callable[[str], Tensors]) -> Damage:
    """Further tensors; `make` is given the module of the first pair."""
    return lambda config, tensors: (config, {**tensors, **make(_module(tensors))})


def _module(tensors: Tensors) -> str:
    return next((name.split(".lora_")[0] for name in sorted(tensors) if ".lora_" in name), _TOP + "model.layers.0.x")


def _of_first(function: Callable[[Any], Any]) -> Damage:
    """The list of targets, changed."""

    def act(config: Config, tensors: Tensors) -> tuple[Config, Tensors]:
        known = config.get("target_modules")
        return ({**config, "target_modules": function(sorted(known))} if isinstance(known, list) else config), tensors

    return act


def _kohya(name: str) -> str:
    inner = (
        name.replace(_TOP, "").replace("lora_A.weight", "lora_down.weight").replace("lora_B.weight", "lora_up.weight")
    )
    module, _, part = inner.partition(".lora_")
    return "lora_unet_" + module.replace(".", "_") + ".lora_" + part


def _layer(name: str) -> str:
    found = re.search(r"\.(?:layers?|h|block)\.(\d+)\.", name)
    return found[1] if found else ""


def _of_rank_2(name: str, shape: tuple[int, ...]) -> tuple[int, ...]:
    if len(shape) != 2:
        return shape
    return (2, shape[1]) if "lora_A" in name else (shape[0], 2) if "lora_B" in name else shape


NAMES: dict[str, Damage] = {
    "no prefix": _names(lambda n: n.replace(_TOP, "", 1)),
    "half a prefix": _names(lambda n: n.replace("base_model.", "", 1)),
    "prefix twice": _names(lambda n: _TOP + n),
    "base_model. alone": _names(lambda n: n.replace(_TOP, "base_model.", 1)),
    "compiled": _names(lambda n: "_orig_mod." + n),
    "compiled inside": _names(lambda n: n.replace(_TOP, _TOP + "_orig_mod.", 1)),
    "distributed": _names(lambda n: "module." + n),
    "sharded inside": _names(lambda n: n.replace(_TOP, _TOP + "_fsdp_wrapped_module.", 1)),
    "checkpointed layers": _names(lambda n: re.sub(r"(layers\.\d+)\.", r"\1._checkpoint_wrapped_module.", n)),
    "nested as multimodal": _names(lambda n: n.replace(_TOP + "model.", _TOP + "model.language_model.", 1)),
    "nested as release 4": _names(lambda n: n.replace("model.language_model.", "language_model.model.", 1)),
    "not nested": _names(lambda n: n.replace("language_model.", "", 1)),
    "without the head's model": _names(lambda n: n.replace(_TOP + "model.", _TOP, 1)),
    "one model more": _names(lambda n: n.replace(_TOP, _TOP + "model.", 1)),
    "adapter name kept": _names(lambda n: _PAIR.sub(r"\1.default.weight", n)),
    "another adapter name": _names(lambda n: _PAIR.sub(r"\1.other.weight", n)),
    "kohya": _names(_kohya),
    "lower case": _names(lambda n: n.replace("lora_A", "lora_a").replace("lora_B", "lora_b")),
    "no .weight": _names(lambda n: n.removesuffix(".weight")),
    "counted from one": _names(
        lambda n: re.sub(r"(layers|h|block|layer)\.(\d+)", lambda m: f"{m[1]}.{int(m[2]) + 1}", n)
    ),
    "live names of saved modules": _names(lambda n: _WHOLE.sub(r"\1.modules_to_save.default.weight", n)),
    "another word": _names(lambda n: n.replace("self_attn", "attention")),
}
SHAPES: dict[str, Damage] = {
    "half of the rows": _shapes(lambda _, s: (max(1, s[0] // 2), *s[1:]) if s else s),
    "placeholders": _shapes(lambda *_: (0,)),
    "an empty file": _shapes(lambda *_: None),
    "flat": _shapes(lambda _, s: (s[0] * s[1],) if len(s) == 2 else s),
    "transposed": _shapes(lambda _, s: s[::-1]),
    "another rank": _shapes(_of_rank_2),
    "one dimension more": _shapes(lambda _, s: (1, *s)),
    "resized vocabulary": _shapes(lambda n, s: (s[0] + 8, *s[1:]) if _WHOLE.search(n) else s),
}
HOLES: dict[str, Damage] = {
    "no layer 1": _shapes(lambda n, s: None if _layer(n) == "1" else s),
    "no lora_B": _shapes(lambda n, s: None if "lora_B" in n or "lora_embedding_B" in n else s),
    "no saved modules": _shapes(lambda n, s: None if _WHOLE.search(n) else s),
    "saved modules alone": _shapes(lambda n, s: None if "lora" in n else s),
    "no magnitudes": _shapes(lambda n, s: None if "magnitude" in n else s),
    "a matrix of nothing": _added(lambda m: {m.rpartition(".")[0] + ".x_proj.weight": (8, 8)}),
    "a matrix of the base": _added(lambda m: {m + ".base_layer.weight": (32, 32)}),
    "a matrix of a wrapped module": _added(lambda m: {m + ".weight": (32, 32)}),
    "a head": _added(lambda _: {_TOP + "lm_head.weight": (64, 32)}),
    "a resized head": _added(
        lambda _: {_TOP + "lm_head.weight": (72, 32), _TOP + "model.embed_tokens.weight": (72, 32)}
    ),
    "a layer too many": lambda c, t: (c, {**t, **{n.replace(".0.", ".9."): s for n, s in t.items() if ".0." in n}}),
    "a pair for another module": _added(
        lambda _: {
            f"{_TOP}model.layers.0.self_attn.o_proj.lora_{x}.weight": s for x, s in (("A", (4, 32)), ("B", (32, 4)))
        }
    ),
}
CONFIGS: dict[str, Damage] = {
    "r 8": _config(r=8),
    "r as text": _config(r="4"),
    "r 4.0": _config(r=4.0),
    "r 0": _config(r=0),
    "alpha as text": _config(lora_alpha="16"),
    "alpha null": _config(lora_alpha=None),
    "unknown targets": _config(target_modules=["foo"]),
    "no targets": _config(target_modules=None),
    "a target as text": _of_first(lambda t: t[0]),
    "fewer targets": _of_first(lambda t: t[:1]),
    "more targets": _of_first(lambda t: [*t, "k_proj", "dense", "key", "c_fc", "o"]),
    "all-linear": _config(target_modules="all-linear"),
    "a broken pattern": _config(target_modules=".*(q_proj"),
    "layer 0 alone": _config(layers_to_transform=[0]),
    "layer 9": _config(layers_to_transform=[9]),
    "another layers_pattern": _config(layers_pattern="blocks", layers_to_transform=[0, 1]),
    "everything excluded": _config(exclude_modules=".*"),
    "one excluded": _config(exclude_modules=["q_proj"]),
    "another DoRA flag": _flipped("use_dora"),
    "another rsLoRA flag": _flipped("use_rslora"),
    "another lora_bias flag": _flipped("lora_bias"),
    "an unknown bias": _config(bias="foo"),
    "no peft_type": _without("peft_type"),
    "lower-case peft_type": _config(peft_type="lora"),
    "unknown peft_type": _config(peft_type="FOO"),
    "another peft_type": _config(peft_type="IA3"),
    "unknown task": _config(task_type="FOO"),
    "no task": _config(task_type=None),
    "a newer field": _config(future_option=1),
    "a head to save": _config(modules_to_save=["lm_head"]),
    "nothing of that name to save": _config(modules_to_save=["foo"]),
    "an unknown init": _config(init_lora_weights="foo"),
    "no rank_pattern": _config(rank_pattern={}),
    "rank_pattern null": _config(rank_pattern=None),
    "another rank_pattern": _config(rank_pattern={"q_proj": 16}),
    "unknown parameters": _config(target_parameters=["foo.bar"]),
    "no parameters": _config(target_parameters=None),
    "replicated layers": _config(layer_replication=[[0, 2], [0, 3]]),
    "megatron": _config(megatron_config={"a": 1}),
}
DAMAGES = {**NAMES, **SHAPES, **HOLES, **CONFIGS}
