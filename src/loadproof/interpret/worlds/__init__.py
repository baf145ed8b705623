"""Worlds of libraries that stand on transformers: each adds its own text and its own stand-ins to those of `release.World`."""
