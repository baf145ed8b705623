"""What a constructor may ask about the machine and the packages around it: an empty environment, release numbers.

No answer here comes from the machine that the evaluation runs on. Packages of kernels count as not installed, as a
machine without accelerators has none; whether any other package is there is not decided.
"""

# ruff: noqa: ARG001, ARG002 - the signatures are Python's
from __future__ import annotations

import re
from typing import Any

from loadproof.interpret.language.errors import NotUnderstood
from loadproof.interpret.language.objects import Namespace, Outward, Unknown
from loadproof.interpret.language.values import Open, Sealed, Value

TORCH_VERSION = "2.13.0"
_RELEASE = re.compile(r"v?(\d{1,9}(?:\.\d{1,9}){0,5})([a-z.+-].*)?", re.S)
_LONGEST = 100
_KERNELS = (
    "apex causal_conv1d causal_conv1d_cuda deepspeed_kernels fla flash_attn flash_attn_2_cuda flash_attn_3 flash_mla "
    "kernels liger_kernel mamba_ssm megablocks quant_cuda rms_norm selective_scan_cuda torch_npu torch_xla "
    "transformer_engine triton xformers"
)
KERNELS = frozenset(_KERNELS.split())


class Environment(Sealed):
    """`os.environ` with no variable set; what is written to it is forgotten."""

    def get(self, name: Value, default: Value = None) -> Value:
        return default

    setdefault = pop = get

    def __getitem__(self, name: Value) -> Value:
        raise KeyError(name)

    def __setitem__(self, name: Value, value: Value) -> None:
        pass

    def __contains__(self, name: object) -> bool:
        return False


class PythonVersion(tuple[int, ...], Open):
    """`sys.version_info`"""

    __direct__ = False

    major = property(lambda self: self[0])
    minor = property(lambda self: self[1])
    micro = property(lambda self: self[2])


class Version(Open):
    """`packaging.version.Version` as far as numbers go: a pre-release comes before its release."""

    def __init__(self, text: str) -> None:
        found = _RELEASE.fullmatch(text) if isinstance(text, str) and len(text) <= _LONGEST else None
        if found is None:
            raise ValueError(f"Invalid version: {str(text)[:_LONGEST]!r}")
        self.release = tuple(map(int, found.group(1).split(".")))
        self.base_version = found.group(1)
        rest = found.group(2) or ""
        self.is_prerelease = bool(rest) and not rest.startswith(("+", ".post", "-"))
        self.dev = int(found[1]) if (found := re.search(r"\.dev(\d{1,9})", rest)) else None
        self.major, self.minor, self.micro = (*self.release, 0, 0)[:3]

    def _key(self) -> tuple[Value, ...]:
        numbers = list(self.release)
        while numbers and not numbers[-1]:
            numbers.pop()
        return (numbers, not self.is_prerelease)

    def __lt__(self, other: Value) -> bool:
        return self._key() < _as_version(other)._key()

    def __le__(self, other: Value) -> bool:
        return self._key() <= _as_version(other)._key()

    def __gt__(self, other: Value) -> bool:
        return self._key() > _as_version(other)._key()

    def __ge__(self, other: Value) -> bool:
        return self._key() >= _as_version(other)._key()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self.base_version)


def _as_version(value: Value) -> Version:
    if not isinstance(value, Version):
        raise TypeError(f"a version is not compared with a {type(value).__name__}")
    return value


def _parse(text: Any) -> Any:
    return text if isinstance(text, Unknown) else Version(text)


def _find_spec(name: Value, package: Value = None) -> Value:
    """`importlib.util.find_spec`: None for kernels, else something that is not None and not known."""
    top = name.split(".")[0] if isinstance(name, str) else ""
    return None if top in KERNELS else Unknown("importlib.util.find_spec()")


def _installed_version(name: Value) -> Value:
    return TORCH_VERSION if name == "torch" else Unknown("importlib.metadata.version()")


_VERSIONS = Namespace("packaging.version", {"parse": _parse, "Version": Version})
_METADATA = Namespace("importlib.metadata", {"version": _installed_version})
_UTIL = Namespace("importlib.util", {"find_spec": _find_spec})
ENVIRONMENT = Environment()


def _ends(name: str) -> Value:
    """A function that ends the process: nothing is evaluated behind it."""

    def end(*_: object) -> Value:
        raise NotUnderstood(f"the code ends the process ({name})")

    return end


_SYS = Namespace(
    "sys",
    {"exit": _ends("sys.exit"), "version_info": PythonVersion((3, 11, 0)), "maxsize": 2**63 - 1, "platform": "linux"},
)
_ENDS = {name: _ends(f"os.{name}") for name in ("_exit", "abort", "kill", "killpg", "execv", "execvp", "execl")}
# What lies on the machine decides whether they raise.
_FILES = (
    "chdir chmod link listdir lstat makedirs mkdir open popen readlink remove removedirs rename renames replace rmdir scandir "
    "stat symlink system truncate unlink utime"
)
_OUTWARD = {name: Outward(f"os.{name}") for name in _FILES.split()}
_OS = Namespace(
    "os", {**_ENDS, **_OUTWARD, "environ": ENVIRONMENT, "getenv": ENVIRONMENT.get, "name": "posix", "sep": "/"}
)
MODULES: dict[str, Namespace] = {
    "os": _OS,
    "sys": _SYS,
    "packaging": Namespace("packaging", {"version": _VERSIONS}),
    "packaging.version": _VERSIONS,
    "importlib": Namespace("importlib", {"metadata": _METADATA, "util": _UTIL}),
    "importlib.metadata": _METADATA,
    "importlib_metadata": _METADATA,
    "importlib.util": _UTIL,
}
