"""Parts of a release that a constructor never needs, and the few names of them that it does."""

from __future__ import annotations

from loadproof.interpret.language.enums import StrEnum
from loadproof.interpret.language.errors import NotUnderstood
from loadproof.interpret.language.objects import SourceObject, Unknown
from loadproof.interpret.language.surroundings import TORCH_VERSION
from loadproof.interpret.language.values import Value
from loadproof.interpret.release import quantizers
from loadproof.interpret.release.ports import World
from loadproof.interpret.shapes.module import Module

_STUBBED = [
    "utils",
    "integrations",
    "generation.utils",
    "cache_utils",
    "masking_utils",
    "modeling_flash_attention_utils",
    "processing_utils",
    "loss",
    "distributed",
    "safetensors_conversion",
    "dynamic_module_utils",
    "modeling_outputs",
    "peft",
    "audio_utils",
    "image_utils",
    "feature_extraction_utils",
    "tokenization_utils_base",
    "video_utils",
    "modeling_attn_mask_utils",
    "hf_argparser",
    "time_series_utils",
    "monkey_patching",
]
_BLANK_BASES = frozenset(
    [
        "PushToHubMixin",
        "PeftAdapterMixin",
        "DistributedMixin",
        "FlashAttentionKwargs",
        "TransformersKwargs",
        "ModelOutput",
        "Cache",
        "DynamicCache",
        "ExpertsInterface",
    ]
)


# Base classes of configurations, in release 4; and what a quantizer builds.
_READ = frozenset(["utils.backbone_utils", *quantizers.READ])


def is_stubbed(module: str) -> bool:
    if not module.startswith("transformers.") or module[len("transformers.") :] in _READ:
        return False
    relative = module[len("transformers.") :]
    return any(relative == s or relative.startswith(s + ".") for s in _STUBBED)


class GenerationMixin(SourceObject):
    """Marks the classes that can generate."""


class GradientCheckpointingLayer(Module):
    gradient_checkpointing = False


def glue(world: World, module: str, name: str) -> Value:
    """Stand-ins that hold wherever the name comes from; None for all other names."""
    if name in _BLANK_BASES:
        return SourceObject
    if name in ("GradientCheckpointingLayer", "GenerationMixin"):
        return GradientCheckpointingLayer if name == "GradientCheckpointingLayer" else GenerationMixin
    if name == "RotaryEmbeddingConfigMixin" and module != "transformers.modeling_rope_utils":
        return world.load("transformers.modeling_rope_utils", name)
    if name in ("logger", "init"):
        return Unknown(name)
    return None


def _yes(*_: object, **__: object) -> bool:
    return True


def _no(*_: object, **__: object) -> bool:
    return False


def _none(*_: object, **__: object) -> None:
    return None


def _torch_version() -> str:
    return TORCH_VERSION


def stub(world: World, module: str, name: str) -> Value:
    """A name of a stubbed module: small stand-ins for those that decide something, Unknown for the rest."""
    if name == "interval":
        return _field_maker
    if module.endswith("type_validators") or name.isupper():
        return _from_text(world, module, name)
    if name == "is_torch_available":
        return _yes
    if name.startswith("is_"):
        return _no
    if name in ("resolve_internal_import", "lazy_load_kernel"):
        return _none  # optional kernels are looked for at import; without them the names are None
    if name in ("torch_int", "torch_float"):
        return int if name == "torch_int" else float
    if name == "HeterogeneousConfigMixin":
        return world.load("transformers.integrations.heterogeneity.configuration_utils", name)
    if name in ("ExplicitEnum", "get_torch_version"):
        return StrEnum if name == "ExplicitEnum" else _torch_version
    return Unknown(f"{module}.{name}")


def _from_text(world: World, module: str, name: str) -> Value:
    """A constant or a validator as the text of a stubbed module defines it; Unknown where that needs anything else."""
    file = world.file(module)
    try:
        return file.resolve(name) if file is not None and file.defines(name) else Unknown(f"{module}.{name}")
    except NotUnderstood:
        return Unknown(f"{module}.{name}")


def _field(default: Value = None, **_: object) -> Value:
    return default


def _field_maker(*_: object, **__: object) -> Value:
    return _field


def strict_name(name: str) -> Value:
    """`huggingface_hub.dataclasses`: fields are seen as their defaults."""
    if name == "strict":
        return lambda cls=None, **_: (lambda c: c) if cls is None else cls
    if name == "validated_field":
        return lambda *_, default=None, **__: default
    if name == "as_validated_field":
        return _field_maker
    return _field if name.endswith("_field") else _field_maker
