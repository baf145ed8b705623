"""The `torch`, `torch.nn` and `numpy` that evaluated code imports."""

# ruff: noqa: ARG005 - the signatures are torch's
from __future__ import annotations

from loadproof.interpret.language import limits
from loadproof.interpret.language.objects import Namespace, SourceObject, Unknown
from loadproof.interpret.language.surroundings import TORCH_VERSION
from loadproof.interpret.language.typing_names import transparent
from loadproof.interpret.language.values import Value
from loadproof.interpret.shapes import containers, layers, tensor_functions, weight_norm
from loadproof.interpret.shapes.dtypes import CPU, META, Device, DType
from loadproof.interpret.shapes.initialisers import INIT
from loadproof.interpret.shapes.layer_words import name_layers
from loadproof.interpret.shapes.linear_algebra import FUNCTIONS
from loadproof.interpret.shapes.machines import ACCELERATOR, BACKENDS, CUDA, DISTRIBUTED, HPU, MPS, NPU, XPU
from loadproof.interpret.shapes.module import Module
from loadproof.interpret.shapes.number_ranges import FloatInfo, IntegerInfo
from loadproof.interpret.shapes.tensor import Buffer, Parameter


def _nn_default(name: str) -> Value:
    return layers.unmodelled(name) if name[:1].isupper() else Unknown("nn." + name)


def _modules() -> dict[str, Value]:
    found: dict[str, Value] = dict(layers.layers())
    for cls in (Module, Parameter, Buffer):
        found[cls.__name__] = cls
    for name in ("Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict"):
        found[name] = containers.__dict__[name]
    return found


_NN = _modules()
PARAMETRIZATIONS = Namespace("torch.nn.utils.parametrizations", {"weight_norm": weight_norm.parametrized})
UTILS = Namespace(
    "torch.nn.utils",
    {
        "parametrizations": PARAMETRIZATIONS,
        "weight_norm": weight_norm.legacy,
        "skip_init": weight_norm.skip_init,
        "remove_weight_norm": lambda module, name="weight": module,
    },
)
FUNCTIONAL = Namespace("torch.nn.functional", {"pad": tensor_functions.pad})
_NN.update(
    utils=UTILS,
    functional=FUNCTIONAL,
    init=INIT,
    parameter=Namespace("torch.nn.parameter", {"Parameter": Parameter, "Buffer": Buffer}),
)
name_layers(_NN)
NN = Namespace("torch.nn", _NN, _nn_default)
_NN["modules"] = Namespace("torch.nn.modules", _NN, lambda name: NN if name.islower() else _nn_default(name))


class Function(SourceObject):
    """`torch.autograd.Function`: what it computes has no parameters."""

    @classmethod
    def apply(cls, *_: object, **__: object) -> Value:
        return Unknown(f"{cls.__name__}.apply()")


AUTOGRAD = Namespace("torch.autograd", {"Function": Function})


def _parse_to(*given: Value, **options: Value) -> Value:
    """`torch._C._nn._parse_to`: (device, dtype, non_blocking, memory format) of the arguments of `to`."""
    dtype = next((x for x in (*given, *options.values()) if isinstance(x, DType)), None)
    return META, dtype, False, None


_BUILT = Namespace("torch._C", {"_has_xpu": False, "_nn": Namespace("torch._C._nn", {"_parse_to": _parse_to})})

TORCH = Namespace("torch", {**tensor_functions.functions(), **FUNCTIONS})
TORCH._members.update(
    nn=NN,
    autograd=AUTOGRAD,
    __version__=TORCH_VERSION,
    _C=_BUILT,
    cuda=CUDA,
    backends=BACKENDS,
    distributed=DISTRIBUTED,
    xpu=XPU,
    mps=MPS,
    npu=NPU,
    hpu=HPU,
    accelerator=ACCELERATOR,
    finfo=FloatInfo,
    iinfo=IntegerInfo,
    no_grad=transparent,
    enable_grad=transparent,
    is_grad_enabled=lambda: False,
    utils=Namespace("torch.utils", {}),
    get_default_device=lambda: CPU if limits.current().on_cpu else META,
    version=Namespace("torch.version", {"hip": None, "cuda": None}),
    inference_mode=transparent,
    device=Device,
    jit=Namespace("torch.jit", {"script": transparent, "unused": transparent, "ignore": transparent}),
    compile=transparent,
)
