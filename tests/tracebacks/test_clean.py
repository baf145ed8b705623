"""Lines are freed from what stands before them; the process they came from is kept."""

from __future__ import annotations

import pytest

from loadproof.tracebacks import read_symptom
from loadproof.tracebacks.clean import clean_line, expand, strip_control
from tests.pattern_lines import seconds

TEXT = "KeyError: 'model.layers.0.x'"


@pytest.mark.parametrize(
    ("prefix", "source"),
    [
        ("", ""),
        ("(EngineCore_DP0 pid=77) ", "EngineCore_DP0 pid=77"),
        ("(Worker_TP0 pid=77) ERROR 11-02 12:01:01 [multiproc_executor.py:558] ", "Worker_TP0 pid=77"),
        ("ERROR 11-02 12:01:01 multiproc_worker_utils.py:242] ", ""),
        ("(EngineCore pid=7) (RayWorkerWrapper pid=11, ip=10.0.0.2) ", "EngineCore pid=7 RayWorkerWrapper pid=11, ip=10.0.0.2"),
        ("(RayWorkerWrapper(rank=3) pid=11) ", "RayWorkerWrapper(rank=3) pid=11"),
        ("[rank3]: ", "rank3"),
        ("[default0]:", "default0"),
        ("[2025-11-02 12:00:00 TP1] ", " TP1"),
        ("[2025-11-02 12:00:00] ", ""),
        ("2025-11-02T12:00:00.123456789Z ", ""),
        ("[WARNING|modeling_utils.py:4123] 2025-11-02 10:00:00,123 >> ", ""),
        ("vllm-1  | ", "vllm-1"),
        ("Nov 02 12:00:00 host vllm[123]: ", ""),
        ("E   ", ""),
        ("> ", ""),
        ("\x1b[31m", ""),
    ],
)  # fmt: skip
def test_prefixes_are_taken_off(prefix: str, source: str) -> None:
    line = clean_line(prefix + TEXT + "\n")
    assert line.text == TEXT
    assert line.source.strip() == source.strip()


def test_indentation_behind_a_prefix_survives() -> None:
    assert (
        clean_line('(Worker pid=1) ERROR 11-02 12:01:01 [a.py:1]   File "x.py", line 1').text == '  File "x.py", line 1'
    )


def test_a_row_of_a_load_report_is_no_prefix() -> None:
    row = "lm_head.weight | MISSING | "
    assert clean_line(row).text == row.strip()


def test_boxes_of_rich_are_opened() -> None:
    assert clean_line("│ /a/b.py:12 in load                                    │").text == "/a/b.py:12 in load"
    assert clean_line("╭──────── Traceback (most recent call last) ────────╮").text.startswith("Traceback")
    assert clean_line("╰───────────────────────────────────────────────────╯").text == ""


def test_control_characters_and_bidi_marks_do_not_survive() -> None:
    assert strip_control("\x1b]0;title\x07a\u202eb\x1b[2Kc\x00") == "abc"


def test_json_records_and_escaped_line_ends_are_unfolded() -> None:
    record = '{"log": "Traceback (most recent call last):\\n  File \\"a.py\\", line 1, in f\\nKeyError: \'x\'\\n", "stream": "stderr"}'
    assert expand(record) == ["Traceback (most recent call last):", '  File "a.py", line 1, in f', "KeyError: 'x'"]


def test_a_line_that_only_looks_like_json_stays() -> None:
    assert expand('{"broken') == ['{"broken']


@pytest.mark.parametrize(
    "line", ["│" + " " * 100_000 + "x", "| " * 50_000, "(a.a" * 30_000, "a.a." * 40_000, "[2025-" * 20_000]
)
def test_a_long_line_takes_no_time(line: str) -> None:
    assert seconds(lambda: read_symptom([f"KeyError: {line}", line])) < 2
