"""A Trainer callback that checks every checkpoint when it is saved, not weeks later.

trainer = Trainer(..., callbacks=[CheckSavedCheckpoints()])
"""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any, Literal, get_args

from loadproof.api.asserting import CheckpointFault, checked, rendered
from loadproof.integrations.needs import missing

try:
    from transformers import TrainerCallback
except ImportError:
    raise missing(__name__, "transformers", "pip install 'loadproof[transformers]'") from None

if TYPE_CHECKING:
    from loadproof.core.case import Report

OnFault = Literal["raise", "stop", "warn"]


class CheckSavedCheckpoints(TrainerCallback):  # type: ignore[misc]
    """Checks `output_dir/checkpoint-<step>` after each save, on the process that wrote it.

    on_fault: "raise" CheckpointFault (training ends with it at the save that went wrong), "stop" (warn, and let the
    Trainer end in good order) or "warn". Verdicts other than `fails` and `loads-wrong` pass; PEFT-only folders (no model
    weights) are passed over. `reports` keeps what was found, by step. Raises ValueError for another `on_fault`.
    """

    def __init__(self, on_fault: OnFault = "raise", reader: str = "transformers") -> None:
        if on_fault not in get_args(OnFault):
            raise ValueError(f"on_fault must be 'raise', 'stop' or 'warn', found {on_fault!r}")
        self.on_fault, self.reader = on_fault, reader
        self.reports: dict[int, Report] = {}

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> Any:
        folder = os.path.join(args.output_dir, f"checkpoint-{state.global_step}")
        if state.is_world_process_zero and _holds_model(folder) and self._is_wrong(folder, state.global_step):
            control.should_training_stop = control.should_training_stop or self.on_fault == "stop"
        return control

    def _is_wrong(self, folder: str, step: int) -> bool:
        report = checked(folder, self.reader)
        self.reports[step] = report
        if report.verdict not in ("fails", "loads-wrong"):
            return False
        if self.on_fault == "raise":
            raise CheckpointFault(rendered(report))
        warnings.warn(rendered(report), stacklevel=3)
        return True


def _holds_model(folder: str) -> bool:
    """A folder with a config and model weights; adapters and optimizer-only saves are not."""
    if not os.path.isfile(os.path.join(folder, "config.json")):
        return False
    return any(name.startswith(("model", "pytorch_model")) for name in os.listdir(folder))
