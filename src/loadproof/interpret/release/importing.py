"""What the import statements of remote code bind, or the exception that Python raises there.

Packages besides torch and the release are not read. Whether they are installed is asked of the machine; a name of one
that is there is taken to exist. Where nothing is known of the machine, a package is taken to be there unless the import
stands in a `try`.
"""

from __future__ import annotations

import math
import sys
import typing

from loadproof.interpret.language.errors import NotUnderstood, SourceMissing, certain
from loadproof.interpret.language.objects import Namespace, Unknown
from loadproof.interpret.language.standard_library import MODULES
from loadproof.interpret.language.surroundings import KERNELS
from loadproof.interpret.language.values import Value
from loadproof.interpret.release import imports, module_view
from loadproof.interpret.release.ports import OwnFile, World
from loadproof.interpret.release.requirements import without_dot

_WHOLE = {"math": [n for n in dir(math) if n[0] != "_"], "typing": list(typing.__all__)}
_ALWAYS = frozenset(["torch", "transformers"])


def shown(name: str) -> str:
    """The name that a module of remote code has in the library's cache, as far as it does not depend on the folder."""
    return "transformers_modules" + name[name.index(".") :] if "." in name else "transformers_modules"


def module(file: OwnFile, name: str, alias: str | None, guarded: bool) -> Value:
    """What `import name` or `import name as alias` binds."""
    _check_there(file, name, guarded)
    _check_torch(file, name)
    if name.split(".")[0] == "transformers":
        imports.check_module(file.world, name)
    bound = name if alias else name.split(".")[0]
    return module_view.seen(file.world, bound, file.world.external(bound))


def member(file: OwnFile, level: int, module: str, name: str, guarded: bool) -> Value:
    """What `from module import name` binds."""
    if level:
        return _own_member(file, level, module, name)
    _check_there(file, module, guarded)
    if module.split(".")[0] == "transformers":
        imports.check_name(file.world, module, name)
        return module_view.released(file.world, module, name)
    _check_torch(file, f"{module}.{name}")
    found = file.world.import_from(file, 0, module, name)
    return module_view.seen(file.world, f"{module}.{name}", found)


def everything(file: OwnFile, level: int, module: str, guarded: bool) -> dict[str, Value]:
    """What `from module import *` binds; of what is not read, nothing, and the file is marked."""
    if level:
        return _own_file(file, level, module).public()
    _check_there(file, module, guarded)
    if module in _WHOLE:
        return _handed_out(file, module)
    if module.split(".")[0] == "transformers":
        imports.check_module(file.world, module)
    file.stars = True
    return {}


def _handed_out(file: OwnFile, module: str) -> dict[str, Value]:
    """The public names of a module of the standard library; where one is refused, the file may have more names."""
    found = {}
    for name in _WHOLE[module]:
        try:
            found[name] = file.world.import_from(file, 0, module, name)
        except NotUnderstood:
            file.stars = True
    return found


# ---------------------------------------------------------------- files of the folder
def _own_file(file: OwnFile, level: int, module: str) -> OwnFile:
    package = file.name.split(".")[:-1]
    if level > len(package) or not module:
        raise SourceMissing(f"{file.label}: an import of the package itself")
    name = ".".join([*package[: len(package) - (level - 1)], module])
    found = file.world.own_file(name)
    if found is None:
        raise certain(ModuleNotFoundError(f"No module named '{shown(name)}'"))
    return found


def _own_member(file: OwnFile, level: int, module: str, name: str) -> Value:
    if module:
        return _own_file(file, level, module).member(name)
    package = file.name.split(".")[:-1]
    if level != 1 or len(package) != 1:
        raise SourceMissing(f"{file.label}: an import from outside of the folder's own files")
    found = file.world.own_file(f"{package[0]}.{name}")
    if found is None:  # what the library copies is a package with an empty `__init__`
        raise certain(ImportError(f"cannot import name '{name}' from 'transformers_modules'"))
    found.run()
    return Namespace(found.name, {}, found.attribute)


# ---------------------------------------------------------------- packages
def _check_there(file: OwnFile, name: str, guarded: bool) -> None:
    """Raise ModuleNotFoundError where the package of a module is not installed."""
    top = name.split(".")[0]
    there = is_there(file.world, top, guarded)
    if there:
        return
    if top in file.world.own_modules:
        raise without_dot(file.label, top)
    raise certain(ModuleNotFoundError(f"No module named '{top}'", name=top))


def _check_torch(file: OwnFile, name: str) -> None:
    """Refuse an import that the text of the installed torch does not bear out."""
    doubted: frozenset[str] = file.world.machine.names.doubted
    absent = next((d[:-1] for d in doubted if d.endswith(".") and f"{name}.".startswith(d)), None)
    if absent is not None:
        raise certain(ModuleNotFoundError(f"No module named '{absent}'", name=absent))
    if name in doubted:
        raise NotUnderstood(f"the text of the installed torch has no {name}")


def is_there(world: World, top: str, guarded: bool) -> bool:
    """Whether a top-level package can be imported."""
    if top in _ALWAYS:
        return True
    known = world.machine.has(top)
    if known is not None:
        return bool(known)
    if top in sys.stdlib_module_names or top in MODULES or top == "numpy":
        return True
    if top in world.own_modules and not world.machine.known:
        return False
    return not guarded


def refuse_by_name(name: Value, package: Value = None) -> Value:
    """`importlib.import_module`: what it brings is not followed."""
    raise NotUnderstood(f"importlib.import_module({str(name)[:60]!r}, {str(package)[:60]!r})")


def find_spec(world: World, name: Value, package: Value = None) -> Value:  # noqa: ARG001
    """`importlib.util.find_spec`: None for what is not installed."""
    if not isinstance(name, str):
        raise NotUnderstood("importlib.util.find_spec of a name that is not known")
    top = name.split(".")[0]
    if world.machine.has(top) is None and top not in sys.stdlib_module_names and top not in _ALWAYS:
        return None if top in KERNELS else Unknown("importlib.util.find_spec()")
    return Namespace("spec", {}) if is_there(world, top, False) else None
