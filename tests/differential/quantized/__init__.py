"""Quantized models: what the library's quantizers make of a model, and what becomes of quantized checkpoints."""
