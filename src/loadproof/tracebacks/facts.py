"""Which engine, version and phase a log is from, and with which flags it was launched."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from loadproof.tracebacks.knowledge import engines
from loadproof.tracebacks.knowledge.logs import logs

_VERSION = (
    r"(?:\b{name}[ _-]?(?:engine|server|version|api server version)?\b[^\n\d]{{0,24}}?"
    r"(?:\(v|\bv|version:? ?|==|=|: |: v| ))(\d+\.\d+(?:\.\d+)?(?:[.+-]?[a-z]\w*)*)"
)
_MODEL = re.compile(
    r"(?:\bmodel(?:_path|-path)?=|--model(?:-path)?[ =]|LOAD REPORT from: |model checkpoint at |['\"]model['\"]: )"
    r"['\"]?([\w./@:~-]+)"
)


def find_engine(lines: Sequence[str], frames: Sequence[str]) -> str | None:
    """The engine or library the error comes from: the most specific of those that left signs."""
    text = "\n".join((*lines, *frames))
    return next((one.name for one in engines() if re.search(one.sign, text)), None)


def find_version(engine: str | None, text: str) -> str | None:
    """The version of the engine, where the log prints it."""
    if engine is None:
        return None
    package = next((one.package for one in engines() if one.name == engine), "")
    names = package or re.escape(engine)
    found = re.search(_VERSION.format(name=f"(?:{names})"), text)
    return found[1] if found else None


def find_phase(message: str, frames: Sequence[str]) -> str | None:
    """What was going on: the innermost frame that tells, else the message."""
    for frame in reversed(frames):
        for phase in logs().phases:
            if re.search(phase.sign, frame):
                return phase.name
    return next((phase.name for phase in logs().phases if re.search(phase.sign, message)), None)


def find_run(text: str) -> dict[str, Any]:
    """Launch facts: tp, pp, dp, ep, executor, quantization, dtype, load_format, zero_stage, ray, fsdp, model ..."""
    run: dict[str, Any] = {}
    for flag in logs().flags:
        found = re.search(flag.sign, text)
        if found:
            value = next(group for group in found.groups() if group is not None)
            if value not in ("None", "auto"):
                run[flag.name] = int(value) if value.isdigit() else value
    _add_signs(run, text)
    model = _MODEL.search(text)
    if model:
        run["model"] = model[1]
    return run


def _add_signs(run: dict[str, Any], text: str) -> None:
    if "executor" not in run and re.search(r"RayWorkerWrapper|RayDistributedExecutor|ray_executor|\bray::", text):
        run["executor"] = "ray"
    if "zero_stage" not in run and re.search(
        r"\bds_id\b|\bds_shape\b|stage3_|GatheredParameters|partition_parameters", text
    ):
        run["zero_stage"] = 3
    if re.search(
        r"_fsdp_wrapped_module|FullyShardedDataParallel|fully_sharded_data_parallel|fsdp_config|\bFSDP2?\b", text
    ):
        run["fsdp"] = True
    if re.search(r"PeftModel|peft/", text):
        run["peft"] = True
