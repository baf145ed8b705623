"""What training runs leave in a folder in place of a checkpoint, or beside one."""

from loadproof.formats.training.find import find_states

__all__ = ["find_states"]
