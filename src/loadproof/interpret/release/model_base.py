"""`PreTrainedModel`: the few members a constructor touches are written here, ties are worked out by the release's text.

Ties come in two forms: a dictionary `{target: source}` expanded by `get_expanded_tied_weights_keys` (5.x), or a list, where
the release's own `tie_weights` is run and ties are read off object identity (4.x).
"""

# ruff: noqa: ARG005 - the signatures are the library's
from __future__ import annotations

import ast
import re
from typing import Any

from loadproof.interpret.language import limits
from loadproof.interpret.language.errors import SourceMissing, certain
from loadproof.interpret.language.gate import find, own, read, state
from loadproof.interpret.language.objects import SourceObject
from loadproof.interpret.language.values import Class, Function, Value
from loadproof.interpret.release import generation
from loadproof.interpret.release.auto_classes import ConfigClass
from loadproof.interpret.release.definitions import FunctionSource, Member
from loadproof.interpret.release.ports import File, World
from loadproof.interpret.release.stubs import GenerationMixin
from loadproof.interpret.shapes.dtypes import FLOAT32, META
from loadproof.interpret.shapes.module import Module
from loadproof.interpret.shapes.tensor import Parameter

_DICTIONARY_TIES = "get_expanded_tied_weights_keys"
_AT_DEFINITION = {"__init_subclass__"}  # reads type hints; `config_class_of` reads the annotation instead
_ALWAYS = {"get_input_embeddings", "set_input_embeddings", "base_model"}
_WITH_DICTIONARY = {"post_init", _DICTIONARY_TIES, "can_generate"}
_WITH_LIST = {
    "tie_weights",
    "tie_embeddings_and_encoder_decoder",
    "_tie_or_clone_weights",
    "_tie_encoder_decoder_weights",
    "_tie_embedding_weights",
    "get_output_embeddings",
}


def build(world: World) -> Class:
    """The base class of all models of this release."""
    file = world.file("transformers.modeling_utils")
    source = file.class_definition("PreTrainedModel") if file else None
    if file is None or source is None:
        raise SourceMissing("no model base class in this release")
    dictionary = _DICTIONARY_TIES in source.functions()
    glue = kernel(file, dictionary)
    written_here = {*own(glue), *own(Module)} - _ALWAYS - (_WITH_DICTIONARY if dictionary else _WITH_LIST)
    kept = source.without(written_here | _AT_DEFINITION)
    kept.bases = [ast.Name("__kernel__", ast.Load())]
    kept.keywords = []
    glue.asks_the_instance = "_sdpa_can_dispatch" in source.functions()
    file.globals["__kernel__"] = glue
    base = file.make_class(kept)
    type.__setattr__(base, "config_class", ConfigClass())
    type.__setattr__(base, "made_empty", not dictionary and "get_init_context" in source.functions())
    file.globals["PreTrainedModel"] = base
    return base


def kernel(file: File, dictionary: bool) -> Class:
    """The part of PreTrainedModel that is written here."""
    mixin = "EmbeddingAccessMixin"
    embedding_access: Any = file.resolve(mixin) if file.defines(mixin) else SourceObject

    class Kernel(Module, embedding_access):  # type: ignore[misc]
        dict_ties = dictionary
        asks_the_instance = False
        _no_split_modules = _skip_keys_device_placement = _keep_in_fp32_modules = None
        _keep_in_fp32_modules_strict = _tied_weights_keys = None
        _supports_flash_attn = _supports_flex_attn = _supports_sdpa = supports_gradient_checkpointing = False
        dtype: Value = property(lambda self: limits.current().dtype or FLOAT32)
        device: Value = property(lambda self: META)
        tp_plan: Value = property(lambda self: {})  # how it is spread over machines, which changes no name
        ep_plan: Value = property(lambda self: {})

        def __init__(self, config: Any, *_: object, **__: object) -> None:
            Module.__init__(self)
            self.config, self.name_or_path = config, ""
            options = state(config)
            if not options.get("_attn_implementation_internal"):
                options["_attn_implementation_internal"] = "sdpa" if _supports_sdpa(self) else "eager"
            if not options.get("_experts_implementation_internal"):
                options["_experts_implementation_internal"] = "grouped_mm"
            if not dictionary and isinstance(self, GenerationMixin):
                generation.check(file.world, config)

        def _nothing(self, *_: object, **__: object) -> None:
            pass

        def init_weights(self) -> None:
            """Parts do not tie themselves under from_pretrained: see `tied`. A method of their own is called in 5.x."""
            if dictionary:
                _call_with(self.tie_weights, recompute_mapping=False)

        post_init = _nothing
        tie_weights = init_parallel_plans = resize_token_embeddings = _initialize_weights = _nothing
        _backward_compatibility_gradient_checkpointing = add_model_tags = _nothing

        def can_generate(self) -> bool:
            return False

        def get_correct_attn_implementation(self, implementation: Value, *_: object, **__: object) -> Value:
            return implementation

        @classmethod
        def is_custom_code(cls) -> bool:
            return str(cls.__module__).startswith("remote")

        @classmethod
        def _from_config(cls, config: Any, **options: Any) -> Any:
            for key in ("dtype", "torch_dtype", "attn_implementation"):
                options.pop(key, None)
            return cls(config, **options)

    return Kernel


def _supports_sdpa(model: Any) -> Any:
    """Whether the class says so. Releases with `_sdpa_can_dispatch` ask the half-built model, where a property may fail."""
    if not type(model).asks_the_instance:
        return type(model)._supports_sdpa
    try:
        return model._supports_sdpa
    except AttributeError as problem:
        raise certain(problem) from None


def check_ready(world: World, model: Any) -> None:
    """Read what the library reads of a built model before it loads a tensor, most of it set by `post_init`.

    The attributes are those that the release's `post_init` sets and the functions of its loading read. Raises the
    AttributeError of a model whose constructor does not call `post_init`.
    """
    if not type(model).dict_ties:
        return
    for name in read_while_loading(world):
        try:
            read(model, name)
        except AttributeError as problem:
            raise certain(problem) from None


_LOADING = ("from_pretrained", "_load_pretrained_model", "_finalize_model_loading", "mark_tied_weights_as_initialized")
_MOVING = ("_move_missing_keys_from_meta_to_device", "_adjust_missing_and_unexpected_keys", "tie_weights")


def read_while_loading(world: World) -> list[str]:
    """Names that `post_init` alone gives a model, and that loading then reads, in that order."""
    file = world.file("transformers.modeling_utils")
    source = file.class_definition("PreTrainedModel") if file else None
    if source is None:
        return []
    functions = {m.name: m for m in source.members if isinstance(m, FunctionSource)}
    if "post_init" not in functions:
        return []
    of_class = {t.id for m in source.members for t in _targets(m)}
    given = {_own(n, ast.Store) for n in ast.walk(functions["post_init"].node())} - of_class - {None}
    bodies = [functions[name].node() for name in (*_LOADING, *_MOVING) if name in functions]
    uses = (_own(n, ast.Load) for b in bodies for n in ast.walk(b))
    return list(dict.fromkeys(name for name in uses if name is not None and name in given))


def _targets(member: Member) -> list[ast.Name]:
    targets = (
        member.targets
        if isinstance(member, ast.Assign)
        else [member.target]
        if isinstance(member, ast.AnnAssign)
        else []
    )
    return [t for t in targets if isinstance(t, ast.Name)]


def _own(node: ast.AST, use: type[ast.expr_context]) -> str | None:
    """The name of an attribute of the model itself that is used in this way."""
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name) or not isinstance(node.ctx, use):
        return None
    return node.attr if node.value.id in ("self", "model") else None


def tied(model: Any) -> Any:
    """The built model with its weights tied as from_pretrained ties a list of them: once, from the outermost model.

    A part that would tie its own head, were it loaded alone, is not asked (modeling_utils.py:2555 of 4.46,
    `if _init_weights`). Dictionaries of ties are worked out in `post_init`, by the release's text; what remote code puts
    in place of `tie_weights` is called all the same, and often does not take what 5.x hands it.
    """
    if type(model).dict_ties:
        _call_with(model.tie_weights, missing_keys=set(), recompute_mapping=False)
    else:
        if type(model).made_empty:
            _separate(model)
        model.tie_weights()
    return model


def _call_with(method: Function, **options: Value) -> None:
    """Call what the library calls with these options; that it does not take them is the library's own exception."""
    try:
        method(**options)
    except TypeError as problem:
        if "unexpected keyword argument" in str(problem):
            certain(problem)
        raise


def _separate(model: Any) -> None:
    """Make every parameter that a constructor shares one of its own.

    `init_empty_weights` makes a new parameter whenever one is registered (integrations/accelerate.py:110 of 4.57.1), so
    what is shared is only what `tie_weights` ties afterwards.
    """
    seen: set[int] = set()
    for module in model.modules():
        for name, p in module._parameters.items():
            if p is not None and id(p) in seen:
                module._parameters[name] = Parameter(p)
                module._parameters[name].source = p.source
            seen.add(id(p))


def tie_map(model: Any) -> dict[str, str]:
    """Tied parameter -> the one it is tied to."""
    if type(model).dict_ties:
        return dict(state(model).get("all_tied_weights_keys") or {})
    groups: dict[int, list[str]] = {}
    for name, p in model.named_parameters(remove_duplicate=False):
        groups.setdefault(id(p), []).append(name)
    patterns = [*(model._tied_weights_keys or ()), *(find(model, "_dynamic_tied_weights_keys") or ())]
    out: dict[str, str] = {}
    for names in groups.values():
        if len(names) > 1:
            source = next(
                (n for n in names if not any(re.search(find(p, "pattern", p), n) for p in patterns)), names[0]
            )
            out.update((n, source) for n in names if n != source)
    return out
