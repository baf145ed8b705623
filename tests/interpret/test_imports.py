"""What the imports of remote code bind, or the exception that Python raises there."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from loadproof.interpret.language.errors import NotUnderstood, SourceMissing, is_certain
from loadproof.interpret.release import requirements
from loadproof.interpret.release.disk import on_disk
from loadproof.interpret.release.machine import NOT_KNOWN, Machine
from loadproof.interpret.release.world import World

RELEASE = {
    "__init__": '_import_structure = {"models.one": ["OneConfig"]}\nx = _LazyModule(define_import_structure())\n',
    "utils/__init__": "from .generic import helper, logging\n",
    "utils/generic": "def helper(): pass\ndef other(): return unbound.mentioned\n",
    "utils/lazy": "from .generic import *\n",
    "models/__init__": "",
    "models/one/__init__": "",
    "models/one/modeling_one": 'class OneModel: pass\nclass Hidden: pass\n__all__ = ["OneModel"]\n',
    "dynamic_module_utils": "import ast\nTRY = ast.Try\n",
}


def world_of(folder: Path, release: dict[str, str], machine: Machine = NOT_KNOWN, **own: str) -> World:
    for top, files in (("release", release), ("code", own)):
        for name, text in files.items():
            path = folder / top / f"{name}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dedent(text))
    return World(on_disk(str(folder / "release"), str(folder / "code"), is_trusted=False), machine)


def run(folder: Path, text: str, machine: Machine = NOT_KNOWN, **more: str) -> Any:
    """The module, imported: its names by `member`."""
    file: Any = world_of(folder, RELEASE, machine, program=text, **more).file("remote.program")
    file.run()
    return file


def demand(folder: Path, text: str, machine: Machine = NOT_KNOWN, **more: str) -> frozenset[str]:
    return requirements.check(world_of(folder, RELEASE, machine, program=text, **more), "program")


@pytest.mark.parametrize(
    "line",
    [
        "from transformers.utils import helper, logging",
        "from transformers import OneModel, OneConfig",
        "from transformers.models.one.modeling_one import OneModel, Hidden",
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
    assert run(tmp_path, line, other="x = 1").state == "done"


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("from transformers.utils import gone", "cannot import name 'gone' from 'transformers.utils' ("),
        ("from transformers import GoneModel", "cannot import name 'GoneModel' from 'transformers' ("),
        ("from transformers import Hidden", "cannot import name 'Hidden' from 'transformers' ("),
        (
            "from transformers.utils.generic import help",
            "cannot import name 'help' from 'transformers.utils.generic' (",
        ),
        (
            "from transformers.utils.generic import mentioned",
            "cannot import name 'mentioned' from 'transformers.utils.generic' (",
        ),
        ("from transformers.gone import x", "No module named 'transformers.gone'"),
        ("from transformers.models.two.modeling_two import x", "No module named 'transformers.models.two'"),
        ("from .other import x", "cannot import name 'lost' from 'transformers.utils' ("),
        ("from .other import y", "cannot import name 'lost' from 'transformers.utils' ("),
        ("from .third import y", "cannot import name 'y' from 'transformers_modules.third' ("),
    ],
)
def test_what_is_gone_raises_as_python_does(line: str, text: str, tmp_path: Path) -> None:
    with pytest.raises(ImportError) as caught:
        run(tmp_path, line, other="from transformers.utils import lost\nx = 1", third="x = 1")
    assert str(caught.value).startswith(text)
    assert is_certain(caught.value)


@pytest.mark.parametrize("line", ["from other import x", "import other", "def late():\n    from other import x"])
def test_a_file_of_the_folder_without_a_dot_is_not_judged(line: str, tmp_path: Path) -> None:
    with pytest.raises(SourceMissing, match="without a leading dot"):
        demand(tmp_path, line, other="x = 1")


def test_older_releases_look_into_the_handlers_of_a_try(tmp_path: Path) -> None:
    text = "try:\n    from .other import x\nexcept ImportError:\n    from other import x"
    world = world_of(tmp_path, {**RELEASE, "dynamic_module_utils": "import re"}, program=text, other="x = 1")
    with pytest.raises(SourceMissing):
        requirements.check(world, "program")
    assert demand(tmp_path, text, other="x = 1") == {"program", "other"}


def test_files_that_import_each_other_end(tmp_path: Path) -> None:
    assert demand(tmp_path, "from .other import y", other="from .program import x\ny = 1") == {"program", "other"}
    with pytest.raises(ImportError, match=r"partially initialized module 'transformers_modules\.program'"):
        run(tmp_path, "from .other import y", other="from .program import x\ny = 1")


def test_a_module_that_failed_is_run_again_by_its_next_import(tmp_path: Path) -> None:
    text = "try:\n    from .other import x\nexcept ValueError:\n    pass\nfrom .other import x"
    with pytest.raises(ValueError, match="no"):
        run(tmp_path, text, other="x = 1\nraise ValueError('no')")


HERE = Machine(True, {"absent": False, "present": True})


@pytest.mark.parametrize(
    "text",
    ["import absent", "from absent.deep import x", "def f():\n    import absent", "if False:\n    import absent"],
)
def test_a_package_that_the_text_demands_must_be_installed(text: str, tmp_path: Path) -> None:
    with pytest.raises(
        ImportError, match=r"not found in your environment: absent\. Run `pip install absent`"
    ) as caught:
        demand(tmp_path, text, HERE)
    assert is_certain(caught.value)
    assert demand(tmp_path, text.replace("absent", "present"), HERE) == {"program"}
    assert demand(tmp_path, text) == {"program"}  # nothing is known of the machine


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    import absent\nexcept ImportError:\n    pass",
        "if is_flash_attn_2_available():\n    import absent",
        "from .absent import x",
        "import present",
    ],
)
def test_what_the_text_does_not_demand_may_be_missing(text: str, tmp_path: Path) -> None:
    assert "program" in demand(tmp_path, text, HERE, absent="x = 1")


def test_only_known_questions_excuse_a_missing_package(tmp_path: Path) -> None:
    release = {
        **RELEASE,
        "dynamic_module_utils": "ast.Try\nhasattr(transformers.utils.import_utils, x)\n",
        "utils/import_utils": "def is_known_available(): pass\n",
    }
    for name, excused in (("is_known_available", True), ("is_other_available", False)):
        world = world_of(tmp_path / name, release, HERE, program=f"if {name}():\n    import absent")
        if excused:
            assert requirements.check(world, "program") == {"program"}
        else:
            with pytest.raises(ImportError, match="absent"):
                requirements.check(world, "program")


def test_python_itself_finds_what_is_installed(tmp_path: Path) -> None:
    text = "try:\n    import {name}\n    found = True\nexcept ImportError as problem:\n    found = problem.name"
    assert run(tmp_path, text.format(name="absent"), HERE).member("found") == "absent"
    assert run(tmp_path / "b", text.format(name="present"), HERE).member("found") is True


@pytest.mark.parametrize("name", ["absent", "present"])
def test_the_search_for_a_package_is_answered_by_the_machine(name: str, tmp_path: Path) -> None:
    text = f"import importlib.util\nfound = importlib.util.find_spec('{name}') is not None"
    assert run(tmp_path, text, HERE).member("found") is (name == "present")


def test_a_line_that_never_runs_still_names_a_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"gone\.py"):
        demand(tmp_path, 'x = """\nfrom .gone import y\n"""')


def test_a_file_that_was_not_copied_is_not_imported(tmp_path: Path) -> None:
    world = world_of(tmp_path, RELEASE, program="from . import other", other="x = 1")
    world.copied["remote"] = requirements.check(world, "program")
    file: Any = world.file("remote.program")
    with pytest.raises(ImportError, match="cannot import name 'other'"):
        file.run()


def test_a_name_that_a_star_may_bring_is_not_known_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(NotUnderstood, match="is not modelled"):
        run(tmp_path, "from somewhere import *\nx = anything")
    assert run(tmp_path, "from .other import *\ny = x", other="x = 1").member("y") == 1
    with pytest.raises(NameError):
        run(tmp_path, "from .other import *\ny = _z", other="_z = 1")
