"""pytest plugin: `pytest --loadproof PATH`, the `checkpoint_report` fixture, and two assertions.

Only the standard library (and pytest, which is running) is imported here; the stages of a check when it is first used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from loadproof.api.asserting import CheckpointFault, assert_loads, checked, rendered, require_loads

if TYPE_CHECKING:
    from loadproof.core.case import Report
    from loadproof.core.findings import Finding

LIVE_MODELS = "LP9"  # what no file can show
_ID = re.compile(
    r"(?:\.\./)*(?P<node>loadproof\[(?P<path>.+)\](?:::\w+)?)\Z"
)  # below the root folder pytest puts ../ before it
_CHOSEN: pytest.StashKey[list[str]] = pytest.StashKey()
_ALONE: pytest.StashKey[bool] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("loadproof", "checkpoints (loadproof)")
    group.addoption(
        "--loadproof",
        metavar="PATH",
        action="append",
        default=[],
        help="check this checkpoint: one test per rule family, named loadproof[PATH]::LP3",
    )
    group.addoption("--loadproof-reader", metavar="NAME", default="transformers", help="the library that will load it")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, args: list[str]) -> None:
    """Take node ids of ours out of the arguments before pytest looks for files of such names."""
    chosen = [match for word in args if (match := _ID.match(word))]
    if not chosen:
        return
    early_config.stash[_CHOSEN] = [match["node"] for match in chosen]
    args[:] = [word for word in args if not _ID.match(word)]
    known = early_config.known_args_namespace.file_or_dir
    known[:] = [word for word in known if not _ID.match(word)]
    early_config.stash[_ALONE] = not known


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "checkpoint(path): the checkpoint that the checkpoint_report fixture checks")
    for path in _paths(config):
        _must_be_a_checkpoint(path)


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    """Where node ids of ours are all that was asked for, nothing else is collected."""
    return True if config.stash.get(_ALONE, False) else None


@pytest.hookimpl(tryfirst=True)  # before -k and -m choose among the items
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    chosen = config.stash.get(_CHOSEN, [])
    for path in _paths(config):
        name = f"loadproof[{printable(path)}]"
        of_this = [word for word in chosen if word == name or word.startswith(f"{name}::")]
        found = Checkpoint.from_parent(session, name=name, nodeid=name, location=path).collect()
        items.extend(item for item in found if not of_this or name in of_this or item.nodeid in of_this)


def _paths(config: pytest.Config) -> list[str]:
    """The checkpoints that were named, by the option or in a node id."""
    given: list[str] = config.getoption("--loadproof")
    shown = set(map(printable, given))
    named = [match["path"] for word in config.stash.get(_CHOSEN, []) if (match := _ID.match(word))]
    return list(dict.fromkeys([*given, *(path for path in named if path not in shown)]))


def _must_be_a_checkpoint(path: str) -> None:
    """One usage error for a wrong path, in place of a failure for each test."""
    from loadproof.api.checking import NoCheckpointError, open_checkpoint

    try:
        open_checkpoint(path)
    except NoCheckpointError as error:
        raise pytest.UsageError(f"--loadproof {printable(str(error))}") from None


class Checkpoint(pytest.Collector):
    """One checkpoint given with ``--loadproof``; it is checked once, when its first item runs."""

    def __init__(self, *, location: str, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.location = location
        self._report: Report | None = None

    def collect(self) -> Iterator[pytest.Item]:
        from loadproof.rules.catalogue import FAMILIES

        for code, title in FAMILIES.items():
            if code != LIVE_MODELS:
                yield RuleFamily.from_parent(self, name=code, family=code, title=title)
        yield RuleFamily.from_parent(self, name="verdict", family=None, title="Verdict")

    def report(self) -> Report:
        if self._report is None:
            self._report = checked(self.location, self.config.getoption("--loadproof-reader"))
        return self._report


class RuleFamily(pytest.Item):
    """Fails on an error of its rule family. The item `verdict` fails where the checkpoint does not load and no item of
    a family that runs as well says why."""

    parent: Checkpoint

    def __init__(self, *, family: str | None, title: str, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.family, self.title = family, title

    def runtest(self) -> None:
        report = self.parent.report()
        if self.family is None:
            self._require_loads(report)
        elif found := self.faults(report):
            raise CheckpointFault("\n".join(_told(report, finding) for finding in found))

    def faults(self, report: Report) -> list[Finding]:
        """The errors of this family."""
        family = self.family
        return [f for f in report.findings if family and f.code.startswith(family) and f.severity == "error"]

    def _require_loads(self, report: Report) -> None:
        others = [item for item in self.session.items if isinstance(item, RuleFamily) and item.parent is self.parent]
        telling = [item.name for item in others if item.faults(report)]
        if report.verdict != "loads" and telling:
            pytest.skip(f"{report.verdict}: {', '.join(telling)} says why")
        require_loads(report)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any, **keywords: Any) -> Any:
        from loadproof.api import NoCheckpointError

        if isinstance(excinfo.value, CheckpointFault):
            return str(excinfo.value)
        if isinstance(excinfo.value, NoCheckpointError):
            return printable(str(excinfo.value))
        return super().repr_failure(excinfo, *args, **keywords)

    def reportinfo(self) -> tuple[str, None, str]:
        return printable(self.parent.location), None, f"{self.parent.name}: {self.title}"


def _told(report: Report, finding: Finding) -> str:
    """One finding as the text report shows it."""
    from loadproof.report.finding_text import finding_lines
    from loadproof.report.style import paint

    lines = finding_lines(finding, report, first=finding is report.findings[0], verbose=False)
    return "".join(f"{paint(line, False)}\n" for line in lines)


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
