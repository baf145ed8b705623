"""KeyError: 'language_model.model.layers.20.linear_attn', with every layer named instead of the first.

python examples/layer_plan.py     (standard library only)
"""

from loadproof import LayerPlan, LayerPlanError, build_state_dict_mapper, map_weights_safe

plan = LayerPlan(linear_attn_layers={4, 9, 20}, num_layers=21)  # what config.json declares
stored = {f"language_model.model.layers.{i}.self_attn.q_proj.weight": i for i in range(21) if i != 4}
stored["language_model.model.layers.4.linear_attn.in_proj_qkv.weight"] = 4

try:
    build_state_dict_mapper(plan)(stored)
except LayerPlanError as error:  # both a ValueError and a KeyError
    print(error, end="\n\n")

print("what is stored:", sorted(LayerPlan.from_checkpoint(stored).linear_attn_layers))

mapped = map_weights_safe(stored, {20: "linear_attn"}, default="skip")
print("left out, and said so:", mapped.missing)
