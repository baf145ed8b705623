"""Parts that PEFT (0.13 to 0.21) and mlx_lm put into the names of the model they adapt."""

from __future__ import annotations

from loadproof.lexicon.words import any_of

PEFT = ("base_model", "model")  # `PeftModel.base_model` is a tuner, whose `model` is the model
OUTER = r"(?:\A|(?<=\.))base_model\.model\."
# Tensors of the adapter, beside those of the model. peft/tuners/lora/layer.py; `lora_down`, `lora_up`: kohya.
TENSORS = (
    *("lora_A", "lora_B", "lora_a", "lora_b", "lora_down", "lora_up", "lora_embedding_A", "lora_embedding_B"),
    "lora_magnitude_vector",
)
# How other tools spell the two halves of a pair: mlx_lm, kohya's scripts.
SPELLINGS = {"lora_a": "lora_A", "lora_b": "lora_B", "lora_down": "lora_A", "lora_up": "lora_B"}
# Files under which other tools save an adapter: mlx_lm/tuner/utils.py, diffusers/loaders/lora_base.py.
FILES = {"adapters.safetensors": "mlx_lm", "pytorch_lora_weights.safetensors": "diffusers"}
FROZEN = "original_module"  # the copy from before the training, in ModulesToSaveWrapper (peft/utils/other.py)
SAVED = "modules_to_save"
BASE = "base_layer"  # the adapted module itself
LORA = rf"\.(?:{any_of(TENSORS)})(?:\.|$)"
ADAPTER = rf"(?:\A|\.)(?:{any_of((*TENSORS, FROZEN))})(?:\.|\Z)"  # what is left out to get the model back
WRAPPED_BASE = rf"(?:\A|\.)(?:{BASE}|{SAVED}\.[^.{{}}]+)(?=\.)"  # what is taken out of the names that stay
MLX = r"\.lora_a\Z"  # mlx_lm's LoRALinear: `linear` beside `lora_a` and `lora_b`
MLX_MAGNITUDE = ".m"  # mlx_lm's DoRALinear (tuner/dora.py) has it beside these
DUMPED = rf"\.{BASE}\.|{'.'.join(PEFT)}\.|\.(?:{any_of(TENSORS)})(?:\.|$)|(?:^|\.){SAVED}\."  # in a whole model
