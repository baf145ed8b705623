"""The quantizers of a release: which of its files are read for them, and what these ask of the packages around.

`quantizers/`, the configurations and the modules that a quantizer builds are read as any file of the release. There,
unlike in the rest of it, whether a package is installed is asked of the environment, by the release's own functions.
"""

from __future__ import annotations

import ast
import re
from functools import partial
from typing import Any

from loadproof.interpret.language.errors import LimitReached, NotUnderstood, certain
from loadproof.interpret.language.gate import read
from loadproof.interpret.language.objects import Namespace, Unknown
from loadproof.interpret.language.surroundings import TORCH_VERSION
from loadproof.interpret.language.values import Value, table_of
from loadproof.interpret.release import packing, pydantic_models, registered, skip_lists
from loadproof.interpret.release.files import PACKAGES, RELEASE, Files, text_of
from loadproof.interpret.release.ports import World

_FILE = f"{RELEASE}/quantizers/auto.py"
_TABLE = "AUTO_QUANTIZATION_CONFIG_MAPPING"
_INTEGRATIONS = "transformers.integrations"
_PARTS = (
    "aqlm awq bitnet bitsandbytes compressed_tensors eetq fbgemm_fp8 finegrained_fp8 fouroversix fp_quant gemma_quant "
    "higgs hqq metal_quantization mxfp4 nvfp4 quanto sinq spqr torchao vptq"
)
READ = ("quantizers", "utils.quantization_config", *(f"integrations.{part}" for part in _PARTS.split()))
_WHOLE = frozenset(f"transformers.{name}" for name in READ[1:])
_TESTS = "transformers.utils.import_utils"  # what asks whether a package is there
_ANY = "9999.0"
# Libraries in machine code, and what only changes `forward` or where tensors lie: of no consequence for their names.
_NOT_FOLLOWED = {
    "bitsandbytes": frozenset(("lib",)),
    "compressed_tensors": frozenset(
        ("disable_onloading", "logger", "set_forward_quantized", "unwrap_offload_forward", "update_offload_parameter")
    ),
    "gptqmodel": frozenset(("gptqmodel_post_init", "has_avx512bf16", "hf_gptqmodel_post_init", "log")),
    "optimum": frozenset(("QuantizeConfig", "logger")),
}
_ABSENT_HERE = frozenset(("is_distributed",))  # one process on one machine
_AVAILABLE = re.compile(r"is_\w+_available|get_available_devices|get_current_accelerator")


def known_methods(files: Files) -> tuple[str, ...] | None:
    """The words of `quant_method` that the release acts upon.

    A word outside of them is skipped with a warning (`AutoHfQuantizer.supports_quant_method`). None: not established.
    """
    try:
        tree = ast.parse(text_of(files.read(_FILE) or b""))
    except (LimitReached, ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    return next((words for node in tree.body if (words := _words(node)) is not None), None)


def _words(node: ast.stmt) -> tuple[str, ...] | None:
    """The keys of the table; None for any other statement, and for keys that are not plain text."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    is_table = any(isinstance(target, ast.Name) and target.id == _TABLE for target in targets)
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
    if not is_table or not isinstance(value, ast.Dict):
        return None
    words = tuple(key.value for key in value.keys if isinstance(key, ast.Constant) and isinstance(key.value, str))
    return words if len(words) == len(value.keys) else None


# What has to be installed for a method, by the names of the distributions; the release itself says so when it is not.
_NEEDS = {
    "bitsandbytes_4bit": ("bitsandbytes",),
    "bitsandbytes_8bit": ("bitsandbytes",),
    "compressed-tensors": ("compressed-tensors",),
    "gptq": ("optimum", "gptqmodel"),
    "awq": ("gptqmodel",),
    "aqlm": ("aqlm",),
    "quanto": ("optimum-quanto",),
    "torchao": ("torchao",),
    "hqq": ("hqq",),
    "auto-round": ("auto-round",),
    "quark": ("amd-quark",),
    "vptq": ("vptq",),
    "spqr": ("spqr_quant",),
}


# What quantizers import, by the names of the modules.
_IMPORTED = {name.replace("-", "_"): name for names in _NEEDS.values() for name in names if name != "amd-quark"}


def packages_of(world: World, method: str) -> tuple[tuple[str, str], ...]:
    """The packages that a method needs, with the versions that are installed; empty for one that is not."""
    return tuple((name, world.installed(name) or "") for name in _NEEDS.get(method, ()))


# ---------------------------------------------------------------- what their files import
def asks_packages(module: str) -> bool:
    """Whether a file is read for a quantizer: it is told what is installed."""
    return (
        module.startswith("transformers.quantizers")
        or module in _WHOLE
        or module == _TESTS
        or module.split(".")[0] in PACKAGES
    )


def imported(world: World, module: str, name: str) -> Any:
    """What a file that is read for a quantizer imports in another way than the rest of the release; else None."""
    if module == "importlib" and name == "metadata":
        return _metadata(world)
    if module == "importlib.metadata" and name == "version":
        return partial(installed_version, world)
    if module == "pydantic":
        return pydantic_models.NAMES.get(name)
    if module.startswith("tqdm") and name == "tqdm":
        return _as_it_is
    if module.startswith("transformers.utils") and _AVAILABLE.fullmatch(name) and name != "is_torch_available":
        return _defined(world, (_TESTS, "transformers.utils"), name)
    if module == _INTEGRATIONS:
        part = _part_with(world, name)
        return None if part is None else world.from_release(f"{_INTEGRATIONS}.{part}", name)
    _check_installed(world, module)
    return None


def module(world: World, name: str) -> Any:
    """What such a file binds by `import name`; None where that is what every file binds."""
    if name in ("importlib", "importlib.metadata"):
        found = _metadata(world)
        return (
            found if "." in name else Namespace("importlib", {"metadata": found}, partial(read, world.external(name)))
        )
    _check_installed(world, name)
    return None


def _metadata(world: World) -> Namespace:
    return Namespace("importlib.metadata", {"version": partial(installed_version, world)})


def _as_it_is(items: Value = (), *_: Value, **__: Value) -> Value:
    return items


def _check_installed(world: World, module: str) -> None:
    """Raise the ImportError of a package that a quantizer needs and that is not installed where the model is loaded."""
    top = module.split(".")[0]
    distribution = _IMPORTED.get(top)
    if distribution is not None and world.installed("torch") is not None and world.installed(distribution) is None:
        raise certain(ModuleNotFoundError(f"No module named '{top}'", name=top))


def _defined(world: World, modules: tuple[str, ...], name: str) -> Any:
    files = (world.file(module) for module in modules)
    return next((file.resolve(name) for file in files if file is not None and file.assigns(name)), None)


def _part_with(world: World, name: str) -> str | None:
    """The file of `integrations` that its `__init__` hands this name out from, if it is one that is read."""
    file = world.file(_INTEGRATIONS)
    if file is None or not file.defines("_import_structure"):
        return None
    table = table_of(file.resolve("_import_structure"))
    part = next((part for part, names in table.items() if name in names), "")
    return part if f"integrations.{part}" in READ else None


# ---------------------------------------------------------------- what they ask
def glue(world: World, module: str, name: str) -> Any:
    """What is no text: questions to the environment, compiled code. None for all other names."""
    if module == _TESTS and name == "_is_package_available":
        return partial(_is_package_available, world)
    if name in skip_lists.KNOWN:
        file = world.file(module)
        return skip_lists.shortcut(file, name) if file is not None and file.assigns(name) else None
    top = module.split(".")[0]
    if name == "get_from_registry" and top in PACKAGES:
        return partial(registered.get_from_registry, world)
    if top == "compressed_tensors" and name in packing.NAMES:
        return packing.NAMES[name]
    if top in PACKAGES and name in _ABSENT_HERE:
        return _no
    return Unknown(name) if name in _NOT_FOLLOWED.get(top, ()) else None


def _no(*_: Value, **__: Value) -> bool:
    return False


def _is_package_available(world: World, pkg_name: str, return_version: bool = False, **_: object) -> Value:
    """As `utils/import_utils.py` has it: (is it there, its version); release 4 gives the first alone where not asked.

    Where torch is not installed the model is loaded elsewhere: any package is taken to be there, and new enough.
    """
    here = world.installed("torch") is not None
    version = TORCH_VERSION if pkg_name == "torch" else world.installed(pkg_name) or (None if here else _ANY)
    is_there = version is not None
    world.supposed[pkg_name] = world.installed(pkg_name) is not None
    if return_version:
        return is_there, version or "N/A"
    return is_there if world.version.startswith("4.") else (is_there, None)


def installed_version(world: World, name: Value) -> Value:
    """`importlib.metadata.version`"""
    if not isinstance(name, str):
        raise NotUnderstood("importlib.metadata.version of a name that is not known")
    found = TORCH_VERSION if name == "torch" else world.version if name == "transformers" else world.installed(name)
    if found is None:
        raise NotUnderstood(f"the version of {name[:100]}, which is not installed here")
    return found
