"""The file is fine: the error comes from the engine, its release or the way it is run."""

from __future__ import annotations

from loadproof.tracebacks.base import Cause

CAUSES: tuple[Cause, ...] = (
    Cause(
        key="pp-foreign-layer",
        code="LP704",
        slug="engine-not-checkpoint",
        headline=(
            "'{name}' is the engine's own layer name, not a tensor: a pipeline stage looked up a layer of another "
            "stage. The file is not the cause"
        ),
        confirm=(
            "layer {layer} begins or lies in another stage (layers / pp), frames are in KV-cache setup, executor is"
            " Ray (vLLM 0.12 to 0.19); the check finds the layer complete"
        ),
        refute="it happens with --pipeline-parallel-size 1 as well",
        command="loadproof check PATH",
        remedy=(
            "run with --pipeline-parallel-size 1 (use tensor parallelism), or --distributed-executor-backend mp, or"
            " an engine release with the rank fix"
        ),
        where="engine",
        issues=("vllm-project/vllm#36640", "vllm-project/vllm#41287", "vllm-project/vllm#33700"),
    ),
    Cause(
        key="kv-shared",
        code="LP704",
        slug="engine-not-checkpoint",
        headline="these layers use the keys and values of an earlier one; the engine asks for parameters they do not own",
        confirm="config.json has num_kv_shared_layers, and the layers named are the last ones",
        refute="config.json shares no keys and values",
        command="loadproof check PATH",
        remedy="use a newer engine release; nothing on disk must change",
        where="engine",
    ),
    Cause(
        key="peft-offload",
        code="LP704",
        slug="engine-not-checkpoint",
        headline="PEFT looks up '{name}' while it updates offloaded layers: the files are not the cause",
        confirm="the last frame is _update_offload; the same merge works on the CPU",
        refute="it happens without offloading as well",
        command="loadproof check PATH",
        remedy="load without device_map offloading (device_map={'': 'cpu'}), or with a newer PEFT",
        where="engine",
        issues=("huggingface/peft#2213",),
    ),
    Cause(
        key="engine-feature",
        code="LP704",
        slug="engine-not-checkpoint",
        headline="the engine does not support this mode for this model; the files are not the cause",
        confirm="the same files load without the mode that the text names",
        refute="they fail without it, too",
        command="loadproof check PATH",
        remedy="run without that mode or flag, or with a newer engine release",
        where="engine",
    ),
    Cause(
        key="attn-metadata",
        code="LP704",
        slug="engine-not-checkpoint",
        headline=(
            "'{name}' is a key of the engine's attention metadata, not a tensor: a warm-up run left it out. The "
            "file is not the cause"
        ),
        confirm="the last frame indexes attn_metadata in a profile or dummy run",
        refute="frames are in load_weights",
        command="loadproof check PATH",
        remedy="use the engine release before or after the regression, or --enforce-eager",
        where="engine",
        issues=("vllm-project/vllm#53584",),
    ),
    Cause(
        key="runtime-layer",
        code="LP704",
        slug="engine-not-checkpoint",
        headline="'{name}' is the engine's own layer name, not a tensor: no file holds such a key. The file is not the cause",
        confirm="the name has no .weight or other parameter ending; weights were already loaded",
        refute="frames are in load_weights: then a renamed tensor",
        command="loadproof check PATH",
        remedy="try pipeline parallel 1, another executor or another engine release; report it to the engine",
        where="engine",
        issues=("vllm-project/vllm#36640",),
    ),
    Cause(
        key="engine-renamed",
        code="LP704",
        slug="engine-not-checkpoint",
        headline=(
            "'{name}' is the engine's own fused name (on disk: {disk}): it renamed a tensor and then did not find "
            "its own parameter; the file is usually fine"
        ),
        confirm="the stored names are complete and unquantized as declared; an official checkpoint fails too",
        refute="the check finds a layout, plan or quantization fault",
        command="loadproof check PATH",
        remedy="use the engine release that this model was released with, or a newer one",
        where="engine",
        issues=("vllm-project/vllm#44953",),
    ),
    Cause(
        key="mtp-pp",
        code="LP704",
        slug="engine-not-checkpoint",
        headline=(
            "layer {layer} is the MTP block, which this engine does not skip under pipeline parallelism: the file "
            "is fine"
        ),
        confirm="{layer} == num_hidden_layers in config.json and the run has pp > 1",
        refute="{layer} < num_hidden_layers",
        command="loadproof check PATH",
        remedy="run without pipeline parallelism, or a release with the fix",
        where="engine",
        issues=("vllm-project/vllm#16450",),
    ),
    Cause(
        key="mtp-shared",
        code="LP704",
        slug="engine-not-checkpoint",
        headline="the run asks for more MTP layers than are stored, and the engine consumed the shared one: the file is fine",
        confirm="speculative nextn in the run > num_nextn_predict_layers in the config",
        refute="both are equal",
        command="loadproof check PATH",
        remedy="lower the number of draft layers in the run",
        where="run",
    ),
    Cause(
        key="absent-v",
        code="LP704",
        slug="engine-not-checkpoint",
        headline=(
            "v_proj is absent on purpose (k_eq_v: values are the keys); this engine does not know that: the file is"
            " fine"
        ),
        confirm="attention_k_eq_v is true and exactly the full-attention layers lack v_proj",
        refute="v_proj is missing elsewhere",
        command="loadproof check PATH",
        remedy="use an engine release that supports the model",
        where="engine",
        issues=("NVIDIA/TensorRT-LLM#16867",),
    ),
    Cause(
        key="tie-not-honoured",
        code="LP704",
        slug="engine-not-checkpoint",
        headline=(
            "the head is absent because it is tied to the embedding, which this reader does not do for this model: "
            "the file is fine"
        ),
        confirm="tie_word_embeddings is true and no lm_head.weight is stored",
        refute="tie_word_embeddings is false: then the head is lost (LP203)",
        command="loadproof check PATH",
        remedy=(
            "upgrade the reader, or store a copy of the embedding as lm_head.weight (save with tie_word_embeddings false)"
        ),
        where="engine",
        issues=("huggingface/accelerate#3870",),
    ),
    Cause(
        key="engine-drops-scales",
        code="LP704",
        slug="engine-not-checkpoint",
        headline="scale tensors are reported unexpected although they belong to stored FP8 weights: the reader drops them",
        confirm="every F8 weight has its scale in the file and quantization_config is there",
        refute="quantization_config is absent (LP601)",
        command="loadproof check PATH",
        remedy="use a reader release that loads them; weights without their scales are garbage",
        where="engine",
    ),
    Cause(
        key="importer-bug",
        code="LP704",
        slug="engine-not-checkpoint",
        headline="the importer computes a size (head_dim) itself and ignores the config: the file is fine",
        confirm="head_dim in config.json differs from hidden_size / heads",
        refute="they are equal",
        command="loadproof check PATH",
        remedy="convert with llama.cpp's own converter",
        where="engine",
    ),
    Cause(
        key="loader-substring",
        code="LP704",
        slug="engine-not-checkpoint",
        headline="'{name}' never existed on disk: the loader replaced up_proj inside an already fused gate_up_proj",
        confirm="the file holds gate_up_proj",
        refute="the file holds gate_proj and up_proj",
        command="loadproof check PATH",
        remedy="split the fused tensor, or use a release that reads it fused",
        where="engine",
        issues=("sgl-project/sglang#13214",),
    ),
    Cause(
        key="engine-mapping",
        code="LP704",
        slug="engine-not-checkpoint",
        headline="the engine does not support this class in this mode (pipeline parallel, LoRA on embeddings, draft model)",
        confirm="the message says so",
        refute="it is supported",
        command="loadproof check PATH",
        remedy="run without that mode",
        where="run",
    ),
    Cause(
        key="merge-tool-blind",
        code="LP408",
        slug="saver-dropped",
        headline=(
            "the merge tool judges the model from a template that this checkpoint does not follow (tied head, "
            "hybrid layers, wrapper names)"
        ),
        confirm="the named tensor is absent by design (tied, or another kind of layer)",
        refute="it is expected by the model's own class",
        command="loadproof check PATH",
        remedy="use a tool release that knows the family, or materialise the head",
        where="engine",
        issues=("arcee-ai/mergekit#239", "arcee-ai/mergekit#669"),
    ),
    Cause(
        key="draft-mismatch",
        code="LP703",
        slug="config-dialect",
        headline="the draft model does not fit the target (other hidden_size, or its own embedding expected)",
        confirm="hidden_size of draft and target differ, or the draft stores no embed_tokens",
        refute="both sizes are equal",
        command="loadproof diff DRAFT TARGET",
        remedy="use the draft that was trained for this target",
    ),
    Cause(
        key="gguf-dialect",
        code="LP704",
        slug="engine-not-checkpoint",
        headline=(
            "the GGUF (or folder) is in a newer dialect than this tool reads (split MLA, names), or its first part "
            "is missing"
        ),
        confirm="a current llama.cpp loads it",
        refute="parts are missing in the folder",
        command="loadproof check PATH",
        remedy="use a newer tool, or the GGUF it was made for; keep all parts together",
        where="engine",
    ),
    Cause(
        key="token-id",
        code="LP704",
        slug="engine-not-checkpoint",
        headline="the key is a number: a token id or request id, not a weight; the file is fine",
        confirm="frames are in a tokenizer, sampler or scheduler",
        refute="frames are in load_weights",
        command="loadproof check PATH",
        remedy="compare tokenizer and vocab_size; else report it to the engine",
        where="run",
    ),
    Cause(
        key="hardware",
        code="LP704",
        slug="engine-not-checkpoint",
        headline="this device does not support the quantization method: the file is fine",
        confirm="the message names the capability that is needed and the one that is there",
        refute="the same device runs another checkpoint of this method",
        command="loadproof check PATH",
        remedy="use a newer device, another quantization of the model, or its 16-bit version",
        where="run",
    ),
)
