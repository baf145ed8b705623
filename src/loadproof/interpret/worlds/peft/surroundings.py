"""Stand-ins of what peft imports besides torch and transformers: the hub, accelerate, warnings, what is installed."""

# ruff: noqa: ARG001 - the signatures are those of the libraries
from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from loadproof.interpret.language import surroundings
from loadproof.interpret.language.errors import NotUnderstood, certain
from loadproof.interpret.language.objects import Namespace, SourceObject, Unknown
from loadproof.interpret.language.standard_library import MODULES
from loadproof.interpret.language.values import Names, Value
from loadproof.interpret.shapes.tensor import Tensor
from loadproof.interpret.worlds.peft.folder import Folder, paths

# What peft needs to be imported at all. Of the rest only the absence is known: what it makes is not.
_NEEDED = "torch transformers accelerate safetensors huggingface_hub packaging tqdm numpy psutil yaml peft"
PRESENT = frozenset(_NEEDED.split())
_HUB = (
    "repo_id filename subfolder revision cache_dir token local_files_only user_agent repo_type library_name "
    "library_version local_dir force_download proxies etag_timeout headers endpoint"
)
_OFFLINE = (
    "Cannot find the requested files in the disk cache and outgoing traffic has been disabled. To enable hf.co look-ups "
    "and downloads online, set 'local_files_only' to False."
)
_NO_COMPILER = "Ninja is required to load C++ extensions (pip install ninja to get it)"


class LocalEntryNotFoundError(Exception):
    """`huggingface_hub.errors.LocalEntryNotFoundError`: what a name gives that is in no cache."""


def refuse_absent(top: str, has_package: Callable[[str], bool]) -> None:
    """What an import statement of this package raises; NotUnderstood where it is there, as its source is not read."""
    if top in PRESENT or top in MODULES or top in sys.stdlib_module_names:
        return
    if has_package(top):
        raise NotUnderstood(f"peft asks the package {top}, whose source is not read")
    raise certain(ModuleNotFoundError(f"No module named '{top}'"))


def random_mask(base_layer: Any, r: Any, *_: Value, **__: Value) -> Tensor:
    """SHiRA's mask (peft/tuners/shira/mask_functions.py): only how many ones it has is known."""
    made = Tensor(base_layer.weight.known())
    made.ones = r * sum(made.known())
    return made


def modules(folder: Callable[[], Folder], warn: Callable[[str], None], load: Callable[[str, str], Value]) -> Names:
    """Module -> stand-in. `load` gives a name of a release's text."""
    path = paths(folder)
    os = {"path": path, "environ": surroundings.ENVIRONMENT, "getenv": surroundings.ENVIRONMENT.get, "sep": "/"}
    hub = {"hf_hub_download": _download, "file_exists": _no, "constants": _CONSTANTS, "__version__": "1.0.0"}
    errors = dict.fromkeys(("LocalEntryNotFoundError", "EntryNotFoundError"), LocalEntryNotFoundError)
    return {
        "os": Namespace("os", {**os, "PathLike": Unknown("os.PathLike")}),
        "os.path": path,
        "json": Namespace("json", {"load": lambda *_: folder().load_json()}),
        "warnings": Namespace(
            "warnings", {"warn": lambda message, *_, **__: warn(str(message)), "simplefilter": _nothing}
        ),
        "safetensors.torch": Namespace("safetensors.torch", {"load_file": lambda *_, **__: folder().load_file()}),
        "huggingface_hub": Namespace("huggingface_hub", hub),
        "huggingface_hub.constants": _CONSTANTS,
        "huggingface_hub.errors": Namespace("huggingface_hub.errors", {**errors, "HFValidationError": ValueError}),
        "transformers.utils": Namespace("transformers.utils", _UTILS, lambda name: load("transformers.utils", name)),
    }


def packages(load: Callable[[str, str], Value], has_package: Callable[[str], bool]) -> Names:
    """The same for what asks after packages."""

    def import_module(name: Value, package: Value = None) -> Value:
        refuse_absent(str(name).split(".")[0], has_package)
        return Unknown(str(name))

    util = Namespace("importlib.util", {"find_spec": _find_spec})
    versions = {"version": _version_of(load), "PackageNotFoundError": ImportError}
    metadata = Namespace("importlib.metadata", versions)
    importlib = {"util": util, "metadata": metadata, "import_module": import_module}
    hooks = {"AlignDevicesHook": type("AlignDevicesHook", (SourceObject,), {})}
    devices = dict.fromkeys(("is_npu_available", "is_xpu_available", "is_mlu_available"), _no)
    return {
        "importlib": Namespace("importlib", importlib),
        "importlib.util": util,
        "importlib.metadata": metadata,
        "importlib_metadata": metadata,
        "accelerate": Namespace("accelerate", {"__version__": _ACCELERATE}),
        "accelerate.utils": Namespace("accelerate.utils", devices),
        "accelerate.hooks": Namespace("accelerate.hooks", hooks),
        "accelerate.utils.imports": Namespace(
            "accelerate.utils.imports", {"is_bf16_available": lambda *_: True, **devices}
        ),
        "torch.utils.cpp_extension": Namespace("torch.utils.cpp_extension", {"load": _no_compiler}),
        "platform": Namespace("platform", {"system": lambda: "Linux"}),
        "tqdm": Namespace("tqdm", {"tqdm": lambda items, *_, **__: items}),
        "textwrap": Namespace("textwrap", {"dedent": lambda text: text}),
    }


_ACCELERATE = "1.15.0"
_CONSTANTS = Namespace("huggingface_hub.constants", {"HF_HUB_OFFLINE": True})
_UTILS: Names = {"http_user_agent": lambda *_: "", "PushToHubMixin": SourceObject}


def _no(*_: Value, **__: Value) -> bool:
    return False


def _nothing(*_: Value, **__: Value) -> None:
    return None


def _no_compiler(*_: Value, **__: Value) -> Value:
    raise RuntimeError(_NO_COMPILER)


def _download(*_: Value, **__: Value) -> Value:
    """`hf_hub_download`: nothing is fetched, and nothing but the folder is looked at."""
    raise certain(LocalEntryNotFoundError(_OFFLINE))


_download.__signature_names__ = _HUB.split()  # type: ignore[attr-defined]


def _find_spec(name: Value, package: Value = None) -> Value:
    """Optional packages are not there: what they make would not be followed."""
    return Unknown("spec") if str(name).split(".")[0] in PRESENT else None


def _version_of(load: Callable[[str, str], Value]) -> Callable[[Value], Value]:
    def version(name: Value) -> Value:
        known = {"torch": surroundings.TORCH_VERSION, "accelerate": _ACCELERATE}
        return load("transformers", "__version__") if name == "transformers" else known.get(str(name), "0.0.0")

    return version
