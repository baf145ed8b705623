"""Names and layouts of tensors."""

from __future__ import annotations

from loadproof.tracebacks.base import Cause

CAUSES: tuple[Cause, ...] = (
    Cause(
        key="wrapper-prefix",
        code="LP401",
        slug="wrapper-prefix",
        headline="names carry the prefix of a training wrapper (torch.compile, DDP, FSDP, checkpointing, value head)",
        confirm="every name matches once _orig_mod. / module. / _fsdp_wrapped_module. / pretrained_model. is taken off",
        refute="names are clean in the file",
        command="loadproof check PATH",
        remedy="loadproof fix PATH LP401 renames them in the header",
    ),
    Cause(
        key="nesting-prefix",
        code="LP402",
        slug="nesting-prefix",
        headline=(
            "names are nested differently than the class expects (model.language_model. / language_model.model. / "
            "visual.)"
        ),
        confirm="all names match after one prefix is exchanged",
        refute="names match the class: then architectures or the engine version is the point",
        command="loadproof check PATH",
        remedy="loadproof fix PATH LP402, or use the reader version that knows this layout",
    ),
    Cause(
        key="repeated-prefix",
        code="LP403",
        slug="repeated-prefix",
        headline="a name segment is repeated by the exporter (model.model. / language_model.language_model.)",
        confirm="all names match once the repeated segment is collapsed",
        refute="the segment occurs once",
        command="loadproof check PATH",
        remedy="loadproof fix PATH LP403",
    ),
    Cause(
        key="peft-dump",
        code="LP404",
        slug="peft-dump",
        headline="a PEFT-wrapped model was saved as if merged (base_model.model., .base_layer., lora_A inside)",
        confirm="base_layer and lora_ tensors are in the model file",
        refute="no lora_ or base_layer names",
        command="loadproof check PATH",
        remedy="load it with PEFT, merge_and_unload() and save again; loadproof fix PATH LP404 --unsafe only keeps the base: the adapter is dropped",
    ),
    Cause(
        key="backbone-only",
        code="LP405",
        slug="backbone-only",
        headline="the file was saved from the bare backbone: names lack the model. prefix (and there is no head)",
        confirm="all names match with model. put before them",
        refute="names begin with model.",
        command="loadproof check PATH",
        remedy="loadproof fix PATH LP405, or load it with AutoModel / an embedding class",
    ),
    Cause(
        key="text-vs-vlm",
        code="LP406",
        slug="wrong-class",
        headline=(
            "text-only and multimodal layout disagree: architectures / model_type name one, the tensor names are "
            "the other"
        ),
        confirm="no visual.* tensors under a multimodal class, or model.language_model.* under a text class",
        refute="class and names belong together",
        command="loadproof check PATH",
        remedy=(
            "name the class that fits the file in config.json (and its model_type), or restore the missing half "
            "from the base"
        ),
    ),
    Cause(
        key="wrong-class",
        code="LP406",
        slug="wrong-class",
        headline="the checkpoint belongs to another class than the one that loads it",
        confirm=(
            "the file has tensors of another architecture (experts under a dense class, score head under a causal "
            "class, EAGLE midlayer)"
        ),
        refute="the names are those of the class",
        command="loadproof check PATH",
        remedy="set architectures / model_type to what the tensors are, or start the engine with the right task",
    ),
    Cause(
        key="task-head-missing",
        code="LP407",
        slug="task-head-missing",
        headline="the task head (score, classifier, v_head) is not in the file: it starts random",
        confirm="no score. / classifier. tensors; an adapter without modules_to_save for it",
        refute="the head is stored",
        command="loadproof check PATH",
        remedy="train and save with modules_to_save=['score'], or merge with the right class",
    ),
    Cause(
        key="saver-dropped",
        code="LP408",
        slug="saver-dropped",
        headline="a saving or merging tool left out parameters that it does not know",
        confirm="the same parameter is missing in every layer, all others are there",
        refute="only some layers lack it",
        command="loadproof check PATH",
        remedy="save again with a newer tool, or graft those tensors from the base model",
    ),
    Cause(
        key="expert-layout",
        code="LP409",
        slug="expert-layout",
        headline=(
            "experts are stored in another layout (packed [E, ..] / one tensor per expert / MXFP4 blocks) than this"
            " reader wants"
        ),
        confirm="file and reader differ in experts.<n>.*_proj against experts.gate_up_proj / down_proj",
        refute="layouts agree",
        command="loadproof check PATH",
        remedy="convert the layout: loadproof fix PATH LP409, or use a reader version that converts",
    ),
    Cause(
        key="expert-gap",
        code="LP410",
        slug="expert-gap",
        headline="the set of experts of a layer is incomplete or uneven",
        confirm="some experts are missing or have another size",
        refute="all experts are there",
        command="loadproof check PATH",
        remedy="save again; take the missing experts from the base",
    ),
    Cause(
        key="router-name",
        code="LP413",
        slug="foreign-dialect",
        headline="the file was written by a patched class: router.linear.weight against router.weight",
        confirm="one name of the pair is stored, the class wants the other",
        refute="names agree",
        command="loadproof check PATH",
        remedy="load with the class that wrote it, or rename the tensors to what the class wants and save again",
    ),
    Cause(
        key="foreign-dialect",
        code="LP413",
        slug="foreign-dialect",
        headline=(
            "the names are of another ecosystem or family layout (Mistral/Meta, GGUF, MLX, fused projections of a "
            "sister family)"
        ),
        confirm="names such as layers.0.attention.wk, output.weight, in_proj_qkvz under a split class",
        refute="names are those of the class",
        command="loadproof check PATH",
        remedy="convert with the tool of that ecosystem; rename only where the layout is the same",
    ),
    Cause(
        key="fused-dialect",
        code="LP413",
        slug="foreign-dialect",
        headline="projections are fused in the file and split in the class (or the other way round)",
        confirm="in_proj_qkvz / in_proj_ba / gate_up_proj stored, the class wants the parts",
        refute="both are fused or both split",
        command="loadproof check PATH",
        remedy=(
            "load with the family that wrote it; rows may be interleaved, so do not cut them unless the family is "
            "certain"
        ),
    ),
    Cause(
        key="ignored-leftover",
        code="LP412",
        slug="ignored-weights",
        headline=(
            "the file holds extra tensors that this strict reader refuses (old buffers, KV-shared k/v, vision part,"
            " MTP)"
        ),
        confirm="the extra names are one kind per layer; nothing is missing",
        refute="expected names are missing as well",
        command="loadproof check PATH",
        remedy="use a newer reader that ignores them, or save again with the class itself, which leaves them out",
    ),
    Cause(
        key="shared-block",
        code="LP411",
        slug="duplicate-source",
        headline="a shared block (zamba2 shared_transformer) is stored under another layer index than the reader asks for",
        confirm="shared_transformer tensors exist, but at another layer",
        refute="layer {layer} holds them",
        command="loadproof check PATH",
        remedy="copy or rename to the index the reader wants",
    ),
    Cause(
        key="meta-left",
        code="LP402",
        slug="nesting-prefix",
        headline="parameters were never filled from the file (their names do not match, or a shard is missing) and stayed on the meta device",
        confirm="the check lists missing parameters",
        refute="every parameter gets its tensor: then the device map or the wrapper is at fault",
        command="loadproof check PATH",
        remedy="mend what the check finds first; then load again",
    ),
)
