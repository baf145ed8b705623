"""Each dimension of an expectation as an expression over configuration fields: ``num_key_value_heads*head_dim``.

The class is evaluated once more with integers that remember how they were made. That is done on demand only (a finding
about shapes asks for it), so that a healthy check does not pay for it.
"""

from __future__ import annotations

from typing import Any

from loadproof.core.config import ModelConfig
from loadproof.core.expectation import Expectation
from loadproof.interpret import building
from loadproof.interpret.release.locate import find_source, is_installed
from loadproof.interpret.symbolic import add_symbols


def with_symbols(
    expectation: Expectation, config: ModelConfig, source: str | None = None, *, without_wall: bool = False
) -> Expectation:
    """The same expectation with `Expected.symbols` filled where the second evaluation agrees with the first.

    Only for classes of the release itself; the expectation comes back unchanged where that evaluation fails.
    """
    root = find_source(source)
    if root is None or expectation.source != "installed" or expectation.inconclusive or expectation.raises:
        return expectation
    if source is not None and not is_installed(root):
        return _asked(expectation, root, config.raw, without_wall)
    return add_symbols(expectation, building.release(root)[0], config.raw)


def _asked(expectation: Expectation, root: str, raw: dict[str, Any], without_wall: bool) -> Expectation:
    """The same from a process of its own, for a release that may be anybody's."""
    from loadproof.interpret.release.disk import on_disk
    from loadproof.interpret.sandbox.limits import RELEASE_SECONDS
    from loadproof.interpret.sandbox.parent import Child
    from loadproof.interpret.sandbox.task import Task

    task = Task("symbols", raw, None, expectation)
    with Child(RELEASE_SECONDS) as child:
        found = child.ask(task, on_disk(root, is_trusted=False), without_wall=without_wall)
    return expectation if found.inconclusive else found
