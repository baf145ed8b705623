"""Which weight files transformers opens in a folder (modeling_utils.py:533-800, utils/hub.py:938-975 of 5.24)."""

from __future__ import annotations

from posixpath import isabs, normpath

from loadproof.core.checkpoint import FileInfo, IndexFile, Inventory, Selection
from loadproof.core.known_names import SAFE, TORCH, WEIGHTS
from loadproof.core.session import Checkpoint
from loadproof.lexicon.shards import DISTRIBUTED, SUFFIXES


def select(checkpoint: Checkpoint, names_only: bool = False) -> Selection:
    """The first hit of the library's order. `names_only`: an index stands for shards that are not there."""
    inventory = checkpoint.inventory
    files = {file.path: file for file in inventory.files}
    if inventory.single_file is not None:
        return _opened(checkpoint, inventory.single_file, files, names_only)
    dcp = tuple(sorted(path for path in files if DISTRIBUTED.fullmatch(path)))
    if dcp:
        return Selection(None, dcp, "dcp", shadowed=_shadowed(files, dcp))
    explicit = checkpoint.config.raw.get("transformers_weights")
    if isinstance(explicit, str):
        error = _explicit_error(explicit)
        if error is not None:
            return Selection(None, (), "none", error, _shadowed(files, ()))
        return _opened(checkpoint, normpath(explicit), files, names_only)
    entry = next((name for name in WEIGHTS if is_file(checkpoint, name)), None)
    if entry is not None:
        return _opened(checkpoint, entry, files, names_only)
    if not inventory.is_whole:
        why = "the folder holds too many files to list them all, and none of those asked for by name holds weights"
        return Selection(None, (), "none", inconclusive=why)
    # PEFT opens an adapter, not this reader
    error = None if "adapter_config.json" in files else _no_file(inventory)
    return Selection(None, (), "none", error, _shadowed(files, ()))


def is_file(checkpoint: Checkpoint, name: str) -> bool:
    """What `os.path.isfile` answers, with which the library looks for its weights: links to files count, pipes do not."""
    if any(index.path == name for index in checkpoint.inventory.indexes):
        return True
    info = checkpoint.look_up(name)
    return info is not None and info.kind != "special"


def _explicit_error(name: str) -> str | None:
    """`transformers_weights` must name a safetensors file or index inside the folder."""
    if not name.endswith((".safetensors", ".safetensors.index.json")) and name != "adapter_model.bin":
        return (
            "ValueError: The transformers file in the config seems to be incorrect: it is neither a safetensors file "
            f"(*.safetensors) nor a safetensors index file (*.safetensors.index.json): {name}"
        )
    if isabs(name) or normpath(name).startswith(".."):
        return f"ValueError: `transformers_weights` must reference a file inside the model directory, got {name}"
    return None


def _no_file(inventory: Inventory) -> str:
    return f"OSError: Error no file named {SAFE}, or {TORCH}, found in directory {inventory.location}."


def _opened(checkpoint: Checkpoint, entry: str, files: dict[str, FileInfo], names_only: bool) -> Selection:
    index = next((index for index in checkpoint.inventory.indexes if index.path == entry), None)
    if index is not None or entry.endswith(".index.json"):
        return _sharded(checkpoint, entry, index, files, names_only)
    kind = "safetensors" if entry.endswith(".safetensors") else "torch"
    is_there = checkpoint.look_up(entry) is not None
    error = None if is_there else f"FileNotFoundError: No such file or directory: {checkpoint.place_of(entry)}"
    return Selection(entry, (entry,), kind, error, _shadowed(files, (entry,)))


def _sharded(
    checkpoint: Checkpoint, entry: str, index: IndexFile | None, files: dict[str, FileInfo], names_only: bool
) -> Selection:
    """Only the distinct file names of the index count; the tensors come from the files themselves."""
    if index is None:
        lost = f"ValueError: Can't find a checkpoint index ({checkpoint.place_of(entry)}) in {checkpoint.inventory.location}."
        return Selection(entry, (), "none", lost, _shadowed(files, ()))
    shards = index.shards
    kind = "safetensors-sharded" if all(shard.endswith(".safetensors") for shard in shards[:1]) else "torch-sharded"
    error = _index_error(checkpoint.inventory, index, shards)
    if error is None and not index.readable:
        return Selection(entry, (), "none", inconclusive=f"{entry} is not read here, and the library reads it")
    if error is None and not names_only:
        absent = next((s for s in shards if s not in files and not _leaves(s)), None)
        if absent is not None:
            error = f"FileNotFoundError: No such file or directory: {checkpoint.place_of(absent)}"
    format_ = "names-only" if names_only else kind
    return Selection(entry, shards, format_, error, _shadowed(files, (entry, *shards)))


def _index_error(inventory: Inventory, index: IndexFile, shards: tuple[str, ...]) -> str | None:
    if not index.readable:
        problems = [problem for problem in inventory.problems if problem.file == index.path]
        if any(problem.detail in ("link-outside", "too-large") for problem in problems):
            return None  # the library reads it
        from loadproof.readers.transformers.reactions import react

        return next(filter(None, map(react, problems)), "JSONDecodeError: the index is not readable")
    if not index.has_metadata:
        return "KeyError: 'metadata'"
    return None if shards else "IndexError: list index out of range"


def _leaves(shard: str) -> bool:
    """A path that only the system can resolve, or that leads out: the library follows it; what is not ours is not looked at."""
    return isabs(shard) or ".." in shard.split("/")


def _shadowed(files: dict[str, FileInfo], taken: tuple[str, ...]) -> tuple[str, ...]:
    """Weight files of the folder itself that will not be read."""
    rest = set(files) - {normpath(name) for name in taken}
    return tuple(sorted(p for p in rest if "/" not in p and p.endswith((*SUFFIXES, ".safetensors.index.json"))))
