"""What remote code imports from a release that does not have it: the library's own exception, or not known."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from loadproof.interpret.language.errors import SourceMissing, is_certain
from loadproof.interpret.release import imports
from loadproof.interpret.release.disk import on_disk
from loadproof.interpret.release.world import World

RELEASE = {
    "__init__": '_import_structure = {"models.one": ["OneConfig"]}',
    "utils/__init__": "from .generic import helper, logging\n",
    "utils/generic": "def helper(): pass\n",
    "utils/lazy": "from .generic import *\n",
    "models/__init__": "",
    "models/one/__init__": "",
    "models/one/modeling_one": "class OneModel: pass\n",
    "dynamic_module_utils": "import ast\nTRY = ast.Try\n",
}


def world_of(folder: Path, release: dict[str, str], **own: str) -> World:
    for top, files in (("release", release), ("code", own)):
        for name, text in files.items():
            path = folder / top / f"{name}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dedent(text))
    return World(on_disk(str(folder / "release"), str(folder / "code"), is_trusted=False))


def check(folder: Path, text: str, **more: str) -> None:
    imports.check(world_of(folder, RELEASE, program=text, **more), "remote.program")


@pytest.mark.parametrize(
    "line",
    [
        "from transformers.utils import helper, logging",
        "from transformers import OneModel, OneConfig",
        "from transformers.models.one.modeling_one import OneModel",
        "from transformers.utils import generic",
        "from transformers.utils.lazy import anything_at_all",
        "from somewhere.else_ import whatever",
        "try:\n    from transformers.utils import gone\nexcept ImportError:\n    gone = None",
        "if 1 < 0:\n    from transformers.utils import gone",
        "def late():\n    from transformers.utils import gone",
        '"""\nfrom transformers.utils import gone\n"""',
        "try:\n    from .other import x\nexcept ImportError:\n    from other import x",
    ],
)
def test_what_may_be_there_is_let_through(line: str, tmp_path: Path) -> None:
    check(tmp_path, line, other="x = 1")


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("from transformers.utils import gone", "cannot import name 'gone' from 'transformers.utils' ("),
        ("from transformers import GoneModel", "cannot import name 'GoneModel' from 'transformers' ("),
        (
            "from transformers.utils.generic import help",
            "cannot import name 'help' from 'transformers.utils.generic' (",
        ),
        ("from transformers.gone import x", "No module named 'transformers.gone'"),
        ("from transformers.models.two.modeling_two import x", "No module named 'transformers.models.two'"),
        ("from .other import x", "cannot import name 'lost' from 'transformers.utils' ("),
    ],
)
def test_what_is_gone_raises_as_python_does(line: str, text: str, tmp_path: Path) -> None:
    with pytest.raises(ImportError) as caught:
        check(tmp_path, line, other="from transformers.utils import lost\nx = 1")
    assert str(caught.value).startswith(text)
    assert is_certain(caught.value)


@pytest.mark.parametrize("line", ["from other import x", "import other", "def late():\n    from other import x"])
def test_a_file_of_the_folder_without_a_dot_is_not_judged(line: str, tmp_path: Path) -> None:
    with pytest.raises(SourceMissing, match="without a leading dot"):
        check(tmp_path, line, other="x = 1")


def test_older_releases_look_into_the_handlers_of_a_try(tmp_path: Path) -> None:
    text = "try:\n    from .other import x\nexcept ImportError:\n    from other import x"
    world = world_of(tmp_path, {**RELEASE, "dynamic_module_utils": "import re"}, program=text, other="x = 1")
    with pytest.raises(SourceMissing):
        imports.check(world, "remote.program")


def test_files_that_import_each_other_end(tmp_path: Path) -> None:
    check(tmp_path, "from .other import x", other="from .program import y")
