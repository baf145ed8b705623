"""What the layers of torch 2.13 say of themselves: the module they come from, and what stands between their brackets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from loadproof.interpret.language.errors import UnknownUsed
from loadproof.interpret.language.values import Names
from loadproof.interpret.shapes.module import Module

_NAMES = {
    "modules.activation": (
        "PReLU MultiheadAttention ReLU ReLU6 GELU SiLU Mish Sigmoid Tanh Softmax Softmax2d LogSoftmax "
        "Softmin Softplus Softsign Softshrink Hardshrink Tanhshrink ELU SELU CELU LeakyReLU RReLU "
        "Hardswish Hardsigmoid Hardtanh LogSigmoid Threshold GLU "
    ),
    "modules.batchnorm": "BatchNorm1d BatchNorm2d BatchNorm3d SyncBatchNorm",
    "modules.channelshuffle": "ChannelShuffle",
    "modules.container": "Sequential ModuleList ModuleDict ParameterList ParameterDict",
    "modules.conv": "Conv1d ConvTranspose1d Conv2d ConvTranspose2d Conv3d ConvTranspose3d",
    "modules.distance": "CosineSimilarity PairwiseDistance",
    "modules.dropout": "Dropout Dropout1d Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout",
    "modules.flatten": "Flatten Unflatten",
    "modules.fold": "Fold Unfold",
    "modules.instancenorm": "InstanceNorm1d InstanceNorm2d InstanceNorm3d",
    "modules.linear": "Linear Bilinear Identity",
    "modules.loss": (
        "MSELoss L1Loss KLDivLoss SmoothL1Loss HuberLoss CTCLoss CosineEmbeddingLoss MarginRankingLoss "
        "TripletMarginLoss HingeEmbeddingLoss SoftMarginLoss CrossEntropyLoss NLLLoss BCELoss "
        "BCEWithLogitsLoss "
    ),
    "modules.module": "Module",
    "modules.normalization": "LayerNorm RMSNorm GroupNorm LocalResponseNorm CrossMapLRN2d",
    "modules.padding": (
        "ZeroPad1d ZeroPad2d ZeroPad3d ConstantPad1d ConstantPad2d ConstantPad3d ReflectionPad1d "
        "ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d CircularPad1d "
        "CircularPad2d CircularPad3d "
    ),
    "modules.pixelshuffle": "PixelShuffle PixelUnshuffle",
    "modules.pooling": (
        "MaxPool1d MaxPool2d MaxPool3d AvgPool1d AvgPool2d AvgPool3d LPPool1d LPPool2d AdaptiveAvgPool1d "
        "AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d "
        "MaxUnpool1d MaxUnpool2d MaxUnpool3d FractionalMaxPool2d "
    ),
    "modules.rnn": "LSTM LSTMCell GRU GRUCell RNN RNNCell",
    "modules.sparse": "Embedding",
    "modules.upsampling": "Upsample UpsamplingNearest2d UpsamplingBilinear2d",
    "parameter": "Parameter Buffer",
}


def _linear(layer: Any) -> str:
    return f"in_features={layer.in_features}, out_features={layer.out_features}, bias={layer.bias is not None}"


def _embedding(layer: Any) -> str:
    padding = "" if layer.padding_idx is None else f", padding_idx={layer.padding_idx}"
    return f"{layer.num_embeddings}, {layer.embedding_dim}{padding}"


def _layer_norm(layer: Any) -> str:
    affine, bias = layer.weight is not None, layer.bias is not None
    return f"{tuple(layer.normalized_shape)}, eps={layer.eps}, elementwise_affine={affine}, bias={bias}"


def _dropout(layer: Any) -> str:
    return f"p={layer.p}, inplace={layer.inplace}"


def _nothing(_: Any) -> str:
    return ""


def _unknown(layer: Any) -> str:
    raise UnknownUsed(f"the text of a {type(layer).__name__} is not known")


_SILENT = "Module Identity Tanh Sigmoid LogSigmoid Softsign Tanhshrink Sequential ModuleList ModuleDict"
_SAYINGS: dict[str, Callable[[Any], str]] = {
    "Linear": _linear,
    "Embedding": _embedding,
    "LayerNorm": _layer_norm,
    "Dropout": _dropout,
    **dict.fromkeys(_SILENT.split(), _nothing),
}


def name_layers(members: Names) -> None:
    """Give the layers of a namespace the module and the words of torch's own."""
    modules = {name: f"torch.nn.{module}" for module, names in _NAMES.items() for name in names.split()}
    for name, cls in members.items():
        if isinstance(cls, type) and name in modules:
            cls.__module__, cls.__qualname__ = modules[name], name
            if issubclass(cls, Module):
                cls.extra_repr = _SAYINGS.get(name, _unknown)  # type: ignore[method-assign,assignment]
