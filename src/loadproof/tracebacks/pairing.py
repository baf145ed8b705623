"""What the rows of a load report say together: missing paired with unexpected names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from loadproof.core.symptom import Symptom
from loadproof.lexicon import adapters, companions, ends, experts, extras, feed_forward, mixers, wrappers
from loadproof.lexicon.words import any_of
from loadproof.tracebacks.mismatches import judge_sizes
from loadproof.tracebacks.names import layer_of
from loadproof.tracebacks.partial import spelled_out
from loadproof.tracebacks.published import suspect_release
from loadproof.tracebacks.votes import Vote

_INDEX = re.compile(r"(?<=\.)\d+(?=\.|$)|\{[^}]{0,60}\}|<[^>]{0,60}>")
_HOLE = re.compile(r"\{[^}]{1,60}\}|<[^>]{1,60}>")
_WRAPPERS = re.compile(wrappers.WRAPPED)
_PEFT = re.compile(rf"{adapters.DUMPED}|_proj\.linear\.(?:weight|scales|biases)$")
_LORA = re.compile(adapters.LORA)
_QUANT = re.compile(companions.SCALED)
_AFFINE = re.compile(r"\.(?:scales|biases)$")
_DECODER = re.compile(r"model\.layers\.\d")
_MLX = ("mlx-lm", "mlx-vlm")
_KV = re.compile(r"\.self_attn\.[kv]_(?:norm|proj)\.")
_BNB = re.compile(companions.LEFT_OVER)
_HEADS = re.compile(ends.TASK_HEAD)
_MTP, _VISION = re.compile(extras.PREDICTION), re.compile(extras.TOWER)
_PER_EXPERT = re.compile(experts.CITED_ONE_BY_ONE)
_HEAD = re.compile(rf"(?:^|\.)(?:{any_of(ends.HEADS)})\.(?:weight|biases|scales)$")
_IN_LAYER = re.compile(
    r"(?:(?:layers|h|blocks)\.|^)(?P<layer>\d{1,6}|\{[^}]{0,60}\}|<[^>]{0,60}>)\.(?P<module>\w{1,60})\."
)
_PART = re.compile(r"(?:layers|h|blocks)\.(?P<layer>\d{1,6})\.(?P<part>.{1,300})")
_FEWEST_PARTS = 6  # parameters of the smallest layer: four of the attention or one fused pair, feed-forward, norms
_FIRST = ("0", "{}", "{0}")
_EMBEDDING = re.compile(ends.ANY_EMBEDDING)
_NO_MIXER = re.compile(feed_forward.NO_MIXER)
_TWICE = re.compile(r"(?:^|\.)(\w+_?model|model)\.\1(?:\.|$)|language_model\.model\.language_model")
_FUSED = re.compile(rf"\b(?:{any_of(mixers.FUSED)})\.")


def pair(symptom: Symptom) -> Iterator[Vote]:
    """Votes of the reported names, the strongest first; the reason of each begins with ``rows:``."""
    if symptom.missing or symptom.unexpected or symptom.mismatched:
        yield from suspect_release(_votes(symptom), symptom)


def _votes(symptom: Symptom) -> Iterator[Vote]:
    yield from map(_with_name, judge_sizes(symptom))
    if not _of_adapter(symptom):
        from loadproof.tracebacks.by_rules import judge_rows  # many modules, which a text without names does not need

        yield from ((cause, sure, name, f"rows: {why}") for cause, sure, name, why in judge_rows(symptom))
    if symptom.missing or symptom.unexpected:
        yield from map(_with_name, _tests(symptom))


def _with_name(vote: Vote) -> Vote:
    cause, confidence, name, why = vote
    return cause, confidence, name, f"rows: {name} ({why})"


def _tests(symptom: Symptom) -> Iterator[Vote]:
    sure = _witnesses(symptom) > 1
    for test in _TESTS:
        for cause, confidence, name, why in test(symptom.missing, symptom.unexpected, symptom):
            yield cause, confidence if sure else "possible", name, why


def _witnesses(symptom: Symptom) -> int:
    """What speaks beside one name: more names, the other side, the frames or flags of the run, the engine."""
    several = len(symptom.missing) + len(symptom.unexpected) > 1
    sides = bool(symptom.missing) and bool(symptom.unexpected)
    whole = any(_HOLE.search(name) for name in (*symptom.missing, *symptom.unexpected))  # one name for many
    return 1 + several + sides + whole + bool(symptom.frames or symptom.run) + (symptom.engine is not None)


def _wrapped(missing: Sequence[str], unexpected: Sequence[str], symptom: Symptom) -> Iterator[Vote]:
    if missing and all(_LORA.search(name) for name in (*missing, *unexpected)) and unexpected:
        yield "adapter-prefix", "likely", unexpected[0], "adapter names on both sides"
        return
    peft = _most(unexpected, _PEFT)
    if peft:
        yield ("adapter-prefix" if _is_adapter(symptom) else "peft-dump", "likely", peft, "peft names")
    wrapper = _most(unexpected, _WRAPPERS) if not missing else ""
    if wrapper:
        yield "wrapper-prefix", "likely", wrapper, "wrapper names"


def _of_adapter(symptom: Symptom) -> bool:
    """Whether all that is reported are parameters of an adapter: the rules judge models."""
    sizes = (one.name for one in symptom.mismatched)
    return _is_adapter(symptom) or all(_LORA.search(name) for name in (*symptom.missing, *symptom.unexpected, *sizes))


def _is_adapter(symptom: Symptom) -> bool:
    return any("adapter keys" in line for line in symptom.lines)


def _quantized(missing: Sequence[str], unexpected: Sequence[str], symptom: Symptom) -> Iterator[Vote]:
    if _some(unexpected, _BNB):
        yield "packed-as-dense", "likely", _some(unexpected, _BNB), "packed leftovers"
    affine = bool(unexpected) and all(_AFFINE.search(n) for n in unexpected)
    aside = not any(_HEAD.search(n) or _DECODER.match(n) for n in unexpected)  # the decoder itself is as declared
    if symptom.engine in _MLX and affine and aside:
        yield "quant-set", "likely", unexpected[0], "scales and biases of modules that are built dense"
        return
    scales = _some(unexpected, _QUANT)
    if scales and len([n for n in unexpected if _HEAD.search(n)]) < len(unexpected):
        yield "quant-config-missing", "likely", scales, "scale tensors unexpected"
        yield "engine-drops-scales", "possible", scales, "scale tensors unexpected"
        yield "quant-set", "possible", scales, "scale tensors unexpected"
    lacks = _some(missing, _QUANT)
    if lacks and not scales and len({n.rpartition(".")[0] for n in missing}) == 1:
        yield "quant-set", "likely", lacks, "scale tensors of one module missing"
        yield "quant-companion", "possible", lacks, "scale tensors of one module missing"
    elif lacks and not scales:
        yield "quant-config-stale", "likely", lacks, "scale tensors missing"
        yield "quant-companion", "possible", lacks, "scale tensors missing"


def _experts(missing: Sequence[str], unexpected: Sequence[str], symptom: Symptom) -> Iterator[Vote]:
    dense = next((n for n in missing if re.search(r"\.mlp\.(?:\{?gate|up|down|\{gate)", n) and "expert" not in n), "")
    if dense and (re.search(r"(?i)moe", " ".join(symptom.lines)) or "{gate,up,down}" in dense):
        yield "wrong-class", "likely", dense, "experts under a dense class"
    gap = next((n for n in missing if _PER_EXPERT.search(n)), "")
    if gap and not unexpected:
        yield "expert-gap", "possible", gap, "experts missing"


def _router(_missing: Sequence[str], unexpected: Sequence[str], _symptom: Symptom) -> Iterator[Vote]:
    name = next((n for n in unexpected if re.search(r"router\.(?:linear\.)?weight$", n)), "")
    if name:
        yield "router-name", "likely", name, "router name"


def _head(missing: Sequence[str], unexpected: Sequence[str], symptom: Symptom) -> Iterator[Vote]:
    lost = next((n for n in missing if _HEAD.search(n)), "")
    nested = next(
        (
            n
            for n in unexpected
            if re.search(r"lm_head\.(?!weight$|bias$|scales$|biases$)[\w.]*weight$|(?:^|\.)\w+\.lm_head\.", n)
        ),
        "",
    )
    if lost and nested and len(unexpected) < 8:
        yield "head-wrapped", "likely", nested, "head under another name"
    if lost and any(re.search(r"^output\.weight$", n) for n in unexpected):
        yield "foreign-dialect", "possible", "output.weight", "Meta head name"
        yield "tie-redundant", "likely", "output.weight", "tied head in one format only"
    if lost and symptom.engine == "vllm" and not nested:  # vLLM says nothing about a head that is simply absent
        yield "head-wrapped", "possible", lost, "the head went elsewhere"
        yield "head-missing", "possible", lost, "only the head is missing"
    elif lost and len(missing) <= 2 and not nested:
        yield "head-missing", "likely", lost, "only the head is missing"
        yield "tie-not-honoured", "possible", lost, "only the head is missing"
    extra = [n for n in unexpected if _HEAD.search(n)]
    if extra and not lost and len(extra) == len(unexpected):
        if all(n.endswith(("biases", "scales")) for n in extra):
            yield "quant-companion", "likely", extra[0], "companions of the head only"
        yield "tie-redundant", "likely", extra[0], "only the head is extra"
        yield "tie-contradicted", "possible", extra[0], "only the head is extra"


def _task_head(missing: Sequence[str], unexpected: Sequence[str], _symptom: Symptom) -> Iterator[Vote]:
    lost = _some(missing, _HEADS)
    if lost and len(missing) <= 4:
        yield "task-head-missing", "likely", lost, "task head missing"
    extra = _some(unexpected, _HEADS)
    if extra and len(unexpected) <= 4:
        yield "wrong-class", "likely", extra, "task head extra"


def _repeated(_missing: Sequence[str], unexpected: Sequence[str], _symptom: Symptom) -> Iterator[Vote]:
    name = _most(unexpected, _TWICE)
    if name:
        yield "repeated-prefix", "likely", name, "repeated segment"


def _plan(missing: Sequence[str], unexpected: Sequence[str], _symptom: Symptom) -> Iterator[Vote]:
    """Layers whose missing names lie in one sub-module and whose unexpected ones in another: reports that are cut short.

    Where they name whole mixers, the rules tell by their parameters.
    """
    wanted, stored = _modules(missing), _modules(unexpected)
    flipped = [layer for layer in wanted if layer in stored and _differ(set(wanted[layer]), set(stored[layer]))]
    if flipped:
        yield "layer-plan", "likely", next(iter(stored[flipped[0]].values())), "another mixer in the same layer"


def _modules(names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Layer -> its sub-modules, each with a name in it."""
    layers: dict[str, dict[str, str]] = {}
    for name in names:
        parts = _IN_LAYER.search(name)
        if parts and not _NO_MIXER.search(parts["module"]):
            layers.setdefault(parts["layer"], {}).setdefault(parts["module"], name)
    return layers


def _differ(wanted: set[str], stored: set[str]) -> bool:
    return len(wanted) == len(stored) == 1 and wanted != stored


def _split(missing: Sequence[str], unexpected: Sequence[str], _symptom: Symptom) -> Iterator[Vote]:
    name = next((n for n in unexpected if _FUSED.search(n)), "")
    if name and any(re.search(r"in_proj_(?:qkv|z|a|b)\b|gate_proj|q_proj", n) for n in missing):
        yield "fused-dialect", "likely", name, "fused against split"


def _depth(missing: Sequence[str], unexpected: Sequence[str], symptom: Symptom) -> Iterator[Vote]:
    lost = {layer for n in missing if (layer := layer_of(n)) is not None}
    cut = any(line.rstrip().endswith("...") for line in symptom.lines)
    if (
        missing
        and not unexpected
        and len(lost) == 1
        and all(layer_of(n) in lost for n in missing)
        and (len(missing) >= 6 or (cut and len(missing) == 1))
    ):
        yield "depth", "likely", missing[0], "one whole layer missing"
    if not unexpected and (name := _whole_layers(missing)):
        yield "depth", "likely", name, "whole layers at the end are missing"
    gone = _some(missing, _MTP)
    if gone:
        yield "mtp-promised", "likely", gone, "MTP names"


def _whole_layers(missing: Sequence[str]) -> str:
    """A name, where nothing but whole layers is missing, all of them at the end; a lost shard leaves parts of some.

    Whole: mixer, feed-forward part and norms, the same kinds in every layer.
    """
    layers: dict[int, set[str]] = {}
    for name in spelled_out(missing):
        found = _PART.search(name)
        if found is None:
            return ""
        layers.setdefault(int(found["layer"]), set()).add(found["part"])
    kinds = set(map(frozenset, layers.values()))
    run = len(layers) > 1 and min(layers) > 0 and max(layers) - min(layers) + 1 == len(layers)
    parts = next(iter(kinds), frozenset())
    whole = len(kinds) == 1 and len(parts) >= _FEWEST_PARTS and any("norm" in part for part in parts)
    return missing[0] if run and whole else ""


def _is_whole(missing: Sequence[str]) -> bool:
    """Whether the embedding and all kinds of modules of the first layer are missing: a lost shard leaves some."""
    first = {found["module"] for name in missing if (found := _IN_LAYER.search(name)) and found["layer"] in _FIRST}
    return len(first) > 1 and any(_EMBEDDING.search(name) for name in missing)


def _late_kv(missing: Sequence[str]) -> bool:
    """Nothing but K and V parts is missing, in a run of layers that does not begin with the first."""
    layers = sorted({layer for n in missing if (layer := layer_of(n)) is not None})
    run = len(layers) > 2 and layers[0] > 0 and layers[-1] - layers[0] + 1 == len(layers)
    return run and all(_KV.search(n) for n in missing)


def _extras(missing: Sequence[str], unexpected: Sequence[str], _symptom: Symptom) -> Iterator[Vote]:
    if missing or not unexpected:
        return
    vision = _some(unexpected, _VISION)
    if vision:
        yield "text-vs-vlm", "likely", vision, "vision part extra"
    if any(re.search(r"inv_freq|position_ids|masked_bias|k_norm|v_norm|k_proj|v_proj", n) for n in unexpected):
        yield "ignored-leftover", "likely", unexpected[0], "one kind of tensor extra"
    yield "ignored-leftover", "possible", unexpected[0], "extra only"


def _lost(missing: Sequence[str], unexpected: Sequence[str], symptom: Symptom) -> Iterator[Vote]:
    if not missing or unexpected:
        if missing:
            yield "nesting-prefix", "possible", missing[0], "both kinds"
            yield "wrong-class", "possible", missing[0], "both kinds"
        return
    if _is_adapter(symptom):
        return
    if _is_whole(missing):
        yield "foreign-dialect", "possible", missing[0], "embedding, attention and feed-forward: no stored name fits"
        yield "nesting-prefix", "possible", missing[0], "embedding, attention and feed-forward: no stored name fits"
    if any(_VISION.search(n) for n in missing):
        yield "text-vs-vlm", "likely", _some(missing, _VISION), "vision part missing"
    if _late_kv(missing):
        yield "kv-shared", "likely", missing[0], "only keys and values, of the last layers"
        return
    if all(re.search(r"(?:^|\.)pooler\.", n) for n in missing):
        yield "task-head-missing", "possible", missing[0], "only the pooler: harmless unless it is used"
        return
    ends = Counter(re.sub(r"^.*?(?:(?<!\d)\d++|\{[^}]{0,60}\}|<[^>]{0,60}>)\.", "", n) for n in missing)
    layered = [n for n in missing if layer_of(n) is not None or _INDEX.search(n)]
    many = len({layer_of(n) for n in layered}) > 1 or any("{" in n or "<" in n for n in layered)
    norms = all(re.search(r"norm", n) for n in missing)
    if norms or (layered and many and len(ends) <= 4 and len(layered) == len(missing)):
        yield "saver-dropped", "likely", missing[0], "the same parameters in the layers"
    yield "shard-missing", "possible", missing[0], "missing only"
    yield "saver-dropped", "possible", missing[0], "missing only"


_TESTS: tuple[Callable[[Sequence[str], Sequence[str], Symptom], Iterator[Vote]], ...] = (
    _wrapped, _quantized, _experts, _router, _repeated, _plan, _split, _depth, _head, _task_head, _extras, _lost,
)  # fmt: skip


def _some(names: Sequence[str], pattern: re.Pattern[str]) -> str:
    return next((name for name in names if pattern.search(name)), "")


def _most(names: Sequence[str], pattern: re.Pattern[str]) -> str:
    """A name with the pattern, where at least half of all have it."""
    found = [name for name in names if pattern.search(name)]
    return found[0] if found and len(found) * 2 >= len(names) else ""
