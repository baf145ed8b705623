"""The layers that are known to own no parameter and no buffer."""

from __future__ import annotations

from loadproof.interpret.language.objects import Unknown
from loadproof.interpret.language.values import Value
from loadproof.interpret.shapes.module import Module, set_plain

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

    def __init__(self, *_: object, **options: Value) -> None:
        super().__init__()
        for key, value in options.items():
            set_plain(self, key, value)

    def __getattr__(self, key: str) -> Value:
        if key not in _OPTIONS:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{key}'")
        return Unknown(f"{type(self).__name__}.{key}")


class Dropout(NoParameters):
    def __init__(self, p: Value = 0.5, inplace: bool = False) -> None:
        super().__init__()
        set_plain(self, "p", p)
        set_plain(self, "inplace", inplace)


class Identity(NoParameters):
    pass


WITHOUT_PARAMETERS = (
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
