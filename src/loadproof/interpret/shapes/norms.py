"""The layers that normalize."""

# ruff: noqa: ARG002 - the signatures are torch's
from __future__ import annotations

from loadproof.interpret.language.values import Value
from loadproof.interpret.shapes.dtypes import INT64
from loadproof.interpret.shapes.module import Layer, param, spread
from loadproof.interpret.shapes.tensor import Tensor, typed_as


class LayerNorm(Layer):
    def __init__(
        self,
        normalized_shape: Value,
        eps: Value = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Value = None,
        dtype: Value = None,
    ) -> None:
        super().__init__()
        self.normalized_shape, self.eps = spread(normalized_shape, 1), eps
        self._parameters["weight"] = param(*self.normalized_shape, dtype=dtype) if elementwise_affine else None
        self._parameters["bias"] = param(*self.normalized_shape, dtype=dtype) if elementwise_affine and bias else None


class RMSNorm(Layer):
    def __init__(
        self,
        normalized_shape: Value,
        eps: Value = None,
        elementwise_affine: bool = True,
        device: Value = None,
        dtype: Value = None,
    ) -> None:
        super().__init__()
        self.normalized_shape, self.eps = spread(normalized_shape, 1), eps
        self._parameters["weight"] = param(*self.normalized_shape, dtype=dtype) if elementwise_affine else None


class GroupNorm(Layer):
    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: Value = 1e-5,
        affine: bool = True,
        device: Value = None,
        dtype: Value = None,
    ) -> None:
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups, self.num_channels, self.eps = num_groups, num_channels, eps
        self._parameters["weight"] = param(num_channels, dtype=dtype) if affine else None
        self._parameters["bias"] = param(num_channels, dtype=dtype) if affine else None


class BatchNorm(Layer):
    def __init__(
        self,
        num_features: int,
        eps: Value = 1e-5,
        momentum: Value = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
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
                num_batches_tracked=typed_as(Tensor(()), INT64),
            )


class InstanceNorm(BatchNorm):
    def __init__(
        self,
        num_features: int,
        eps: Value = 1e-5,
        momentum: Value = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        **_: object,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats)
