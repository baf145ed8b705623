"""DeepSpeed itself, where it is installed (`pip install deepspeed`); emulated placeholders are in test_diagnose."""

import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.runtime.test_distributed import free_port

pytestmark = pytest.mark.torch


@pytest.mark.skipif(find_spec("deepspeed") is None, reason="DeepSpeed is not installed")
def test_placeholders_are_in_order_under_the_engine_and_refused_outside():
    environment = {
        **os.environ,
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(free_port()),
        "WORLD_SIZE": "1",
        "RANK": "0",
        "LOCAL_RANK": "0",
        "DS_ACCELERATOR": "cpu",
    }
    run = subprocess.run(
        [sys.executable, "-m", "tests.runtime.zero3"], env=environment, capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stderr[-4000:]
    assert "in order" in run.stdout
