"""transformers 4 and 5: load reports, config validation, ties, remote code, quantizers."""

from __future__ import annotations

from loadproof.tracebacks.base import Entry, Example, because

_FIELDS = (
    r"(?:attribute .?(?:rope_theta|rope_parameters|rope_scaling|torch_dtype|dtype|layer_types|text_config|vocab_size|hidden_size|"
    r"num_hidden_layers|num_attention_heads|num_key_value_heads|head_dim|intermediate_size|max_position_embeddings|"
    r"pad_token_id|tie_word_embeddings|num_experts|num_local_experts|n_routed_experts|sliding_window|vision_config))"
    r"|full_attn_alpha_factor|layernorm_full_attention_alpha"
)
ENTRIES = (
    Entry(
        (
            "You set `ignore_mismatched_sizes` to `False`, thus raising an error",
            "You may consider adding `ignore_mismatched_sizes=True`",
            "Reinit due to size mismatch",
        ),
        (because("shape-mismatch", "likely"), because("dims-wrong"), because("vocab-rows")),
        (
            Example(
                "RuntimeError: You set `ignore_mismatched_sizes` to `False`, thus raising an error. For details look at the above report!",
                "shape-mismatch",
            ),
            Example(
                "model.embed_tokens.weight | MISMATCH | Reinit due to size mismatch - ckpt: torch.Size([128320, 3072]) vs model:torch.Size([128256, 3072])",
                "vocab-rows",
            ),
            Example(
                "lm_head.weight | MISMATCH | Reinit due to size mismatch - ckpt: torch.Size([16384]) vs model:torch.Size([256, 64])",
                "head-flattened",
            ),
        ),
        engine="transformers",
        phase="load",
        defers=True,
    ),
    Entry(
        (
            "LOAD REPORT from: <..>",
            "Some weights of <..> were not initialized",
            "not initialized: <list>",
            "not used: <list>",
            "not used when initializing <word>: <list>",
            "Some weights of the <model checkpoint|checkpoint> <..>were not used",
            "Error(s) in loading state_dict for <..>",
            "<Missing|Unexpected> key(s) in state_dict",
            "There were <missing|unexpected> keys in the checkpoint model loaded",
        ),
        (because("nesting-prefix"), because("wrong-class"), because("shard-missing")),
        (
            Example(
                "LlamaForCausalLM LOAD REPORT from: /x/y\nKey | Status |  | \n---+---+--+-\nlm_head.weight | MISSING | \n",
                "head-missing",
            ),
            Example(
                "Some weights of the model checkpoint were not used: ['lm_head.0.weight']; newly initialized: ['lm_head.weight']",
                "head-wrapped",
            ),
            Example(
                'Unexpected key(s) in state_dict: "_orig_mod.model.layers.0.mlp.up_proj.weight". ', "wrapper-prefix"
            ),
            Example(
                "Some weights of LlamaForSequenceClassification were not initialized from the model checkpoint at x and are newly initialized: ['score.weight']",
                "task-head-missing",
            ),
            Example(
                "Some weights of Qwen3ForCausalLM were not initialized: ['model.layers.0.self_attn.k_norm.weight', 'model.layers.0.self_attn.q_norm.weight']",
                "saver-dropped",
            ),
            Example(
                "Qwen3MoeForCausalLM LOAD REPORT from: x\nKey | Status | |\n"
                "model.layers.{0...39}.mlp.experts.{0...255}.down_proj.weight | UNEXPECTED | |\nmodel.layers.{0...39}.mlp.experts.gate_up_proj | MISSING | |",
                "expert-layout",
            ),
            Example(
                "Qwen3NextForCausalLM LOAD REPORT from: x\n"
                "model.layers.3.linear_attn.A_log | UNEXPECTED | |\nmodel.layers.3.linear_attn.dt_bias | UNEXPECTED | |\n"
                "model.layers.3.self_attn.q_proj.weight | MISSING | |\nmodel.layers.3.self_attn.k_proj.weight | MISSING | |",
                "layer-plan",
            ),
            Example(
                "Some weights of the checkpoint were not used: ['language_model.base_model.model.model.layers.0.attention.wqkv.base_layer.weight']",
                "peft-dump",
            ),
            Example("model.layers.0.mlp.down_proj.weight_scale_inv | UNEXPECTED |", "quant-config-missing"),
        ),
        engine="transformers",
        phase="load",
        defers=True,
    ),
    Entry(
        ("issues during automatic conversion of the weights",),
        (because("expert-gap", "likely"), because("expert-layout"), because("shape-mismatch")),
        (
            Example(
                "RuntimeError: We encountered some issues during automatic conversion of the weights. For details look at the `CONVERSION` entries of the above report!",
                "expert-gap",
            ),
        ),
        engine="transformers",
        phase="load",
    ),
    Entry(
        ("specifies to tie <..> but both are present in the checkpoints with different values",),
        (because("tie-contradicted", "likely"),),
        (
            Example(
                "The tied weights mapping and config for this model specifies to tie model.embed_tokens.weight to lm_head.weight, but both are present in the checkpoints with different values, so we will NOT tie them.",
                "tie-contradicted",
            ),
        ),
        engine="transformers",
        phase="load",
    ),
    Entry(
        ("This checkpoint seem corrupted. The tied weights mapping",),
        (
            because("nesting-prefix", "likely"),
            because("wrapper-prefix"),
            because("shard-missing"),
            because("head-missing"),
        ),
        (
            Example(
                "ValueError: This checkpoint seem corrupted. The tied weights mapping for this model specifies to tie a to b, but both are absent from the checkpoint",
                "nesting-prefix",
            ),
        ),
        engine="transformers",
        phase="load",
    ),
    Entry(
        ("aten::equal: attempted to run this operator with Meta tensors", "aten::equal<..>Meta tensors"),
        (because("vocab-rows", "likely"), because("tie-contradicted")),
        (
            Example(
                "NotImplementedError: aten::equal: attempted to run this operator with Meta tensors, but there was no fake impl",
                "vocab-rows",
            ),
        ),
        engine="transformers",
        phase="load",
    ),
    Entry(
        (
            "`num_hidden_layers` (<n>) must be equal to the number of `layer_types` (<n>)",
            "num_hidden_layers` <..> must be equal to the number of <..>layer types",
            "must be equal to the number of `layer_types`",
            "hybrid_override_pattern <longer|shorter> than num_hidden_layers",
            "hybrid_override_pattern<..> length <..> num_hidden_layers",
            "length of <layer_types|layers_block_type|block_types|attn_type_list> <..> num_hidden_layers",
        ),
        (because("plan-length", "certain"),),
        (
            Example(
                "ValueError: `num_hidden_layers` (48) must be equal to the number of `layer_types` (45)", "plan-length"
            ),
            Example("AssertionError: hybrid_override_pattern longer than num_hidden_layers", "plan-length"),
        ),
        phase="config",
    ),
    Entry(
        (
            "`layer_types` entries must be in <..>",
            "layer_types entries must be in",
            "unknown layer type <..>",
            "Unknown layer type",
            "Unsupported layer type",
            "Invalid <layer|block> type",
            "Unrecognized layer type",
        ),
        (because("plan-word", "likely"), because("reader-too-old")),
        (
            Example(
                "ValueError: The `layer_types` entries must be in ('full_attention', 'sliding_attention') but got ['linear_attention']",
                "plan-word",
            ),
            Example("ValueError: Unknown layer type: linear_attention", "plan-word"),
        ),
        phase="config",
    ),
    Entry(
        (
            "`full_attn_layers` must be a list",
            "KDA value head count differs",
            "<kda_layers|full_attn_layers|linear_attn_config> <..>must",
            "AmbiguousGlobalPerLayerAttributeError",
        ),
        (because("plan-one-based", "likely", text=r"kda|KDA|full_attn_layers"), because("plan-word", "possible")),
        (
            Example("ValueError: `full_attn_layers` must be a list", "plan-one-based"),
            Example("AmbiguousGlobalPerLayerAttributeError: `num_key_value_heads` differs between layers", "plan-word"),
        ),
        phase="config",
    ),
    Entry(
        ("IndexError: list assignment index out of range",),
        (because("plan-one-based", "likely", frame=r"config"), because("plan-length")),
        (
            Example(
                '  File "transformers/models/kimi_linear/configuration_kimi_linear.py", line 9, in __init__\nIndexError: list assignment index out of range',
                "plan-one-based",
            ),
        ),
        phase="config",
    ),
    Entry(
        ("IndexError: list index out of range",),
        (
            because(
                "plan-length", "likely", frame=r"layer_type|modeling_\w+\.py:\d+ (?:__init__|<listcomp>|<genexpr>)"
            ),
            because("depth", "possible", frame=r"modeling_|cache_utils"),
        ),
        (
            Example(
                '  File "transformers/models/x/modeling_x.py", line 9, in __init__\n    self.layer_type = config.layer_types[layer_idx]\nIndexError: list index out of range',
                "plan-length",
            ),
        ),
    ),
    Entry(
        (
            "Error no file named <..> found in directory <..>",
            "does not appear to have a file named <pytorch_model.bin|model.safetensors>",
            "no file named model.safetensors",
        ),
        (because("no-weights", "likely"), because("training-state"), because("config-missing")),
        (
            Example(
                "OSError: Error no file named model.safetensors, or pytorch_model.bin, found in directory /x/checkpoint-500.",
                "no-weights",
            ),
        ),
        engine="transformers",
        phase="load",
    ),
    Entry(
        (
            "No such file or directory: <..>of-<..><.safetensors|.bin|.gguf>",
            "No such file or directory: <..>.safetensors",
        ),
        (because("shard-missing", "likely"), because("index-incomplete")),
        (
            Example(
                'FileNotFoundError: No such file or directory: "/m/model-00015-of-00030.safetensors"', "shard-missing"
            ),
        ),
        phase="load",
    ),
    Entry(
        ("does not contain the valid metadata", "does not contain valid metadata"),
        (because("no-format-metadata", "likely"),),
        (
            Example(
                "OSError: The safetensors archive passed at /x/model.safetensors does not contain the valid metadata. Make sure you save your model with the `save_pretrained` method.",
                "no-format-metadata",
            ),
        ),
        engine="transformers",
        phase="load",
    ),
    Entry(
        (
            "has model type `<word>` but Transformers does not recognize this architecture",
            "but Transformers does not recognize this architecture",
        ),
        (because("reader-too-old", "likely"), because("remote-code-missing")),
        (
            Example(
                "ValueError: The checkpoint you are trying to load has model type `qwen3_5` but Transformers does not recognize this architecture.",
                "reader-too-old",
            ),
        ),
        engine="transformers",
        phase="config",
    ),
    Entry(
        ("Should have a `model_type` key in its config.json", "Unrecognized model in <..>"),
        (because("config-missing", "likely"),),
        (
            Example(
                "ValueError: Unrecognized model in /x/checkpoint-100. Should have a `model_type` key in its config.json",
                "config-missing",
            ),
        ),
        engine="transformers",
        phase="config",
    ),
    Entry(
        (
            "does not appear to have a file named config.json",
            "is not the path to a directory containing a file named config.json",
            "Can't load the configuration of",
        ),
        (because("config-missing", "likely"),),
        (
            Example(
                "OSError: /x/adapter does not appear to have a file named config.json. Checkout 'https://huggingface.co/x' for available files.",
                "config-missing",
            ),
        ),
        engine="transformers",
        phase="config",
    ),
    Entry(
        (
            "Could not locate the <..>.py inside",
            "does not appear to have a file named <..>.py",
            "No module named 'transformers_modules<..>",
        ),
        (because("remote-code-missing", "likely"),),
        (Example("OSError: Could not locate the configuration_baichuan.py inside /x/merged.", "remote-code-missing"),),
        engine="transformers",
        phase="config",
    ),
    Entry(
        (
            "_tied_weights_keys<..>list<..>dict",
            "'list' object has no attribute <'keys'|'items'|'values'>",
            "all_tied_weights_keys",
        ),
        (because("remote-code-old", "likely", text=r"tied|transformers_modules|modeling_"), because("remote-code-old")),
        (
            Example(
                "  File \"transformers/modeling_utils.py\", line 5, in get_expanded_tied_weights_keys\n    for k in self._tied_weights_keys.keys()\nAttributeError: 'list' object has no attribute 'keys'",
                "remote-code-old",
            ),
            Example("crash: _tied_weights_keys list where dict expected", "remote-code-old"),
            Example(
                "AttributeError: 'XForCausalLM' object has no attribute 'all_tied_weights_keys'", "remote-code-old"
            ),
        ),
        engine="transformers",
        phase="build",
    ),
    Entry(
        ("Tokenizer class <word> does not exist or is not currently imported",),
        (because("config-dialect", "likely"), because("reader-too-old")),
        (
            Example(
                "ValueError: Tokenizer class TokenizersBackend does not exist or is not currently imported.",
                "config-dialect",
            ),
        ),
        engine="transformers",
        phase="config",
    ),
    Entry(
        (
            "'<word>Config' object has no attribute <'rope_theta'|'rope_parameters'|'rope_scaling'|'torch_dtype'|'dtype'|'layer_types'|'text_config'|'max_position_embeddings'>",
            "'<word>Config' object has no attribute",
            "config' object has no attribute <'rope_theta'|'rope_parameters'>",
            "full_attn_alpha_factor",
            "layernorm_full_attention_alpha",
        ),
        (
            because(
                "plan-spellings",
                "likely",
                text=r"full_attention_interval|layers_block_type|attn_layer_period|hybrid_override_pattern",
            ),
            because("config-dialect", "likely", text=_FIELDS),
            because("config-dialect", "possible", text=r"modeling_|transformers|vllm|sglang|mlx_lm"),
            because("reader-too-old", "possible", text=_FIELDS),
        ),
        (
            Example("AttributeError: 'LlamaConfig' object has no attribute 'rope_theta'", "config-dialect"),
            Example(
                "AttributeError: 'Qwen3NextConfig' object has no attribute 'full_attention_interval'", "plan-spellings"
            ),
        ),
        phase="config",
    ),
    Entry(
        (
            "Supplied state dict for <name> does not contain <..>bitsandbytes__<..>",
            "Supplied state dict for <..> does not contain",
        ),
        (because("quant-companion"), because("engine-drops-scales"), because("quant-config-stale")),
        (
            Example(
                "ValueError: Supplied state dict for model.layers.0.mlp.up_proj.weight does not contain `bitsandbytes__*` and possibly other `quantized_stats` components.",
                "quant-companion",
            ),
        ),
        engine="bitsandbytes",
        phase="load",
    ),
    Entry(
        ("Removed shared tensor <list> while saving",),
        (
            because(
                "zero3-deduplicated",
                "likely",
                text=r"Removed shared tensor .{400}|hundreds|(?:layers\.\d{1,4}\.[\w.]{1,80}\W{1,8}){4}|mlp|self_attn",
            ),
            because("undeclared-tie", "possible"),
            because("zero3-deduplicated"),
        ),
        (
            Example(
                "Removed shared tensor {'lm_head.weight'} while saving. This should be OK, but check by verifying that you don't receive any warning while reloading",
                "undeclared-tie",
            ),
            Example(
                "Removed shared tensor {'model.layers.0.mlp.up_proj.weight', 'model.layers.7.self_attn.q_proj.weight'} while saving. This should be OK, but",
                "zero3-deduplicated",
            ),
        ),
        engine="transformers",
        phase="save",
    ),
    Entry(
        (
            "Some tensors share memory, this will lead to duplicate memory on disk",
            "shared tensors<..>mismatching the transformers base configuration",
        ),
        (because("undeclared-tie", "likely"),),
        (
            Example(
                "RuntimeError: Some tensors share memory, this will lead to duplicate memory on disk and potential differences when loading them again: [{'a.lm_head.weight', 'a.model.embed_tokens.weight'}]",
                "undeclared-tie",
            ),
        ),
        engine="safetensors",
        phase="save",
    ),
    Entry(
        (
            "ImportError: <..><optimum|gptqmodel|autoawq|compressed-tensors|compressed_tensors|bitsandbytes|torchao|auto-gptq|fbgemm|kernels><..>",
            "requires <..>optimum",
            "requires <..>gptqmodel",
            "requires <..>autoawq",
            "requires <..>bitsandbytes",
            "requires <..>compressed-tensors",
            "No package metadata was found for <word>",
        ),
        (because("packages-missing", "likely"),),
        (
            Example(
                "ImportError: Loading a GPTQ quantized model requires optimum (`pip install optimum`) and gptqmodel",
                "packages-missing",
            ),
        ),
        phase="config",
    ),
    Entry(
        ("UNEXPECTED *_scale<..>",),
        (because("engine-drops-scales", "likely"), because("quant-config-missing")),
        (Example("UNEXPECTED *_scale_inv: 71", "engine-drops-scales"),),
        phase="load",
    ),
    Entry(
        ("not consistent: tie_word_embeddings", "tie_word_embeddings <..>text_config"),
        (because("tie-level", "likely"),),
        (Example("tie_word_embeddings differs between config and text_config", "tie-level"),),
        phase="config",
    ),
    Entry(
        ("<name> does not exist in the model state dict", "<name> is not in the model state dict"),
        (because("expert-layout", "likely", name=r"experts"), because("nesting-prefix"), because("wrong-class")),
        (
            Example(
                "ValueError: model.layers.0.mlp.experts.gate_up_proj does not exist in the model state dict.",
                "expert-layout",
            ),
        ),
        phase="load",
    ),
    Entry(
        ("unwritten tensors <list>", "No mapping found for <list>"),
        (because("mtp-unannounced", "likely", text=r"layers\.\d+\.\*|mtp|nextn"), because("foreign-dialect")),
        (Example("unwritten tensors model.layers.46.*, 47.*", "mtp-unannounced"),),
        phase="convert",
    ),
    Entry(
        ("vocab mismatch", "vocab size mismatch", "Vocab size mismatch", "vocabulary size mismatch"),
        (
            because("vocab-tokenizer", "likely", text=r"tokenizer|Error|embedding"),
            because("vocab-tokenizer"),
            because("vocab-rows"),
        ),
        (
            Example(
                "ValueError: Vocab size mismatch (model has 152064, but tokenizer.model has 151643).", "vocab-tokenizer"
            ),
        ),
    ),
    Entry(
        ("IndexError: index out of range in self", "indexSelectSmallIndex", "srcIndex < srcSelectDimSize"),
        (because("vocab-tokenizer", "likely"), because("vocab-rows"), because("head-rows")),
        (Example("IndexError: index out of range in self", "vocab-tokenizer"),),
        phase="generate",
    ),
    Entry(
        (
            "requires the following packages that were not found in your environment",
            "No module named '<flash_attn|causal_conv1d|mamba_ssm|fla|einops|tiktoken>",
        ),
        (because("packages-missing", "likely"),),
        (
            Example(
                "ImportError: This modeling file requires the following packages that were not found in your environment: flash_attn. Run `pip install flash_attn`",
                "packages-missing",
            ),
        ),
        phase="config",
    ),
    Entry(
        ("data did not match any variant of untagged enum",),
        (because("tokenizer-too-new", "likely"), because("truncated")),
        (
            Example(
                "Exception: data did not match any variant of untagged enum ModelWrapper at line 1251003 column 3",
                "tokenizer-too-new",
            ),
        ),
        phase="config",
    ),
    Entry(
        ("JSONDecodeError",),
        (because("json-broken", "possible"), because("lfs-pointer")),
        (Example("json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)", "json-broken"),),
    ),
    Entry(
        (
            "is on the meta device, we need a `value` to put in on",
            "Cannot copy out of meta tensor",
            "Tensor on device meta is not on the expected device",
        ),
        (
            because("meta-left", "possible"),
            because("shard-missing"),
            because("zero3-runtime", text=r"(?i)deepspeed|zero"),
        ),
        (
            Example("ValueError: weight is on the meta device, we need a `value` to put in on 0.", "meta-left"),
            Example("NotImplementedError: Cannot copy out of meta tensor; no data!", "meta-left"),
        ),
        phase="load",
    ),
)
