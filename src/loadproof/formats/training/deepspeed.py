"""DeepSpeed's ZeRO states: ``global_step*/`` with a file of model states and one of optimizer states per rank.

Stages 1 and 2 keep the whole weights under ``module`` of the model states; of stage 3 these are placeholders, and the weights
are flat groups in the optimizer states, cut by rank (deepspeed/utils/zero_to_fp32.py of 0.19).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from loadproof.core.tensors import Family
from loadproof.core.training import TrainingState
from loadproof.formats.torch.table import TorchFile
from loadproof.formats.training.families import Named, below, families_of, value_of, whole_number
from loadproof.formats.training.files import Files, above, inside, shown

_MODEL = re.compile(r"(?:(zero_pp_rank_)(\d+)_)?mp_rank_(\d+)_model_states\.pt")
_OPTIMIZER = re.compile(r"((?:bf16_|fp16_)?zero_pp_rank_)(\d+)_mp_rank_(\d+)_optim_states\.pt")
_MOST_RANKS = 100_000


def deepspeed(files: Files) -> Iterator[TrainingState]:
    """One state for every folder that holds such files."""
    folders: dict[str, list[str]] = {}
    for path in files.sizes:
        name = path.rpartition("/")[2]
        if _MODEL.fullmatch(name) or _OPTIMIZER.fullmatch(name):
            folders.setdefault(above(path), []).append(name)
    for folder, names in sorted(folders.items()):
        yield _Step(files, folder, names).state()


class _Step:
    """The states of one step."""

    def __init__(self, files: Files, folder: str, names: list[str]) -> None:
        self.files, self.folder = files, folder
        self.models = sorted(name for name in names if _MODEL.fullmatch(name))
        self.optimizers = [match for name in names if (match := _OPTIMIZER.fullmatch(name))]
        self.is_stage_3 = any(name.startswith("zero_pp_rank_") for name in self.models)
        self.model: TorchFile | None = files.torch(inside(folder, self.models[0])) if self.models else None
        ranks = [int(match[2]) for match in self.optimizers]
        self.world = whole_number(value_of(self.model, "dp_world_size")) or max(ranks, default=-1) + 1
        self.is_certain = whole_number(value_of(self.model, "dp_world_size")) is not None

    def state(self) -> TrainingState:
        absent = tuple(inside(self.folder, name) for name in self._absent())
        is_complete = False if absent else True if self.is_certain else None
        kind = "DeepSpeed ZeRO-3 state" if self.is_stage_3 else "DeepSpeed ZeRO state"
        facts = tuple(self._facts())
        command = "" if self._tensor_parallel() > 1 else self._command()
        return TrainingState(
            kind, self.folder, self.world or None, is_complete, absent, command, self._families(), facts
        )

    def _absent(self) -> Iterator[str]:
        """Files without which the weights cannot be merged. Of the model states any one will do."""
        if not self.models:
            yield "zero_pp_rank_0_mp_rank_00_model_states.pt" if self.is_stage_3 else "mp_rank_00_model_states.pt"
        if not self.optimizers and not self.is_stage_3:
            return  # without ZeRO there is no other file
        begin = self.optimizers[0][1] if self.optimizers else "zero_pp_rank_"
        there = {int(match[2]) for match in self.optimizers}
        for rank in range(min(self.world, _MOST_RANKS)):
            if rank not in there:
                yield f"{begin}{rank}_mp_rank_00_optim_states.pt"

    def _tensor_parallel(self) -> int:
        ranks = {int(match[3]) for match in self.optimizers}
        ranks |= {int(match[3]) for name in self.models if (match := _MODEL.fullmatch(name))}
        return whole_number(value_of(self.model, "mp_world_size")) or max(ranks, default=0) + 1

    def _command(self) -> str:
        """The script lies beside the step; without it the module of the package does the same."""
        script = inside(above(self.folder), "zero_to_fp32.py")
        run = f"python {shown(script)}" if script in self.files.sizes else "python -m deepspeed.utils.zero_to_fp32"
        name = (self.folder or self.files.storage.place.rstrip("/")).rpartition("/")[2]
        parent = shown(above(self.folder) if self.folder else "..")
        return f"{run} {parent} OUT -t {shlex.quote(name)} --safe_serialization"

    def _facts(self) -> Iterator[str]:
        if self.is_stage_3:
            yield "the model_states hold placeholders; the weights are the flat groups of the optim_states"
        else:
            yield "mp_rank_00_model_states.pt holds the whole weights under the key 'module'"
        latest = self.files.content(inside(above(self.folder), "latest"))
        tag = (latest or b"")[:200].decode("utf-8", "replace").strip()
        if tag and tag != self.folder.rpartition("/")[2]:
            yield f"'latest' names {tag[:80]!r}"
        shells = sum(name.startswith("zero_pp_rank_") for name in self.models)
        if self.is_stage_3 and self.models and shells < self.world:
            yield f"{self.world - shells} model_states are absent: the weights can be merged, training cannot go on"
        if self._tensor_parallel() > 1:
            yield f"{self._tensor_parallel()} tensor-parallel parts: zero_to_fp32 does not join those"

    def _families(self) -> tuple[Family, ...]:
        """The names and true shapes; zero_to_fp32 writes float32."""
        file = inside(self.folder, self.models[0]) if self.models else ""
        named: list[Named] = []
        groups = value_of(self.model, "param_shapes")
        for group in groups if isinstance(groups, list | tuple) else ():
            if isinstance(group, dict):
                named += [
                    (name, "F32", shape)
                    for name, shape in group.items()
                    if isinstance(name, str) and isinstance(shape, tuple) and all(type(n) is int for n in shape)
                ]
        return families_of(named or below(value_of(self.model, "module")), file)
