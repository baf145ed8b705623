"""One transformers release, and optionally one folder of remote code under the module name `remote`.

`World` answers what an import gives: a name of the release's text, a stand-in of torch or the standard library, or
`Unknown`. Files are read, cut and evaluated only as far as somebody asks.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

from loadproof.core.device import DEFAULTS
from loadproof.interpret.language import limits
from loadproof.interpret.language.errors import SourceMissing
from loadproof.interpret.language.gate import read
from loadproof.interpret.language.objects import Namespace, Unknown
from loadproof.interpret.language.standard_library import MODULES
from loadproof.interpret.language.values import Members, Value
from loadproof.interpret.release import (
    auto_classes,
    class_index,
    config_base,
    deferred,
    experts,
    generation,
    importing,
    model_base,
    packages,
    quantizers,
    stubs,
)
from loadproof.interpret.release.files import CODE, CODE_PACKAGES, PACKAGES, RELEASE, Files, kind_of, text_of
from loadproof.interpret.release.locate import version_in
from loadproof.interpret.release.machine import NOT_KNOWN, Machine
from loadproof.interpret.release.ports import File, Memo
from loadproof.interpret.release.remote_file import RemoteFile
from loadproof.interpret.release.source_file import SourceFile
from loadproof.interpret.shapes import machines, namespaces, numpy_names

_TORCH = {
    "torch": namespaces.TORCH,
    "torch.nn": namespaces.NN,
    "torch.nn.functional": namespaces.FUNCTIONAL,
    "torch.cuda": machines.CUDA,
    "torch.distributed": namespaces.TORCH.distributed,
    "torch.nn.utils": namespaces.UTILS,
    "torch.nn.utils.parametrizations": namespaces.PARAMETRIZATIONS,
    "torch.autograd": namespaces.AUTOGRAD,
    "numpy": numpy_names.NUMPY,
}


class MissingSource(Unknown):
    """A name from a file that the repository folder lacks. It may be imported; using it is an error."""

    def _refuse(self, *_: object, **__: object) -> Any:
        raise SourceMissing(f"no source file for {self._name}")

    __call__ = __mro_entries__ = __bool__ = __iter__ = __getitem__ = _refuse


class World:
    """`files` holds the package folder of the release, and the folder of a repository's own code.

    The world of another library adds its package to `packages`, the kinds of its files and its stand-ins.
    """

    packages: tuple[str, ...] = (RELEASE,)  # whose text is read

    def __init__(
        self, files: Files, machine: Machine = NOT_KNOWN, versions: Callable[[], dict[str, str]] | None = None
    ) -> None:
        self.files, self.machine = files, machine
        self.devices = DEFAULTS  # the machines to judge for
        self.supposed: dict[str, bool] = {}  # packages that were asked about: name -> whether they are installed
        self._versions = versions  # of the installed distributions, where they are asked for only when they are needed
        self.modules: dict[str, SourceFile | None] = {}
        self.copied: dict[str, frozenset[str]] = {}  # package of remote code -> the files that the library copies
        self.registered = auto_classes.Registry()
        self.budget = limits.start()
        self.memo = Memo()
        self.model_type = ""  # of the model being built: where classes are looked for first

    def begin(self, model_type: str) -> None:
        """Start a new evaluation with fresh limits."""
        self.budget = limits.start()
        self.budget.on_meta = self.version.split(".")[0].isdigit() and int(self.version.split(".")[0]) >= 5
        self.model_type = model_type

    # ---- files
    def path(self, name: str) -> str | None:
        """Name of a module's file, `transformers/models/llama/modeling_llama.py`; None when there is none."""
        parts = name.split(".")
        if parts[0] not in (*self.packages, *CODE_PACKAGES, *PACKAGES) or not all(p.isidentifier() for p in parts):
            return None
        top = CODE if parts[0] in CODE_PACKAGES else parts[0]
        stem = "/".join([top, *parts[1:]])
        for path in (stem + ".py", stem + "/__init__.py") if parts[1:] else (stem + "/__init__.py",):
            kind = kind_of(self.files, path)
            if kind == "outside":
                raise SourceMissing(f"{name} leads out of the {'repository' if top == CODE else 'release'} folder")
            if kind == "file":
                return path
        return None

    def file(self, name: str) -> SourceFile | None:
        """The file of a module, None when there is none."""
        if name not in self.modules:
            path = self.path(name)
            self.modules[name] = None if path is None else self._opened(name, path)
        return self.modules[name]

    def _opened(self, name: str, path: str) -> SourceFile:
        """The file of a module, to be evaluated as such a file is."""
        if name.startswith(CODE):
            return RemoteFile(self, name, path)
        return SourceFile(self, name, path, asks_packages=quantizers.asks_packages(name))

    def installed(self, distribution: str) -> str | None:
        """The version of a distribution that is installed where the model is loaded."""
        known = self.machine.versions if self._versions is None else self._versions()
        return known.get(distribution.replace("-", "_").lower())

    def code_file(self, name: str) -> RemoteFile | None:
        """The file of a module of remote code, None when there is none."""
        found = self.file(name)
        return found if isinstance(found, RemoteFile) else None

    def own_file(self, name: str) -> RemoteFile | None:
        """The file of a module of remote code, None when the library does not copy one of this name."""
        package, _, module = name.partition(".")
        known = self.copied.get(package)
        return self.code_file(name) if known is None or module in known else None

    def text(self, path: str) -> str:
        """The text of a source file, empty where it cannot be read. Raises LimitReached for one that is too long."""
        return text_of(self.files.read(path) or b"")

    def load(self, module: str, name: str) -> Any:
        """A top-level name of a module. Raises SourceMissing when there is no such file."""
        file = self.file(module)
        if file is None:
            raise SourceMissing(f"no source file for {module}")
        return file.member(name) if isinstance(file, RemoteFile) else file.resolve(name)

    # ---- imports
    def external(self, name: str) -> Any:
        """What `import name` binds."""
        if name in self.asking:
            return self.asking[name]
        if name in MODULES:
            return MODULES[name]
        if name.split(".")[0] == "transformers" or self._is_read(name):
            return self._release_module(name)
        return _TORCH.get(name) or (Unknown(name) if name.startswith("torch.") else packages.module(name))

    def _is_read(self, name: str) -> bool:
        """Whether it is a module of a package whose text is read, and which is installed."""
        return name.split(".")[0] in PACKAGES and self.file(name) is not None

    def _release_module(self, name: str) -> Value:
        """`import transformers.x`: a module whose names are found as `from transformers.x import name` finds them."""
        members = {"__version__": self.version} if name == "transformers" else {}
        return Namespace(name, members, lambda key: self.from_release(name, key))

    def import_from(self, file: File, level: int, module: str | None, name: str) -> Any:
        """What `from module import name` binds inside `file`."""
        parts = file.name.split(".")
        package = parts if file.is_package else parts[:-1]
        base = package[: len(package) - (level - 1)] if level else []
        whole = ".".join(base + ([module] if module else []))
        found = quantizers.imported(self, whole, name) if quantizers.asks_packages(file.name) else None
        if found is not None:
            return found
        if level or whole.split(".")[0] == "transformers" or self._is_read(whole):
            return self.from_release(whole, name)
        return self._of_other(whole, name)

    def import_module(self, file: File, name: str) -> Any:
        """What `import name as alias` binds inside `file`."""
        found = quantizers.module(self, name) if quantizers.asks_packages(file.name) else None
        return self.external(name) if found is None else found

    def _of_other(self, module: str, name: str) -> Any:
        """A name of a module that is neither of the release nor of a package that is read."""
        if module == "huggingface_hub.dataclasses":
            return stubs.strict_name(name)
        if module.startswith("torch.nn") and module not in _TORCH:
            return read(namespaces.NN, name)
        if module not in MODULES and module not in _TORCH and not module.startswith("torch."):
            return packages.member(module, name)
        return read(self.external(module), name)

    def from_release(self, module: str, name: str) -> Any:
        glue = self.glue(module, name)
        if glue is not None:
            return glue
        if name == "__version__" and module == "transformers":
            return self.version
        if module.startswith("transformers.models.auto") or (module == "transformers" and auto_classes.is_auto(name)):
            return auto_classes.name_of(self, name)
        if stubs.is_stubbed(module):
            return stubs.stub(self, module, name)
        file = self.file(module)
        if isinstance(file, RemoteFile):
            return file.member(name)
        if file is None:
            return MissingSource(f"{module}.{name}") if module.startswith("remote") else Unknown(f"{module}.{name}")
        if file.defines(name):
            return file.resolve(name)
        return self._lazy_export(module, name)

    def _lazy_export(self, module: str, name: str) -> Any:
        """A name that a package's `__init__` exports lazily: a class of its files, or a sub-module."""
        if name[:1].isupper():
            found = class_index.find_in_package(self, module, name) or class_index.find(self, name)
            if found is not None:
                return found
        sub = self.file(f"{module}.{name}")
        if sub is not None:
            return Namespace(f"{module}.{name}", {}, sub.resolve)
        return MissingSource(f"{module}.{name}") if module.startswith("remote") else Unknown(f"{module}.{name}")

    def glue(self, module: str, name: str) -> Any:
        """What stands in for a name of the release, None when it is read from its text."""
        if name in ("PreTrainedConfig", "PretrainedConfig"):
            return self.config_base
        if name == "PreTrainedModel":
            return self.model_base
        if name == "GenerationConfig":
            return self.generation_config
        if name == experts.NAME:
            return experts.identity
        found = quantizers.glue(self, module, name)
        return stubs.glue(self, module, name) if found is None else found

    @cached_property
    def asking(self) -> dict[str, Namespace]:
        """Modules of the standard library that ask what is installed."""
        util = Namespace("importlib.util", {"find_spec": partial(importing.find_spec, self)})
        whole = {"util": util, "metadata": MODULES["importlib.metadata"], "import_module": importing.refuse_by_name}
        return {"importlib.util": util, "importlib": Namespace("importlib", whole)}

    # ---- classes
    def find_class(self, name: str, model_type: str | None = None) -> Any:
        """A modeling or configuration class by name, first in the folder of the model type; None when absent."""
        return class_index.find(self, name, model_type)

    @cached_property
    def own_modules(self) -> frozenset[str]:
        """Names of the modules of remote code."""
        return frozenset(name[:-3] for name in self.files.list(CODE) if name.endswith(".py"))

    @cached_property
    def version(self) -> str:
        return version_in(self.text(f"{RELEASE}/__init__.py"))

    @cached_property
    def config_base(self) -> Any:
        return config_base.build(self)

    @cached_property
    def model_base(self) -> Any:
        return model_base.build(self)

    @cached_property
    def generation_config(self) -> Any:
        return generation.stand_in(self)

    def is_config(self, cls: Any) -> bool:
        return any(c.__name__ in ("PreTrainedConfig", "PretrainedConfig") for c in cls.__mro__)

    def finish_class(self, cls: Any, members: Members, decorators: list[str]) -> None:
        config_base.finish_class(self, cls, members, decorators)
        if deferred.is_deferred(cls):
            deferred.defer(cls)

    @cached_property
    def config_names(self) -> dict[str, str]:
        """model_type -> configuration class name."""
        return auto_classes.config_names(self)
