"""Linear layers, embeddings, and attention made of them."""

# ruff: noqa: ARG002 - the signatures are torch's
from __future__ import annotations

from loadproof.interpret.language.errors import certain
from loadproof.interpret.language.values import Value
from loadproof.interpret.shapes.module import Layer, Module, param
from loadproof.interpret.shapes.tensor import Parameter


class Linear(Layer):
    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Value = None, dtype: Value = None
    ) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = param(out_features, in_features, dtype=dtype)
        self._parameters["bias"] = param(out_features, dtype=dtype) if bias else None


class NonDynamicallyQuantizableLinear(Linear):
    """The output projection of attention: a class of its own in torch, so `type(module) is nn.Linear` is false."""


class Bilinear(Layer):
    def __init__(self, in1: int, in2: int, out: int, bias: bool = True, **_: object) -> None:
        super().__init__()
        self.weight = param(out, in1, in2)
        self._parameters["bias"] = param(out) if bias else None


class Embedding(Layer):
    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: Value = None,
        norm_type: Value = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Value = None,
        _freeze: bool = False,
        device: Value = None,
        dtype: Value = None,
    ) -> None:
        super().__init__()
        if _is_outside(padding_idx, num_embeddings):  # torch.nn.Embedding.__init__
            raise certain(AssertionError("Padding_idx must be within num_embeddings"))
        self.num_embeddings, self.embedding_dim, self.padding_idx = num_embeddings, embedding_dim, padding_idx
        self.weight = param(num_embeddings, embedding_dim, dtype=dtype) if _weight is None else Parameter(_weight)


def _is_outside(index: Value, count: Value) -> bool:
    return isinstance(index, int) and isinstance(count, int) and not -count <= index < count


class PReLU(Layer):
    def __init__(self, num_parameters: int = 1, init: Value = 0.25, **_: object) -> None:
        super().__init__()
        self.weight = param(num_parameters)


class MultiheadAttention(Module):
    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: Value = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
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
        self.out_proj = NonDynamicallyQuantizableLinear(e, e, bias=bias)
        if add_bias_kv:
            self.bias_k, self.bias_v = param(1, 1, e), param(1, 1, e)
