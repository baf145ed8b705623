"""Recurrent layers and their cells."""

# ruff: noqa: ARG002 - the signatures are torch's
from __future__ import annotations

from loadproof.interpret.language.limits import checked_layers
from loadproof.interpret.language.values import Value
from loadproof.interpret.shapes.module import Layer, param


class Recurrent(Layer):
    gates: int

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: Value = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
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

    def _add_direction(self, suffix: str, gates: int, width: int, out: int, bias: bool, proj: int, hidden: int) -> None:
        self._parameters["weight_ih" + suffix] = param(gates, width)
        self._parameters["weight_hh" + suffix] = param(gates, out)
        if bias:
            self._parameters["bias_ih" + suffix] = param(gates)
            self._parameters["bias_hh" + suffix] = param(gates)
        if proj:
            self._parameters["weight_hr" + suffix] = param(proj, hidden)


class Cell(Layer):
    gates: int

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, **_: object) -> None:
        super().__init__()
        gates = self.gates * hidden_size
        self.weight_ih, self.weight_hh = param(gates, input_size), param(gates, hidden_size)
        if bias:
            self.bias_ih, self.bias_hh = param(gates), param(gates)
