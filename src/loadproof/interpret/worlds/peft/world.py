"""A release of peft beside a release of transformers: one world whose imports reach the text of both."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from loadproof.interpret.language.errors import NotUnderstood, certain
from loadproof.interpret.language.gate import read
from loadproof.interpret.language.objects import Namespace, Unknown
from loadproof.interpret.language.values import Class, Names, Value
from loadproof.interpret.release import stubs
from loadproof.interpret.release.definitions import FunctionSource
from loadproof.interpret.release.files import RELEASE, Files
from loadproof.interpret.release.machine import NOT_KNOWN, Machine, is_installed
from loadproof.interpret.release.ports import File
from loadproof.interpret.release.source_file import SourceFile
from loadproof.interpret.release.world import World
from loadproof.interpret.shapes import namespaces
from loadproof.interpret.worlds.followed_file import FollowedFile
from loadproof.interpret.worlds.peft import surroundings
from loadproof.interpret.worlds.peft.folder import Folder, open_file
from loadproof.interpret.worlds.peft.methods import PREFIXES, TABLES, Methods, Table

PEFT = "peft"
_FOLLOWED = frozenset(["transformers.core_model_loading"])  # converts the tensors of an adapter as those of a model
_TORCH = {"torch.nn.init": namespaces.NN.init, "torch.distributed.tensor": namespaces.TORCH.distributed.tensor}
# peft's own names that are not read: what they find out about the machine is known here.
_OWN: Names = {
    **dict.fromkeys(("peft.utils.other.infer_device", "peft.utils.infer_device"), lambda: "cpu"),
    "peft.tuners.shira.mask_functions.random_mask": surroundings.random_mask,
}


class PeftWorld(World):
    """`folder` is the adapter that peft is about to read, `warned` what it has warned of."""

    packages = (RELEASE, PEFT)

    def __init__(self, files: Files, machine: Machine = NOT_KNOWN, *, asks_the_machine: bool = False) -> None:
        super().__init__(files, machine)
        self.asks_the_machine = asks_the_machine
        self.asked: dict[str, bool] = {}  # package -> whether it is installed here
        self.folder = Folder(None, None)
        self.warned: list[str] = []
        self.methods = Methods(self)
        self.stand_ins = surroundings.modules(lambda: self.folder, self._warn, super().from_release) | _TORCH
        self.stand_ins |= surroundings.packages(super().from_release, self.has_package)

    def has_package(self, top: str) -> bool:
        """Whether a package beside those of `PRESENT` is installed. Raises NotUnderstood where that may not be asked."""
        if not self.asks_the_machine:
            raise NotUnderstood(f"whether the package {top} is installed decides, and is not known")
        return self.asked.setdefault(top, is_installed(top))

    def _warn(self, message: str) -> None:
        self.warned.append(message)

    def _opened(self, name: str, path: str) -> SourceFile:
        if name in _FOLLOWED:
            return FollowedFile(self, name, path)
        return PeftFile(self, name, path) if _is_peft(name) else super()._opened(name, path)

    # ---- imports
    def external(self, name: str) -> Any:
        if name in self.stand_ins:
            return self.stand_ins[name]
        if _is_peft(name):
            return Namespace(name, {}, lambda key: self.from_release(name, key))
        return super().external(name)

    def import_from(self, file: File, level: int, module: str | None, name: str) -> Any:
        full = f"{module}.{name}"
        if level or not module:
            return super().import_from(file, level, module, name)
        if module in self.stand_ins:
            return read(self.stand_ins[module], name)
        if full in self.stand_ins:
            return self.stand_ins[full]
        if _is_peft(module):
            return self.from_release(module, name)
        if _is_peft(file.name):
            surroundings.refuse_absent(module.split(".")[0], self.has_package)
            if module.startswith("transformers.distributed"):
                self._check_defined(module, name)
        return super().import_from(file, level, module, name)

    def _check_defined(self, module: str, name: str) -> None:
        """peft finds out by the import whether a release has a function; what it does is not followed."""
        file = self.file(module)
        if file is None or not file.defines(name):
            raise certain(ImportError(f"cannot import name '{name}' from '{module}'"))

    def from_release(self, module: str, name: str) -> Any:
        if not _is_peft(module):
            return super().from_release(module, name)
        glue = self.glue(module, name)
        if glue is not None:
            return glue
        file = self.file(module)
        if file is not None and file.defines(name):
            return file.resolve(name)
        behind = self._behind_stars(file, name)
        if behind is not None:
            return behind.resolve(name)
        if self.path(f"{module}.{name}") is not None:
            return self.external(f"{module}.{name}")
        raise certain(ImportError(f"cannot import name '{name}' from '{module}'"))

    def _behind_stars(self, file: SourceFile | None, name: str) -> SourceFile | None:
        """The file that defines a name which this one imports with all the others."""
        for star in file.stars if isinstance(file, FollowedFile) else ():
            parts = file.name.split(".") if file.is_package else file.name.split(".")[:-1]  # type: ignore[union-attr]
            above = parts[: len(parts) - (star.level - 1)] if star.level else []
            other = self.file(".".join([*above, *([star.module] if star.module else [])]))
            if other is not None and other.defines(name):
                return other
        return None

    def glue(self, module: str, name: str) -> Any:
        if _is_peft(module):
            return self._own_table(name) or _OWN.get(f"{module}.{name}")
        if name == "Conv1D" and module != "transformers.pytorch_utils":
            return self.load("transformers.pytorch_utils", name)
        if name == "GenerationMixin":
            return self.generation_mixin
        return super().glue(module, name)

    def _own_table(self, name: str) -> Value:
        if name == PREFIXES:
            return self.methods.prefixes
        return Table(self.methods, TABLES[name]) if name in TABLES else None

    @cached_property
    def generation_mixin(self) -> Class:
        """A class that can generate has the methods of the release's mixin; they do nothing here."""
        file = self.file("transformers.generation.utils")
        source = file.class_definition("GenerationMixin") if file is not None else None
        members = source.members if source is not None else ()
        names = [member.name for member in members if isinstance(member, FunctionSource)]
        return type("GenerationMixin", (stubs.GenerationMixin,), dict.fromkeys(names, _not_followed))

    def begin(self, model_type: str) -> None:
        super().begin(model_type)
        self.budget.on_cpu, self.budget.on_meta = True, False
        self.warned = []


class PeftFile(FollowedFile):
    """A file of peft: it may open the configuration of the adapter."""

    def __init__(self, world: Any, name: str, path: str) -> None:
        super().__init__(world, name, path)
        self.globals["open"] = open_file


def _is_peft(module: str) -> bool:
    return module.split(".")[0] == PEFT


def _not_followed(*_: Value, **__: Value) -> Value:
    return Unknown("generation")
