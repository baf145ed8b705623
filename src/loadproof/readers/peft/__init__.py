"""PEFT: what becomes of an adapter that `PeftModel.from_pretrained` puts on its base."""

from __future__ import annotations

from collections.abc import Sequence

from loadproof.core.case import Case
from loadproof.core.checkpoint import Manifest, Problem, Selection
from loadproof.core.config import ModelConfig
from loadproof.core.edits import Edit
from loadproof.core.expectation import Expectation, Kin
from loadproof.core.known_names import ADAPTER_CONFIG
from loadproof.core.outcome import Outcome
from loadproof.core.reading import Reading
from loadproof.core.session import Checkpoint
from loadproof.core.tensors import Family
from loadproof.readers.peft.select import select
from loadproof.readers.plain import PlainReader


class PeftReader(PlainReader):
    """The reader `peft`. The base is found by `base`; the library's text is evaluated when the header is known."""

    name = "peft"

    def select(self, checkpoint: Checkpoint, reading: Reading) -> Selection:
        """adapter_model.safetensors, else adapter_model.bin."""
        return select(checkpoint.inventory)

    def build(self, checkpoint: Checkpoint, reading: Reading) -> Expectation:
        """The release of the library and the base. What the adapter should hold is known once it is loaded."""
        from loadproof.interpret.adapters import blank
        from loadproof.readers.peft.base import find_base

        found, config = blank(reading.source), checkpoint.config
        if config.path is None:
            error = f"ValueError: Can't find '{ADAPTER_CONFIG}' at '{checkpoint.inventory.location}'"
            return _with(found, raises=error)
        base = find_base(config.raw.get("base_model_name_or_path"), checkpoint.folder, reading)
        why = found.inconclusive or base.why or None
        hint = found.hint if found.inconclusive else _HINT if base.why else None
        model_type = base.raw.get("model_type")
        kind = model_type if isinstance(model_type, str) else ""
        return _with(found, base=base, inconclusive=why, hint=hint, model_type=kind)

    def load(
        self, manifest: Manifest, expectation: Expectation, config: ModelConfig, reading: Reading | None = None
    ) -> Outcome:
        """What `PeftModel.from_pretrained` makes of these tensors, evaluated from the library's text."""
        if expectation.raises is not None:
            return Outcome(raises=True, error=expectation.raises)
        if expectation.inconclusive is not None or expectation.base is None:
            return Outcome(inconclusive=expectation.inconclusive or "the base is not known")
        from loadproof.readers.peft.load import load

        return load(manifest, expectation, config, reading or Reading())

    def what_if(self, case: Case, edits: Sequence[Edit], families: Sequence[Family] | None) -> Outcome | None:
        """The outcome under an edited configuration and with other stored tensors; None where it cannot be said."""
        from loadproof.readers.peft.load import what_if

        return what_if(self, case, edits, families)

    def as_class(
        self,
        case: Case,
        kin: Kin,
        config: ModelConfig,
        families: Sequence[Family],
    ) -> tuple[Expectation, Outcome] | None:
        """The same."""
        return None

    def react(self, problem: Problem) -> str | None:
        """The exception that it raises when it opens the file of this problem; None where it takes the file."""
        from loadproof.readers.peft.reactions import react

        return react(problem)


_HINT = "give the folder of the base (its config.json is enough) with --base PATH"


def _with(expectation: Expectation, **fields: object) -> Expectation:
    from msgspec.structs import replace

    return replace(expectation, **fields)
