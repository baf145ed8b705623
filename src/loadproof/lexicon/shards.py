"""Names of weight files: suffixes, and the numbers of a set of shards."""

from __future__ import annotations

import re

from loadproof.lexicon.formats import FORMATS

PARTIAL_SUFFIX = ".distcp"  # of a file that is of no use without the others
SUFFIXES = tuple(suffix for one in FORMATS for suffix in one.suffixes if suffix != PARTIAL_SUFFIX)
# `model-00001-of-00003.safetensors` (huggingface_hub), `pytorch_model-00001-of-00003.fp16.bin` (a variant), and without
# the first dash (`model00001-of-...`: DeepSpeed's and FairScale's tools).
_NUMBERED = re.compile(
    r"(?P<stem>.+?)-?(?P<number>[0-9]{1,6})-of-(?P<total>[0-9]{1,6})(?P<variant>(?:\.[^./]{1,60}){0,8})"
    r"\.(?P<suffix>safetensors|bin)"
)
# Written by torch.distributed.checkpoint for transformers (modeling_utils.py:533).
DISTRIBUTED = re.compile(r"shard-[0-9]{5}-model-[0-9]{5}-of-[0-9]{5}\.safetensors")


def numbered(file: str) -> re.Match[str] | None:
    """Stem, number, total, variant and suffix of a shard's name; None for every other name."""
    return _NUMBERED.fullmatch(file)
