"""What is foretold beside what was done."""

from __future__ import annotations

import re
from pathlib import Path

from loadproof.interpret.adapters import foretell
from loadproof.interpret.worlds.peft.folder import LABEL
from loadproof.interpret.worlds.peft.question import Answer, Question, StoredTensor
from tests.differential.adapters import real
from tests.differential.adapters.real import Adapter, Truth

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_OF_THE_MACHINE = ("CUDA extension", "torch.utils", "Initializing zero-element", "nn.module", "invalid shape")


def question_of(adapter: Adapter, base: str) -> Question:
    raw = real.raw_of(base)
    tensors = {name: StoredTensor("F32", shape) for name, shape in adapter.tensors.items()}
    return Question(adapter.config, tensors, raw, raw["architectures"][0])


def foretold(adapter: Adapter, base: str) -> Answer:
    return foretell(question_of(adapter, base), use_cache=False)


def differences(truth: Truth, answer: Answer, folder: Path) -> list[str]:
    """Everything in which the two differ, in words; `inconclusive` is no difference."""
    if answer.inconclusive is not None:
        return []
    theirs, ours = _said(truth.error, str(folder)), _said(answer.error, LABEL)
    if theirs is not None or ours is not None:
        return [] if theirs == ours else [f"raises: real {theirs!r}, foretold {ours!r} ({answer.error_at})"]
    found = [
        f"{name}: real {_only(a, b)}, foretold {_only(b, a)}"
        for name, a, b in (("fates", truth.fates, answer.fates), ("expected", truth.expected, answer.expected))
        if dict(a) != dict(b)
    ]
    if sorted(truth.unexpected) != sorted(answer.unexpected):
        found.append(f"unexpected: real {truth.unexpected[:3]}, foretold {answer.unexpected[:3]}")
    real_words, words = _words(truth.warnings), _words(answer.warnings)
    return (
        found
        if real_words == words
        else [*found, f"warnings: real {real_words - words}, foretold {words - real_words}"]
    )


def _only(one: dict[str, object], other: dict[str, object]) -> list[tuple[str, object]]:
    return [(name, value) for name, value in one.items() if other.get(name) != value][:3]


def _words(warnings: object) -> set[str]:
    said = (str(_said(text, "")) for text in warnings)  # type: ignore[attr-defined]
    return {text for text in said if not any(word in text for word in _OF_THE_MACHINE)}


def _said(text: str | None, folder: str) -> str | None:
    """Without addresses and the folder's name; the order inside of a set is nobody's."""
    if text is None:
        return None
    text = _ADDRESS.sub("", text.replace(f"'{folder}'", "'FOLDER'"))
    return re.sub(r"\{[^{}]*\}", lambda found: "{" + ", ".join(sorted(found[0][1:-1].split(", "))) + "}", text)
