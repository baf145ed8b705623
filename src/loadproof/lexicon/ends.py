"""The two ends of a language model: what its input embedding and its output head are called.

File and line: transformers 5.24, `models/*/modeling_*.py`; the first class of many where several use the word.
"""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.lexicon.words import Words, any_of

# `decoder` (BERT) and `out_proj` (T5Gemma) are left out: they are stacks and attention outputs almost everywhere.
HEADS: Words = {
    "lm_head": "modeling_llama.py, and 282 more",
    "embed_out": "modeling_gpt_neox_japanese.py:495",
    "output": "modeling_git.py:893; the Llama release; GGUF",
    "output_layer": "GLM's remote code; Megatron",
    "proj_out": "modeling_whisper.py:997",
    "head": "modeling_rwkv.py:672",
    "output_projection": "modeling_biogpt.py:431",
    "generator_lm_head": "modeling_electra.py:973",
    "lm_loss": "modeling_xlnet.py:1224",
    "vocab_projector": "modeling_distilbert.py:438",
    "text_lm_head": "modeling_higgs_audio_v2.py:594",
}
EMBEDDINGS: Words = {
    "embed_tokens": "modeling_llama.py, and 173 more",
    "wte": "modeling_gpt2.py; modeling_mpt.py:234",
    "embed_in": "modeling_gpt_neox.py:298",
    "word_embeddings": "modeling_bloom.py; modeling_bert.py",
    "tok_embeddings": "modeling_modernbert.py:59; the Llama release",
    "token_embedding": "modeling_clip.py",
    "shared": "modeling_t5.py; modeling_bart.py",
    "word_embedding": "modeling_xlnet.py:864",
    "tokens_embed": "modeling_openai.py:301",
    "token_embd": "GGUF",
    "embedding": "modeling_dia.py (encoder)",
    "embeddings": "modeling_mamba2.py:742",
}
# The heads of other tasks: rows are labels, not tokens.
TASK_HEADS: Words = {
    "score": "modeling_bloom.py:687, every ForSequenceClassification of a decoder",
    "classifier": "modeling_bert.py",
    "qa_outputs": "modeling_led.py:2063",
    "classification_head": "modeling_bart.py:969",
    "v_head": "trl, AutoModelForCausalLMWithValueHead",
    "value_head": "reward models of trainers",
    "summary": "trl, inside v_head",
}
# Looked for in a live model that has no getter. `score` is a head there: it has rows and columns like one. `embed` is
# not looked for in files, where it is a table of audio codes (modeling_dia.py:88).
LIVE_HEADS = (*HEADS, "score")
LIVE_EMBEDDINGS = (*EMBEDDINGS, "embed")
# Words that other modules bear too: they count only right above a weight.
_COMMON = frozenset(("output", "head", "proj_out", "shared", "embedding", "embeddings", "summary", "score"))
_TEXT_HEADS = tuple(word for word in HEADS if word not in _COMMON)


def part_pattern(words: Iterable[str]) -> str:
    """An expression for names that lie in a module called so; a common word has to stand right above the leaf."""
    words = set(words)
    own, common = any_of(words - _COMMON), any_of(words & _COMMON)
    inside = rf"(?:^|\.)(?:{own})(?:\.|$)"
    return rf"{inside}|(?:^|\.)(?:{common})\.[^.]+$|^(?:{common})$" if common else inside


def _weight(words: Iterable[str]) -> str:
    return rf"(?:^|\.)(?:{any_of(words)})\.weight$"


HEAD, EMBEDDING, TASK_HEAD = part_pattern(HEADS), part_pattern(EMBEDDINGS), part_pattern(TASK_HEADS)
VOCABULARY = part_pattern((*HEADS, *EMBEDDINGS))  # one row a token
ANY_EMBEDDING = rf"{EMBEDDING}|embed|(?:^|\.)wpe\."  # positions, token types and patches as well
HEAD_WEIGHT, EMBEDDING_WEIGHT = _weight(HEADS), _weight(EMBEDDINGS)
TEXT_HEAD_WEIGHT = _weight(_TEXT_HEADS)  # the head of a language model beyond doubt: an image tower has a `head` too
