"""Packages that are not read: what they make may hold parameters, so a model that keeps it is not judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from loadproof.interpret.language.errors import UnknownUsed
from tests.interpret.sources import evaluate

MODEL = """
    from torch import nn
    {head}

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.own = nn.Linear(2, 3)
            {line}

    result = [name for name, _ in Model().named_parameters()]
"""
OWN = ["own.weight", "own.bias"]


def names(folder: Path, head: str, line: str) -> object:
    return evaluate(folder, MODEL.format(head=head, line=line))


@pytest.mark.parametrize(
    ("head", "line"),
    [
        ("import timm", "self.tower = timm.create_model('vit')"),
        ("from timm.layers import Mlp", "self.mlp = Mlp(3)"),
        ("import fast", "self.parts = fast.build()['a'].norm"),
        ("from fast.modules import Norm", "self.norm = Norm(3).to('cpu')"),
        ("from einops.layers.torch import EinMix", "self.mix = EinMix('a -> b')"),
    ],
)
def test_a_part_of_foreign_make_is_not_taken_for_nothing(head: str, line: str, tmp_path: Path) -> None:
    with pytest.raises(UnknownUsed, match="source is not read"):
        names(tmp_path, head, line)


@pytest.mark.parametrize(
    ("head", "line"),
    [
        ("from timm.models.layers import DropPath", "self.drop = DropPath(0.1)"),
        ("from einops.layers.torch import Rearrange", "self.turn = Rearrange('a b -> b a')"),
        ("from torchvision import transforms", "self.transform = transforms.Compose([])"),
        ("import threading", "self.lock = threading.Lock()"),
        ("from flash_attn import flash_attn_func", "self.kernel = flash_attn_func"),
    ],
)
def test_what_has_no_parameters_may_be_kept(head: str, line: str, tmp_path: Path) -> None:
    assert names(tmp_path, head, line) == OWN


def test_a_dictionary_of_attributes_keeps_its_numbers(tmp_path: Path) -> None:
    line = "c = EasyDict(width=4, deep={'width': 5}); self.more = nn.Linear(c.width, c.deep.width, bias=False)"
    found = evaluate(
        tmp_path,
        MODEL.format(head="from easydict import EasyDict", line=line).replace(
            "[name for name, _ in Model().named_parameters()]", "tuple(Model().more.weight.shape)"
        ),
    )
    assert found == (5, 4)
