"""The reader's rules name by name: slow, short, no families. What `predict_v5` must equal."""

from __future__ import annotations

import re
from collections.abc import Mapping

from loadproof.core.expectation import Expectation
from loadproof.core.loading import ConversionRule
from loadproof.core.tensors import Shape
from loadproof.readers.transformers.operations import run
from loadproof.readers.transformers.order import natural_key
from loadproof.readers.transformers.private import loading_of
from loadproof.readers.transformers.release import NEWEST, Semantics, semantics_of
from loadproof.readers.transformers.shapes import ConversionError, Inputs, Target

Sets = tuple[frozenset[str], frozenset[str], frozenset[str], frozenset[str]]


class NameRule:
    """One rule on one name, written as the library writes it."""

    def __init__(self, spec: ConversionRule, semantics: Semantics = NEWEST) -> None:
        self.spec, self.semantics = spec, semantics
        self.active = False

    def rename(self, key: str) -> tuple[str, str | None]:
        spec, prefix, rest = self.spec, "", key
        if spec.kind == "LayerPairCollapse":
            return self._pairs(key)
        if spec.scope is not None:
            scope = f"{spec.scope}." if spec.scope else ""
            base = f"{spec.base}." if spec.base else ""
            if key.startswith(base + scope):
                prefix = base + scope
            elif key.startswith(scope):
                prefix = scope
            else:
                return key, None
            rest = key.removeprefix(prefix)
        match = re.search(spec.regex, rest)
        if match is None:
            return key, None
        group = next(name for name, value in match.groupdict().items() if value is not None)
        index, first = int(group[1:]), match.re.groupindex[group]
        if spec.kind == "GroupWeightRename":
            if index == 0:
                self.active = True
            elif not self.active:
                return key, None
            new = re.sub(r"\\(\d+)", lambda m: match.group(first + int(m[1])), spec.targets[index])
        elif spec.offset is not None:
            new = spec.targets[0].replace(r"\1", str(int(match.group(first + 1)) + spec.offset))
        elif self.semantics.numbers_groups:
            new = re.sub(r"\\(\d+)", lambda m: match.group(first + int(m[1])), spec.targets[0])
        else:
            new = spec.targets[0]
            if r"\1" in new:
                new = new.replace(r"\1", match.group(first + 1))
        times = -1 if self.semantics.replaces_everywhere else 1
        return prefix + rest.replace(match.group(0), new, times), spec.sources[index]

    def _pairs(self, key: str) -> tuple[str, str | None]:
        match = re.search(r"layers\.(\d+)\.(mixer|attn_alpha|mlp_alpha)(?=\.|$)", key)
        if match is None:
            return key, None
        index, name = int(match[1]), match[2]
        name = {"attn_alpha": "lambda_1", "mlp_alpha": "lambda_2"}.get(name, ("self_attn", "mlp")[index % 2])
        return key[: match.start()] + f"layers.{index // 2}.{name}" + key[match.end() :], self.spec.sources[0]


def rename_all(
    names: list[str], specs: tuple[ConversionRule, ...], semantics: Semantics = NEWEST
) -> dict[str, tuple[str, str | None]]:
    """{stored name: (renamed, converter source)}, visited in natural order."""
    rules = [NameRule(spec, semantics) for spec in specs]
    out = {}
    for name in sorted(names, key=natural_key):
        key, source = name, None
        for rule in rules:
            if rule.spec.kind != "WeightConverter":
                key, _ = rule.rename(key)
        for rule in rules:
            if rule.spec.kind == "WeightConverter" and source is None:
                key, source = rule.rename(key)
        out[name] = (key, source)
    return out


def with_prefix(key: str, prefix: str, model: Mapping[str, Shape]) -> str:
    """Strip the base prefix, or add it, where that makes a name of the model."""
    stripped = re.sub(f"^{prefix}.", "", key, count=1)
    if key.startswith(prefix) and stripped in model:
        return stripped
    added = f"{prefix}.{key}"
    return added if added in model else key


def report(files: Mapping[str, Shape], model: Mapping[str, Shape], expectation: Expectation) -> Sets | None:
    """(missing, unexpected, mismatched, conversion); None where the library would crash on a strange target."""
    converters = [rule for rule in loading_of(expectation).rules if rule.kind == "WeightConverter"]
    converter_of = {pattern: rule for rule in converters for pattern in rule.sources}
    loads: dict[str, tuple[ConversionRule | None, Inputs]] = {}
    unexpected: set[str] = set()
    semantics = semantics_of(expectation.version)
    for name, (renamed, source) in rename_all(list(files), loading_of(expectation).rules, semantics).items():
        key = with_prefix(renamed, expectation.base_model_prefix, model)
        if key not in model and name in model and semantics.knows_own_names:
            key, source = with_prefix(name, expectation.base_model_prefix, model), None
        if key in model:
            rule = converter_of[source] if source is not None else None
            loads.setdefault(key, (rule, {}))[1].setdefault(source or name, []).append(files[name])
        elif source is not None:
            targets = converter_of[source].targets
            unexpected |= {key.replace(targets[0], target) for target in targets}
        else:
            unexpected.add(key)
    missing, mismatched, conversion = set(model), set(), set()
    for key, (rule, inputs) in loads.items():
        if rule is None:
            produced = {key: next(iter(inputs.values()))}
        else:
            target = Target(key, rule.sources, rule.targets, model.get, expectation.config)
            try:
                for operation in rule.operations:
                    inputs = run(operation, inputs, target)
            except ConversionError:
                conversion.add(key)
                continue
            full = key.replace("*.", "0.")
            hit = next((k for k in inputs if k in full), None)
            head, _, tail = full.partition(hit) if hit is not None else ("", "", "")
            produced = {head + k + tail if hit is not None else k: v for k, v in inputs.items()}
        for name, tensors in produced.items():
            if name not in model:
                return None
            missing.discard(name)
            if tensors[0] != model[name]:
                mismatched.add(name)
    for i, (target_name, source_name) in enumerate(expectation.ties):
        if (source_name in missing) != (target_name in missing):
            missing -= {source_name, target_name}
        elif source_name in missing and any(
            s == source_name and t not in missing for t, s in expectation.ties[i + 1 :]
        ):
            missing.discard(target_name)
    missing = {n for n in missing if not any(re.search(p, n) for p in loading_of(expectation).ignore_missing)}
    unexpected = {n for n in unexpected if not any(re.search(p, n) for p in loading_of(expectation).ignore_unexpected)}
    return frozenset(missing), frozenset(unexpected), frozenset(mismatched), frozenset(conversion)
