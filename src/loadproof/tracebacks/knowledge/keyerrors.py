"""KeyErrors: the key is classified first (names.classify), then read."""

from __future__ import annotations

from loadproof.tracebacks.base import Entry, Example, because

_CACHE_FRAMES = (
    r"get_attn_backends_for_group|initialize_kv_cache|initialize_from_config|initialize_attn_backend|get_kv_cache"
)
_META = r"attn_metadata"
_SERVING = r"^$|vllm|sglang|torch"  # engines with such a registry, or none named
_MODULE = r"layers|blocks|experts|attn|mlp|embed|lm_head|visual|vision|mixer|mamba|^model\."
_FAMILY = (
    r"^(?=.*[\d_])(?:qwen|llama|mistral|mixtral|ministral|gemma|glm|chatglm|deepseek|minimax|kimi|phi|granite|nemotron|falcon|jamba|"
    r"mamba|bamba|zamba|olmo|gpt|smollm|lfm|ernie|hunyuan|internlm|internvl|baichuan|exaone|cohere|arctic|dbrx|bailing|"
    r"solar|apertus|bloom|pixtral|voxtral|idefics|llava|molmo|ovis|paligemma|whisper|dots|mimo|longcat|plamo|"
    r"stablelm|starcoder|rwkv|seed_oss|helium|recurrent_gemma|hymba|xverse|telechat|aquila|grok|motif|ouro)[\w.-]*$"
)

ENTRIES = (
    Entry(
        ("KeyError: '<name>'", "KeyError: <name>", "KeyError '<name>'", "KeyError <name>"),
        (
            because("peft-offload", "likely", frame=r"_update_offload"),
            # runtime layer names
            because("attn-metadata", "likely", kind="runtime-layer", text=_META),
            because("pp-foreign-layer", "likely", kind="runtime-layer", text=_CACHE_FRAMES),
            because("pp-foreign-layer", "likely", kind="runtime-layer", run="pp"),
            because("pp-foreign-layer", "likely", kind="runtime-layer", name=r"\.\d+\.", engine=_SERVING),
            because("runtime-layer", "likely", kind="runtime-layer", name=r"^\D*$", engine=_SERVING),
            because("runtime-layer", "possible", kind="runtime-layer"),
            because("attn-metadata", "possible", kind="runtime-layer", engine=_SERVING),
            because("layer-plan", "possible", kind="runtime-layer", name=r"linear_attn|mamba|mixer"),
            # names that say it themselves
            because(
                "wrapper-prefix",
                "likely",
                name=r"_orig_mod\.|^module\.|_fsdp_wrapped_module|_checkpoint_wrapped_module|_orig_module",
            ),
            because("peft-dump", "likely", name=r"base_model\.model\.|\.base_layer\.|lora_[AB]"),
            because(
                "repeated-prefix",
                "likely",
                name=r"(?:^|\.)(model|language_model)\.\1\.|model\.language_model\.model\.language_model",
            ),
            because("loader-substring", "likely", kind="double-replaced"),
            because(
                "foreign-dialect",
                "likely",
                name=r"^(?!language_model).*(?:attention\.w[kqvo]\.|feed_forward\.w[123]\.)|^tok_embeddings|^output\.weight",
                lacks=r"lmdeploy|qweight|TurboMind|turbomind",
            ),
            because("wrong-class", "likely", name=r"midlayer|d2t|t2d|^fc\.weight"),
            because("shared-block", "likely", name=r"shared_transformer|shared_block"),
            # quantization
            because("packed-as-dense", "likely", name=r"absmax|quant_map|quant_state|\.SCB$|\._scale$|\._data$"),
            because(
                "router-quantized",
                "likely",
                name=r"(?:mlp|block_sparse_moe|moe|feed_forward)\.(?:gate|router)\.(?:g_idx|qweight|qzeros|scales|weight_scale|weight_packed)",
            ),
            because("quant-layout", "likely", name=r"weight_zero_point|qzeros$"),
            because("kv-scales", "likely", name=r"\.[kvq]_scale$|(?:qkv_proj|attn)\.(?:output_)?[kvq]_scale"),
            because(
                "quant-set",
                "likely",
                name=r"(?:visual|vision|vit|blocks)[\w.]{0,120}\.(?:weight_packed|weight_scale\w{0,40}|qweight|scales|g_idx)",
            ),
            because(
                "expert-layout", "likely", name=r"experts\.w(?:2|13)_weight\.\d+\.|experts\.\d+\.\w+_proj\.(?!weight$)"
            ),
            because(
                "quant-config-missing",
                "likely",
                name=r"weight_scale(?:_inv|_2)?$|input_scale$|weight_packed$|\.qweight$|\.g_idx$|\.scales$|per_channel_scale$",
            ),
            because(
                "quant-set",
                "possible",
                name=r"weight_scale(?:_inv|_2)?$|input_scale$|weight_packed$|\.qweight$|\.g_idx$|\.scales$",
            ),
            # MTP
            because("mtp-shared", "likely", engine=r"tensorrt", name=r"layers\.\d+\.\w+"),
            because("mtp-pp", "likely", name=r"layers\.(?:61|92|46|78)\.mlp\.experts\.w(?:2|13)_weight"),
            because("engine-mapping", "possible", name=r"^mtp\..*experts\.\d+\.", engine=_SERVING),
            because("mtp-unannounced", "possible", name=r"^mtp\..*experts\.\d+\.", engine=_SERVING),
            because("mtp-unannounced", "likely", name=r"(?:^|\.)mtp\.(?!.*experts\.\d)|eh_proj|enorm|hnorm|nextn"),
            # experts and fused names
            because("expert-layout", "likely", kind="packed-experts"),
            because("engine-renamed", "likely", name=r"experts\.w(?:13|2)_weight|routed_experts"),
            because("expert-layout", "possible", name=r"experts\.w(?:13|2)_weight|routed_experts"),
            because("mtp-pp", "possible", name=r"experts\.w(?:13|2)_weight"),
            because("quant-set", "possible", name=r"weight_packed|weight_scale"),
            because("config-dialect", "likely", name=r"e_score_correction_bias"),
            because("layer-plan", "likely", name=r"\.mamba\.\w+|\.A$|linear_attn\.\w+|in_proj_qkvz|in_proj_ba"),
            because(
                "quant-set",
                "possible",
                name=r"shared_experts?\.\w+\.weight|qkv_proj\.weight$|gate_up_proj\.weight$|\.linear\.",
            ),
            because("layer-plan", "possible", name=r"self_attn\.qkv_proj\.weight|mixer\.\w+"),
            because("quant-set", "possible", name=r"^(?:visual\.)?blocks\.\d+\.attn\.qkv"),
            because("engine-renamed", "possible", kind="fused"),
            because("wrong-class", "likely", name=r"(?:^|\.)(?:score|classifier|v_head|value_head|qa_outputs)\."),
            # head, embedding, prefixes
            because("tie-not-honoured", "likely", name=r"lm_head\.weight$", text=r"accelerate|fsdp|tensorrt|candle"),
            because("tie-redundant", "likely", name=r"^(?:\w+\.)*lm_head\.weight$", engine="vllm|sglang"),
            because("tie-redundant", "possible", name=r"^(?:\w+\.)*lm_head\.weight$"),
            because("tie-not-honoured", "possible", name=r"lm_head\.weight$"),
            because("head-missing", "possible", name=r"lm_head\.weight$"),
            because("quant-config-missing", "likely", name=r"feed_forward\.w\d\.weight|\.qweight", engine="lmdeploy"),
            because("quant-config-missing", "possible", name=r"^language_model.*feed_forward\.w\d\.weight"),
            because("text-vs-vlm", "likely", name=r"^layers", text=r"ForConditionalGeneration"),
            because("quant-set", "possible", name=r"^(?:visual\.)?blocks\.\d+\.|visual\.|vision_tower|vision_model"),
            because("text-vs-vlm", "possible", name=r"visual\.|vision_tower|vision_model|^blocks\.\d+\."),
            because(
                "nesting-prefix",
                "likely",
                name=r"^(?:model\.)?language_model\.(?!.*feed_forward)(?:model\.)?(?:embed_tokens|layers|norm)",
                unlike="runtime-layer",
            ),
            because("text-vs-vlm", "possible", name=r"^(?:model\.)?language_model\.", unlike="runtime-layer"),
            because(
                "engine-mapping", "possible", name=r"^embed_tokens\.weight$", text=r"eagle|draft|speculative|EAGLE"
            ),
            because("backbone-only", "likely", name=r"^(?:embed_tokens|norm)\.weight$"),
            because("backbone-only", "possible", name=r"^layers\.\d+\.", unlike="runtime-layer fused"),
            because("nesting-prefix", "possible", kind="tensor"),
            because("shard-missing", "possible", kind="tensor"),
            because("engine-renamed", "possible", kind="module", name=_MODULE),
            because("nesting-prefix", "possible", kind="module", name=_MODULE),
        ),
        (
            Example("KeyError: 'language_model.model.layers.20.linear_attn'", "pp-foreign-layer"),
            Example("KeyError: 'model.layers.21.self_attn.attn'", "pp-foreign-layer"),
            Example("KeyError: 'model.layers.30.self_attn.indexer.k_cache'", "pp-foreign-layer"),
            Example("KeyError: 'model.layers.7.mixer'", "pp-foreign-layer"),
            Example(
                '  File "vllm/model_executor/layers/kda.py", line 3, in forward\n'
                "    attn_metadata = attn_metadata_raw[self.prefix]\n"
                "KeyError: 'language_model.model.layers.3.self_attn'",
                "attn-metadata",
            ),
            Example("KeyError: 'language_model.embed_tokens.weight'", "nesting-prefix"),
            Example("KeyError: 'language_model.layers.3.mlp.up_proj.weight'", "nesting-prefix"),
            Example("KeyError: 'model.model.model.embed_tokens.weight'", "repeated-prefix"),
            Example(
                "KeyError: 'language_model.language_model.layers.4.mlp.experts.w2_weight_packed'", "repeated-prefix"
            ),
            Example("KeyError: 'layers.0.attention.wk.weight'", "foreign-dialect"),
            Example("KeyError: 'layers.4.mlp.gate.g_idx'", "router-quantized"),
            Example("KeyError: 'layers.4.block_sparse_moe.gate.qweight'", "router-quantized"),
            Example("KeyError: 'layers.4.mlp.up_proj.g_idx'", "quant-config-missing"),
            Example("KeyError: 'model.layers.0.self_attn.q_proj.qweight'", "quant-config-missing"),
            Example("KeyError: 'layers.0.mlp.down_proj.weight.absmax'", "packed-as-dense"),
            Example("KeyError: 'model.layers.3.mlp.down_proj.weight_scale_inv'", "quant-config-missing"),
            Example("KeyError: 'vision_model.encoder.layers.3.mlp.fc1.weight_scale'", "quant-set"),
            Example("KeyError: 'layers.0.mlp.down_proj.weight_zero_point'", "quant-layout"),
            Example("KeyError: 'layers.5.mlp.experts.w13_weight'", "engine-renamed"),
            Example("KeyError: 'layers.61.mlp.experts.w2_weight'", "mtp-pp"),
            Example("KeyError: 'layers.0.mlp.experts.w2_weight.0.qweight'", "expert-layout"),
            Example("KeyError: 'layers.1.mlp.gate.e_score_correction_bias'", "config-dialect"),
            Example("KeyError: 'layers.1.mlp.shared_expert.down_proj.weight'", "quant-set"),
            Example("KeyError: 'layers.1.self_attn.qkv_proj.k_scale'", "kv-scales"),
            Example("KeyError: 'layers.11.shared_transformer.self_attn.qkv_proj.weight'", "shared-block"),
            Example("KeyError: 'midlayer.self_attn.qkv_proj.weight'", "wrong-class"),
            Example("KeyError: 'lm_head.weight'", "tie-redundant"),
            Example(
                "  File \"accelerate/utils/fsdp_utils.py\", line 5, in load\nKeyError: 'lm_head.weight'",
                "tie-not-honoured",
            ),
            Example("KeyError: 'layers.0.mamba.A'", "layer-plan"),
            Example("KeyError: 'model.language_model.layers.0.mlp.experts.gate_up_proj'", "expert-layout"),
            Example("KeyError: 'model.layers.0.mlp.gate_gate_up_proj.weight'", "loader-substring"),
            Example("KeyError: 'embed_tokens.weight'", "backbone-only"),
            Example("KeyError: 'score.weight'", "wrong-class"),
            Example("KeyError: 'layers.3.self_attn.qkv_proj.weight'", "quant-set"),
            Example("KeyError: 'blocks.0.attn.qkv.weight'", "quant-set"),
        ),
    ),
    Entry(
        ("KeyError: '-'", "KeyError: <'M'|'E'|'*'>"),
        (because("reader-too-old", "likely"), because("plan-word")),
        (Example("KeyError: '-'", "reader-too-old"),),
    ),
    Entry(
        ("KeyError: 'metadata'",),
        (because("index-invalid", "likely"),),
        (
            Example(
                "  File \"transformers/utils/hub.py\", line 1, in get_checkpoint_shard_files\nKeyError: 'metadata'",
                "index-invalid",
            ),
        ),
    ),
    Entry(
        ("KeyError: 'weight_map'",),
        (because("index-invalid", "likely"),),
        (Example("KeyError: 'weight_map'", "index-invalid"),),
    ),
    Entry(
        ("KeyError: <'v'|'k'|'q'>",),
        (because("absent-v", "likely"), because("quant-set")),
        (Example("tensorrt_llm/_torch/modules/linear.py\nKeyError: 'v'", "absent-v"),),
    ),
    Entry(
        ("KeyError: 'Linear'",),
        (because("quant-set", "likely"), because("quant-layout")),
        (Example("KeyError: 'Linear'", "quant-set"),),
    ),
    Entry(
        (
            "KeyError: <'linear_attention'|'full_attention'|'sliding_attention'|'chunked_attention'|'mamba'|'mamba2'|'moe'|'hybrid'>",
        ),
        (because("plan-word", "likely"), because("reader-too-old")),
        (Example("KeyError: 'linear_attention'", "plan-word"),),
    ),
    Entry(
        (
            "KeyError: <'rope_theta'|'rope_parameters'|'rope_scaling'|'type'|'rope_type'|'num_hidden_layers'|'hidden_size'|'model_type'|'architectures'|'intermediate_size_full'|'num_nextn_predict_layers'|'vocab_size'|'text_config'>",
        ),
        (because("config-dialect", "likely"), because("config-missing")),
        (Example("KeyError: 'rope_theta'", "config-dialect"),),
    ),
    Entry(
        ("KeyError: <n>", "KeyError: '<n>'"),
        (
            because("token-id", "likely", kind="token-id", text=r"vllm|sglang|tokeniz|transformers"),
            because("token-id", "possible", kind="token-id", name=r"\d{4,}"),
        ),
        (Example("KeyError: 151645", "token-id"),),
    ),
    Entry(
        ("KeyError: '<word>'", "KeyError: <word>"),
        (
            because("reader-too-old", "likely", kind="word", name=_FAMILY, lacks=_CACHE_FRAMES),
            because("reader-too-old", "likely", kind="word", frame=r"configuration_auto|modeling_auto|CONFIG_MAPPING"),
            because("reader-too-old", "possible", kind="word", name=r"_moe$|_text$|_vl$|ForCausalLM$"),
            because("config-dialect", "possible", kind="word", text=r"config|modeling_|model_loader|model_executor"),
        ),
        (Example("KeyError: 'qwen3_5'", "reader-too-old"), Example("KeyError: 'minimax_m2'", "reader-too-old")),
    ),
    Entry(
        (
            "KeyError/merge no-op: all keys mismatch",
            "adapter keys <..> not <found|match>",
            "<target modules|Target modules> <..> not found in the base model",
        ),
        (because("adapter-prefix", "likely"), because("adapter-base")),
        (
            Example(
                "ValueError: Target modules {'q_proj'} not found in the base model. Please check the target modules and try again.",
                "adapter-prefix",
            ),
        ),
    ),
)
