"""LP002 not-weights: a file named like weights holds something else."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.evidence.faults import download_again, file_findings


def check(case: Case) -> Iterable[Found]:
    yield from file_findings(case, RULE.code, "does not hold weights", download_again)


DOCS = RuleDocs(
    finds=(
        "A file whose name promises weights and whose first bytes are an HTML page, JSON, a zip or GGUF file, "
        "or nothing at all."
    ),
    why=(
        "A failed download often saves the error page of the server under the name of the weights. The reader "
        "takes the first eight bytes for a header length."
    ),
    errors=(
        "transformers: SafetensorError: Error while deserializing header: header too large",
        "torch: UnpicklingError: invalid load key, '<'",
        "vLLM: the same SafetensorError from safe_open",
    ),
    example="model.safetensors begins with `<!DOCTYPE html>`: a login page was saved in place of the file.",
    fix=(
        "Download the file again (with a token where the repository is gated). A GGUF file belongs to "
        "llama.cpp: give it to a reader that knows GGUF."
    ),
    harmless="Where the reader does not open the file, it is a remark only.",
)
RULE = Rule("LP002", "not-weights", "A file named like weights holds something else", check, DOCS)
