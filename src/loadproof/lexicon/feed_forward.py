"""Feed-forward parts: what their modules and matrices are called."""

from __future__ import annotations

from loadproof.lexicon.words import Words, any_of

MODULES = ("mlp", "feed_forward", "ffn")
MATRICES: Words = {
    "gate_proj": "modeling_llama.py",
    "up_proj": "modeling_llama.py",
    "down_proj": "modeling_llama.py",
    "gate_up_proj": "modeling_phi3.py",
    "fc1": "modeling_opt.py",
    "fc2": "modeling_opt.py",
    "c_fc": "modeling_gpt2.py",
    "c_proj": "modeling_gpt2.py",
    "w1": "modeling_lfm2.py; the Llama release",
    "w2": "modeling_lfm2.py; the Llama release",
    "w3": "modeling_lfm2.py; the Llama release",
    "dense_h_to_4h": "modeling_gpt_neox.py; modeling_bloom.py",
    "wi_0": "modeling_t5.py",
    "wo": "modeling_t5.py",
}
DENSE = rf"\.(?:{any_of(MODULES)})\.(?:{any_of(MATRICES)})\."
NO_MIXER = rf"{any_of(MODULES)}|moe|expert|norm"  # in the name of a module of a layer: it mixes no tokens
IN_LAYER = r"\.(?:\w{0,40}mlp|\w{0,40}moe|ffn|feed_forward|experts|\w{0,40}norm)\."  # beside the mixer
