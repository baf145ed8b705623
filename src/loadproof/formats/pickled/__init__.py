"""Pickles read as data: a small abstract machine over opcodes that imports, calls and allocates nothing a file asks for."""

from loadproof.formats.pickled.machine import Known, LimitError, Machine, PickleError
from loadproof.formats.pickled.run import run

__all__ = ["Known", "LimitError", "Machine", "PickleError", "run"]
