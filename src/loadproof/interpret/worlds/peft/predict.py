"""`PeftModel.from_pretrained(base, adapter)`, evaluated from the text of a release."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from loadproof.interpret import building
from loadproof.interpret.language.errors import NotUnderstood
from loadproof.interpret.language.gate import find, write
from loadproof.interpret.shapes.loading import last_load
from loadproof.interpret.shapes.module import Module
from loadproof.interpret.shapes.tensor import Tensor
from loadproof.interpret.worlds.peft.base_class import class_of_base, known_others
from loadproof.interpret.worlds.peft.folder import LABEL, Folder
from loadproof.interpret.worlds.peft.question import Answer, Fate, OnClass, Question
from loadproof.interpret.worlds.peft.world import PeftWorld

Origin = tuple[str, ...]
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def predict(world: PeftWorld, question: Question) -> Answer:
    """What becomes of the adapter, and where it is not whole, of the same on other classes of the base. Never raises."""
    refused = _refused(question)
    if refused is not None:
        return Answer(inconclusive=refused)
    with building.room_to_recurse():
        try:
            chosen = question.class_name or class_of_base(world, question.base, question.config)
        except Exception as problem:
            return _failed(world, problem)
        answer = replace(_on_class(world, question, chosen), model_class=chosen)
        if question.class_name is not None or answer.inconclusive or is_whole(answer):
            return answer
        others = known_others(world, question.base, chosen)
        return replace(answer, others=tuple(_in_numbers(_on_class(world, question, name), name) for name in others))


def is_whole(answer: Answer) -> bool:
    """Whether every parameter of the adapter is filled and every stored tensor used."""
    if answer.error is not None or answer.inconclusive is not None or not answer.expected:
        return False
    return not answer.unused and not unfilled(answer)


def unfilled(answer: Answer) -> tuple[str, ...]:
    """Names in the file that a whole adapter holds, and that nothing fills here."""
    return tuple(
        name for name in answer.expected if answer.fates.get(answer.parameter.get(name, name), "file") != "file"
    )


def _in_numbers(answer: Answer, name: str) -> OnClass:
    made = len(answer.expected)
    error = answer.error or answer.inconclusive
    return OnClass(name, is_whole(answer), 0 if error else made - len(unfilled(answer)), made, error)


def _on_class(world: PeftWorld, question: Question, class_name: str) -> Answer:
    try:
        return _predicted(world, question, class_name)
    except Exception as problem:
        answer = _failed(world, problem)
        return answer if answer.inconclusive else replace(answer, expected=_wanted(world, question, class_name))


def _failed(world: PeftWorld, problem: Exception) -> Answer:
    """What an exception means: that nothing can be said, or that the library raises it."""
    if world.budget.spent:
        return Answer(inconclusive=world.budget.spent)
    if isinstance(problem, NotUnderstood):
        return Answer(inconclusive=f"{problem}{_place(world, problem)}")
    if isinstance(problem, MemoryError | RecursionError):
        return Answer(inconclusive=f"evaluating peft needs too much ({type(problem).__name__}){_place(world, problem)}")
    text = f"{type(problem).__name__}: {_ADDRESS.sub('', str(problem))}"
    return Answer(error=text, error_at=world.budget.origin(problem), warnings=tuple(world.warned))


def _refused(question: Question) -> str | None:
    """Why peft is not evaluated for this adapter at all."""
    kind = question.config.get("peft_type") if isinstance(question.config, dict) else None
    if kind == "XLORA":
        return "X-LoRA reads the folders of other adapters, which are not looked at"
    if question.base.get("quantization_config") is not None:
        return "the base is quantized, and its quantizer makes the layers to adapt: give the base it was made of with --base"
    return None


def _place(world: PeftWorld, problem: BaseException) -> str:
    origin = world.budget.origin(problem)
    return f" ({origin})" if origin and origin not in str(problem) else ""


def base_model(world: PeftWorld, base: dict[str, Any], class_name: str) -> Any:
    """The base as `from_pretrained` makes it: tied parameters are one object."""
    model = building.build(world, base, building.effective_type(base, world), class_name)
    for target, source in dict(find(model, "all_tied_weights_keys") or {}).items():
        _share(model, source, target)
    return model


def _share(model: Module, source: str, target: str) -> None:
    (owner, _, leaf), (other, _, name) = source.rpartition("."), target.rpartition(".")
    try:
        giver, taker = model.get_submodule(owner), model.get_submodule(other)
    except AttributeError:
        return
    if isinstance(giver, Module) and isinstance(taker, Module) and giver._parameters.get(leaf) is not None:
        taker._parameters[name] = giver._parameters[leaf]


def _predicted(world: PeftWorld, question: Question, class_name: str) -> Answer:
    model = base_model(world, question.base, class_name)
    own = _Own(model)
    world.folder, world.warned = Folder(question.config, question.tensors), []
    loader: Any = world.load("peft.peft_model", "PeftModel")
    made = loader.from_pretrained(model, LABEL)
    warnings = tuple(world.warned)
    saved = _saved(world, made, save_embedding_layers=False)
    became = _what_became(made, own)
    names = _names(made, became)
    along = {id(tensor) for tensor in _saved(world, made).values()} if became.base else set()
    tensors = made.state_dict() if along else {}
    answer = replace(
        became,
        restated=tuple(name for name in became.base if id(tensors[name]) in along),
        warnings=warnings,
        class_name=type(made).__name__,
        expected={name: tuple(tensor.known()) for name, tensor in saved.items()},
        parameter={name: names[id(tensor)] for name, tensor in saved.items() if id(tensor) in names},
    )
    world.budget.settle()
    return answer


def _names(made: Any, became: Answer) -> dict[int, str]:
    """The name of each parameter; of one with several names, one under which it was filled."""
    tensors: dict[str, Any] = made.state_dict()
    names = {id(tensor): name for name, tensor in tensors.items()}
    return names | {id(tensors[name]): name for name, fate in became.fates.items() if fate == "file"}


def _saved(world: PeftWorld, made: Any, **options: Any) -> dict[str, Any]:
    """What peft would save of this adapter, by name; empty where saving it raises."""
    save: Any = world.load("peft.utils.save_and_load", "get_peft_model_state_dict")
    try:
        return {str(name): tensor for name, tensor in save(made, **options).items()}
    except (NotUnderstood, MemoryError, RecursionError):
        raise
    except Exception:
        return {}


def _wanted(world: PeftWorld, question: Question, class_name: str) -> dict[str, tuple[int, ...]]:
    """Names and shapes of an adapter of this configuration, without a file; empty where they cannot be told."""
    try:
        model = base_model(world, question.base, class_name)
        world.folder = Folder(question.config, {})
        made = _wrapped(world, model)
        return {
            name: tuple(tensor.known()) for name, tensor in _saved(world, made, save_embedding_layers=False).items()
        }
    except Exception:
        return {}


def _wrapped(world: PeftWorld, model: Any) -> Any:
    """The base with an adapter as it is made before a file is read."""
    kind: Any = world.load("peft.config", "PeftConfig")
    config_class: Any = world.methods.registered(str(kind._get_peft_type(LABEL)).upper())["config_cls"]
    config = config_class.from_pretrained(LABEL)
    write(config, "inference_mode", True)
    classes: Any = world.load("peft.auto", "MODEL_TYPE_TO_PEFT_MODEL_MAPPING")
    loader: Any = (
        classes[config.task_type] if config.task_type in classes else world.load("peft.peft_model", "PeftModel")
    )
    return loader(model, config, "default")


class _Own:
    """The parameters of the base, by their names without layer numbers: layers may be replicated."""

    def __init__(self, model: Any) -> None:
        self.names = {_unnumbered(name) for name in model.state_dict()}

    def __contains__(self, name: str) -> bool:
        short = _unnumbered(name.replace(".base_layer", "").replace(".original_module", ""))
        return any(short.removeprefix(prefix) in self.names for prefix in ("base_model.model.", "base_model."))


def _unnumbered(name: str) -> str:
    return re.sub(r"\d+", "N", name)


def _what_became(made: Any, own: _Own) -> Answer:
    load = last_load(made)
    given = load.given if load is not None else {}
    tensors: dict[str, Any] = made.state_dict()
    fates = {name: _fate(name, tensor, given) for name, tensor in tensors.items() if _is_adapters(name, own, given)}
    reached = {name: tensor.origin for name, tensor in tensors.items() if tensor.fill == "file" or name in given}
    overwritten = tuple(name for name in given if name in tensors and name in own)
    unexpected = load.unexpected if load is not None else ()
    unused = tuple(dict.fromkeys(_unused(reached, given, unexpected)))
    return Answer(fates=fates, given=reached, base=overwritten, unexpected=unexpected, unused=unused)


def _unused(reached: dict[str, Origin], given: dict[str, Origin], unexpected: Iterable[str]) -> Iterator[str]:
    """Stored tensors that reach nothing: those of which the library makes a name of no parameter."""
    used = {name for origin in reached.values() for name in origin}
    used |= {name for key in given if key in reached for name in given[key]}
    for key in unexpected:
        yield from (name for name in given[key] or (key,) if name not in used)


def _is_adapters(name: str, own: _Own, given: Collection[str]) -> bool:
    """Parameters of the adapter, and of the base those that the file fills. `word_embeddings`: the base's own, once more."""
    if name.startswith("word_embeddings."):
        return False
    return name in given or name not in own


def _fate(name: str, tensor: Tensor, given: Collection[str]) -> Fate:
    if name in given:
        return "file"
    if tensor.fill == "file" and "prompt_encoder" not in name:
        return "other"
    return tensor.fill
