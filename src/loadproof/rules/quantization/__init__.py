"""LP6: packed and scaled tensors and what the config says of them."""
