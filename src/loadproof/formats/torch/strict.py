"""What ``torch.load(weights_only=True)`` takes (torch/_weights_only_unpickler.py of 2.13, `_get_allowed_globals`)."""

from __future__ import annotations

from loadproof.formats.torch.dtypes import SIZES, STORAGES

_QUANTIZERS = (
    "per_tensor_affine",
    "per_tensor_symmetric",
    "per_channel_affine",
    "per_channel_symmetric",
    "per_channel_affine_float_qparams",
)
_REBUILT = (
    "parameter",
    "parameter_with_state",
    "qtensor",
    "tensor",
    "tensor_v2",
    "tensor_v3",
    "sparse_tensor",
    "meta_tensor_no_storage",
    "nested_tensor",
    "wrapper_subclass",
    "device_tensor_from_numpy",
    "device_tensor_from_cpu_tensor",
)
# What torch.distributed.tensor and torch.nested enter when they are imported, as transformers does (2.13).
_ENTERED = (
    "distributed._mesh_layout._FlatLayout",
    "distributed._mesh_layout._MeshLayout",
    "distributed.device_mesh.DeviceMesh",
    "distributed.tensor.DTensor",
    "distributed.tensor._dtensor_spec.DTensorSpec",
    "distributed.tensor._dtensor_spec.ShardOrderEntry",
    "distributed.tensor._dtensor_spec.TensorMeta",
    "distributed.tensor.placement_types.Partial",
    "distributed.tensor.placement_types.Replicate",
    "distributed.tensor.placement_types.Shard",
    "distributed.tensor.placement_types._StridedShard",
    "nested._internal.nested_tensor.NestedTensor",
    "nested._internal.nested_tensor._rebuild_njt",
)
_TENSORS = ("Double", "Float", "Half", "BFloat16", "Long", "Int", "Short", "Char", "Byte")

PLAIN = frozenset(
    (
        "collections.OrderedDict",
        "collections.Counter",
        "torch.nn.parameter.Parameter",
        "torch.serialization._get_layout",
        "torch.Size",
        "torch.Tensor",
        "torch.device",
        "_codecs.encode",
        "builtins.bytearray",
        "builtins.set",
        "builtins.complex",
        "torch._tensor._rebuild_from_type_v2",
        "torch.storage.UntypedStorage",
        "torch.storage.TypedStorage",
        *(f"torch.{name}" for name in _ENTERED),
        *(f"torch._utils._rebuild_{name}" for name in _REBUILT),
        *(f"torch.{name}" for name in (*SIZES, *_QUANTIZERS)),
        *(f"torch.{name}" for name in STORAGES if name != "UntypedStorage"),
        *(f"torch.cuda.{name}" for name in STORAGES if not name.startswith(("Untyped", "Q"))),
        *(f"torch.{place}{kind}Tensor" for place in ("", "cuda.") for kind in (*_TENSORS, "Bool")),
        *(f"torch.{place}sparse.{kind}Tensor" for place in ("", "cuda.") for kind in _TENSORS),
    )
)
