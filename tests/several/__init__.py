"""Checkpoints with two and three faults at once: which causes must be found, in which order, and what the repairs reach."""
