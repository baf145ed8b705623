"""Model source text -> Expectation, without running or importing what is read."""

from loadproof.interpret.expect import expect

__all__ = ["expect"]
