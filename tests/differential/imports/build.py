"""A tiny checkpoint with code of its own, in as many import styles as Python allows."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent
from typing import Any

from tests.formats.tiny import shard

CONFIG = """\
from transformers import PretrainedConfig


class TinyConfig(PretrainedConfig):
    model_type = "tiny_import"

    def __init__(self, width=4, **kwargs):
        self.width = width
        super().__init__(**kwargs)
"""
MODEL = """\
import torch
from torch import nn
from transformers import PreTrainedModel
from .configuration_tiny import TinyConfig
{head}

class TinyForCausalLM(PreTrainedModel):
    config_class = TinyConfig
    {fields}

    def __init__(self, config):
        super().__init__(config)
        self.proj = nn.Linear(config.width, 4)
        {body}
        self.post_init()

    def forward(self, x):
        return self.proj(x)

{tail}
"""
RAW: dict[str, Any] = {
    "architectures": ["TinyForCausalLM"],
    "model_type": "tiny_import",
    "auto_map": {
        "AutoConfig": "configuration_tiny.TinyConfig",
        "AutoModelForCausalLM": "modeling_tiny.TinyForCausalLM",
    },
}


class Case:
    """`head`, `body` and `tail` go into the model's file; `files` replaces or adds whole ones (`deeper` those with a slash in
    their name), `raw` changes the config."""

    def __init__(
        self,
        *,
        head: str = "",
        body: str = "pass",
        tail: str = "",
        fields: str = "",
        raw: dict[str, Any] | None = None,
        deeper: dict[str, str] | None = None,
        **files: str | bytes,
    ) -> None:
        place = {"head": dedent(head), "tail": dedent(tail), "fields": fields}
        body = dedent(body).strip("\n").replace("\n", "\n" + " " * 8)
        self.files: dict[str, str | bytes] = {
            "configuration_tiny": CONFIG,
            "modeling_tiny": MODEL.format(body=body, **place),
            **{k: dedent(v) if isinstance(v, str) else v for k, v in {**(deeper or {}), **files}.items()},
        }
        self.raw = {**RAW, **(raw or {})}

    def write(self, folder: Path) -> str:
        folder.mkdir(parents=True)
        (folder / "config.json").write_text(json.dumps(self.raw))
        (folder / "model.safetensors").write_bytes(shard({"proj.weight": [4, 4], "proj.bias": [4]}))
        for name, text in self.files.items():
            path = folder / f"{name}.py"
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
        return str(folder)
