"""Load folders with the real library, each in a process of its own: ``python library.py FOLDER...``; one JSON line each.

The code of the folders is imported and run: they are our own.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import warnings


def load(folder: str) -> list[str]:
    """["loads", ""] or ["raises", the exception]."""
    import transformers

    with open(os.path.join(folder, "config.json"), encoding="utf-8") as f:
        named = json.load(f)["auto_map"]
    auto = next(k for k in ("AutoModelForCausalLM", "AutoModel", *named) if k in named and k.startswith("AutoModel"))
    try:
        getattr(transformers, auto).from_pretrained(folder, trust_remote_code=True)
    except BaseException as problem:
        return ["raises", f"{type(problem).__name__}: {str(problem)[:600]}"]
    return ["loads", ""]


def main() -> None:
    warnings.simplefilter("ignore")
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["HF_MODULES_CACHE"] = tempfile.mkdtemp(prefix="modules")
    import transformers
    from transformers.models.auto import modeling_auto  # noqa: F401 - imported once, before the processes part

    transformers.logging.set_verbosity_error()
    _ = transformers.PreTrainedModel, transformers.AutoModelForCausalLM, transformers.AutoModel
    for folder in sys.argv[1:]:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            with os.fdopen(writing, "w") as pipe:
                pipe.write(json.dumps(load(folder)))
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            answer = pipe.read() or json.dumps(["raises", "the process ended"])
        os.waitpid(child, 0)
        print(json.dumps([folder, *json.loads(answer)]), flush=True)


if __name__ == "__main__":
    main()
