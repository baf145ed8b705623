"""The policy of a command: what its options, the project's file and the baseline say, for each target."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from loadproof.cli.options import reading
from loadproof.cli.streams import hint
from loadproof.policy.find import Found, find_policy

if TYPE_CHECKING:
    from loadproof.core.case import Report
    from loadproof.core.policy import Setting
    from loadproof.policy.base import Policy
    from loadproof.policy.baseline import Baseline
    from loadproof.policy.layers import Layer

# Option of argparse -> key of a policy. An option that was not given is None.
_OPTIONS = {
    "reader": "reader",
    "source": "source",
    "class_name": "class",
    "device": "device",
    "fail_on": "fail-on",
    "allow_inconclusive": "allow-inconclusive",
    "select": "select",
    "ignore": "ignore",
    "baseline": "baseline",
}


def add_policy(parser: argparse.ArgumentParser) -> None:
    """Which findings are reported, which are accepted, and where a project says so."""
    group = parser.add_argument_group("policy")
    group.add_argument("--select", metavar="CODES", action="append", help="report these only: LP301, a slug, or LP3")
    group.add_argument("--ignore", metavar="CODES", action="append", help="accept these")
    group.add_argument("--baseline", metavar="FILE", help="accept the findings in FILE, see 'loadproof baseline'")


def reading_for(options: argparse.Namespace, target: str) -> dict[str, Any]:
    """How a command that judges nothing by a policy reads this target. Raises `PolicyError` (a ValueError)."""
    return Policies(options).reading(target)


class Policies:
    """Made once for a command. Raises `PolicyError` (a ValueError) where a file cannot be used."""

    def __init__(self, options: argparse.Namespace, *, reads_baseline: bool = True) -> None:
        self._options = options
        self.found = self._find()
        self.baseline: Baseline | None = None
        self._layers: list[Layer] = self._read()
        self._known: dict[str, Policy] = {}
        if reads_baseline and (file := self.of(os.curdir).baseline):
            from loadproof.policy.baseline import read_baseline

            self.baseline = read_baseline(file)

    def settings(self, target: str) -> dict[str, Setting]:
        """Every key with its value for this target, and where that stands."""
        from loadproof.policy.layers import default_layer, settle
        from loadproof.policy.scope import concerns

        folder = os.path.dirname(self.found.file or "")
        return settle([default_layer(), *(layer for layer in self._layers if concerns(layer, target, folder))])

    def of(self, target: str) -> Policy:
        """The policy for this target."""
        if target not in self._known:
            from loadproof.policy.base import Policy, policy_of

            self._known[target] = policy_of(self.settings(target)) if self._layers else Policy()
        return self._known[target]

    def reading(self, target: str) -> dict[str, Any]:
        """The keywords of the use-cases: the options where they are given, else what the policy says of this target."""
        policy = self.of(target)
        return reading(self._options) | {
            "reader": policy.reader,
            "class_name": policy.class_name,
            "source": policy.source,
            "device": policy.device,
            "follow_links": policy.follow_links,
        }

    def applied(self, report: Report, target: str) -> Report:
        """The report under the policy for its target."""
        policy = self.of(target)
        if not (policy.select or policy.ignore or policy.severity or self.baseline):
            return report
        from loadproof.policy.apply import applied

        done = applied(report, policy, self.baseline)
        if self.baseline is not None:
            self.baseline.note(done, target)
        return done

    def status(self, report: Report, target: str) -> int:
        """The exit status that this report gives under the policy for its target."""
        from loadproof.api.verdict import status_of

        policy = self.of(target)
        return status_of(report, policy.fail_on, allow_inconclusive=policy.allow_inconclusive)

    def say_stale(self) -> None:
        """One hint about accepted findings that are gone."""
        stale = self.baseline.stale() if self.baseline is not None else ()
        if not stale or self.baseline is None:
            return
        from loadproof.report.escape import clean

        shown = ", ".join(f"{entry.code} in {entry.target}" for entry in stale[:3])
        more = f" and {len(stale) - 3} more" if len(stale) > 3 else ""
        hint(clean(f"loadproof: {self.baseline.file} accepts what is gone: {shown}{more}; write it again", 4096))

    def _find(self) -> Found:
        if self._options.isolated:
            return Found(None)
        if self._options.config:
            return Found(self._options.config)
        found = find_policy()
        for file, why in found.passed_over:
            from loadproof.report.escape import clean

            hint(clean(f"loadproof: {file} is not used: {why}", 4096))
        return found

    def _read(self) -> list[Layer]:
        layers = []
        if self.found.file is not None:
            from loadproof.policy.read import read_policy

            layers = read_policy(self.found.file)
        given = self._given()
        return [*layers, given] if given is not None else layers

    def _given(self) -> Layer | None:
        """What the command line says."""
        raw = {key: getattr(self._options, name, None) for name, key in _OPTIONS.items()}
        values = {key: value for key, value in raw.items() if value is not None}
        if getattr(self._options, "no_follow_links", False):
            values["follow-links"] = False
        if not values:
            return None
        from loadproof.policy.given import given_layer

        return given_layer(values)
