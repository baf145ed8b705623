"""Texts as people paste them, kept apart from the knowledge base: the first cause must be one of these codes."""

from __future__ import annotations

import pytest

from loadproof.tracebacks import candidates, read_symptom

TEXTS = [
    ("KeyError: 'model.layers.43.self_attn.attn'", "LP704"),
    ("KeyError: 'model.layers.0.attn.attn'", "LP704"),
    ("KeyError: 'model.5.mixer'", "LP704"),
    ("KeyError: 'model.layers.12.mlp.experts'", "LP704"),
    ("KeyError: 'model.layers.12.short_conv'", "LP704"),
    ("KeyError: 'model.visual.blocks.3.attn.qkv_proj.weight_packed'", "LP603"),
    ("KeyError: 'visual.blocks.0.attn.qkv.weight_scale'", "LP603"),
    ("KeyError: 'layers.0.block_sparse_moe.experts.0.w1.weight_scale'", "LP601 LP603 LP409"),
    ("KeyError: 'module.model.layers.0.self_attn.q_proj.weight'", "LP401"),
    ("KeyError: '_fsdp_wrapped_module.model.embed_tokens.weight'", "LP401"),
    ("KeyError: 'base_model.model.model.layers.0.self_attn.q_proj.base_layer.weight'", "LP404"),
    ("KeyError: 'layers.61.eh_proj.weight'", "LP309 LP704"),
    ("KeyError: 'mtp.layers.0.mlp.up_proj.weight'", "LP309"),
    ("KeyError: 'score.weight'", "LP406"),
    ("KeyError: 'v_head.summary.weight'", "LP406 LP407"),
    ("KeyError: 'mistral3'", "LP701"),
    ("KeyError: 'gemma3'", "LP701"),
    ("KeyError: 'glm4_moe'", "LP701"),
    ("KeyError: 'rope_type'", "LP703"),
    ("ValueError: There is no module or parameter named 'mtp' in Qwen3NextForCausalLM", "LP309"),
    ("ValueError: There is no module or parameter named 'model.visual' in Qwen2ForCausalLM", "LP406"),
    ("ValueError: There is no module or parameter named 'layers.61' in DeepseekV3Model", "LP307 LP309"),
    ("ValueError: There is no module or parameter named 'module' in X", "LP401"),
    ("ValueError: There is no module or parameter named 'pretrained_model' in LlamaForCausalLM", "LP401"),
    ("ValueError: There is no module or parameter named 'v_head' in LlamaForCausalLM", "LP406"),
    ("ValueError: There is no module or parameter named 'layers.0.mlp.experts' in Qwen3Model", "LP409 LP406"),
    ("ValueError: There is no module or parameter named 'model.layers.3.mamba' in JambaForCausalLM", "LP301"),
    ("ValueError: There is no module or parameter named 'layers.0.linear_attn.in_proj_qkv' in Qwen3NextModel", "LP413"),
    (
        "ValueError: There is no module or parameter named 'layers.0.self_attn.q_proj.weight_scale_inv' in LlamaModel",
        "LP603 LP601",
    ),
    ("ValueError: There is no module or parameter named 'layers.0.mlp.down_proj.g_idx' in LlamaModel", "LP603 LP601"),
    (
        "ValueError: Following weights were not initialized from checkpoint: {'model.layers.3.linear_attn.A_log', 'model.layers.3.linear_attn.dt_bias'}",
        "LP301 LP408 LP102",
    ),
    ("ValueError: Following weights were not initialized from checkpoint: {'model.norm.weight'}", "LP408 LP102 LP402"),
    ("torch.nn.modules.module.ModuleAttributeError: x", ""),
    ("ValueError: Can not map tensor '_orig_mod.model.embed_tokens.weight'", "LP401"),
    ("ValueError: Can not map tensor 'base_model.model.model.embed_tokens.weight'", "LP404"),
    ("ValueError: Can not map tensor 'model.layers.0.self_attn.q_proj.lora_A.default.weight'", "LP404"),
    ("ValueError: Can not map tensor 'model.visual.patch_embed.proj.weight'", "LP406"),
    ("ValueError: Can not map tensor 'score.weight'", "LP406"),
    ("ValueError: Can not map tensor 'v_head.summary.bias'", "LP406"),
    ("ValueError: Can not map tensor 'model.layers.0.mlp.experts.gate_up_proj'", "LP409"),
    ("ValueError: Can not map tensor 'model.layers.0.self_attn.q_proj.weight_scale'", "LP601"),
    ("ValueError: Can not map tensor 'model.model.layers.0.input_layernorm.weight'", "LP403"),
    ("ValueError: Can not map tensor 'mtp.fc.weight'", "LP309"),
    ("llama_model_load: error loading model: missing tensor 'blk.28.nextn.eh_proj.weight'", "LP308 LP701"),
    ("llama_model_load: error loading model: missing tensor 'token_embd.weight'", "LP704 LP102"),
    ("llama_model_load: error loading model: missing tensor 'blk.3.attn_q.weight'", "LP301"),
    ("error loading model: create_tensor: tensor 'output.weight' not found", "LP203"),
    (
        "llama_model_load: error loading model: done_getting_tensors: wrong number of tensors; expected 292, got 291",
        "LP412 LP309",
    ),
    ("error loading model: tensor 'blk.0.ffn_up.weight' has invalid ggml type 42 (NONE)", "LP701"),
    (
        "llama_model_load: error loading model: check_tensor_dims: tensor 'output.weight' has wrong shape; expected  5120, 152064, got  5120, 151936,     1,     1",
        "LP207",
    ),
    (
        "ValueError: Received 200 parameters not in model: \nvision_tower.blocks.0.attn.proj.weight,\nvision_tower.blocks.0.attn.proj.bias",
        "LP406",
    ),
    ("ValueError: Received 5 parameters not in model: \nmtp.fc.weight,\nmtp.norm.weight", "LP309"),
    ("ValueError: Missing 1 parameters: lm_head.weight", "LP203"),
    (
        "ValueError: Missing 2 parameters: \nmodel.layers.0.self_attn.q_norm.weight,\nmodel.layers.1.self_attn.q_norm.weight.",
        "LP408",
    ),
    (
        "size mismatch for model.layers.0.self_attn.q_proj.weight: copying a param with shape torch.Size([8388608, 1]) from checkpoint, the shape in current model is torch.Size([4096, 4096]).",
        "LP607",
    ),
    (
        "size mismatch for model.norm.weight: copying a param with shape torch.Size([512]) from checkpoint, the shape in current model is torch.Size([4096])",
        "LP508 LP507",
    ),
    (
        "size mismatch for transformer.h.0.attn.c_attn.weight: copying a param with shape torch.Size([768, 2304]) from checkpoint, the shape in current model is torch.Size([2304, 768])",
        "LP503",
    ),
    (
        "size mismatch for model.layers.0.mlp.gate_proj.weight: copying a param with shape torch.Size([14336, 4096]) from checkpoint, the shape in current model is torch.Size([11008, 4096])",
        "LP502",
    ),
    (
        "size mismatch for lm_head.weight: copying a param with shape torch.Size([262144000]) from checkpoint, the shape in current model is torch.Size([64000, 4096])",
        "LP201",
    ),
    (
        "size mismatch for model.embed_tokens.weight: copying a param with shape torch.Size([0]) from checkpoint, the shape in current model is torch.Size([32000, 4096])",
        "LP506",
    ),
    (
        "size mismatch for base_model.model.model.embed_tokens.weight: copying a param with shape torch.Size([32002, 4096]) from checkpoint, the shape in current model is torch.Size([32000, 4096])",
        "LP804",
    ),
    (
        "size mismatch for base_model.model.model.layers.0.self_attn.q_proj.lora_B.default.weight: copying a param with shape torch.Size([4096, 16]) from checkpoint, the shape in current model is torch.Size([5120, 16])",
        "LP803",
    ),
    (
        "size mismatch for score.weight: copying a param with shape torch.Size([2, 4096]) from checkpoint, the shape in current model is torch.Size([3, 4096])",
        "LP407 LP501 LP502",
    ),
    (
        "size mismatch for model.layers.0.mlp.experts.gate_up_proj: copying a param with shape torch.Size([128, 2048, 1536]) from checkpoint, the shape in current model is torch.Size([128, 1536, 2048])",
        "LP409 LP503",
    ),
    (
        "Some weights of Qwen2ForTokenClassification were not initialized from the model checkpoint at x and are newly initialized: ['classifier.bias', 'classifier.weight']",
        "LP407",
    ),
    (
        "Some weights of the model checkpoint at x were not used when initializing LlamaForCausalLM: ['module.lm_head.weight', 'module.model.embed_tokens.weight']",
        "LP401",
    ),
    (
        "Some weights of the model checkpoint at x were not used when initializing LlamaForCausalLM: ['model.layers.0.mlp.down_proj.weight.absmax', 'model.layers.0.mlp.down_proj.weight.quant_map']",
        "LP607",
    ),
    (
        "Some weights of the model checkpoint at x were not used when initializing LlamaForCausalLM: ['model.layers.0.mlp.down_proj.g_idx', 'model.layers.0.mlp.down_proj.qweight']\nSome weights of LlamaForCausalLM were not initialized from the model checkpoint at x and are newly initialized: ['model.layers.0.mlp.down_proj.weight']",
        "LP601",
    ),
    (
        "Some weights of LlamaForCausalLM were not initialized from the model checkpoint at x and are newly initialized: ['model.embed_tokens.weight', 'model.layers.0.mlp.up_proj.weight', 'model.norm.weight', 'lm_head.weight']\nSome weights of the model checkpoint at x were not used when initializing LlamaForCausalLM: ['embed_tokens.weight', 'layers.0.mlp.up_proj.weight', 'norm.weight']",
        "LP405 LP402",
    ),
    (
        "Some weights of MistralForCausalLM were not initialized from the model checkpoint at x and are newly initialized: ['model.layers.31.input_layernorm.weight', 'model.layers.31.mlp.down_proj.weight', 'model.layers.31.mlp.gate_proj.weight', 'model.layers.31.mlp.up_proj.weight', 'model.layers.31.post_attention_layernorm.weight', 'model.layers.31.self_attn.k_proj.weight']",
        "LP307 LP102",
    ),
    (
        'RuntimeError: Error(s) in loading state_dict for LlamaForCausalLM:\n\tMissing key(s) in state_dict: "model.embed_tokens.weight", "model.layers.0.mlp.up_proj.weight". \n\tUnexpected key(s) in state_dict: "_orig_mod.model.embed_tokens.weight", "_orig_mod.model.layers.0.mlp.up_proj.weight". ',
        "LP401",
    ),
    ("SafetensorError: Error while deserializing header: InvalidHeaderDeserialization", "LP005 LP006"),
    (
        "safetensors_rust.SafetensorError: Error while deserializing header: incomplete metadata, file not fully covered",
        "LP003",
    ),
    (
        "OSError: Unable to load weights from pytorch checkpoint file for '/x/pytorch_model.bin' at '/x/pytorch_model.bin'. If you tried to load a PyTorch model from a TF 2.0 checkpoint, please set from_tf=True.",
        "LP001 LP003",
    ),
    (
        "OSError: /x/checkpoint-10 does not appear to have a file named pytorch_model.bin, model.safetensors, tf_model.h5",
        "LP112",
    ),
    ("ValueError: Unknown quantization type, got hqq2 - supported types are: ['awq']", "LP701"),
    (
        "ValueError: The quantization method fp8 is not supported for the current GPU. Minimum capability: 89. Current capability: 80.",
        "LP701 LP704",
    ),
    ("AssertionError: 40 is not divisible by 3", "LP702"),
    ("ValueError: Total number of attention heads (40) must be divisible by tensor parallel size (3).", "LP702"),
    (
        "RuntimeError: Expected size for first two dimensions of batch2 tensor to be: [4, 4096] but got: [4, 131072000].",
        "LP201",
    ),
    ("RuntimeError: mat1 and mat2 shapes cannot be multiplied (12x4096 and 32000x4096)", "LP211 LP503"),
    (
        "RuntimeError: Output 0 of ViewBackward0 is a view and its base or another view of its base has been modified inplace. This view is the output of a function that returns multiple views.",
        "LP905",
    ),
    (
        "RuntimeError: CUDA error: device-side assert triggered\n../aten/src/ATen/native/cuda/Indexing.cu:1292: indexSelectLargeIndex: block: [0,0,0], thread: [0,0,0] Assertion `srcIndex < srcSelectDimSize` failed.",
        "LP208 LP207",
    ),
    ("AttributeError: 'Gemma3Config' object has no attribute 'vocab_size'", "LP703"),
    ("AttributeError: 'Qwen3_5Config' object has no attribute 'hidden_size'", "LP703"),
    (
        "ImportError: This modeling file requires the following packages that were not found in your environment: flash_attn. Run `pip install flash_attn`",
        "",
    ),
    (
        "ValueError: Attempted to load weight (torch.Size([8388608, 1])) into parameter (torch.Size([4096, 4096]))",
        "LP603 LP607",
    ),
    ("RuntimeError: start (4096) + length (1024) exceeds dimension size (4096).", "LP502 LP503"),
    (
        "RuntimeError: The size of tensor a (128256) must match the size of tensor b (128264) at non-singleton dimension 0",
        "LP207",
    ),
    (
        "RuntimeError: The size of tensor a (0) must match the size of tensor b (4096) at non-singleton dimension 1",
        "LP506 LP904",
    ),
    ("ValueError: weight is on the meta device, we need a `value` to put in on 0.", "LP904 LP102 LP402"),
    ("NotImplementedError: Cannot copy out of meta tensor; no data!", "LP402 LP102 LP904"),
    (
        "RuntimeError: Error(s) in loading state_dict for Embedding: size mismatch for weight: copying a param with shape torch.Size([0]) from checkpoint, the shape in current model is torch.Size([32000, 4096]).",
        "LP506",
    ),
    (
        'ValueError: Trying to set a tensor of shape torch.Size([32000, 4096]) in "weight" (which has shape torch.Size([32064, 4096])), this look incorrect.',
        "LP207",
    ),
    (
        'ValueError: Trying to set a tensor of shape torch.Size([0]) in "weight" (which has shape torch.Size([32064, 4096])), this looks incorrect.',
        "LP506",
    ),
    (
        "AssertionError: Attempted to load weight (torch.Size([151936, 1024])) into parameter (torch.Size([151940, 1024]))",
        "LP207 LP501 LP502",
    ),
    ("RuntimeError: shape '[32, 2, 64, 4096]' is invalid for input of size 4194304", "LP502 LP607"),
    (
        "mergekit: RuntimeError: Tensor model.layers.3.self_attn.q_proj.weight required but not present in model x",
        "LP408",
    ),
    ("Exception: data did not match any variant of untagged enum ModelWrapper at line 1 column 2", "LP703 LP704 LP701"),
    ("OSError: Unable to load weights from checkpoint", "LP001 LP003"),
    ("FileNotFoundError: [Errno 2] No such file or directory: '/m/model-00004-of-00008.safetensors'", "LP102"),
    ("json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)\n", "LP101 LP703"),
    ("RuntimeError: unable to mmap 4952 bytes from file </m/model.safetensors>: Cannot allocate memory (12)", ""),
]


@pytest.mark.parametrize(("text", "codes"), TEXTS, ids=[text[:70] for text, _ in TEXTS])
def test_the_first_cause_fits(text: str, codes: str) -> None:
    found = candidates(read_symptom(text.split("\n")))
    assert (found[0].code if found else "") in (codes.split() or [""])
