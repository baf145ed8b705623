"""Random state dicts as ``torch.save`` writes them, in every form: the inputs of `test_torch_files`."""

from __future__ import annotations

import io
import random
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import torch

FLOATS = (torch.float32, torch.float16, torch.bfloat16, torch.float64)
WHOLE = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool)
NEWER = (torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e8m0fnu, torch.uint16, torch.uint32, torch.complex64)
DOTTED = (".format_version", ".storage_alignment", ".data/serialization_id", "byteorder")  # absent in older releases


def tensor(dice: random.Random, dtypes: tuple[torch.dtype, ...]) -> torch.Tensor:
    """A small contiguous tensor of any rank from 0 to 4."""
    shape = [
        dice.choice((0, 1, 2, 3, 5)) if dice.random() < 0.1 else dice.randint(1, 5) for _ in range(dice.randint(0, 4))
    ]
    count = 1
    for number in shape:
        count *= number
    dtype = dice.choice(dtypes)
    raw = torch.tensor(list(dice.randbytes(count * dtype.itemsize)), dtype=torch.uint8)
    raw = raw % 2 if dtype == torch.bool else raw
    return raw.view(dtype).reshape(shape) if count else torch.empty(shape, dtype=dtype)


def odd(dice: random.Random, dtypes: tuple[torch.dtype, ...]) -> Any:
    """A view, a strided or expanded tensor, a Parameter, a value that is no tensor."""
    base = tensor(dice, dtypes)
    makers: tuple[Callable[[], Any], ...] = (
        lambda: base.t() if base.dim() == 2 else base,
        lambda: torch.arange(40, dtype=torch.float32).reshape(5, 8)[1:4, 2:7:2],
        lambda: torch.arange(6.0).reshape(2, 3)[1].expand(4, 3),
        lambda: torch.nn.Parameter(torch.randn(3, 2)),
        lambda: torch.nn.Parameter(torch.randn(2), requires_grad=False),
        lambda: torch.tensor([1 + 2j, 3 - 1j]).conj(),
        lambda: torch.randn(2, 3).to_sparse(),
        lambda: torch.empty(3, 4, device="meta"),
        lambda: dice.choice((3, 2.5, "text", None, True, b"raw", 1 << 70, [1, 2], {"a": 1})),
    )
    return dice.choice(makers)()


def state(dice: random.Random, *, newer: bool) -> dict[str, Any]:
    """A flat state dict with ties and views of one storage."""
    dtypes = (*FLOATS, *WHOLE, *(NEWER if newer else ()))
    found: dict[str, Any] = OrderedDict() if dice.random() < 0.7 else {}
    for i in range(dice.randint(1, 12)):
        found[f"model.layers.{i}.weight"] = odd(dice, dtypes) if dice.random() < 0.3 else tensor(dice, dtypes)
    if dice.random() < 0.4:
        base = torch.randn(6, 4)
        found |= {"lm_head.weight": base, "embed.weight": base, "rows": base[2:4], "flat": base.view(-1)}
    return found


def nested(dice: random.Random) -> dict[str, Any]:
    """A training state: the weights under a key, an optimizer beside them."""
    layer = torch.nn.Linear(dice.randint(1, 4), 3)
    optimizer = torch.optim.AdamW(layer.parameters())
    layer(torch.ones(2, layer.in_features)).sum().backward()
    optimizer.step()
    return {"state_dict": layer.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3, "list": [torch.ones(1)]}


def written(value: Any, dice: random.Random, form: str) -> bytes:
    """The file, in one of `FORMS`."""
    buffer = io.BytesIO()
    if form == "legacy":
        torch.save(value, buffer, _use_new_zipfile_serialization=False)
    elif form == "aligned":
        kept = torch.serialization.get_default_mmap_options, torch.utils.serialization.config.save.storage_alignment
        torch.utils.serialization.config.save.storage_alignment = dice.choice((4096, 16384))
        torch.save(value, buffer)
        torch.utils.serialization.config.save.storage_alignment = kept[1]
    else:
        torch.save(value, buffer)
    return packed_again(buffer.getvalue()) if form == "older" else buffer.getvalue()


def packed_again(content: bytes, method: int = zipfile.ZIP_STORED, without: tuple[str, ...] = DOTTED) -> bytes:
    """The same archive as another zip program writes it; by default without what releases before 2.1 did not write."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(buffer, "w", method) as new:
        for name in old.namelist():
            if not name.endswith(without):
                new.writestr(name, old.read(name))
    return buffer.getvalue()


FORMS = ("zip", "legacy", "aligned", "older")


def files(count: int, seed: int = 7) -> list[tuple[str, bytes]]:
    """(form, content) of `count` files."""
    found = []
    for number in range(count):
        dice = random.Random(f"{seed}-{number}")
        torch.manual_seed(number)
        form = FORMS[number % len(FORMS)]
        value = nested(dice) if number % 7 == 6 else state(dice, newer=form != "legacy")
        found.append((form, written(value, dice, form)))
    return found
