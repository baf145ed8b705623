"""Accepted findings in a file: known again wherever the folder lies, and reported when they are gone."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import loadproof
from loadproof.core.fingerprints import fingerprint
from loadproof.core.results import Checked, Checks
from loadproof.policy.apply import applied
from loadproof.policy.base import Policy
from loadproof.policy.baseline import Baseline, entries_of, read_baseline
from loadproof.policy.layers import PolicyError
from tests import zoo
from tests.cli.process import EXAMPLES
from tests.report.build import PLAN_FINDING, report

FAULTY = ("config-dims-wrong", "head-flattened", "layer-plan-mismatch", "wrapper-prefix")


@pytest.mark.parametrize("example", FAULTY)
def test_fingerprints_do_not_depend_on_where_the_folder_lies(tmp_path: Path, example: str) -> None:
    here = loadproof.check(EXAMPLES / example)
    there = loadproof.check(shutil.copytree(EXAMPLES / example, tmp_path / "other name" / "x"))
    assert here.findings
    assert [fingerprint(one) for one in here.findings] == [fingerprint(one) for one in there.findings]


DAMAGE = (
    zoo.flatten("lm_head.weight"),
    zoo.transpose("*.q_proj.weight"),
    zoo.drop("model.layers.1.*"),
    zoo.add_prefix("module."),
    zoo.set_config("num_hidden_layers", 7),
    zoo.edit_index("weight_map/lm_head.weight", "other.safetensors"),
    zoo.link_away("*.safetensors"),
    zoo.cut_file("model-00001-of-00002.safetensors", 9),
)


@pytest.mark.parametrize("number", range(len(DAMAGE)))
def test_fingerprints_of_damaged_checkpoints_stay_when_they_are_moved(tmp_path: Path, number: int) -> None:
    folder = zoo.build("llama").mutate(zoo.shards(2)).mutate(DAMAGE[number]).write(tmp_path / "here" / "x")
    before = [fingerprint(one) for one in loadproof.check(folder).findings]
    assert before
    moved = folder.rename(tmp_path / "there")
    assert [fingerprint(one) for one in loadproof.check(moved).findings] == before


def test_the_order_of_evidence_and_rows_does_not_matter() -> None:
    from msgspec.structs import replace

    turned = replace(PLAN_FINDING, evidence=PLAN_FINDING.evidence[::-1], rows=PLAN_FINDING.rows[::-1])
    assert fingerprint(turned) == fingerprint(PLAN_FINDING)


def one_baseline(file: str = "b.json") -> Baseline:
    return Baseline(file, entries_of(Checks((Checked("runs/a", report(PLAN_FINDING)),)), file))


def test_an_accepted_finding_is_set_apart_in_every_folder() -> None:
    done = applied(report(PLAN_FINDING), Policy(), one_baseline())
    assert not done.findings
    assert done.accepted[0].reason == "in b.json"


def test_a_finding_with_other_rows_is_another_one() -> None:
    from msgspec.structs import replace

    other = report(replace(PLAN_FINDING, rows=PLAN_FINDING.rows[:3]))
    assert applied(other, Policy(), one_baseline()) is other


def test_what_is_gone_is_stale_only_where_its_target_was_checked() -> None:
    baseline = one_baseline()
    baseline.note(report(), "runs/b")
    assert baseline.stale() == ()
    baseline.note(report(), "runs/a")
    assert [entry.code for entry in baseline.stale()] == ["LP301"]
    baseline.note(applied(report(PLAN_FINDING), Policy(), baseline), "runs/a")
    assert baseline.stale() == ()


def test_reasons_of_people_are_kept() -> None:
    from msgspec.structs import replace

    checks = Checks((Checked("a", report(PLAN_FINDING)),))
    (entry,) = entries_of(checks, "b.json")
    assert entries_of(checks, "b.json", [replace(entry, reason="known, see 12")])[0].reason == "known, see 12"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "this is no baseline of loadproof"),
        ("[]", "this is no baseline of loadproof"),
        ('{"version": 2, "findings": []}', "a baseline of version 2; this release reads 1"),
        ('{"version": 1, "findings": [{"code": 3}]}', "this is no baseline of loadproof"),
        ("[" * 5_000, "this is no baseline of loadproof"),
    ],
)
def test_a_file_that_is_no_baseline_is_named_so(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "b.json").write_text(text)
    with pytest.raises(PolicyError, match=said):
        read_baseline(str(tmp_path / "b.json"))


def test_a_baseline_that_is_a_pipe_or_no_name_of_a_file_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", "a\0b", "."):
        with pytest.raises(PolicyError, match="this is no regular file"):
            read_baseline(os.path.join(tmp_path, name))
