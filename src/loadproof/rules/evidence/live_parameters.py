"""Judge the head and the input embedding of a live model: shared by the LP9 rules and by the guard.

The kind of a parameter is decided before its shape (`runtime.placement`); here its shape is compared with what the
module's own attributes say. Arithmetic of local shards: measured on torch 2.13 (FSDP1 views, FSDP2 dim-0 shards).
"""

from __future__ import annotations

from math import prod

from msgspec import Struct

from loadproof.core.live import LiveParameter
from loadproof.core.tensors import Shape


class Fault(Struct, frozen=True):
    """What is wrong with one live parameter. `viewable`: `view(rows, columns)` of the same storage is right."""

    code: str
    parameter: LiveParameter
    cause: str
    action: str
    severity: str = "error"
    viewable: bool = False


def judge(parameter: LiveParameter) -> Fault | None:
    """The one fault of this parameter, or None when it is in order."""
    if parameter.expected is None:
        return None
    special = {"zero3": _zero3, "fsdp1-view": _fsdp1, "packed": _packed, "meta": _meta}.get(parameter.kind)
    return special(parameter) if special else _shape(parameter, parameter.expected)


def _zero3(p: LiveParameter) -> Fault | None:
    if p.gathered_by_hooks:
        return None
    whole = f" (the whole tensor is {list(p.true_shape)})" if p.true_shape else ""
    return Fault(
        "LP904",
        p,
        f"DeepSpeed ZeRO-3 has partitioned this parameter{whole} and nothing here gathers it",
        "call the model through the engine, or wrap the call in deepspeed.zero.GatheredParameters(model.parameters()), "
        "or deepspeed.initialize() this model too (reference and teacher models)",
    )


def _fsdp1(p: LiveParameter) -> Fault | None:
    if p.expected is not None and p.shape == p.expected:  # inside summon_full_params
        return None
    return Fault(
        "LP905",
        p,
        "FullyShardedDataParallel (FSDP1) keeps a 1-D local view of this parameter outside the root's forward",
        "wrap the call in FSDP.summon_full_params(model, writeback=False), or call the wrapped root module",
    )


def _packed(p: LiveParameter) -> Fault | None:
    whole = p.true_shape
    if p.expected is None or whole is None or whole == p.expected:
        return None
    return Fault(
        "LP906",
        p,
        f"a quantized parameter whose dense shape is {list(whole)}",
        "load the model again with the quantization_config it was saved with",
    )


def _meta(p: LiveParameter) -> Fault | None:
    if p.gathered_by_hooks:
        return None
    return Fault(
        "LP904",
        p,
        "the parameter is on the meta device: it has a shape and no values",
        "load the weights first (from_pretrained without device_map='meta', or load_checkpoint)",
    )


def _shape(p: LiveParameter, expected: Shape) -> Fault | None:
    rows, columns = expected
    if p.shape == expected:
        return None
    numel = prod(p.shape)
    if numel == 0:
        return _empty(p)
    if p.dtype in ("uint8", "int8", "int32") and p.shape != expected:
        return _raw_packed(p)
    if len(p.shape) != 2:
        return _rank(p, rows, columns, numel)
    return _two_dimensional(p, rows, columns)


def _empty(p: LiveParameter) -> Fault:
    return Fault(
        "LP904",
        p,
        "the parameter has no elements: a placeholder of a sharding library that was released or saved ungathered",
        "gather the parameter before use; if the checkpoint holds the same shape, the weights were never saved",
    )


def _raw_packed(p: LiveParameter) -> Fault:
    return Fault(
        "LP906",
        p,
        f"{p.dtype} elements without a quantization state: packed values are used as if they were weights",
        "load the model again with the quantization_config it was saved with; do not reshape",
    )


def _rank(p: LiveParameter, rows: int, columns: int, numel: int) -> Fault:
    if len(p.shape) == 1 and numel == rows * columns and p.strided:
        return Fault(
            "LP901",
            p,
            "it was flattened (merge, quantize or a custom reshape); every element is still there",
            "ensure_lm_head_2d(model) views it as [rows, columns] again, in place: same storage, same Parameter",
            viewable=True,
        )
    if len(p.shape) == 1 and numel < rows * columns and numel != rows:
        return Fault(
            "LP905",
            p,
            f"{numel} of {rows * columns} elements: the local piece of one rank, not a flattened weight",
            "gather the whole parameter (full_tensor(), summon_full_params) before generate(); never reshape a piece",
        )
    return Fault(
        "LP901",
        p,
        f"{len(p.shape)} dimensions with {numel} elements where {rows} x {columns} = {rows * columns} are needed",
        "install the weight the module was built for; no view of this tensor is right",
    )


def _two_dimensional(p: LiveParameter, rows: int, columns: int) -> Fault:
    found_rows, found_columns = p.shape
    if (found_rows, found_columns) == (columns, rows):
        return Fault(
            "LP902",
            p,
            "it is transposed",
            f"install weight.t().contiguous() of shape [{rows}, {columns}]; a view or reshape would scramble it",
        )
    if found_columns == columns and found_rows < rows and (ranks := _ranks(rows, found_rows)):
        return Fault(
            "LP905",
            p,
            f"{found_rows} of {rows} rows: what one of {ranks} ranks holds, so logits lose columns silently",
            "use the DTensor (full_tensor()) instead of to_local(), or call the root module that gathers it",
        )
    return Fault(
        "LP902",
        p,
        f"{found_rows} x {found_columns} where the module says {rows} x {columns}",
        "resize_token_embeddings() to the vocabulary in use, or install the weight the module was built for",
    )


def _ranks(rows: int, found: int) -> int:
    """The smallest world size whose first or last chunk has `found` rows (torch.chunk), 0 when there is none."""
    for ranks in range(2, 1025):
        chunk = -(-rows // ranks)
        if found in (chunk, rows - chunk * (-(-rows // chunk) - 1)):
            return ranks
        if chunk < found:
            break
    return 0
