"""Bytes -> facts: what lies in a checkpoint, and the tensors of its files."""

from loadproof.formats.checkpoint import StoredCheckpoint, checkpoint_at

__all__ = ["StoredCheckpoint", "checkpoint_at"]
