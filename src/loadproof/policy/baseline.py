"""Accepted findings in a file: known by what stays the same of them, so that moved folders do not bring them back."""

from __future__ import annotations

import os
from collections.abc import Iterable

import msgspec
from msgspec import Struct

from loadproof.core.case import Report
from loadproof.core.findings import Finding
from loadproof.core.fingerprints import fingerprint
from loadproof.core.policy import BASELINE_VERSION, BaselineEntry
from loadproof.core.results import Checks
from loadproof.policy.layers import PolicyError

DEFAULT_NAME = "loadproof-baseline.json"
_LARGEST = 64 << 20  # bytes


class _Document(Struct, frozen=True):
    version: int
    findings: tuple[BaselineEntry, ...]


class Baseline:
    """What a file accepts, and what of it was met in this run."""

    def __init__(self, file: str, entries: Iterable[BaselineEntry]) -> None:
        self.file, self.entries = file, tuple(entries)
        self._known = {entry.fingerprint for entry in self.entries}
        self._met: set[tuple[str, str]] = set()
        self._checked: set[str] = set()

    def holds(self, finding: Finding) -> bool:
        return fingerprint(finding) in self._known

    def note(self, report: Report, target: str) -> None:
        """This target was checked, and these are its findings."""
        place = relative(target, self.file)
        self._checked.add(place)
        findings = (*report.findings, *(one.finding for one in report.accepted))
        self._met |= {(place, fingerprint(finding)) for finding in findings}

    def stale(self) -> tuple[BaselineEntry, ...]:
        """Entries of targets that were checked in this run, and whose finding is gone."""
        checked = [entry for entry in self.entries if entry.target in self._checked]
        return tuple(entry for entry in checked if (entry.target, entry.fingerprint) not in self._met)


def read_baseline(file: str) -> Baseline:
    """Raises `PolicyError` for a file that is none. A policy of others may name it: no pipe or device is opened."""
    if "\0" in file or (os.path.exists(file) and not os.path.isfile(file)):
        raise PolicyError(f"{file}: this is no regular file")
    try:
        with open(file, "rb") as opened:
            document = msgspec.json.decode(opened.read(_LARGEST), type=_Document)
    except FileNotFoundError:
        raise PolicyError(f"{file}: there is no such baseline; 'loadproof baseline PATH' writes one") from None
    except OSError as error:
        raise PolicyError(f"{file}: {error.strerror or type(error).__name__}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise PolicyError(f"{file}: this is no baseline of loadproof: {error}") from None
    if document.version != BASELINE_VERSION:
        raise PolicyError(f"{file}: a baseline of version {document.version}; this release reads {BASELINE_VERSION}")
    return Baseline(file, document.findings)


def entries_of(checks: Checks, file: str, before: Iterable[BaselineEntry] = ()) -> tuple[BaselineEntry, ...]:
    """An entry for every finding; reasons that people wrote to the same finding before are kept."""
    reasons = {(entry.target, entry.fingerprint): entry.reason for entry in before}
    found = {}
    for checked in checks.targets:
        for finding in checked.report.findings if checked.report is not None else ():
            target, known = relative(checked.location, file), fingerprint(finding)
            reason = reasons.get((target, known), "")
            found[target, known] = BaselineEntry(known, finding.code, finding.slug, finding.headline, target, reason)
    return tuple(entry for _, entry in sorted(found.items()))


def relative(target: str, file: str) -> str:
    """A target as seen from the folder of the file, with slashes on every system."""
    return os.path.relpath(target, os.path.dirname(file) or os.curdir).replace(os.sep, "/")
