"""Kinds of faults of quantized checkpoints, made of every model and method to which they can happen.

A fault is a name, the checkpoint, and the slugs of which one has to come first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from tests import zoo
from tests.zoo.checkpoint import Checkpoint, Tensor
from tests.zoo.mutations import add, cast, del_config, drop, rename, reshape, set_config, shards
from tests.zoo.quantizers import Method, gptq, methods, nvfp4, pack_quantized, packable, quantized, tinygemm

MODELS = ("llama", "qwen3_moe", "qwen3_vl")
# Without experts: this release keeps them stacked and dense, or wants a scale of its own for each.
LINEAR_ONLY = ("gptq", "awq", "bnb-4bit", "bnb-8bit", "fp8-tensor")
NOT_LOADED = (("qwen3_moe", "int-quantized"),)  # by this release, however healthy: experts cannot be put together
BITSANDBYTES, FP8 = ("bnb-4bit", "bnb-8bit"), ("fp8", "fp8-tensor")
COMPRESSED = ("pack-quantized", "float-quantized", "int-quantized", "nvfp4")


@dataclass(frozen=True)
class Fault:
    kind: str
    model: str
    method: str
    checkpoint: Checkpoint
    first: tuple[str, ...]  # slugs of which one has to come first; empty: nothing is to be said

    @property
    def id(self) -> str:
        return f"{self.kind}, {self.model}, {self.method}"


def dense(model: str) -> Checkpoint:
    """A model of the zoo in sizes that can be packed."""
    return zoo.build(model).mutate(packable())


def pattern(model: str, method: str) -> str:
    """What the method packs: without experts where this release does not unpack them."""
    return "*self_attn*_proj.weight" if model == "qwen3_moe" and method in LINEAR_ONLY else "*layers.*_proj.weight"


def healthy(model: str, method: str) -> Checkpoint:
    return quantized(dense(model), methods()[method], pattern(model, method))


def faults(model: str, name: str) -> Iterator[Fault]:
    """Every fault that can happen to this model under this method."""
    method, whole = methods()[name], healthy(model, name)
    for kind, first, make in (*_companions(model, name, method), *_words(name), *_lists(model, name), *_numbers(name)):
        yield Fault(kind, model, name, make(whole), first)
    yield Fault("stale declaration", model, name, _stale(dense(model), method), ("quant-config-stale",))


_Made = tuple[str, tuple[str, ...], Callable[[Checkpoint], Checkpoint]]
_LOST, _RENAMED = ("quant-companion-missing",), ("quant-companion-renamed",)
_SET, _METHOD, _LAYOUT = ("quant-set-mismatch",), ("quant-method",), ("quant-layout",)


def _companions(model: str, name: str, method: Method) -> Iterator[_Made]:
    scale = method.scale
    yield "scale of one module lost", _LOST, drop(f"*layers.1.self_attn.q_proj.{scale}")
    yield "all scales lost", _LOST, drop(f"*.{scale}")
    yield "weight of one module lost", _LOST, _without_weight("layers.1.self_attn.k_proj")
    yield "one module lost", _LOST, drop("*layers.1.self_attn.v_proj.*")
    if model == "qwen3_moe" and name not in LINEAR_ONLY:
        yield "scales of some experts lost", _LOST, drop(f"*layers.2.mlp.experts.2.*_proj.{scale}")
    if method.renamed:
        yield "scales renamed", _RENAMED, rename(rf"\.{re.escape(scale)}$", f".{method.renamed}")
    yield "scales of the cache", ("quant-cache-scales",), _cache_scales(model)
    if name in ("fp8", "float-quantized", "pack-quantized", "gptq"):
        yield "scales without their dimensions", _LAYOUT, zoo.flatten(f"*layers.1.self_attn.q_proj.{scale}")


def _without_weight(module: str) -> Callable[[Checkpoint], Checkpoint]:
    leaves = ("weight", "qweight", "weight_packed")
    return lambda c: replace(
        c, tensors={n: t for n, t in c.tensors.items() if not any(n.endswith(f"{module}.{leaf}") for leaf in leaves)}
    )


def _cache_scales(model: str) -> Callable[[Checkpoint], Checkpoint]:
    stack = "model.language_model" if model == "qwen3_vl" else "model"
    return lambda c: c.mutate(
        *(add(f"{stack}.layers.0.self_attn.{k}_scale", "F32", [1]) for k in "kv"),
    )


def _words(name: str) -> Iterator[_Made]:
    missing = ("packed-as-dense",) if name in BITSANDBYTES else ("quant-config-missing",)
    yield "declaration lost", missing, del_config("quantization_config")
    # a word that nobody knows and the flags of bitsandbytes gone
    unknown = {"quant_method": "int4_fancy"}
    yield "unknown word", _METHOD, set_config("quantization_config", unknown)
    if name in ("gptq", "awq"):
        yield "packed along the other axis", _LAYOUT, set_config("quantization_config.quant_method", _other(name))
        yield "word of another method", ("quant-config-stale",), set_config("quantization_config", _fp8())
    elif name != "fp8-tensor":
        word = {"quant_method": "gptq", "bits": 4, "group_size": 128}
        yield "word of another method", ("quant-config-stale",), set_config("quantization_config", word)


def _other(name: str) -> str:
    return {"gptq": "awq", "awq": "gptq"}[name]


def _fp8() -> dict[str, Any]:
    return {"quant_method": "fp8", "activation_scheme": "dynamic", "weight_block_size": [128, 128]}


def _lists(model: str, name: str) -> Iterator[_Made]:
    field = {"gptq": "", "bnb-4bit": "llm_int8_skip_modules", "bnb-8bit": "llm_int8_skip_modules"}.get(
        name, "ignore" if name in COMPRESSED else "modules_to_not_convert"
    )
    stack = "model.language_model" if model == "qwen3_vl" else "model"
    module = f"{stack}.layers.1.self_attn.o_proj"
    if field:
        yield "list names a packed module", _SET, _listing(field, lambda entries: [*entries, module])
    yield "dense module that is not listed", _SET, _unpacked(f"{module}.", f"{module}.weight")
    if field and model == "qwen3_vl":
        strip = _listing(
            field, lambda entries: [entry.replace("model.visual", "vision_tower.visual") for entry in entries]
        )
        yield "list under another prefix", _SET, strip
    if name == "gptq" and model == "llama":
        yield "head packed", _SET, gptq("lm_head.weight")


def _listing(field: str, change: Callable[[list[str]], list[str]]) -> Callable[[Checkpoint], Checkpoint]:
    def edit(config: dict[str, Any]) -> None:
        config["quantization_config"][field] = change(config["quantization_config"][field])

    return lambda c: c.with_config(edit)


def _unpacked(module: str, weight: str) -> Callable[[Checkpoint], Checkpoint]:
    """The module in 16 bit, in place of its packed form."""

    def act(c: Checkpoint) -> Checkpoint:
        kept = {n: t for n, t in c.tensors.items() if not n.startswith(module)}
        return replace(c, tensors={**kept, weight: Tensor("BF16", (96, 96), weight)})

    return act


def _numbers(name: str) -> Iterator[_Made]:
    group = "quantization_config.config_groups.group_0"
    if name in ("gptq", "awq"):
        yield "group size", ("quant-group-size",), set_config("quantization_config.group_size", 64)
        yield "bits", ("quant-scheme",), set_config("quantization_config.bits", 8)
    elif name == "pack-quantized":
        yield "group size", ("quant-group-size",), set_config(f"{group}.weights.group_size", 64)
        yield "bits", ("quant-scheme",), set_config(f"{group}.weights.num_bits", 8)
        yield "asymmetric declared", ("quant-scheme",), set_config(f"{group}.weights.symmetric", False)
        yield "format", _LAYOUT, set_config("quantization_config.format", "float-quantized")
    elif name == "fp8":
        yield "block size", ("quant-group-size",), set_config("quantization_config.weight_block_size", [64, 64])
        yield "one scale declared", ("quant-group-size",), set_config("quantization_config.weight_block_size", None)
        grid = reshape("*layers.1.self_attn.q_proj.weight_scale_inv", [2, 2])
        yield "another grid", _LAYOUT, grid
    elif name == "fp8-tensor":
        yield "block declared", ("quant-group-size",), set_config("quantization_config.weight_block_size", [128, 128])
    if name in FP8:
        yield "static activations", ("quant-scheme",), set_config("quantization_config.activation_scheme", "static")
    elif name == "float-quantized":
        static = {"num_bits": 8, "type": "float", "strategy": "tensor", "dynamic": False}
        yield "static activations", ("quant-scheme",), set_config(f"{group}.input_activations", static)


def _stale(made: Checkpoint, method: Method) -> Checkpoint:
    return made.with_config(lambda config: config.update(quantization_config=method.declare(["lm_head"])))


def single_faults() -> Iterator[Fault]:
    """Faults that need a checkpoint of their own."""
    moe, llama = dense("qwen3_moe"), dense("llama")
    for name in ("gptq", "awq", "bnb-4bit"):
        whole = quantized(moe, methods()[name])
        yield Fault("experts packed one by one", "qwen3_moe", name, whole, _LAYOUT)
    asymmetric = quantized(llama, replace(methods()["pack-quantized"], pack=lambda p: pack_quantized(p, zeros=True)))
    weights = "quantization_config.config_groups.group_0.weights"
    yield Fault("symmetric declared", "llama", "pack-quantized", asymmetric, ("quant-scheme",))
    pair = asymmetric.mutate(set_config(f"{weights}.symmetric", False))
    yield Fault("pair of versions", "llama", "pack-quantized", pair, ("version-pair",))
    experts = quantized(moe, methods()["fp8"], "*self_attn*_proj.weight")
    unlisted = _listing("modules_to_not_convert", lambda entries: [e for e in entries if "experts" not in e])
    yield Fault("dense experts that are not listed", "qwen3_moe", "fp8", experts.mutate(unlisted), _SET)
    uneven = nvfp4("*_proj.weight", exporter="modelopt")(moe)
    lost = uneven.mutate(
        set_config("quantization_config", {"quant_method": "modelopt", "quant_algo": "NVFP4"}),
        drop("*layers.2.mlp.experts.3.*.input_scale"),
    )
    yield Fault("experts that no calibration reached", "qwen3_moe", "modelopt", lost, _LOST)
    kernel = tinygemm("*self_attn*_proj.weight")(llama)
    yield Fault("packed for a kernel", "llama", "torchao", kernel, _LAYOUT)
    torchao = {"quant_method": "torchao", "quant_type": {"default": {"_type": "Int4WeightOnlyConfig"}}}
    yield Fault(
        "packed for a kernel", "llama", "torchao", kernel.mutate(set_config("quantization_config", torchao)), _LAYOUT
    )


def every_fault() -> Iterator[Fault]:
    for model in MODELS:
        for method in methods():
            yield from faults(model, method) if (model, method) not in NOT_LOADED else ()
    yield from single_faults()


def near_misses() -> Iterator[Fault]:
    """Healthy checkpoints of every model and method, in one file and in shards, and what looks like a fault and is none."""
    for model in MODELS:
        for name in methods():
            if (model, name) in NOT_LOADED:
                continue
            yield Fault("healthy", model, name, healthy(model, name), ())
            yield Fault("healthy in shards", model, name, healthy(model, name).mutate(shards(3)), ())
    whole = healthy("llama", "gptq")
    yield Fault("one group a row", "llama", "gptq", _declared(quantized_with(gptq, group=-1), "group_size", -1), ())
    yield Fault("no g_idx", "llama", "gptq", quantized_with(gptq, g_idx=False), ())
    yield Fault(
        "biases that are zero", "llama", "gptq", whole.mutate(set_config("attention_bias", True), *_biases()), ()
    )
    other = _listing("modules_to_not_convert", lambda entries: [*entries, "vision_tower", "model.layers.77.mlp"])
    yield Fault("entries that name nothing", "llama", "fp8", healthy("llama", "fp8").mutate(other), ())
    named = rename(r"weight_scale_inv$", "scale")
    yield Fault("the short name of a scale", "llama", "fp8", healthy("llama", "fp8").mutate(named), ())
    wide = cast("*.weight_scale_inv", "F8_E8M0")
    yield Fault("scales of powers of two", "llama", "fp8", healthy("llama", "fp8").mutate(wide), ())
    skipped = _unpacked("model.layers.1.self_attn.o_proj.", "model.layers.1.self_attn.o_proj.weight")
    listed = _listing("ignore", lambda entries: [*entries, "re:.*layers\\.1\\.self_attn\\.o_proj$"])
    yield Fault("listed by a pattern", "llama", "pack", healthy("llama", "pack-quantized").mutate(skipped, listed), ())


def quantized_with(pack: Callable[..., Any], **options: Any) -> Checkpoint:
    return quantized(
        dense("llama"), replace(methods()["gptq"], pack=lambda p: pack(p, **options)), "*layers.*_proj.weight"
    )


def _declared(checkpoint: Checkpoint, field: str, value: Any) -> Checkpoint:
    return checkpoint.mutate(set_config(f"quantization_config.{field}", value))


def _biases() -> Iterator[Callable[[Checkpoint], Checkpoint]]:
    for layer in range(len([n for n in dense("llama").tensors if n.endswith("q_proj.weight")])):
        for name, size in (("q", 96), ("k", 48), ("v", 48), ("o", 96)):
            yield add(f"model.layers.{layer}.self_attn.{name}_proj.bias", "F16", [size])
