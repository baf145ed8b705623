"""The layer plan: kinds and number of layers, multi-token prediction."""

from __future__ import annotations

from loadproof.tracebacks.base import Cause

CAUSES: tuple[Cause, ...] = (
    Cause(
        key="layer-plan",
        code="LP301",
        slug="layer-plan-mismatch",
        headline=(
            "config and checkpoint disagree about the kind of layer {layer} (attention against linear attention / "
            "mamba)"
        ),
        confirm="layer {layer} holds tensors of the other kind than layer_types says",
        refute="the stored mixer agrees with the config in every layer",
        command="loadproof plan PATH",
        remedy="set the plan in config.json to what the tensors show: loadproof fix PATH LP301",
    ),
    Cause(
        key="plan-length",
        code="LP302",
        slug="layer-plan-length",
        headline="layer_types (or the pattern) has another length than num_hidden_layers",
        confirm="the two numbers in the message; pruned models keep the old list, MTP entries may be extra",
        refute="lengths agree",
        command="loadproof plan PATH",
        remedy="shorten or extend the list to the stored layers (which were removed can be read from the tensors)",
    ),
    Cause(
        key="plan-word",
        code="LP303",
        slug="layer-plan-word",
        headline="a layer kind in the config is not known to this reader (older release, other vocabulary)",
        confirm="the word is missing in the reader's list",
        refute="the reader knows the word",
        command="loadproof plan PATH",
        remedy="use a newer reader, or its spelling of the word",
    ),
    Cause(
        key="plan-one-based",
        code="LP304",
        slug="layer-plan-one-based",
        headline="the layer lists of the config count from 1 (kimi), or are incomplete or shifted by one",
        confirm="kda_layers and full_attn_layers shifted by one against the tensors, or past the last layer",
        refute="lists and tensors agree",
        command="loadproof plan PATH",
        remedy="write the lists as the reader expects them",
    ),
    Cause(
        key="plan-spellings",
        code="LP306",
        slug="layer-plan-spellings",
        headline="the config lacks the field from which this engine derives the layer plan",
        confirm="layer_types is there, full_attention_interval (or the engine's own field) is not",
        refute="both are given and agree",
        command="loadproof plan PATH",
        remedy="add the other spelling to config.json; loadproof plan shows both",
    ),
    Cause(
        key="depth",
        code="LP307",
        slug="depth-mismatch",
        headline="num_hidden_layers differs from the layers that are stored",
        confirm="all tensors of the last layer(s) are missing, or stored layers are left over",
        refute="stored layers are 0..num_hidden_layers-1",
        command="loadproof plan PATH",
        remedy="set num_hidden_layers to the stored number; or fetch the missing shard",
    ),
    Cause(
        key="mtp-promised",
        code="LP308",
        slug="mtp-promised",
        headline="the config promises a multi-token-prediction (MTP / nextn) block that the file does not hold",
        confirm="mtp_num_hidden_layers / num_nextn_predict_layers > 0, and no mtp.* or layers.<depth>.* tensors",
        refute="the MTP tensors are stored",
        command="loadproof plan PATH",
        remedy="set the count to 0, or graft mtp.* from the base model (transformers drops them on save)",
    ),
    Cause(
        key="mtp-unannounced",
        code="LP309",
        slug="mtp-unannounced",
        headline="the file holds an MTP block (layer index >= num_hidden_layers, or mtp.*) that the config does not announce",
        confirm="tensors of layer {layer} or mtp.* exist and the config has no MTP count",
        refute="the config announces the block",
        command="loadproof plan PATH",
        remedy=(
            "restore the MTP field of the base config, or drop these tensors; readers without MTP need them ignored"
            " (--no-mtp)"
        ),
    ),
)
