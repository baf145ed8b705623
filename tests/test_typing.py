"""What a user writes passes mypy --strict: the package is typed (py.typed), and its names are exported."""

from __future__ import annotations

from pathlib import Path

import pytest

SNIPPET = """\
from pathlib import Path

from loadproof import Finding, Fix, LayerPlan, Place, Report, Row, check, fix, plan

report: Report = check(Path("folder"))
findings: tuple[Finding, ...] = report.findings
fixes: list[Fix] = [one for finding in findings for one in finding.fixes]
rows: tuple[Row, ...] = report.unexplained
places: list[Place] = [line.where for finding in findings for line in finding.evidence]
text: str = report.text(verbose=True)
data: dict[str, object] = report.to_dict()
same: bool | None = plan("folder").same
after: Report | None = fix("folder", ["LP301"], apply=True).after
layers = LayerPlan(linear_attn_layers={20}, num_layers=24)
others = LayerPlan(linear_attn_layers=frozenset({20}), num_layers=24)
linear: bool = 20 in layers.linear_attn_layers
"""


def complaints(snippet: str, folder: Path) -> str:
    api = pytest.importorskip("mypy.api")
    (folder / "user.py").write_text(snippet)
    cache = str(folder / "cache")
    output, errors, _ = api.run(["--strict", "--config-file=", "--cache-dir", cache, str(folder / "user.py")])
    return str(output + errors)


def test_a_users_file_passes_and_a_wrong_one_does_not(tmp_path: Path) -> None:
    said = complaints(SNIPPET + "wrong: int = report.verdict\n", tmp_path)
    lines = [line for line in said.splitlines() if "user.py" in line and ": error:" in line]
    assert [line.partition(": error: ")[0].rpartition(":")[2] for line in lines] == [str(SNIPPET.count("\n") + 1)], said
