"""Configs that cannot be read or that no class can be built from, and files that hold code."""

from __future__ import annotations

from loadproof.tracebacks.base import Cause

CAUSES: tuple[Cause, ...] = (
    Cause(
        key="config-broken",
        code="LP013",
        slug="config-invalid",
        headline="config.json is not valid JSON (a comma too many, a byte order mark, UTF-16, cut off, a web page)",
        confirm="the check names the place in config.json",
        refute="config.json reads",
        command="loadproof check PATH",
        remedy="mend the place that the check names, or copy config.json from the base model",
    ),
    Cause(
        key="config-value",
        code="LP014",
        slug="config-value",
        headline="a field of config.json has a value or a type that no model can be built from",
        confirm="the check names the field",
        refute="every field has a usable value",
        command="loadproof check PATH",
        remedy="set the field to what the model was made with (config.json of the base model)",
    ),
    Cause(
        key="config-refused",
        code="LP017",
        slug="config-refused",
        headline="the values of config.json do not go together: the class refuses to be built from them",
        confirm="the check reports the same exception before any weight file is opened",
        refute="the check builds the class",
        command="loadproof check PATH",
        remedy="compare with the base model: loadproof diff PATH BASE",
    ),
    Cause(
        key="pickled-code",
        code="LP012",
        slug="executable-payload",
        headline="the torch file holds more than tensors: the safe reader refuses its classes or functions",
        confirm="the check names the globals in the pickle",
        refute="only tensors and plain containers are in it",
        command="loadproof check PATH",
        remedy="get the model as safetensors; allow the load only where the author and every global are trusted",
    ),
    Cause(
        key="remote-code-untrusted",
        code="LP705",
        slug="remote-code",
        headline="the model needs Python code of its own, which is run only when it is allowed",
        confirm="config.json has auto_map and the reader has no class of its own for the model_type",
        refute="the model_type is known to this reader",
        command="loadproof check PATH",
        remedy="read the code, then pass trust_remote_code=True; or use a release that knows the model_type",
        where="run",
    ),
)
