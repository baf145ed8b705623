"""'weight' must be 2-D in generate(): reproduced, explained, repaired in place.

python examples/flat_head.py      (needs torch and transformers; a tiny random model, no download)
"""

import torch
from transformers import LlamaConfig, LlamaForCausalLM

from loadproof import HeadFault, diagnose, guard

model = LlamaForCausalLM(
    LlamaConfig(
        vocab_size=64,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        tie_word_embeddings=True,
    )
).eval()
ids = torch.arange(5)[None]
before = model(ids).logits

head = model.lm_head.weight  # tied: the same Parameter as the input embedding
head.data = head.data.view(-1)  # what a merge or quantize script did

try:
    model.generate(ids, max_new_tokens=2)
except RuntimeError as error:
    print("torch says:     ", error)

for finding in diagnose(model).findings:
    print("loadproof says: ", finding.code, finding.headline)

try:
    guard(model).attach()
except HeadFault as fault:
    print("guard refuses:  ", str(fault).splitlines()[0])

with guard(model, on_fault="repair"):
    model.generate(ids, max_new_tokens=2)
print("repaired:       ", tuple(model.lm_head.weight.shape), "logits equal:", torch.equal(before, model(ids).logits))
print("still tied:     ", model.lm_head.weight is model.model.embed_tokens.weight)
