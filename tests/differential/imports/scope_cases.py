"""Where a name belongs and when the body of a generator runs, by name."""

from __future__ import annotations

from tests.differential.imports.build import Case


def _late(text: str) -> Case:
    return Case(tail=text)


SCOPES = {
    "read_before_bound": _late("def f():\n    x = y\n    y = 1\ny = 2\nf()\n"),
    "augmented_before_bound": _late("def f():\n    y += 1\ny = 2\nf()\n"),
    "deleted_before_bound": _late("def f():\n    del y\ny = 2\nf()\n"),
    "inner_function_reads_early": _late("def f():\n    def g(): return y\n    r = g()\n    y = 1\ny = 2\nf()\n"),
    "comprehension_reads_early": _late("def f():\n    r = [y for _ in range(2)]\n    y = 1\ny = 2\nf()\n"),
    "comprehension_runs_over_it": _late("def f():\n    r = [i for i in y]\n    y = 1\ny = [2]\nf()\n"),
    "declared_global": _late("def f():\n    global y\n    r = y\n    y = 1\ny = 2\nf()\nassert y == 1\n"),
    "bound_under_if": _late("def f():\n    if False:\n        y = 1\n    return y\ny = 2\nf()\n"),
    "bound_by_empty_loop": _late("def f():\n    for y in []: pass\n    return y\ny = 2\nf()\n"),
    "bound_by_handler": _late(
        "def f():\n    try:\n        1/0\n    except ZeroDivisionError as y:\n        pass\n    return y\ny = 2\nf()\n"
    ),
    "bound_by_import": _late("def f():\n    y\n    import math as y\ny = 2\nf()\n"),
    "bound_by_def": _late("def f():\n    y\n    def y(): pass\ny = 2\nf()\n"),
    "bound_by_class": _late("def f():\n    y\n    class y: pass\ny = 2\nf()\n"),
    "bound_by_walrus_in_comprehension": _late("def f():\n    y\n    [y := 1 for _ in range(2)]\ny = 2\nf()\n"),
    "comprehension_target_is_its_own": _late(
        "def f():\n    r = [y for y in range(3)]\n    return y\ny = 2\nassert f() == 2\n"
    ),
    "generator_reads_late": _late(
        "def f():\n    g = (y for _ in range(1))\n    y = 1\n    return list(g)\ny = 2\nassert f() == [1]\n"
    ),
    "nonlocal": _late(
        "def f():\n    y = 1\n    def g():\n        nonlocal y\n        y += 1\n        return y\n"
        "    return g()\ny = 5\nassert f() == 2\n"
    ),
    "global_past_the_outer_function": _late(
        "def f():\n    y = 1\n    def g():\n        global y\n        return y\n    return g()\ny = 5\n"
        "assert f() == 5\n"
    ),
    "caught_as_name_error": _late(
        "def f():\n    try:\n        return y\n    except NameError:\n        return 7\n    y = 1\ny = 5\n"
        "assert f() == 7\n"
    ),
    "caught_as_unbound_local": _late(
        "def f():\n    try:\n        return y\n    except UnboundLocalError:\n        return 7\n    y = 1\n"
        "y = 5\nassert f() == 7\n"
    ),
    "argument_deleted": _late("def f(y):\n    del y\n    return y\ny = 5\nf(1)\n"),
    "bound_by_unpacking": _late("def f():\n    a, (y, *b) = 1, (2, 3)\n    return y\ny = 5\nassert f() == 2\n"),
    "width_decides": Case(body="if config.width > 99:\n    size = 3\nself.size = size", head="size = 4"),
    "class_in_def_reads_early": _late("y = 3\ndef f():\n    class A:\n        x = y\n    y = 1\n    return A\nf()\n"),
    "lambda_reads_early": _late(
        "def f():\n    while False:\n        y = 1\n    else:\n        pass\n    return (lambda: y)()\ny = 2\nf()\n"
    ),
    "name_of_a_builtin": _late("len_ = len\ndef f():\n    n = len([1])\n    len = 3\n    return n\nf()\n"),
    "annotation_alone": _late("def f():\n    x: int\n    return x\nx = 1\nf()\n"),
    "generator_never_asked": _late("def g():\n    raise ValueError('no')\n    yield\nx = g()\n"),
    "generator_asked": _late("def g():\n    raise ValueError('no')\n    yield\nx = list(g())\n"),
    "generator_raises_after_its_first": _late("def g():\n    yield 1\n    raise ValueError('no')\nx = next(g())\n"),
    "generator_expression_never_asked": _late("x = (1/0 for _ in range(2))\n"),
    "generator_expression_asked": _late("x = list(1/0 for _ in range(2))\n"),
    "generator_starts_late": _late("S=[]\ndef g():\n    S.append(1)\n    yield 1\nx = g()\nassert S == []\n"),
    "stop_iteration_in_a_generator": _late("def g():\n    raise StopIteration\n    yield\nlist(g())\n"),
    "generator_over_a_number": _late("x = (i for i in 3)\n"),
    "generator_goes_on": _late("g = (i for i in range(3))\nassert next(g) == 0 and list(g) == [1, 2]\n"),
    "yield_from": _late(
        "def g():\n    yield 1\n    yield from h()\ndef h():\n    yield 2\nassert list(g()) == [1, 2]\n"
        "assert tuple(a+b for a in g() for b in h() if a > 1) == (4,)\n"
    ),
    "generator_without_end": _late("import itertools\nx = (i for i in itertools.count())\nassert next(x) == 0\n"),
    "generator_of_undefined": _late("x = any(undefined for i in range(2))\n"),
}
