"""Torch files under names that no reader looks for: ``model.pt``, ``last.ckpt``, ``pytorch_model.pth``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loadproof.core.training import TrainingState
from loadproof.formats.pickled.values import Value
from loadproof.formats.torch.table import TorchFile
from loadproof.formats.training.families import Named, below, families_of, value_of
from loadproof.formats.training.files import Files
from loadproof.lexicon.formats import promised
from loadproof.lexicon.shards import numbered

_MOST = 8  # files that are looked into
_BESIDE = re.compile(r"(?:optimizer|scheduler|scaler|rng_state|training_args|random_states|ema)\b.*|adapter_model\..*")
_LIGHTNING = "pytorch-lightning_version"  # lightning/pytorch/trainer/connectors/checkpoint_connector.py


def state_dicts(files: Files) -> Iterator[TrainingState]:
    """One state for every torch file of the folder itself that holds tensors by name."""
    names = [path for path in sorted(files.sizes) if "/" not in path and not _BESIDE.match(path) and not numbered(path)]
    for path in [path for path in names if (form := promised(path)) is not None and form.name == "torch"][:_MOST]:
        found = files.torch(path)
        if found is not None and (state := _state(path, found)) is not None:
            yield state


def _state(path: str, found: TorchFile) -> TrainingState | None:
    key, named = _tensors(found.root)
    if not named:
        return None
    is_lightning = value_of(found, _LIGHTNING) is not None
    prefix = "model." if is_lightning and all(name.startswith("model.") for name, _, _ in named) else ""
    kind = "Lightning checkpoint" if is_lightning else "training checkpoint" if key else "state dict"
    facts = [f"its {len(named):,} tensors lie under the key {key!r}"] if key else []
    facts += [f"each of their names begins with {prefix!r}, the attribute of the Lightning module"] if prefix else []
    families = families_of([(name[len(prefix) :], dtype, shape) for name, dtype, shape in named], path)
    return TrainingState(kind, path, None, None, families=families, facts=tuple(facts), key=key, prefix=prefix)


def _tensors(root: Value) -> tuple[str, list[Named]]:
    """The dict with the most tensors: the outermost one, or one below a key of it."""
    best = ("", below(root))
    for key, value in root.items() if isinstance(root, dict) else ():
        if isinstance(key, str) and len(found := below(value)) > len(best[1]):
            best = (key, found)
    return best
