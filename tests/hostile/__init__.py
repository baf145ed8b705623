"""Malformed and hostile checkpoints, made on the fly; nothing here is ever executed."""
