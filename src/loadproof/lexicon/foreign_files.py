"""Weights in forms that transformers does not load from a folder: what they are, and the command that makes them loadable.

States of a training run are no single files: `loadproof.formats.training` reads those.
"""

from __future__ import annotations

import re

from msgspec import Struct


class Foreign(Struct, frozen=True):
    """`sign` is searched in the names of the folder, `probe` is a path below it; `way` may hold {folder} and {file}."""

    sign: re.Pattern[str]
    what: str
    way: str
    probe: str = ""


_NEVER = re.compile(r"(?!)")
# The more telling sign first: of several for one file the first counts.
FOREIGN: tuple[Foreign, ...] = (
    Foreign(
        re.compile(r"\Aconsolidated.*\.pth\Z"),
        "the original Llama layout",
        "download the release in Hugging Face names, or convert it with convert_llama_weights_to_hf.py of transformers 4",
    ),
    Foreign(
        re.compile(r"\Aconsolidated.*\.safetensors\Z"),
        "the original Mistral layout",
        "download the release in Hugging Face names, or serve it as it is: vllm serve {folder} --load-format mistral "
        "--config-format mistral --tokenizer-mode mistral",
    ),
    Foreign(re.compile(r"\Aadapter_model\."), "a PEFT adapter", "load it with PEFT on top of its base model"),
    Foreign(
        re.compile(r"\Adiffusion_pytorch_model"),
        "a component of a diffusers pipeline",
        "load it with diffusers: DiffusionPipeline.from_pretrained of the folder that holds model_index.json",
    ),
    Foreign(  # `gguf_file` of PreTrainedModel.from_pretrained
        re.compile(r"\.gguf\Z"),
        "a GGUF file, for llama.cpp",
        "run it with llama.cpp or ollama, or name the file to transformers: from_pretrained(..., gguf_file='{file}')",
    ),
    Foreign(
        re.compile(r"\Atf_model\.h5\Z|\Aflax_model\.msgpack\Z"),
        "weights of TensorFlow or Flax, which transformers 5 does not read",
        "save it again with transformers 4: from_pretrained(..., from_tf=True or from_flax=True).save_pretrained(...)",
    ),
    Foreign(
        re.compile(r"\.onnx\Z|\Aopenvino_model\.xml\Z"),
        "a model for ONNX Runtime or OpenVINO",
        "load it with optimum, or download the weights",
    ),
    Foreign(
        _NEVER,
        "a model for ONNX Runtime",
        "load it with optimum, or download the weights",
        probe="onnx/model.onnx",
    ),
    Foreign(
        re.compile(r"\Arank\d+\.engine\Z"),
        "an engine that TensorRT-LLM built",
        "serve it: trtllm-serve {folder}; the weights that it was built from are elsewhere",
    ),
    Foreign(
        re.compile(r"\.ckpt\Z|\.pt\Z|\.pth\Z"),
        "a training state or a state dict of torch",
        "load it where it was trained and call save_pretrained(OUTPUT_FOLDER)",
    ),
)
