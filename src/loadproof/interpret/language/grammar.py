"""The subset of Python that is evaluated: every kind of node with the file that turns it into a closure.

Whoever evaluates text imports `expression` and `statement` from here, so that the tables are filled.
"""

from __future__ import annotations

from loadproof.interpret.language import (
    assignments,
    closures,
    comprehensions,
    control,
    definitions,
    dict_display,
    displays,
    exceptions,
    functions,
    lookups,
    operations,
)
from loadproof.interpret.language.closures import called, expression, statement
from loadproof.interpret.language.definitions import decorated
from loadproof.interpret.language.functions import function_in, method

__all__ = ["called", "decorated", "expression", "function_in", "method", "statement"]

for _expressions in (lookups, operations, displays, dict_display, comprehensions, functions):
    closures.EXPRESSIONS.update(_expressions.EXPRESSIONS)
for _statements in (assignments, control, definitions, exceptions):
    closures.STATEMENTS.update(_statements.STATEMENTS)
