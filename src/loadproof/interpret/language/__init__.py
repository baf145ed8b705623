"""The restricted evaluator: a subset of Python turned into closures. Nothing is handed to exec, eval or import."""
