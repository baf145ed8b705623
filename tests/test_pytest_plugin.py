"""The plugin in real pytest runs of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.zoo import build

pytest_plugins = ["pytester"]


@pytest.fixture
def healthy(tmp_path):
    return build("llama").write(tmp_path / "healthy")


@pytest.fixture
def truncated(tmp_path):
    folder = build("llama").write(tmp_path / "truncated")
    file = next(folder.glob("*.safetensors"))
    file.write_bytes(file.read_bytes()[:-64])
    return folder


def run(pytester, *arguments):
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", *arguments)


def test_one_item_per_rule_family_and_all_pass_on_a_healthy_checkpoint(pytester, healthy):
    pytester.makepyfile("def test_nothing(): pass")
    result = run(pytester, "--loadproof", str(healthy), "-v")
    result.assert_outcomes(passed=11)
    result.stdout.fnmatch_lines(["*healthy]::verdict*PASSED*"])


def test_one_fault_is_one_failure(pytester, truncated):
    pytester.makepyfile("def test_nothing(): pass")
    result = run(pytester, "--loadproof", str(truncated), "-rsf")
    assert result.ret == 1
    result.assert_outcomes(failed=1, skipped=1, passed=9)
    text = result.stdout.str()
    assert sum(line.startswith("error[LP003] truncated") for line in result.outlines) == 1
    result.stdout.fnmatch_lines_random(["FAILED *loadproof*truncated]::LP0*", "SKIPPED*fails: LP0 says why*"])
    assert "Traceback" not in text
    assert "runtest" not in text


def test_what_runs_alone_fails_alone(pytester, truncated):
    pytester.makepyfile("def test_nothing(): pass")
    result = run(pytester, "--loadproof", str(truncated), "-k", "verdict")
    result.assert_outcomes(failed=1, deselected=10)
    result.stdout.fnmatch_lines(["*error[[]LP003[]] truncated*"])


def test_an_open_verdict_fails_as_the_command_does(pytester, healthy):
    (healthy / "config.json").unlink()
    pytester.makepyfile("def test_nothing(): pass")
    result = run(pytester, "--loadproof", str(healthy))
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*verdict  inconclusive: there is no config.json*"])


@pytest.mark.parametrize("chosen", ["LP0", "verdict"])
def test_a_node_id_that_was_printed_runs_that_item_and_nothing_else(pytester, truncated, chosen):
    pytester.makepyfile("def test_nothing(): assert False")
    node = f"loadproof[{truncated}]::{chosen}"
    result = run(pytester, node)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"FAILED *{node.replace('[', '[[]')}*"])


def test_a_node_id_can_stand_beside_other_tests(pytester, truncated):
    file = pytester.makepyfile("def test_nothing(): pass")
    run(pytester, f"loadproof[{truncated}]::LP1", str(file)).assert_outcomes(passed=2)
    run(pytester, "--loadproof", str(truncated), f"loadproof[{truncated}]::LP1").assert_outcomes(passed=1)
    run(pytester, f"../loadproof[{truncated}]::LP1").assert_outcomes(passed=1)
    run(pytester, f"loadproof[{truncated}]").assert_outcomes(failed=1, skipped=1, passed=8)


def test_words_choose_among_the_items(pytester, truncated):
    pytester.makepyfile("def test_nothing(): pass")
    run(pytester, "--loadproof", str(truncated), "-k", "LP3 or LP4").assert_outcomes(passed=2, deselected=9)


@pytest.mark.parametrize("path", ["absent", "tests"])
def test_a_path_without_a_checkpoint_is_one_usage_error(pytester, path):
    pytester.makepyfile("def test_nothing(): pass")
    pytester.mkdir("tests")
    result = run(pytester, "--loadproof", path)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.stderr.str().strip().splitlines()[0].startswith(f"ERROR: --loadproof {path}: ")
    assert "Traceback" not in result.stderr.str() + result.stdout.str()


def test_items_run_in_parallel(pytester, truncated):
    pytest.importorskip("xdist")
    pytester.makepyfile("def test_nothing(): pass")
    outcomes = run(pytester, "--loadproof", str(truncated), "-n", "2").parseoutcomes()
    assert outcomes == {"failed": 1, "skipped": 1, "passed": 9}


def test_a_failed_assertion_shows_the_line_of_the_test(pytester, truncated):
    pytester.makepyfile(
        f"""
        from loadproof.pytest_plugin import assert_loads
        def test_it():
            assert_loads({str(truncated)!r})
        """
    )
    text = run(pytester).stdout.str()
    assert "LP003" in text
    assert "asserting.py" not in text


def test_fixture_marker_and_assertions(pytester, healthy, truncated):
    pytester.makepyfile(
        f"""
        import pytest
        from loadproof import NoCheckpointError
        from loadproof.pytest_plugin import CheckpointFault, assert_loads

        @pytest.mark.checkpoint({str(healthy)!r})
        def test_report(checkpoint_report):
            assert checkpoint_report.verdict == "loads"

        def test_assert_loads():
            assert assert_loads({str(healthy)!r}).verdict == "loads"
            with pytest.raises(CheckpointFault, match="LP003"):
                assert_loads({str(truncated)!r})
            with pytest.raises(NoCheckpointError):
                assert_loads("absent")
        """
    )
    run(pytester, "--strict-markers").assert_outcomes(passed=2)


def test_the_fixture_without_a_checkpoint_says_what_it_needs(pytester):
    pytester.makepyfile("def test_report(checkpoint_report): pass")
    result = run(pytester)
    result.stdout.fnmatch_lines(["*needs @pytest.mark.checkpoint(path) or --loadproof PATH*"])


def test_importing_the_plugin_brings_only_the_standard_library():
    code = (
        "import sys, pytest; before = set(sys.modules); import loadproof.pytest_plugin;"
        "new = {m.split('.')[0] for m in set(sys.modules) - before};"
        "print(sorted(new - set(sys.stdlib_module_names)))"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert output.strip() == "['loadproof']"


@pytest.mark.torch
def test_assert_generate_ready():
    from loadproof import HeadFault
    from loadproof.pytest_plugin import assert_generate_ready
    from tests.runtime.models import flatten, llama

    model = llama()
    assert_generate_ready(model)
    flatten(model.lm_head.weight)
    with pytest.raises(HeadFault):
        assert_generate_ready(model)


@pytest.mark.torch
def test_ready_made_guards_pass_on_healthy_and_fail_on_damaged(pytester, tmp_path):
    hybrid = build("qwen3_next").write(tmp_path / "hybrid")
    pytester.makepyfile(
        f"""
        from loadproof.integrations.ci_guards import GenerateReadyTests, LayerPlanTests
        from tests.runtime.models import llama

        class TestHead(GenerateReadyTests):
            def make_model(self):
                return llama()

        class TestPlan(LayerPlanTests):
            checkpoint = {str(hybrid)!r}
        """
    )
    pytester.makeini(f"[pytest]\npythonpath = {Path(__file__).resolve().parent.parent}")
    run(pytester).assert_outcomes(passed=6)


@pytest.mark.torch
def test_trainer_callback_stops_at_the_save_that_went_wrong(tmp_path):
    import torch
    from transformers import Trainer, TrainingArguments

    from loadproof.integrations.transformers import CheckSavedCheckpoints
    from loadproof.pytest_plugin import CheckpointFault
    from tests.runtime.models import llama

    rows = [{"input_ids": torch.arange(5), "labels": torch.arange(5)}] * 4

    def train(model, callback, steps=1):
        arguments = TrainingArguments(
            str(tmp_path / "out"),
            max_steps=steps,
            save_steps=1,
            report_to=[],
            use_cpu=True,
            per_device_train_batch_size=1,
        )
        Trainer(model, arguments, train_dataset=rows, callbacks=[callback]).train()

    callback = CheckSavedCheckpoints()
    train(llama(tied=False), callback)
    assert callback.reports[1].verdict == "loads"

    broken = llama(tied=False)
    save = broken.save_pretrained

    def save_without_head(folder, state_dict=None, **options):
        state = {n: t for n, t in (state_dict or broken.state_dict()).items() if n != "lm_head.weight"}
        save(folder, state_dict=state, **options)

    broken.save_pretrained = save_without_head
    with pytest.raises(CheckpointFault, match="lm_head"):
        train(broken, CheckSavedCheckpoints())
    stopping = CheckSavedCheckpoints(on_fault="stop")
    with pytest.warns(UserWarning, match="lm_head"):
        train(broken, stopping, steps=4)
    assert list(stopping.reports) == [1]
    with pytest.raises(ValueError, match="on_fault must be 'raise', 'stop' or 'warn', found 'ignore'"):
        CheckSavedCheckpoints(on_fault="ignore")


def test_a_name_with_control_characters_is_escaped_in_node_ids(pytester, tmp_path):
    folder = build("llama").write(tmp_path / "plug\x1b[31m_\u202e")
    next(folder.glob("*.safetensors")).write_bytes(b"broken")
    pytester.makepyfile("def test_nothing(): pass")
    output = run(pytester, "--loadproof", str(folder), "-v").stdout.str()
    assert r"plug\x1b[31m_\u202e]::verdict" in output
    assert "\x1b" not in output
    assert "\u202e" not in output
