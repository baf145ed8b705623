"""LP111 rival-formats: weights of another format lie beside the ones that are read."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix, SetAside
from loadproof.core.findings import Evidence
from loadproof.core.places import in_files
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.evidence.shards import listed, rival_files


def check(case: Case) -> Iterable[Found]:
    """A remark: which files another reader prefers."""
    if not case.selection.files:
        return
    rivals = rival_files(case)
    if not rivals:
        return
    by_reader = [(reader, files) for reader, files in rivals if files]
    files = sorted({file for _, found in by_reader for file in found})
    headline = f"{listed(files)} {'lies' if len(files) == 1 else 'lie'} beside {case.selection.entry}, which is read"
    evidence = tuple(Evidence(in_files(found, 3), who) for who, found in by_reader)
    fix = Fix(
        "set the other format aside where only one is wanted", "lossless", tuple(SetAside(file) for file in files)
    )
    yield Found(severity="info", confidence="certain", headline=headline, evidence=evidence, fixes=(fix,))


DOCS = RuleDocs(
    finds=(
        "PyTorch `.bin` files, `consolidated*.safetensors` of the original layout or GGUF files beside the "
        "safetensors that are read."
    ),
    why=(
        "Every reader has its own order. vLLM takes `consolidated*.safetensors` before the indexed shards; "
        "llama.cpp converts both at once. After an edit of one set the other still holds the old weights."
    ),
    errors=(
        "vLLM: loads consolidated.safetensors, the edited shards are ignored",
        "llama.cpp convert: ValueError: Duplicate tensor name",
    ),
    example="consolidated.safetensors beside model-00001-of-00002.safetensors.",
    fix="Keep the set you publish and set the other aside.",
    harmless="Repositories that publish the same weights in two formats on purpose.",
)
RULE = Rule("LP111", "rival-formats", "Weights of another format lie beside the ones that are read", check, DOCS)
