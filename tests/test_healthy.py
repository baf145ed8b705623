"""No alarm on healthy checkpoints: every layout of the zoo, and default configs of many kinds of models."""

from __future__ import annotations

from pathlib import Path

import pytest

from loadproof.api import check
from loadproof.core.case import Report
from tests import zoo
from tests.healthy import default_reports

KINDS = (
    "llama", "qwen3_moe", "qwen3_next", "gemma3n", "deepseek_v3", "kimi_linear", "jamba", "zamba2", "t5", "bert",
    "whisper", "llava", "mllama", "falcon_h1", "gpt2", "lw_detr",
)  # fmt: skip


def alarms(report: Report) -> list[str]:
    return [finding.slug for finding in report.findings if finding.severity != "info"]


@pytest.mark.parametrize("name", zoo.names())
def test_layout_as_saved_draws_no_alarm(name: str, tmp_path: Path) -> None:
    report = check(zoo.build(name).write(tmp_path / "model"))
    assert (report.verdict, alarms(report), report.unexplained) == ("loads", [], ())


@pytest.mark.torch
def test_default_configs_draw_no_alarm() -> None:
    pytest.importorskip("transformers")
    judged = {name: report for name, report in default_reports(KINDS) if report.verdict != "inconclusive"}
    assert len(judged) >= len(KINDS) - 3
    assert {name: alarms(report) for name, report in judged.items() if alarms(report) or report.unexplained} == {}
