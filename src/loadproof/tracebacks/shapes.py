"""Reading sizes out of error texts, and what a difference of two sizes means."""

from __future__ import annotations

import re
from math import prod

from loadproof.core.tensors import Shape
from loadproof.lexicon.companions import GROUPED
from loadproof.lexicon.ends import VOCABULARY

_SHAPE = re.compile(
    r"torch\.Size\(\[([\d, ]{0,120})\]\)"
    r"|(?<![\w.])[\[({]\s{0,8}((?:\d{1,15}\s{0,8}[,x]\s{0,8}){0,12}\d{0,15})\s{0,8}[\])}]"
)
_INDIVISIBLE = re.compile(
    r"(?<![\d.])(\d{1,12})\)? {1,8}(?:is not|must be|should be|isn't|not) (?:evenly )?divisible by "
    r"[^\d\n]{0,80}(\d{1,12})(?!\d)"
)
Kind = str


def read_shapes(text: str) -> tuple[Shape, ...]:
    """Every tensor size in the text, in order; ``[]`` of torch.Size is a scalar."""
    found = []
    for match in _SHAPE.finditer(text):
        digits = match[1] if match[1] is not None else match[2]
        if match[1] is None and not digits.strip():
            continue
        found.append(tuple(int(d) for d in re.findall(r"\d+", digits)))
    return tuple(found)


def indivisible(text: str) -> tuple[Shape, ...]:
    """The two sizes of ``.. = 192 is not divisible by .. = 128``, each as a size of one dimension."""
    return tuple((int(number),) for found in _INDIVISIBLE.finditer(text) for number in found.groups())


def judge(stored: Shape, wanted: Shape, name: str = "") -> Kind:
    """What the difference between a stored and a wanted size means; ``other`` when nothing fits.

    empty | flattened | packed-column | unpacked | group-rows | lora-rank | expert-short | head-shard | draft-vocab | small-head |
    vocab | squeezed | transposed | kv-heads | row-shard | int4-packed | slice | scaled | one-dimension | other
    """
    for kind, holds in _TESTS:
        if holds(stored, wanted, name):
            return kind
    return "other"


def _empty(stored: Shape, wanted: Shape, _name: str) -> bool:
    return 0 in stored and 0 not in wanted


def _flattened(stored: Shape, wanted: Shape, _name: str) -> bool:
    return len(stored) == 1 and len(wanted) >= 2 and stored[0] == prod(wanted)


def _packed_column(stored: Shape, wanted: Shape, _name: str) -> bool:
    return len(stored) == 2 and stored[1] == 1 and len(wanted) >= 2 and prod(stored) * 2 == prod(wanted)


def _unpacked(stored: Shape, wanted: Shape, name: str) -> bool:
    """A dense weight where one packed along its columns is wanted: 32-bit words that hold 2, 4 or 8 bits a value."""
    if len(stored) != 2 or len(wanted) != 2 or stored[0] != wanted[0] or not wanted[1]:
        return False
    return name.endswith("weight") and stored[1] <= _WIDEST and stored[1] / wanted[1] in (16, 8, 4)


def _column(stored: Shape, wanted: Shape, _name: str) -> bool:
    return len(stored) == 2 and stored[1] == 1 and stored[0] > 4096 and len(wanted) >= 2


def _transposed(stored: Shape, wanted: Shape, _name: str) -> bool:
    reverse = len(stored) == len(wanted) == 2 and stored != wanted and stored[::-1] == wanted
    return reverse or _swapped(stored, wanted)


def _swapped(stored: Shape, wanted: Shape) -> bool:
    return len(stored) == len(wanted) == 3 and stored != wanted and (stored[0], stored[2], stored[1]) == wanted


def _vocab(stored: Shape, wanted: Shape, name: str) -> bool:
    one_side = len(stored) == len(wanted) == 2 and (
        stored[1] == wanted[1] or stored[0] == wanted[0]
    )  # ggml: columns first
    rows = sorted((stored[0], wanted[0]))
    nameless = name == "weight" and stored[1:] == wanted[1:] and rows[0] >= _FEWEST_WORDS and rows[1] < 1.1 * rows[0]
    return (bool(_VOCAB.search(name)) or nameless) and one_side


def _head_shard(stored: Shape, wanted: Shape, name: str) -> bool:
    return _vocab(stored, wanted, name) and any(stored[0] * ranks == wanted[0] for ranks in (2, 4, 8, 16, 32, 64))


def _draft_vocab(stored: Shape, wanted: Shape, name: str) -> bool:
    return _vocab(stored, wanted, name) and stored[0] >= 16_000 and stored[0] * 2 < wanted[0] and stored[0] % 1000 == 0


def _small_head(stored: Shape, wanted: Shape, name: str) -> bool:
    return _vocab(stored, wanted, name) and stored[0] * 20 < wanted[0] and stored[0] < 2000


def _lora(stored: Shape, wanted: Shape, name: str) -> bool:
    if "lora_" not in name or len(stored) != 2 or len(wanted) != 2:
        return False
    return (stored[0] == wanted[0]) != (stored[1] == wanted[1])


def _int4(stored: Shape, wanted: Shape, name: str) -> bool:
    if len(stored) != 2 or len(wanted) != 2:
        return False
    rows, columns = wanted
    packed = {shape for b in (2, 4, 8) for shape in ((rows, columns // b), (rows // b, columns), (columns // b, rows))}
    return bool(_PACKED.search(name)) and stored in packed


def _group_rows(stored: Shape, wanted: Shape, name: str) -> bool:
    return bool(re.search(GROUPED, name)) and len(stored) == len(wanted)


def _kv_heads(stored: Shape, wanted: Shape, name: str) -> bool:
    return bool(re.search(r"[kv]_proj|qkv|c_attn", name)) and len(stored) == len(wanted) and stored[1:] == wanted[1:]


def _row_shard(stored: Shape, wanted: Shape, _name: str) -> bool:
    if len(stored) != len(wanted) or stored[1:] != wanted[1:] or not stored or not stored[0]:
        return False
    ranks = -(-wanted[0] // stored[0])
    return wanted[0] >= 16 and ranks in (2, 4, 8, 16, 32, 64) and -(-wanted[0] // ranks) == stored[0]


def _squeezed(stored: Shape, wanted: Shape, _name: str) -> bool:
    if len(stored) < 2 and len(wanted) < 2:
        return False
    same = sorted(d for d in stored if d != 1) == sorted(d for d in wanted if d != 1)
    return same and stored != wanted and (len(stored) != len(wanted) or 1 in stored)


def _expert_short(stored: Shape, wanted: Shape, name: str) -> bool:
    return "experts" in name and len(stored) == len(wanted) == 3 and stored[0] < wanted[0] and stored[1:] == wanted[1:]


def _slice(stored: Shape, wanted: Shape, _name: str) -> bool:
    return len(stored) == 1 and len(wanted) >= 2


def _scaled(stored: Shape, wanted: Shape, _name: str) -> bool:
    """Every dimension that differs does so by one ratio, and more than one differs: another model size."""
    pairs = [(a, b) for a, b in zip(stored, wanted, strict=False) if a != b]
    return (
        len(stored) == len(wanted)
        and len(pairs) > 1
        and len({a * pairs[0][1] == b * pairs[0][0] for a, b in pairs}) == 1
    )


def _one_dimension(stored: Shape, wanted: Shape, name: str) -> bool:
    """One dimension of a projection inside a layer differs: one config field."""
    inside = re.search(r"layers?\.\d+\.|\.h\.\d+\.|blk\.\d+\.|<", name)
    return (
        bool(inside) and len(stored) == len(wanted) and sum(a != b for a, b in zip(stored, wanted, strict=False)) == 1
    )


_FEWEST_WORDS = 20_000  # rows that only a vocabulary has, where two sizes of some weight differ by a few of them
_WIDEST = 65_536  # columns of a weight; what is wider is a vocabulary
_VOCAB = re.compile(VOCABULARY)
_PACKED = re.compile(r"weight|qweight|packed")
_TESTS = (
    ("empty", _empty),
    ("flattened", _flattened),
    ("packed-column", _packed_column),
    ("packed-column", _column),
    ("unpacked", _unpacked),
    ("group-rows", _group_rows),
    ("lora-rank", _lora),
    ("expert-short", _expert_short),
    ("head-shard", _head_shard),
    ("draft-vocab", _draft_vocab),
    ("small-head", _small_head),
    ("vocab", _vocab),
    ("squeezed", _squeezed),
    ("transposed", _transposed),
    ("kv-heads", _kv_heads),
    ("row-shard", _row_shard),
    ("int4-packed", _int4),
    ("slice", _slice),
    ("scaled", _scaled),
    ("one-dimension", _one_dimension),
)  # fmt: skip
