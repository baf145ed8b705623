"""Settings that are in force, each with the place that says so."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from loadproof.core.shown import Shown

BASELINE_VERSION = 1


class Setting(Struct, frozen=True):
    """`origin`: "default", a file with its line, or the option of the command line."""

    key: str
    value: str | bool | tuple[str, ...] | dict[str, str] | None
    origin: str


class Settings(Shown, frozen=True):
    """What `loadproof config` shows. `file` is the policy in force, `passed_over` are those that are not, and why."""

    kind: ClassVar[str] = "config"

    file: str | None
    target: str | None
    settings: tuple[Setting, ...]
    passed_over: tuple[tuple[str, str], ...] = ()

    def brief(self) -> str:
        return f"{self.file or 'no policy file'}: {sum(one.origin != 'default' for one in self.settings)} settings"


class BaselineEntry(Struct, frozen=True, omit_defaults=True):
    """One accepted finding. `target` is where it was, relative to the file; `reason` is for people to write."""

    fingerprint: str
    code: str
    slug: str
    headline: str
    target: str
    reason: str = ""


class BaselineFile(Shown, frozen=True):
    """What `loadproof baseline` writes; `gone` are the entries of the file before that no longer occur."""

    kind: ClassVar[str] = "baseline"

    file: str
    entries: tuple[BaselineEntry, ...]
    gone: tuple[BaselineEntry, ...] = ()

    def brief(self) -> str:
        return f"{len(self.entries)} findings in {self.file}"
