"""Compare what is read from a repository's own code with what its real class builds.

    python -m tests.differential.expectation.remote FOLDER... [--python OTHER_PYTHON] [--load]

FOLDER holds a config.json with an `auto_map` and the `*.py` files it names. OTHER_PYTHON is the Python of an environment
with the transformers release to judge by (default: this one). The real code is imported and run there: point this only
at code that you trust. With `--load` the class is also saved with random weights, tensors are removed and renamed, and
the predicted outcome is compared with what `from_pretrained` reports. Exit status 1 when anything disagrees.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

from loadproof import api
from loadproof.core.expectation import Expectation
from loadproof.core.families import names_of, split_name
from loadproof.formats import checkpoint_at
from loadproof.interpret import expect
from loadproof.interpret.release.remote_code import references
from tests.differential.expectation.remote_checkpoint import damaged

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "remote_real.py")
_LISTS = {
    "ignore_on_load_missing": "ignore_missing",
    "ignore_on_load_unexpected": "ignore_unexpected",
    "ignore_on_save": "ignore_on_save",
}


# ---------------------------------------------------------------- both answers
def real(python: str, *arguments: str) -> dict[str, Any]:
    """What remote_real.py says in that Python; its crash is an answer as well."""
    ended = subprocess.run([python, SCRIPT, *arguments], capture_output=True, text=True, check=False)
    if ended.returncode:
        return {"raises": f"crashed: {ended.stderr[-600:]}"}
    answer = json.loads(ended.stdout.splitlines()[-1])
    assert isinstance(answer, dict)
    return answer


def source_of(python: str) -> str:
    """The package folder of the transformers release in that environment."""
    code = "import importlib.util as u; print(u.find_spec('transformers').submodule_search_locations[0])"
    return subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def read(folder: str, source: str) -> tuple[Expectation, float]:
    """(our answer, seconds), nothing cached. The repository's own class, also where the release has one of that type."""
    begin = time.perf_counter()
    config = checkpoint_at(folder).config
    found = expect(config, folder, source=source, class_name=_own_class(config.raw), use_cache=False)
    return found, time.perf_counter() - begin


def _own_class(raw: dict[str, Any]) -> str:
    """The entry of auto_map that loading goes by, as ``module.Class``."""
    _, model = references(raw)
    return f"{model.module}.{model.name}"


# ---------------------------------------------------------------- comparison
def as_facts(found: Expectation) -> dict[str, Any]:
    named = [(f, n) for f in found.families for n in names_of(f.template, f.axes)]
    groups: dict[str, set[str]] = {}
    for target, tied in found.ties:
        groups.setdefault(tied, {tied}).add(target)
    return {
        "class": found.class_name,
        "parameters": {n: list(f.shape) for f, n in named if f.kind == "parameter"},
        "buffers": {n: list(f.shape) for f, n in named if f.kind == "buffer"},
        "all_buffers": sorted(found.buffer_names),
        "ties": sorted(sorted(group) for group in groups.values()),
        "base_model_prefix": found.base_model_prefix,
        **{kind: sorted(getattr(found, ours)) for kind, ours in _LISTS.items()},
    }


def differences(found: Expectation, truth: dict[str, Any]) -> list[str]:
    """What is not as in the real class; empty when all is, or when we say that we do not know."""
    if found.inconclusive:
        return []
    if "raises" in truth or found.raises:
        same = _exception(found.raises) == _exception(truth.get("raises"))
        return [] if same else [f"we: {found.raises or 'builds'}; the library: {truth.get('raises', 'builds')}"]
    ours = as_facts(found)
    truth = {**truth, "all_buffers": sorted({split_name(n)[0] for n in truth["all_buffers"]})}
    return [f"{part}: {_difference(ours[part], truth[part])}" for part in ours if ours[part] != truth[part]]


def _exception(text: str | None) -> str:
    """The kind of an exception and the head of its message."""
    return (text or "").split(" (")[0][:60]


def _difference(ours: Any, truth: Any) -> str:
    if isinstance(ours, dict):
        wrong = [n for n in ours.keys() & truth.keys() if ours[n] != truth[n]]
        first = [f"{n} {ours[n]} for {truth[n]}" for n in sorted(wrong)[:3]]
        lacks, extra = sorted(truth.keys() - ours.keys()), sorted(ours.keys() - truth.keys())
        return f"{len(lacks)} lacking {lacks[:3]}, {len(extra)} too many {extra[:3]}, {len(wrong)} of another shape {first}"
    return f"{str(ours)[:300]} for {str(truth)[:300]}"


# ---------------------------------------------------------------- loading
def outcomes(folder: str, python: str, source: str) -> list[str]:
    """Disagreements about a saved checkpoint of this class, whole and damaged."""
    own = _own_class(checkpoint_at(folder).config.raw)
    with tempfile.TemporaryDirectory() as top:
        made = real(python, "save", folder, os.path.join(top, "whole"), own.rpartition(".")[2])
        if "raises" in made:
            return [f"cannot be saved: {made['raises'][:300]}"]
        done = damaged(top)
        truth = real(python, "load", top, own.rpartition(".")[2])
        wrong = []
        for name, what in done.items():
            wrong += [f"{what}: {text}" for text in _different(os.path.join(top, name), own, source, truth[name])]
        return wrong


def _different(path: str, own: str, source: str, truth: dict[str, Any]) -> list[str]:
    case = api.check(path, source=source, class_name=own, use_cache=False).case
    unknown = case.expectation.inconclusive or case.outcome.inconclusive
    if unknown:
        return [f"inconclusive: {unknown}"]
    if "raises" in truth or case.outcome.raises:
        agree = ("raises" in truth) == case.outcome.raises
        return [] if agree else [f"we: {case.outcome.error}; the library: {truth.get('raises', 'loads')[:300]}"]
    ours: dict[str, list[str]] = {"missing": [], "unexpected": [], "mismatched": []}
    for row in case.outcome.rows:
        ours.setdefault(row.kind, []).extend(names_of(row.template, row.axes))
    return [
        f"{k}: {sorted(v)[:4]} for {truth.get(k, [])[:4]}" for k, v in ours.items() if sorted(v) != truth.get(k, [])
    ]


# ---------------------------------------------------------------- command
def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--load", action="store_true")
    options = parser.parse_args()
    source, counts = source_of(options.python), {"agree": 0, "inconclusive": 0, "DISAGREE": 0}
    for folder in options.folders:
        verdict, text = judge(folder, options.python, source, options.load)
        counts[verdict] += 1
        print(f"{verdict:12} {os.path.basename(os.path.normpath(folder)):18} {text}", flush=True)
    print(f"of {len(options.folders)}: {counts}")
    return 1 if counts["DISAGREE"] else 0


def judge(folder: str, python: str, source: str, load: bool) -> tuple[str, str]:
    """(verdict, one line about it)."""
    folder = os.path.abspath(folder)
    found, seconds = read(folder, source)
    truth = real(python, "facts", folder, found.class_name)
    wrong = differences(found, truth)
    if load and not wrong and not found.inconclusive and not found.raises:
        wrong = outcomes(folder, python, source)
    told = f"{found.class_name} {found.parameters} tensors {seconds:.2f} s, {found.source} of {found.version}"
    if wrong:
        return "DISAGREE", f"{told}\n    " + "\n    ".join(wrong)
    if found.inconclusive:
        return "inconclusive", f"{told}: {found.inconclusive} | the library: {truth.get('raises', 'builds')[:200]}"
    return "agree", f"{told}{': ' + found.raises[:150] if found.raises else ''}"


if __name__ == "__main__":
    sys.exit(main())
