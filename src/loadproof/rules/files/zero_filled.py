"""LP005 zero-filled: a file or a tensor is all zeros."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.evidence.faults import download_again, file_findings


def check(case: Case) -> Iterable[Found]:
    yield from file_findings(case, RULE.code, "is filled with zeros", download_again)


DOCS = RuleDocs(
    finds="A weight file of zero bytes only, or large tensors whose sampled bytes are all zero.",
    why=(
        "A crash before the data reached the disk, or a preallocated download that stopped, leaves zeros of the "
        "right size."
    ),
    errors=(
        "transformers: SafetensorError: Error while deserializing header: invalid header length",
        "all engines: a zeroed tensor under a valid header loads without a word",
    ),
    example="model-00003-of-00004.safetensors: 4,976,698,672 bytes, all zero.",
    fix="Download or write the file again.",
    harmless=(
        "Freshly initialised LoRA `lora_B` matrices and some biases are zero by design; only whole files and "
        "large weights are reported."
    ),
)
RULE = Rule("LP005", "zero-filled", "A file or a tensor is all zeros", check, DOCS)
