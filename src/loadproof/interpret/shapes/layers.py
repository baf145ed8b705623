"""The `torch.nn` layers that own parameters, and the list of those that are known to own none."""

# ruff: noqa: ARG001, ARG002, N807 - the signatures are torch's
from __future__ import annotations

from typing import Any

from loadproof.interpret.language.errors import UnknownUsed, certain
from loadproof.interpret.language.limits import checked_layers
from loadproof.interpret.language.objects import Unknown
from loadproof.interpret.shapes.module import Module, param, set_plain, spread
from loadproof.interpret.shapes.tensor import Parameter, Tensor


class Linear(Module):
    def __init__(
        self, in_features: Any, out_features: Any, bias: Any = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = param(out_features, in_features)
        self._parameters["bias"] = param(out_features) if bias else None


class Bilinear(Module):
    def __init__(self, in1: Any, in2: Any, out: Any, bias: Any = True, **_: object) -> None:
        super().__init__()
        self.weight = param(out, in1, in2)
        self._parameters["bias"] = param(out) if bias else None


class Embedding(Module):
    def __init__(
        self,
        num_embeddings: Any,
        embedding_dim: Any,
        padding_idx: Any = None,
        max_norm: Any = None,
        norm_type: Any = 2.0,
        scale_grad_by_freq: Any = False,
        sparse: Any = False,
        _weight: Any = None,
        _freeze: Any = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        known = isinstance(padding_idx, int) and isinstance(num_embeddings, int)
        if known and not -num_embeddings <= padding_idx < num_embeddings:  # torch.nn.Embedding.__init__
            raise certain(AssertionError("Padding_idx must be within num_embeddings"))
        self.num_embeddings, self.embedding_dim, self.padding_idx = num_embeddings, embedding_dim, padding_idx
        self.weight = param(num_embeddings, embedding_dim) if _weight is None else Parameter(_weight)


class _Conv(Module):
    transposed = False
    rank: int

    def __init__(
        self,
        in_channels: Any,
        out_channels: Any,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        *args: Any,
        dilation: Any = 1,
        groups: Any = 1,
        bias: Any = True,
        padding_mode: Any = "zeros",
        output_padding: Any = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        # positional tail: Conv (dilation, groups, bias, ...), ConvTranspose (output_padding, groups, bias, dilation, ...)
        names = ("output_padding", "groups", "bias", "dilation") if self.transposed else ("dilation", "groups", "bias")
        tail = dict(zip(names, args, strict=False))
        groups, bias = tail.get("groups", groups), tail.get("bias", bias)
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride = spread(kernel_size, self.rank), spread(stride, self.rank)
        self.dilation = spread(tail.get("dilation", dilation), self.rank)
        self.padding = padding if isinstance(padding, str) else spread(padding, self.rank)
        self._check_groups(in_channels, out_channels, groups)
        channels = (in_channels, out_channels // groups) if self.transposed else (out_channels, in_channels // groups)
        self.weight = param(*channels, *self.kernel_size)
        self._parameters["bias"] = param(out_channels) if bias else None

    def _check_groups(self, in_channels: Any, out_channels: Any, groups: Any) -> None:
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        for name, channels in (("in_channels", in_channels), ("out_channels", out_channels)):
            if channels % groups != 0:
                raise ValueError(f"{name} must be divisible by groups")


class LayerNorm(Module):
    def __init__(
        self,
        normalized_shape: Any,
        eps: Any = 1e-5,
        elementwise_affine: Any = True,
        bias: Any = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape, self.eps = spread(normalized_shape, 1), eps
        self._parameters["weight"] = param(*self.normalized_shape) if elementwise_affine else None
        self._parameters["bias"] = param(*self.normalized_shape) if elementwise_affine and bias else None


class RMSNorm(Module):
    def __init__(
        self,
        normalized_shape: Any,
        eps: Any = None,
        elementwise_affine: Any = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape, self.eps = spread(normalized_shape, 1), eps
        self._parameters["weight"] = param(*self.normalized_shape) if elementwise_affine else None


class GroupNorm(Module):
    def __init__(
        self,
        num_groups: Any,
        num_channels: Any,
        eps: Any = 1e-5,
        affine: Any = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups, self.num_channels, self.eps = num_groups, num_channels, eps
        self._parameters["weight"] = param(num_channels) if affine else None
        self._parameters["bias"] = param(num_channels) if affine else None


class BatchNorm(Module):
    def __init__(
        self,
        num_features: Any,
        eps: Any = 1e-5,
        momentum: Any = 0.1,
        affine: Any = True,
        track_running_stats: Any = True,
        **_: object,
    ) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self._parameters["weight"] = param(num_features) if affine else None
        self._parameters["bias"] = param(num_features) if affine else None
        if track_running_stats:
            self._buffers.update(
                running_mean=Tensor((num_features,)),
                running_var=Tensor((num_features,)),
                num_batches_tracked=Tensor(()),
            )


class InstanceNorm(BatchNorm):
    def __init__(
        self,
        num_features: Any,
        eps: Any = 1e-5,
        momentum: Any = 0.1,
        affine: Any = False,
        track_running_stats: Any = False,
        **_: object,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats)


class PReLU(Module):
    def __init__(self, num_parameters: Any = 1, init: Any = 0.25, **_: object) -> None:
        super().__init__()
        self.weight = param(num_parameters)


class MultiheadAttention(Module):
    def __init__(
        self,
        embed_dim: Any,
        num_heads: Any,
        dropout: Any = 0.0,
        bias: Any = True,
        add_bias_kv: Any = False,
        add_zero_attn: Any = False,
        kdim: Any = None,
        vdim: Any = None,
        batch_first: Any = False,
        **_: object,
    ) -> None:
        super().__init__()
        e = embed_dim
        kd, vd = e if kdim is None else kdim, e if vdim is None else vdim
        self.embed_dim, self.num_heads, self.head_dim = e, num_heads, e // num_heads
        if e != self.head_dim * num_heads:
            raise AssertionError("embed_dim must be divisible by num_heads")
        if kd == e and vd == e:
            self.in_proj_weight = param(3 * e, e)
        else:
            self.q_proj_weight, self.k_proj_weight, self.v_proj_weight = param(e, e), param(e, kd), param(e, vd)
        if bias:
            self.in_proj_bias = param(3 * e)
        self.out_proj = Linear(e, e, bias=bias)
        if add_bias_kv:
            self.bias_k, self.bias_v = param(1, 1, e), param(1, 1, e)


class _Recurrent(Module):
    gates: int

    def __init__(
        self,
        input_size: Any,
        hidden_size: Any,
        num_layers: Any = 1,
        bias: Any = True,
        batch_first: Any = False,
        dropout: Any = 0.0,
        bidirectional: Any = False,
        proj_size: Any = 0,
        **_: object,
    ) -> None:
        super().__init__()
        gates, out = self.gates * hidden_size, proj_size or hidden_size
        directions = ("", "_reverse") if bidirectional else ("",)
        checked_layers(num_layers)
        for layer in range(num_layers):
            width = input_size if layer == 0 else out * len(directions)
            for direction in directions:
                self._add_direction(f"_l{layer}{direction}", gates, width, out, bias, proj_size, hidden_size)

    def _add_direction(self, suffix: str, gates: Any, width: Any, out: Any, bias: Any, proj: Any, hidden: Any) -> None:
        self._parameters["weight_ih" + suffix] = param(gates, width)
        self._parameters["weight_hh" + suffix] = param(gates, out)
        if bias:
            self._parameters["bias_ih" + suffix] = param(gates)
            self._parameters["bias_hh" + suffix] = param(gates)
        if proj:
            self._parameters["weight_hr" + suffix] = param(proj, hidden)


class _Cell(Module):
    gates: int

    def __init__(self, input_size: Any, hidden_size: Any, bias: Any = True, **_: object) -> None:
        super().__init__()
        gates = self.gates * hidden_size
        self.weight_ih, self.weight_hh = param(gates, input_size), param(gates, hidden_size)
        if bias:
            self.bias_ih, self.bias_hh = param(gates), param(gates)


_OPTIONS = frozenset(
    [
        "kernel_size",
        "stride",
        "padding",
        "dilation",
        "output_size",
        "inplace",
        "dim",
        "scale_factor",
        "size",
        "mode",
        "align_corners",
        "negative_slope",
        "alpha",
        "beta",
        "threshold",
        "approximate",
        "upscale_factor",
        "start_dim",
        "end_dim",
        "ceil_mode",
        "return_indices",
        "count_include_pad",
        "reduction",
        "ignore_index",
        "label_smoothing",
        "min_val",
        "max_val",
        "lower",
        "upper",
    ]
)


class NoParameters(Module):
    """A layer that is known to own no parameter and no buffer. The values of its options are not modelled."""

    def __init__(self, *_: object, **options: Any) -> None:
        super().__init__()
        for key, value in options.items():
            set_plain(self, key, value)

    def __getattr__(self, key: str) -> Any:
        if key not in _OPTIONS:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{key}'")
        return Unknown(f"{type(self).__name__}.{key}")


class Dropout(NoParameters):
    def __init__(self, p: Any = 0.5, inplace: Any = False) -> None:
        super().__init__()
        set_plain(self, "p", p)


class Identity(NoParameters):
    pass


_NONE = (
    "ReLU ReLU6 GELU SiLU Mish Sigmoid Tanh Softmax Softmax2d LogSoftmax Softmin Softplus Softsign Softshrink "
    "Hardshrink "
    "Tanhshrink ELU SELU CELU LeakyReLU RReLU Hardswish Hardsigmoid Hardtanh LogSigmoid Threshold GLU Dropout1d "
    "Dropout2d "
    "Dropout3d AlphaDropout FeatureAlphaDropout MaxPool1d MaxPool2d MaxPool3d AvgPool1d AvgPool2d AvgPool3d "
    "LPPool1d LPPool2d "
    "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d "
    "MaxUnpool1d "
    "MaxUnpool2d MaxUnpool3d FractionalMaxPool2d ZeroPad1d ZeroPad2d ZeroPad3d ConstantPad1d ConstantPad2d "
    "ConstantPad3d "
    "ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d CircularPad1d "
    "CircularPad2d CircularPad3d Upsample UpsamplingNearest2d UpsamplingBilinear2d PixelShuffle PixelUnshuffle Flatten "
    "Unflatten Fold Unfold CosineSimilarity PairwiseDistance ChannelShuffle LocalResponseNorm CrossMapLRN2d MSELoss "
    "L1Loss "
    "KLDivLoss SmoothL1Loss HuberLoss CTCLoss CosineEmbeddingLoss MarginRankingLoss TripletMarginLoss "
    "HingeEmbeddingLoss "
    "SoftMarginLoss CrossEntropyLoss NLLLoss BCELoss BCEWithLogitsLoss"
)


def _subclass(name: str, base: type[Module], **members: Any) -> type[Module]:
    return type(name, (base,), members)


def unmodelled(name: str) -> type[Module]:
    """A stand-in for a layer of torch.nn that is not on the lists; building it is refused."""

    def __init__(self: Any, *_: object, **__: object) -> None:
        raise UnknownUsed(f"torch.nn.{name} is not modelled")

    return _subclass(name, Module, __init__=__init__)


def layers() -> dict[str, type[Module]]:
    """Name -> class for the torch.nn namespace."""
    found: dict[str, type[Module]] = {
        c.__name__: c
        for c in (
            Linear,
            Bilinear,
            Embedding,
            LayerNorm,
            RMSNorm,
            GroupNorm,
            PReLU,
            MultiheadAttention,
            Dropout,
            Identity,
        )
    }
    found.update({name: _subclass(name, NoParameters) for name in _NONE.split()})
    for n in (1, 2, 3):
        found[f"Conv{n}d"] = _subclass(f"Conv{n}d", _Conv, rank=n)
        found[f"ConvTranspose{n}d"] = _subclass(f"ConvTranspose{n}d", _Conv, rank=n, transposed=True)
        found[f"BatchNorm{n}d"] = _subclass(f"BatchNorm{n}d", BatchNorm)
        found[f"InstanceNorm{n}d"] = _subclass(f"InstanceNorm{n}d", InstanceNorm)
    found["SyncBatchNorm"] = _subclass("SyncBatchNorm", BatchNorm)
    for name, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
        found[name] = _subclass(name, _Recurrent, gates=gates)
        found[name + "Cell"] = _subclass(name + "Cell", _Cell, gates=gates)
    return found
