"""One JSON record a line of what the release of this interpreter builds: `python -m tests.differential.expectation.truth`.

A record holds model type, class, `kind` (default or random), the raw configuration, and either `facts` or the `error`
that the library raises. The first line tells the release. Nothing but transformers and torch is needed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import sys
from collections.abc import Iterator
from typing import Any

from tests.differential.expectation import real
from tests.differential.expectation.random_configs import random_config

_SECONDS = 60  # for one model
_NAMES = 60_000  # a larger random model teaches nothing new


class TooSlow(Exception):  # noqa: N818 - it is an outcome, not a fault
    pass


def record(model_type: str, name: str, kind: str, raw: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {"model_type": model_type, "class": name, "kind": kind, "raw": raw}
    signal.alarm(_SECONDS)
    try:
        made["facts"] = real.facts(real.build(model_type, name, raw))
    except Exception as problem:
        made["error"] = [type(problem).__name__, str(problem)]
    finally:
        signal.alarm(0)
    return made


def records_of(model_type: str, name: str, wanted: int, seed: str) -> Iterator[dict[str, Any]]:
    """The default configuration, then random ones until `wanted` of them were built."""
    yield record(model_type, name, "default", {"model_type": model_type})
    try:
        full = {**real.default_config(model_type), "model_type": model_type}  # a few classes state another spelling
    except Exception:
        return
    rng, agreed, tried = random.Random(f"{model_type}/{name}{seed}"), 0, 0
    while agreed < wanted and tried < 4 * wanted:
        tried += 1
        made = record(model_type, name, "random", random_config(full, rng, 0.4 / (1 + tried / 8)))
        if len(made.get("facts", {}).get("parameters", ())) <= _NAMES:
            agreed += "facts" in made
            yield made


def _too_slow(*_: Any) -> None:
    raise TooSlow(f"more than {_SECONDS} seconds")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--random", type=int, default=1, metavar="N", help="random configurations per target")
    parser.add_argument("--seed", default="", help="any text: other random configurations")
    parser.add_argument("--only", default="", help="model types, separated by commas")
    options = parser.parse_args()
    signal.signal(signal.SIGALRM, _too_slow)
    out = sys.stdout
    import transformers

    only = set(filter(None, options.only.split(",")))
    out.write(
        json.dumps({"version": transformers.__version__, "source": os.path.dirname(transformers.__file__)}) + "\n"
    )
    with contextlib.redirect_stdout(sys.stderr):  # some classes print while they are built
        for model_type, name in real.targets():
            if not only or model_type in only:
                for made in records_of(model_type, name, options.random, options.seed):
                    out.write(json.dumps(made) + "\n")


if __name__ == "__main__":
    main()
