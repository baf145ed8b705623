"""The truth about a repository's own code: its real class, imported and built. Run by the Python of any release.

    python remote_real.py facts FOLDER [CLASS]        the class on the meta device, as JSON
    python remote_real.py save FOLDER OUT [CLASS]     the class with random weights, saved with its code
    python remote_real.py load TOP [CLASS]            what `from_pretrained` reports of each folder in TOP, as JSON

Only torch and transformers are needed. What the library raises is part of the answer.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import tempfile
import warnings
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_VERBOSITY"] = "critical"
os.environ["HF_MODULES_CACHE"] = tempfile.mkdtemp(prefix="remote-code-")
KEYS = (
    *("AutoModelForCausalLM", "AutoModelForConditionalGeneration", "AutoModelForSeq2SeqLM"),
    *("AutoModelForImageTextToText", "AutoModelForVision2Seq", "AutoModel", "AutoModelForSequenceClassification"),
)


def main(command: str, folder: str, *more: str) -> None:
    warnings.simplefilter("ignore")
    try:
        with contextlib.redirect_stdout(sys.stderr):
            answer = COMMANDS[command](os.path.abspath(folder), *more)
    except Exception as error:
        answer = {"raises": f"{type(error).__name__}: {error}"}
    finally:
        shutil.rmtree(os.environ["HF_MODULES_CACHE"], ignore_errors=True)
    print(json.dumps(answer))


# ---------------------------------------------------------------- the class
def _reference(folder: str, name: str | None) -> str:
    """The auto_map entry of a class name, else of the first Auto class that is listed."""
    with open(os.path.join(folder, "config.json"), encoding="utf-8") as file:
        auto_map = json.load(file)["auto_map"]
    named = [v for k, v in auto_map.items() if k.startswith("AutoModel") and str(v).rpartition(".")[2] == name]
    return str(named[0] if named else next(auto_map[key] for key in KEYS if key in auto_map))


def _class(folder: str, name: str | None) -> Any:
    from transformers.dynamic_module_utils import get_class_from_dynamic_module

    return get_class_from_dynamic_module(_reference(folder, name), folder)


def _config(folder: str) -> Any:
    from transformers import AutoConfig

    return AutoConfig.from_pretrained(folder, trust_remote_code=True)


def _built(folder: str, name: str | None, device: str) -> Any:
    import torch

    config = _config(folder)  # first, as the Auto classes do: it brings files that the model's module imports
    cls = _class(folder, name)
    with torch.device(device), _without_random_numbers():
        model = cls._from_config(config)
    _tie(model)
    return model


def _tie(model: Any) -> None:
    """As from_pretrained does when the model is built; 5.x hands over what a method of remote code may not take."""
    from transformers import PreTrainedModel

    if not hasattr(PreTrainedModel, "get_expanded_tied_weights_keys"):
        model.tie_weights()
    elif type(model).tie_weights is not PreTrainedModel.tie_weights:
        model.tie_weights(missing_keys=set(), recompute_mapping=False)


@contextlib.contextmanager
def _without_random_numbers() -> Any:
    """The library does not initialise what it is about to load; only names and shapes count here."""
    try:
        from transformers.modeling_utils import no_init_weights
    except ImportError:
        yield
        return
    with no_init_weights():
        yield


# ---------------------------------------------------------------- commands
def facts(folder: str, name: str | None = None) -> dict[str, Any]:
    import transformers

    device = "meta"
    try:
        model = _built(folder, name, device)
    except Exception:
        if int(transformers.__version__.split(".")[0]) >= 5:  # there from_pretrained builds on meta as well
            raise
        device = "cpu"
        model = _built(folder, name, device)
    return {"version": transformers.__version__, "device": device, **_described(model)}


def _described(model: Any) -> dict[str, Any]:
    parameters = {n: list(p.shape) for n, p in model.named_parameters(remove_duplicate=False)}
    state = {n: list(t.shape) for n, t in model.state_dict().items() if hasattr(t, "shape")}
    return {
        "class": type(model).__name__,
        "parameters": parameters,
        "buffers": {n: s for n, s in state.items() if n not in parameters},
        "all_buffers": sorted(n for n, _ in model.named_buffers(remove_duplicate=False)),
        "ties": _ties(model),
        "base_model_prefix": model.base_model_prefix,
        **{
            kind: sorted(getattr(model, f"_keys_to_{kind}", None) or ())
            for kind in ("ignore_on_load_missing", "ignore_on_load_unexpected", "ignore_on_save")
        },
    }


def _ties(model: Any) -> list[list[str]]:
    """Groups of names that are one parameter, or will be once the library has tied them."""
    declared = getattr(model, "all_tied_weights_keys", None)
    if isinstance(declared, dict):
        groups: dict[Any, set[str]] = {}
        for target, source in declared.items():
            groups.setdefault(source, {source}).add(target)
    else:
        groups = {}
        for name, parameter in model.named_parameters(remove_duplicate=False):
            groups.setdefault(id(parameter), set()).add(name)
    return sorted(sorted(group) for group in groups.values() if len(group) > 1)


def save(folder: str, out: str, name: str | None = None) -> dict[str, Any]:
    """A checkpoint of the class in `out`: its weights, each once, its config.json as it stood, and its code."""
    from safetensors.torch import save_file

    model = _built(folder, name, "cpu")
    os.makedirs(out)
    once = {(t.data_ptr(), t.shape): n for n, t in reversed(model.state_dict().items()) if hasattr(t, "shape")}
    tensors = {n: t.detach().clone() for n, t in model.state_dict().items() if n in set(once.values())}
    save_file(tensors, os.path.join(out, "model.safetensors"), metadata={"format": "pt"})
    for file in os.listdir(folder):
        if file.endswith(".py") or file == "config.json":
            shutil.copyfile(os.path.join(folder, file), os.path.join(out, file))
    return {"class": type(model).__name__}


def load(top: str, name: str | None = None) -> dict[str, Any]:
    """Folder -> its loading report, or what it raises."""
    return {folder: _reported(os.path.join(top, folder), name) for folder in sorted(os.listdir(top))}


def _reported(folder: str, name: str | None) -> dict[str, Any]:
    try:
        return _report(folder, name)
    except Exception as error:
        return {"raises": f"{type(error).__name__}: {error}"}


def _report(folder: str, name: str | None) -> dict[str, Any]:
    """The loading report of the class that trust_remote_code=True gives."""
    config = _config(folder)
    _, info = _class(folder, name).from_pretrained(folder, config=config, output_loading_info=True)
    missing, unexpected = sorted(info["missing_keys"]), sorted(info["unexpected_keys"])
    return {"missing": missing, "unexpected": unexpected, "mismatched": sorted(r[0] for r in info["mismatched_keys"])}


COMMANDS = {"facts": facts, "save": save, "load": load}

if __name__ == "__main__":
    main(*sys.argv[1:])
