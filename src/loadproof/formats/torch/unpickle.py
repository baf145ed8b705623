"""The pickle of a torch file, run by the abstract machine; what it asks for beyond tensors is recorded."""

from __future__ import annotations

import sys

from loadproof.formats.faults import Faults, cut
from loadproof.formats.pickled import Known, LimitError, Machine, PickleError, run
from loadproof.formats.torch.constructors import MAKERS, persistent
from loadproof.formats.torch.short_cut import entry
from loadproof.formats.torch.strict import PLAIN
from loadproof.formats.torch.table import TorchFile

KNOWN = Known(MAKERS, persistent, PLAIN, entry)
HARMLESS = frozenset(  # calls that only name a value of an enumeration, a path, a date; weights_only refuses them
    (
        "deepspeed.runtime.zero.config.ZeroStageEnum",
        "torchao.quantization.quantize_.common.kernel_preference.KernelPreference",
        "pathlib.PosixPath",
        "pathlib.PurePosixPath",
        "pathlib.WindowsPath",
        "datetime.datetime",
        "datetime.timedelta",
        "copyreg._reconstructor",
        "omegaconf.nodes.AnyNode",
        "numpy.random._pickle.__randomstate_ctor",
    )
)
_HOLD_DATA = frozenset(
    ("argparse", "collections", "datetime", "pathlib", "decimal", "fractions", "uuid", "enum", "types")
)


def read_pickle(data: bytes, begin: int, found: TorchFile, file: str, faults: Faults) -> None:
    """Fill in the value, and record what no state dict of tensors holds (LP006, LP012, LP021)."""
    machine = Machine(data, begin, KNOWN)
    try:
        found.root = run(machine)
        found.is_read = True
    except PickleError as error:
        is_limit = isinstance(error, LimitError)
        text = f"the pickle {'is read no further than' if is_limit else 'breaks off at'} byte {error.offset:,}: {error}"
        faults.add("LP006", file, "limit" if is_limit else "pickle", text, offset=error.offset)
    found.calls, found.objects, found.beyond = machine.calls, machine.objects, machine.beyond
    found.left_over, found.end = machine.left_over, machine.pos
    record_requests(found, file, faults)


def record_requests(found: TorchFile, file: str, faults: Faults) -> None:
    """LP012 for what could run code, LP021 for the rest that weights_only refuses."""
    beyond = f"{found.beyond.kind} {found.beyond.word}" if found.beyond is not None else ""
    dangerous = [
        *(name for name in found.calls if name not in HARMLESS),
        *(name for name in found.objects if _is_of_the_system(name)),
    ]
    for name in dangerous:
        at = found.calls.get(name, found.objects.get(name))
        text = f"the pickle calls {cut(ascii(name))}, which rebuilds no tensor"
        faults.add("LP012", file, "call", text, offset=at, found=name, particular=beyond)
    if found.left_over:
        text = f"the pickle leaves {found.left_over:,} values beside its result"
        faults.add("LP006", file, "left-over", text, severity="warning")
    if found.beyond is not None and not dangerous and found.is_read:
        text = f"the pickle holds what weights_only refuses: {_shown(beyond)}"
        faults.add("LP021", file, "refused", text, offset=found.beyond.offset, particular=beyond)


def _is_of_the_system(name: str) -> bool:
    root = name.partition(".")[0]
    return root in sys.stdlib_module_names and root not in _HOLD_DATA


def _shown(beyond: str) -> str:
    kind, _, word = beyond.partition(" ")
    words = {"opcode": f"opcode {word} of a newer pickle protocol", "state": f"an object of {word}"}
    return cut(ascii(words.get(kind, word)).strip("'"))
