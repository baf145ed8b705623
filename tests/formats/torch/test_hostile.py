"""Files made to run code, to exhaust memory or to be read differently by two readers: each is an error, none is run."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import pytest

from tests.formats.torch.writing import (
    GOOD,
    START,
    archive,
    call,
    mapping,
    named,
    number,
    old_tensor,
    pickled,
    read,
    stream,
    tensor,
    text,
)
from tests.timing import at_most

SYSTEM = call("posix", "system", text("true"))


def _patched(content: bytes, sign: bytes, offset: int, raw: bytes, *, last: bool = False) -> bytes:
    at = content.rfind(sign) if last else content.find(sign)
    return content[: at + offset] + raw + content[at + offset + len(raw) :]


END, ENTRY, LOCAL = b"PK\x05\x06", b"PK\x01\x02", b"PK\x03\x04"
RUNS_CODE = {
    "a call of the system": archive(pickled(SYSTEM)),
    "names by the stack": archive(b"\x80\x04\x8c\x05posix\x94\x8c\x06system\x94\x93(" + text("true") + b"tR."),
    "names out of the memo": archive(
        b"\x80\x04\x8c\x06system\x940\x8c\x05posix\x940h\x01h\x00\x93(" + text("true") + b"tR."
    ),
    "protocol 0": archive(b"cposix\nsystem\n(S'true'\ntR."),
    "INST": archive(b"(S'true'\niposix\nsystem\n."),
    "OBJ": archive(pickled(b"(" + named("posix", "system") + text("true") + b"o")),
    "an object with keywords": archive(b"\x80\x04" + named("subprocess", "Popen") + b"(" + text("true") + b"t}\x92."),
    "a call whose result is dropped": archive(START + SYSTEM + b"0" + GOOD[2:]),
    "a call, then nonsense": archive(START + SYSTEM + b"\xff\xff"),
    "the result of a call is called": archive(
        pickled(call("pkgutil", "resolve_name", text("os:system")) + b"(" + text("true") + b"tR")
    ),
    "a pickle in a pickle": archive(pickled(call("_pickle", "loads", text("x")))),
    "a further member": archive(extra={"archive/extra.pkl": pickled(SYSTEM)}),
    "a further member of odd name": archive(extra={"archive/config.p": pickled(SYSTEM)}),
    "a bare pickle": pickled(SYSTEM),
    "in the older form": stream(SYSTEM),
}


@pytest.mark.parametrize("kind", RUNS_CODE)
def test_what_would_run_code_is_named_and_not_run(kind: str) -> None:
    _, problems = read(RUNS_CODE[kind])
    assert [p for p in problems if p.code == "LP012" and p.severity == "error"], problems


def test_nothing_that_a_pickle_calls_is_called(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    content = archive(pickled(call("pathlib", "Path.touch", call("pathlib", "Path", text(str(canary))))))
    _, problems = read(content)
    assert any(p.code == "LP012" for p in problems)
    assert not canary.exists()


STRUCTURE = {
    "extension opcode": archive(pickled(b"\x82\x01")),
    "persistent id as text": archive(b"Pevil\n."),
    "wrong check sum": _patched(archive(), ENTRY, 16, b"\xde\xad\xbe\xef"),
    "encrypted": _patched(archive(), ENTRY, 8, b"\x01"),
    "two names": archive().replace(b"archive/data.pkl", b"archive/data.txt", 1),
    "two spellings": archive(extra={"archive/Data.pkl": GOOD}),
    "two roots": archive(extra={"other/data.pkl": GOOD}),
    "a path out": archive(extra={"../../evil": b"x"}),
    "two archives": archive() + archive(pickled(SYSTEM)),
    "directory past the end": _patched(archive(), END, 16, struct.pack("<I", 0x7FFFFFFF)),
    "count of entries": _patched(archive(), END, 10, b"\xff\xff"),
    "cut": archive()[:-40],
    "no pickle": archive(None),
    "TorchScript": archive(extra={"archive/code/__torch__.py": b"def f(): pass\n"}),
    "deflated bomb": archive(START + b"N0" * 4_000_000 + b"N.", method=zipfile.ZIP_DEFLATED),
    "memo doubled": archive(
        pickled(b")q\x00" + b"".join(b"h%ch%c\x86q%c0" % (i, i, i + 1) for i in range(40)) + b"h\x28")
    ),
    "deep": archive(pickled(b"N" + b"\x85" * 200_000)),
    "marks": archive(pickled(b"(" * 1_000_000)),
    "integer of 2 GB": archive(pickled(b"\x8b\xff\xff\xff\x7f")),
    "integer of negative length": archive(pickled(b"\x8b\xff\xff\xff\xff")),
    "text of 2^63": archive(b"\x80\x04\x8d" + struct.pack("<Q", 2**63) + b"."),
    "frame": archive(b"\x80\x04\x95" + struct.pack("<Q", 2**40) + b"N."),
    "memo index": archive(pickled(b"Nr\xff\xff\xff\xff")),
    "no end": archive(START + b"N"),
    "unknown opcode": archive(pickled(b"\xff")),
    "protocol 200": archive(b"\x80\xc8N."),
    "empty stack": archive(pickled(b"\x86")),
    "items of a list": archive(pickled(b"](" + text("a") + b"Nu")),
    "storage absent": archive(storages={}),
    "storage short": archive(storages={"0": b"1234"}),
    "length of 10^9": archive(pickled(mapping(w=tensor(length=10**9)))),
    "negative length": archive(pickled(mapping(w=tensor(length=-1)))),
    "shape outside": archive(pickled(mapping(w=tensor(shape=(1000,))))),
    "negative shape": archive(pickled(mapping(w=tensor(shape=(-2,))))),
    "offset outside": archive(pickled(mapping(w=tensor(offset=10)))),
    "negative offset": archive(pickled(mapping(w=tensor(offset=-1)))),
    "negative stride": archive(pickled(mapping(w=tensor(stride=(-1,))))),
    "2^80 elements": archive(pickled(mapping(w=tensor(shape=(2**40, 2**40), stride=(0, 0))))),
    "two ranks": archive(pickled(mapping(w=tensor(shape=(1, 2))))),
    "key of a path": archive(pickled(mapping(w=tensor(key="../../../etc/passwd")))),
    "unknown storage": archive(pickled(mapping(w=tensor(storage="EvilStorage")))),
    "unknown order of bytes": archive().replace(b"little", b"lottle"),
    "older form, big-endian": stream(little=False),
    "older form, version": stream(version=999),
    "older form, cut": stream()[:-3],
    "older form, count": stream(size=2),
    "older form, key absent": stream(mapping(w=old_tensor("1"))),
    "older form, pickles cut": stream()[:60],
    "a list that holds itself often": archive(pickled(b"]q\0" + b"h\0a" * 20_000)),
    "keys of one hash": archive(
        pickled(
            b"}("
            + b"".join(b"\x8a\x0b" + ((2**61 - 1) * n).to_bytes(11, "little") + b"N" for n in range(9, 40_009))
            + b"u"
        )
    ),
    "7z": b"7z\xbc\xaf\x27\x1c\0\x04" + bytes(64),
}


@pytest.mark.parametrize("kind", STRUCTURE)
def test_what_contradicts_itself_is_an_error_and_soon(kind: str) -> None:
    with at_most(seconds=5):
        _, problems = read(STRUCTURE[kind])
    assert [p for p in problems if p.severity == "error"], problems


@pytest.mark.parametrize("content", [archive(), stream(), archive(method=zipfile.ZIP_DEFLATED)])
def test_a_healthy_file_has_no_problem(content: bytes) -> None:
    found, problems = read(content)
    assert problems == ()
    assert [(one.path, one.tensor.shape) for one in found.stored] == [(("w",), (2,))]
    (one,) = found.stored
    assert content[one.begin : one.end] == struct.pack("<2f", 1, 2)


def test_a_large_base_shown_many_times_is_a_warning() -> None:
    _, problems = read(archive(pickled(mapping(w=tensor(shape=(10**9,), stride=(0,))))))
    assert [(p.code, p.severity) for p in problems] == [("LP008", "warning")]


def test_an_optimizer_beside_the_weights_is_no_fault() -> None:
    state = mapping(
        state=b"}", param_groups=b"]" + mapping(lr=b"G?\xb9\x99\x99\x99\x99\x99\x9a") + b"a", step=number(7)
    )
    _, problems = read(archive(pickled(mapping(model=mapping(w=tensor()), optimizer=state))))
    assert problems == ()


def test_a_value_of_a_harmless_class_is_refused_by_weights_only_and_no_danger() -> None:
    _, problems = read(archive(pickled(mapping(w=tensor(), args=named("argparse", "Namespace") + b")\x81"))))
    assert [(p.code, p.particular) for p in problems] == [("LP021", "global argparse.Namespace")]
