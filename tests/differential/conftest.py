"""Tests marked `oracle` run only when they are asked for: ``pytest -m oracle`` (`make oracle`)."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "oracle" in (config.getoption("markexpr") or ""):
        return
    left_out = [item for item in items if item.get_closest_marker("oracle") is not None]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
