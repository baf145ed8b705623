"""Parts of a checkpoint that are no text decoder: towers for images and sound, what joins them to it, prediction heads.

File and line: transformers 5.24, `models/*/modeling_*.py`; the first class of many where several use the word.
"""

from __future__ import annotations

from loadproof.lexicon.words import Words, any_of, part_of

TOWERS: Words = {
    "visual": "modeling_qwen3_vl.py:860",
    "vision": "Llama 4's release",
    "vision_tower": "modeling_llava.py, and 44 more",
    "vision_model": "modeling_clip.py, and 42 more",
    "vision_encoder": "modeling_sam3_tracker.py:795",
    "vision_backbone": "modeling_omdet_turbo.py:281",
    "vit": "modeling_yolos.py:539",
    "vpm": "MiniCPM-V's remote code",
    "image_encoder": "modeling_depth_pro.py:406",
    "image_tower": "modeling_video_llava.py:138",
    "video_tower": "modeling_video_llava.py:137",
    "img_processor": "modeling_phi4_multimodal.py:472",
    "embed_vision": "modeling_gemma4.py:2236",
    "audio": "Whisper's release",
    "audio_tower": "modeling_qwen2_audio.py, and 22 more",
    "audio_encoder": "modeling_clap.py:1286",
    "audio_model": "modeling_clap.py:1458",
    "embed_audio": "modeling_nemotron_h_omni.py:156",
    "speech_encoder": "modeling_seamless_m4t.py:2530",
}
BRIDGES: Words = {
    "multi_modal_projector": "modeling_llava.py, and 43 more",
    "mm_projector": "modeling_kimi_k25.py:573; LLaVA's release",
    "projector": "releases of several tools",
    "merger": "modeling_qwen3_vl.py:648",
    "resampler": "MiniCPM-V's remote code",
    "perceiver": "modeling_perceiver.py:817",
    "connector": "modeling_smolvlm.py, modeling_modernvbert.py:175",
    "aligner": "modeling_deepseek_vl_hybrid.py:240",
}
# Multi-token prediction heads (MTP, nextn): `mtp.*`, or layers behind the last one that hold one of the marks.
PREDICTION_HEADS: Words = {
    "mtp": "modeling_qwen3_next.py and modeling_dots3_note.py:682 (ignored on load); Qwen's releases",
    "mtp_block": "ERNIE's releases",
    "mtp_layers": "MiMo's releases",
    "mtp_predictor": "trainers",
    "nextn": "GGUF",
    "nextn_predict_layers": "GLM's releases",
}
PREDICTION_MARKS: Words = {
    "eh_proj": "DeepSeek-V3's release",
    "enorm": "DeepSeek-V3's release",
    "hnorm": "DeepSeek-V3's release",
    "shared_head": "modeling_glm5_next.py:1390",
    "pre_fc_norm": "Qwen3-Next's release",
}
DRAFT = r"(?:\A|\.)(?:midlayer\.|d2t\Z|t2d\Z|fc\.weight\Z)"  # EAGLE-3: one layer, a reduced vocabulary with its maps
# Parts of a path below which the layers are not those of the text decoder.
OTHER_STACKS = frozenset((*TOWERS, *BRIDGES, *PREDICTION_HEADS, "encoder", "draft"))
# How words for other senses begin, which models make up freely (`vision_language_adapter`, `image_newline`).
_STEMS = (
    *("vision", "visual", "vit", "vpm", "image", "img_", "audio", "video", "speech", "multi_modal", "mm_", "resampler"),
    *("perceiver", "projector", "merger", "connector", "aligner", "patch_embed", "mlp1"),
)
MULTIMODAL = rf"(?i:(?:^|[._])(?!(?<=vocab_)projector)(?:{any_of(_STEMS)}))"  # `vocab_projector` is a head
TOWER = part_of((*TOWERS, *BRIDGES))
MARKED = rf"(?:^|\.)(?:{any_of(PREDICTION_MARKS)})"
PREDICTION = rf"(?:^|\.)(?:mtp|nextn)(?:[._]|$)|{MARKED}"


def is_other_stack(path: str) -> bool:
    """Whether layers below this dotted path belong to something else than the text decoder."""
    return not OTHER_STACKS.isdisjoint(path.split("."))


def is_prediction_head(template: str) -> bool:
    """Whether a part of this name is the word for a prediction head."""
    return not PREDICTION_HEADS.keys().isdisjoint(template.split("."))
