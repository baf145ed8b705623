"""One evaluation from start to end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from loadproof.config.quantization import method_of, quantization_entries
from loadproof.core.device import device_of
from loadproof.core.expectation import Expectation, Quantizer
from loadproof.interpret import building, quantizing
from loadproof.interpret.describe import describe
from loadproof.interpret.failures import meaning
from loadproof.interpret.language.copying import deep_copy
from loadproof.interpret.language.errors import is_certain
from loadproof.interpret.release import auto_map
from loadproof.interpret.release.plain_failures import is_plain
from loadproof.interpret.release.quantizers import known_methods, packages_of
from loadproof.interpret.release.world import World

_MOST_LISTED = 5_000  # names in the lists of a declaration


class Machinery(NamedTuple):
    """A quantization method, and the machine that it is to run on."""

    method: str
    device: str


def evaluate(world: World, raw: dict[str, Any], blank: Expectation, class_name: str | None) -> Expectation:
    """What the model class expects, in this process. `world` is used by no other evaluation where it holds strangers' text.

    The machines of `world.devices` matter where a quantizer asks what the machine is: the answer is that
    for the first of them, and holds those for the others in `elsewhere`.
    """
    with building.room_to_recurse():
        if not quantization_entries(raw):
            return _evaluate(world, raw, blank, class_name)
        found = _on(world, raw, blank, class_name, world.devices[0])
        if found.device:
            others = tuple(
                msgspec.structs.replace(_on(world, raw, blank, class_name, device), device=device)
                for device in world.devices[1:]
            )
            found = msgspec.structs.replace(found, elsewhere=others)
        return found


def _on(world: World, raw: dict[str, Any], blank: Expectation, class_name: str | None, device: str) -> Expectation:
    """The expectation on one machine; that of the class alone where its quantizer cannot be followed."""
    known = known_methods(world.files)
    method = method_of(quantization_entries(raw)[0])
    is_acted_upon = isinstance(method, str) and known is not None and method in known
    if not is_acted_upon or not _can_be_followed(world, raw, class_name):
        return msgspec.structs.replace(_evaluate(world, raw, blank, class_name), quantizers=known)
    if (number := _listed(quantization_entries(raw)[0])) > _MOST_LISTED:
        why = f"quantization_config lists {number:,} names; more than {_MOST_LISTED:,} are not followed"
        quantizer = Quantizer(str(method), inconclusive=why)
        return msgspec.structs.replace(_evaluate(world, raw, blank, class_name), quantizers=known, quantizer=quantizer)
    found = _evaluate(world, raw, blank, class_name, Machinery(str(method), device))
    if found.inconclusive is not None:
        quantizer = Quantizer(str(method), packages=packages_of(world, str(method)), inconclusive=found.inconclusive)
        device, dense = found.device, _evaluate(world, raw, blank, class_name)
        absent = " ".join(name for name, version in quantizer.packages if not version)
        hint = f"pip install {absent}" if absent and dense.hint is None else dense.hint
        found = msgspec.structs.replace(dense, quantizer=quantizer, device=device, hint=hint)
    return msgspec.structs.replace(found, quantizers=known)


def _listed(value: Any) -> int:
    """How many entries the lists and tables of a declaration have together."""
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return len(inner) + sum(_listed(one) for one in inner if isinstance(one, Mapping | list))


def _can_be_followed(world: World, raw: dict[str, Any], class_name: str | None) -> bool:
    """Quantizers of release 5 on its own classes; before, loading quantized tensors went another way."""
    return not world.version.startswith("4.") and not building.needs_own_code(world, raw, class_name)


def _evaluate(
    world: World,
    raw: dict[str, Any],
    blank: Expectation,
    class_name: str | None,
    machinery: Machinery | None = None,
) -> Expectation:
    try:
        model_type = building.effective_type(raw, world)
        blank = msgspec.structs.replace(blank, model_type=model_type)
        if building.needs_own_code(world, raw, class_name):
            named = auto_map.named_class(class_name, raw)
            blank = msgspec.structs.replace(blank, source="remote-code", class_name=named)
            found = describe(world, building.build_remote(world, raw, class_name))
        elif model_type not in world.config_names:
            raise building.unknown_type(model_type) if model_type else _no_type()
        else:
            name = class_name or building.choose(world, raw, model_type)
            blank = msgspec.structs.replace(blank, class_name=name)
            found = _described(world, raw, name, machinery)
        world.budget.settle()
        return msgspec.structs.replace(blank, **found)
    except Exception as problem:
        said = meaning(blank, problem, world)
        if machinery is not None and said.raises is not None and not _is_the_library_s(problem):
            said = msgspec.structs.replace(said, raises=None, inconclusive=f"not modelled: {said.raises[:300]}")
        return _at(machinery, said, world)


def _is_the_library_s(problem: Exception) -> bool:
    """Quantizers do arithmetic on tensors that stand for numbers: only what their text raises, or plain data does."""
    return is_certain(problem) or is_plain(problem, str(problem))


def _described(world: World, raw: dict[str, Any], name: str, machinery: Machinery | None) -> dict[str, Any]:
    """The built model, and with it what its quantizer has made of it."""
    model_type = building.effective_type(raw, world)
    if machinery is None:
        return describe(world, building.build(world, raw, model_type, name))
    begun: list[tuple[quantizing.Started | None, bool]] = []

    def begin(config: Any) -> None:
        before = deep_copy(config)
        world.budget.device = device_of(machinery.device)
        started = quantizing.start(world, config)
        begun.append((started, _starts_alike(world, before, started, machinery.device)))

    model = building.build(world, raw, model_type, name, begin)
    started, alike = begun[0]
    if started is None:
        return describe(world, model)
    quantizing.finish(started, model)
    found = describe(world, model, started.quantizer)
    quantizer = Quantizer(machinery.method, packages=packages_of(world, machinery.method))
    depends = not alike or world.budget.asks_device
    return {**found, "quantizer": quantizer, "device": machinery.device if depends else ""}


def _starts_alike(world: World, config: Any, started: quantizing.Started | None, device: str) -> bool:
    """Whether the machines make no difference to the quantizer until it sees the model; what it asks then is noted anew."""
    asked, dtype = world.budget.asks_device, world.budget.dtype
    others = [other for other in world.devices if other != device] if asked else []
    same = (quantizing.is_the_same_on(other, world, deep_copy(config), started) for other in others)
    alike = all(same) and (bool(others) or not asked)
    world.budget.device, world.budget.dtype, world.budget.asks_device = device_of(device), dtype, False
    return alike


def _at(machinery: Machinery | None, found: Expectation, world: World) -> Expectation:
    """What is raised over a quantized checkpoint may depend on the machine, and on the packages that its method needs."""
    if machinery is None:
        return found
    quantizer = Quantizer(machinery.method, packages=packages_of(world, machinery.method))
    device = machinery.device if world.budget.asks_device else ""
    return msgspec.structs.replace(found, quantizer=quantizer, device=device)


def _no_type() -> Exception:
    from loadproof.interpret.language.errors import certain

    return certain(ValueError("Unrecognized model. Should have a `model_type` key in its config.json."))
