"""Facts of a checked checkpoint and of the run that confirm or refute a cause which no rule can find by itself."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

from loadproof.core.case import Case, Report
from loadproof.core.families import show
from loadproof.core.findings import Evidence
from loadproof.core.places import Place, about
from loadproof.core.symptom import Symptom
from loadproof.lexicon import ends, experts
from loadproof.tracebacks.base import Cause
from loadproof.tracebacks.knowledge.codes import codes
from loadproof.tracebacks.names import classify, layer_of
from loadproof.tracebacks.stored import (
    depth,
    field,
    held_in,
    layer_agrees,
    layer_evidence,
    sample,
    stages,
    stored,
    tensors_in_layer,
)


class Decision(Struct, frozen=True):
    """`holds`: True confirmed, False refuted, None open. `certain`: beyond doubt."""

    holds: bool | None = None
    evidence: tuple[Evidence, ...] = ()
    certain: bool = False


Judge = Callable[[Symptom, Report], Decision]
OPEN = Decision()
REFUTED = Decision(False)


def decide(cause: Cause, symptom: Symptom, report: Report) -> Decision:
    """What the checkpoint and the run say about a cause for which no rule reported a finding."""
    own = _JUDGES.get(cause.key)
    if own is not None:
        return own(symptom, report)
    if cause.blames != "checkpoint":
        return _blames_elsewhere(report)
    known = codes()
    proof = sample(report.case, known.proofs[cause.code]) if cause.code in known.proofs else None
    if proof is not None:
        return Decision(True, (proof,))
    sign = known.signs.get(cause.code)
    if sign and not report.case.manifest.names_only and next(stored(report.case, sign), None) is None:
        return REFUTED
    if cause.code in known.shared and report.verdict != "inconclusive" and not report.unexplained:
        return REFUTED
    found = sample(report.case, sign) if sign else None
    return Decision(None, (found,) if found else ())


def _blames_elsewhere(report: Report) -> Decision:
    """A cause outside the files gains when the files are healthy."""
    return Decision(None, (_health(report),)) if report.verdict == "loads" else OPEN


def _health(report: Report) -> Evidence:
    expectation = report.case.expectation
    reader = f"{expectation.reader} {expectation.version}".strip()
    return Evidence(
        about("check"), f"verdict {report.verdict}: {report.case.manifest.tensors:,} tensors, no fault for {reader}"
    )


def _registry_name(symptom: Symptom, report: Report) -> Decision:
    """A runtime layer name: the file is not at fault where that layer is complete and of the kind asked for."""
    name = next((n for n in symptom.names if classify(n) == "runtime-layer"), "")
    layer = layer_of(name)
    if not name or layer is None:
        return _blames_elsewhere(report)
    layers = depth(report.case)
    if layers is not None and layer >= layers:
        fact = f"num_hidden_layers = {layers}: layer {layer} is none of this checkpoint; was another one loaded?"
        return Decision(None, (Evidence(Place("config.json"), fact),))
    if not layer_agrees(report.case, layer):
        return OPEN
    mixer = name.rsplit(".", 1)[-1]
    evidence = [*layer_evidence(report.case, layer, mixer), *_stage_evidence(symptom, report.case, layer)]
    if report.verdict != "loads":
        return Decision(None, tuple(evidence))
    return Decision(True, (*evidence, _health(report)), certain=True)


def _stage_evidence(symptom: Symptom, case: Case, layer: int) -> list[Evidence]:
    layers, ranks = depth(case), symptom.run.get("pp")
    if not layers:
        return []
    if not isinstance(ranks, int) or ranks < 2:
        fits = [n for n in range(2, 17) if n <= layers and layer in stages(layers, n)[1:]]
        text = (
            f"{layers} layers: layer {layer} would begin a stage with pipeline parallel {', '.join(map(str, fits[:4]))}"
        )
        return [Evidence(about("run"), text)] if fits else []
    begins = stages(layers, ranks)
    stage = max(rank for rank, first in enumerate(begins) if first <= layer)
    place = f"layer {layer} is the first of stage {stage}" if layer in begins else f"layer {layer} is in stage {stage}"
    return [
        Evidence(about("run"), f"{layers} layers / pp {ranks} begin stages at {', '.join(map(str, begins))}: {place}")
    ]


def _mtp_block(symptom: Symptom, report: Report) -> Decision:
    layers = depth(report.case)
    layer = next((at for name in symptom.names if (at := layer_of(name)) is not None), None)
    if layers is None or layer is None:
        return OPEN
    if layer < layers:
        return REFUTED
    return Decision(
        True,
        (Evidence(Place("config.json"), f"num_hidden_layers = {layers}: layer {layer} is behind the last one"),),
        certain=True,
    )


def _asked_beyond(symptom: Symptom, report: Report) -> Decision:
    """A layer behind the last one that is not stored was asked for; a stored one was there, and is not the point."""
    case, layers = report.case, depth(report.case)
    name, layer = next(((name, at) for name in symptom.names if (at := layer_of(name)) is not None), ("", None))
    if layers is None or layer is None:
        return OPEN
    held, _ = tensors_in_layer(case, layer, name.rsplit(".", 2)[-2] if name.count(".") > 2 else "")
    promised = field(case, "num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_layers") or 0
    fact = Evidence(
        Place("config.json"), f"{layers} layers and {promised} for prediction: layer {layer} is behind them"
    )
    if layer >= layers and not held:
        return Decision(True, (fact,), certain=layer >= layers + (promised if isinstance(promised, int) else 0))
    return REFUTED if not held else OPEN


def _shared_kv(symptom: Symptom, report: Report) -> Decision:
    """The last layers own no keys and values where the config shares those of an earlier layer."""
    layers, shared = depth(report.case), field(report.case, "num_kv_shared_layers")
    if not isinstance(shared, int) or not shared or layers is None:
        return REFUTED
    named = [at for name in (*symptom.missing, *symptom.names) if (at := layer_of(name)) is not None]
    if any(at < layers - shared for at in named):
        return REFUTED
    fact = f"num_kv_shared_layers = {shared}: layers {layers - shared} to {layers - 1} own no keys and values"
    return Decision(True, (Evidence(Place("config.json"), fact),), certain=bool(named) and report.verdict == "loads")


def _absent_v(_symptom: Symptom, report: Report) -> Decision:
    if field(report.case, "attention_k_eq_v"):
        return Decision(True, (Evidence(Place("config.json"), "attention_k_eq_v is true"), _health(report)))
    return REFUTED if next(stored(report.case, r"\bv_proj\b|qkv"), None) else OPEN


def _untied_engine(_symptom: Symptom, report: Report) -> Decision:
    head = sample(report.case, ends.TEXT_HEAD_WEIGHT)
    if head is not None:
        return REFUTED
    tied = field(report.case, "tie_word_embeddings")
    if tied is False or report.verdict != "loads":
        return REFUTED
    return Decision(
        True,
        (Evidence(Place("config.json"), "the head is tied to the embedding and not stored"), _health(report)),
        certain=tied is True,
    )


def _tied_copy(_symptom: Symptom, report: Report) -> Decision:
    head = sample(report.case, ends.TEXT_HEAD_WEIGHT)
    tied = field(report.case, "tie_word_embeddings")
    if head is None or tied is False:
        return REFUTED
    return Decision(True if tied else None, (head, Evidence(Place("config.json"), f"tie_word_embeddings = {tied}")))


def _heads(symptom: Symptom, report: Report) -> Decision:
    ranks = symptom.run.get("tp")
    heads = field(report.case, "num_attention_heads")
    if not isinstance(heads, int):
        return OPEN
    legal = [n for n in (1, 2, 3, 4, 5, 6, 7, 8, 12, 14, 16) if heads % n == 0]
    fact = Evidence(Place("config.json"), f"{heads} attention heads: tp in {legal} divides them")
    return (
        Decision(True, (fact,), certain=True) if isinstance(ranks, int) and heads % ranks else Decision(None, (fact,))
    )


def _quant_split(_symptom: Symptom, report: Report) -> Decision:
    inner = field(report.case, "moe_intermediate_size", "intermediate_size")
    quant = field(report.case, "quantization_config")
    if not isinstance(quant, dict) or not isinstance(inner, int):
        return REFUTED if quant is None and report.verdict == "loads" else OPEN
    block = quant.get("group_size") or max(quant.get("weight_block_size") or [0])
    if not isinstance(block, int) or block < 2:
        return OPEN
    legal = [n for n in (1, 2, 4, 8, 16) if inner % n == 0 and inner // n % block == 0]
    return Decision(
        None,
        (Evidence(Place("config.json"), f"intermediate size {inner}, group or block {block}: tp in {legal} fits"),),
    )


def _head_dim(_symptom: Symptom, report: Report) -> Decision:
    given, hidden, heads = (field(report.case, n) for n in ("head_dim", "hidden_size", "num_attention_heads"))
    if not all(isinstance(value, int) and value for value in (given, hidden, heads)):
        return OPEN
    if given * heads == hidden:
        return REFUTED
    return Decision(
        True,
        (Evidence(Place("config.json"), f"head_dim = {given}, but hidden_size / heads = {hidden // heads}"),),
        certain=True,
    )


def _experts(symptom: Symptom, report: Report) -> Decision:
    """The text wants packed experts where they are stored one by one, or the other way round."""
    packed, single = sample(report.case, experts.PACKED), sample(report.case, experts.CITED_ONE_BY_ONE)
    found = packed or single
    if found is None:
        return REFUTED
    wanted = [name for name in symptom.names if "experts" in name]
    other = any(re.search(experts.PACKED, name) for name in wanted) and packed is None
    other = other or (any(re.search(experts.CITED_ONE_BY_ONE, name) for name in wanted) and single is None)
    return Decision(True if other else None, (found,))


def _tokens(_symptom: Symptom, report: Report) -> Decision:
    return REFUTED if report.case.tokenizer is not None and report.verdict == "loads" else OPEN


def _live(_symptom: Symptom, report: Report) -> Decision:
    """A fault in memory is the more probable the more clearly the stored embedding is a matrix."""
    family = next(stored(report.case, ends.EMBEDDING_WEIGHT), None)
    if family is None or family.shape is None:
        return OPEN
    if len(family.shape) != 2 or 0 in family.shape:
        return REFUTED
    place = held_in(family.files)
    said = Evidence(
        place,
        f"{show(family.template, family.axes)} {list(family.shape)}: a matrix on disk, so the fault arises in memory",
    )
    return Decision(None, (said,))


def _flat_head(_symptom: Symptom, report: Report) -> Decision:
    family = next(stored(report.case, ends.HEAD_WEIGHT), None)
    if family is None or family.shape is None or len(family.shape) != 2:
        return OPEN
    place = held_in(family.files)
    return Decision(
        None, (Evidence(place, f"{family.template} {list(family.shape)}: two dimensions on disk, flattened in memory"),)
    )


_JUDGES: dict[str, Judge] = {
    "pp-foreign-layer": _registry_name,
    "attn-metadata": _registry_name,
    "runtime-layer": _registry_name,
    "mtp-pp": _mtp_block,
    "mtp-shared": _asked_beyond,
    "kv-shared": _shared_kv,
    "absent-v": _absent_v,
    "tie-not-honoured": _untied_engine,
    "tie-redundant": _tied_copy,
    "tp-heads": _heads,
    "tp-quant": _quant_split,
    "importer-bug": _head_dim,
    "expert-layout": _experts,
    "vocab-tokenizer": _tokens,
    "zero3-runtime": _live,
    "fsdp-runtime": _live,
    "head-not-2d": _live,
    "live-head-flattened": _flat_head,
}
