"""Coverage-guided fuzzing of everything that parses bytes from strangers (``python -m tests.fuzz.run``)."""
