"""What ``torch.load(weights_only=True, mmap=True)`` says to a file that it refuses (torch 2.13).

Every library that opens such files with the safe settings raises these texts. A zip is mapped, and then neither the sizes
of its members nor their compression are compared with anything: see the reader.
"""

from __future__ import annotations

from collections.abc import Callable

from loadproof.core.checkpoint import Problem
from loadproof.formats.torch.storages import PAST_END

Said = str | Callable[[Problem], str | None]

UNPICKLING = "UnpicklingError: Weights only load failed"
_STREAM = "RuntimeError: PytorchStreamReader failed"
_RESIZE = "RuntimeError: Trying to resize storage that is not resizable"
_BLOCKED = ("sys", "os", "posix", "nt")  # modules with a text of their own


_NOT_TORCH = {
    "LP001": UNPICKLING,
    "LP002": UNPICKLING,
    "LP003": "EOFError: Ran out of input",
    "LP005": UNPICKLING,
}


def not_torch(problem: Problem) -> str | None:
    """The exception text for a file under a torch name that holds something else."""
    return _NOT_TORCH.get(problem.code)


def refusal(problem: Problem) -> str | None:
    """The exception text, None where torch takes the file with this fault, or where the fault is none of a torch file."""
    said = _SAID.get((problem.code, problem.detail))
    return said if said is None or isinstance(said, str) else said(problem)


def _not_plain(problem: Problem) -> str | None:
    """What the unpickler says to the first opcode or global that it does not take."""
    kind, _, word = problem.particular.partition(" ")
    if not word:
        return None
    if kind == "opcode":
        return f"{UNPICKLING}. ... Unsupported operand {word}"
    module = word.rpartition(".")[0]
    if kind == "global" and module in _BLOCKED:
        return f"{UNPICKLING}. ... Trying to load unsupported GLOBAL {word} whose module {module} is blocked."
    if kind == "global":
        name = word.removeprefix("builtins.")
        return f"{UNPICKLING}. ... Unsupported global: GLOBAL {name} was not an allowed global by default."
    return UNPICKLING


def _bare(problem: Problem) -> str:
    return _not_plain(problem) or "RuntimeError: Invalid magic number; corrupt file?"


def _byte_order(problem: Problem) -> str:
    if problem.particular == "big":  # the bytes are turned in place, and the mapped file cannot be written to
        return "Segmentation fault (core dumped)"
    return f"ValueError: Unknown endianness type: {problem.particular}"


def _absent(problem: Problem) -> str | None:
    return f"{_STREAM} locating file data/{problem.particular}: file not found" if problem.particular else None


def _script(problem: Problem) -> str | None:
    text = "RuntimeError: Cannot use ``weights_only=True`` with TorchScript archives passed to ``torch.load``"
    return text if problem.particular else None


def _storages_cut(problem: Problem) -> str:
    return f"RuntimeError: unexpected EOF, expected {problem.particular} more bytes. The file might be corrupted."


_SAID: dict[tuple[str, str], Said] = {
    ("LP002", "no-pickle"): f"{_STREAM} locating file data.pkl: file not found",
    ("LP002", "torchscript"): _script,
    ("LP002", "no-torch-file"): UNPICKLING,
    ("LP003", "zip-cut"): f"{_STREAM} reading zip archive: failed finding central directory",
    ("LP003", "storages-cut"): _storages_cut,
    ("LP003", "pickle-cut"): "EOFError",
    ("LP006", "tar"): "RuntimeError: Cannot use ``weights_only=True`` with files saved in the legacy .tar format.",
    ("LP006", "magic"): _bare,
    ("LP006", "pickle"): UNPICKLING,
    ("LP006", "version"): "RuntimeError: Invalid protocol version",
    ("LP006", "byte-order"): _byte_order,
    ("LP006", "zip-directory"): f"{_STREAM} reading zip archive: invalid header or archive is corrupted",
    ("LP006", "zip-member"): f"{_STREAM} retrieving file meta-data",
    (
        "LP006",
        "zip-roots",
    ): "RuntimeError: [enforce fail at inline_container.cc] . file in archive is not in a subdirectory",
    ("LP007", "untyped"): "AttributeError: type object 'torch.storage.UntypedStorage' has no attribute 'dtype'",
    ("LP008", "storage-absent"): _absent,
    ("LP008", "storage-unknown"): "AssertionError: storage key not found in deserialized_objects",
    # A mapped file gives what follows, whatever it is; only at the end of the file there is nothing.
    ("LP008", f"record-short{PAST_END}"): _RESIZE,
    ("LP008", "record-count"): "RuntimeError: storage has wrong byte size",
    ("LP008", "view"): _RESIZE,
    ("LP012", "call"): _not_plain,
    ("LP020", f"compressed{PAST_END}"): _RESIZE,
    ("LP021", "refused"): _not_plain,
}
