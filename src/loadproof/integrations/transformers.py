"""A Trainer callback that checks every checkpoint when it is saved, not weeks later.

trainer = Trainer(..., callbacks=[CheckSavedCheckpoints()])
"""

from __future__ import annotations

import os
import warnings
from typing import Any, Literal

from loadproof.api.asserting import CheckpointFault, checked, rendered
from loadproof.integrations.needs import missing

try:
    from transformers import TrainerCallback
except ImportError:
    raise missing(__name__, "transformers", "pip install 'loadproof[transformers]'") from None


class CheckSavedCheckpoints(TrainerCallback):  # type: ignore[misc]
    """Checks `output_dir/checkpoint-<step>` after each save, on the process that wrote it.

    on_fault: "raise" CheckpointFault (training stops at the save that went wrong) or "warn". Verdicts other than
    `fails` and `loads-wrong` pass; PEFT-only folders (no model weights) are passed over.
    """

    def __init__(self, on_fault: Literal["raise", "warn"] = "raise", reader: str = "transformers") -> None:
        if on_fault not in ("raise", "warn"):
            raise ValueError(f"on_fault must be 'raise' or 'warn', found {on_fault!r}")
        self.on_fault, self.reader = on_fault, reader
        self.reports: dict[int, Any] = {}

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> Any:
        folder = os.path.join(args.output_dir, f"checkpoint-{state.global_step}")
        if state.is_world_process_zero and _holds_model(folder):
            self._check(folder, state.global_step)
        return control

    def _check(self, folder: str, step: int) -> None:
        report = checked(folder, self.reader)
        self.reports[step] = report
        if report.verdict not in ("fails", "loads-wrong"):
            return
        if self.on_fault == "raise":
            raise CheckpointFault(rendered(report))
        warnings.warn(rendered(report), stacklevel=3)


def _holds_model(folder: str) -> bool:
    """A folder with a config and model weights; adapters and optimizer-only saves are not."""
    if not os.path.isfile(os.path.join(folder, "config.json")):
        return False
    return any(name.startswith(("model", "pytorch_model")) for name in os.listdir(folder))
