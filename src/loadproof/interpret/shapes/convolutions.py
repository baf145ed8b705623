"""Convolutions, and their transposes, of any rank."""

# ruff: noqa: ARG002 - the signatures are torch's
from __future__ import annotations

from typing import Any

from loadproof.interpret.language.values import Value
from loadproof.interpret.shapes.module import Layer, param, spread


class Conv(Layer):
    transposed = False
    rank: int

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Value,
        stride: Value = 1,
        padding: Value = 0,
        *args: Any,
        dilation: Value = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: Value = "zeros",
        output_padding: Value = 0,
        device: Value = None,
        dtype: Value = None,
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

    def _check_groups(self, in_channels: int, out_channels: int, groups: int) -> None:
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        for name, channels in (("in_channels", in_channels), ("out_channels", out_channels)):
            if channels % groups != 0:
                raise ValueError(f"{name} must be divisible by groups")
