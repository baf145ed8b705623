"""pytest plugin: `pytest --loadproof PATH`, the `checkpoint_report` fixture, and two assertions.

Only the standard library (and pytest, which is running) is imported here; the stages of a check when it is first used.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from loadproof.api.asserting import CheckpointFault, assert_loads, checked, rendered, require_loads

if TYPE_CHECKING:
    from loadproof.core.case import Report

LIVE_MODELS = "LP9"  # what no file can show


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("loadproof", "checkpoints (loadproof)")
    group.addoption(
        "--loadproof",
        metavar="PATH",
        action="append",
        default=[],
        help="check this checkpoint: one test per rule family",
    )
    group.addoption("--loadproof-reader", metavar="NAME", default="transformers", help="the library that will load it")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "checkpoint(path): the checkpoint that the checkpoint_report fixture checks")


def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    for path in config.getoption("--loadproof"):
        name = printable(os.path.basename(os.path.normpath(path)))
        collector = Checkpoint.from_parent(session, name=name, location=path)
        items.extend(collector.collect())


class Checkpoint(pytest.Collector):
    """One checkpoint given with ``--loadproof``; it is checked once, when its first item runs."""

    def __init__(self, *, location: str, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.location = location
        self._report: Report | None = None

    def collect(self) -> Iterator[pytest.Item]:
        yield RuleFamily.from_parent(self, name="verdict", family=None)
        from loadproof.rules.catalogue import FAMILIES

        for code, title in FAMILIES.items():
            if code != LIVE_MODELS:
                yield RuleFamily.from_parent(self, name=f"{code} {title.lower()}", family=code)

    def report(self) -> Report:
        if self._report is None:
            self._report = checked(self.location, self.config.getoption("--loadproof-reader"))
        return self._report


class RuleFamily(pytest.Item):
    """Fails on an error of its rule family; the item `verdict` fails unless the checkpoint loads."""

    parent: Checkpoint

    def __init__(self, *, family: str | None, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.family = family

    def runtest(self) -> None:
        report = self.parent.report()
        if self.family is None:
            require_loads(report)
            return
        found = [f for f in report.findings if f.code.startswith(self.family) and f.severity == "error"]
        if found:
            raise CheckpointFault(rendered(report))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any, **keywords: Any) -> Any:
        from loadproof.api import NoCheckpointError

        if isinstance(excinfo.value, CheckpointFault):
            return str(excinfo.value)
        if isinstance(excinfo.value, NoCheckpointError):
            return printable(str(excinfo.value))
        return super().repr_failure(excinfo, *args, **keywords)

    def reportinfo(self) -> tuple[str, None, str]:
        return printable(self.parent.location), None, f"{self.parent.name}: {self.name}"


def printable(text: str) -> str:
    """A name of a file as node ids and messages may show it: a terminal and a CI log obey nothing in it."""
    from loadproof.report.escape import clean, guard_line

    return guard_line(clean(text, limit=4096))


def assert_generate_ready(model: Any) -> None:
    """Assert that head and input embedding of a live model can serve generate(). Raises HeadFault (a ValueError)."""
    from loadproof.runtime.guard import check_logits_head

    check_logits_head(model)


@pytest.fixture
def checkpoint_report(request: pytest.FixtureRequest) -> Any:
    """The report on the checkpoint of the nearest `@pytest.mark.checkpoint(path)`, else of ``--loadproof``."""
    marker = request.node.get_closest_marker("checkpoint")
    given = request.config.getoption("--loadproof")
    if marker is None and not given:
        pytest.fail("checkpoint_report needs @pytest.mark.checkpoint(path) or --loadproof PATH", pytrace=False)
    path = marker.args[0] if marker is not None else given[0]
    options = dict(marker.kwargs) if marker is not None else {}
    return checked(path, options.pop("reader", request.config.getoption("--loadproof-reader")), **options)


__all__ = [
    "CheckpointFault",
    "assert_generate_ready",
    "assert_loads",
    "checked",
    "checkpoint_report",
    "rendered",
    "require_loads",
]
