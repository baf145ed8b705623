"""Named, composable damages. Each is a function of plain values that returns Checkpoint -> Checkpoint.

Tensor names are given as glob patterns (`*` crosses dots); a mutation that touches nothing is an error of the test.
A path into the config is written ``text_config.layer_types[2]``.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from dataclasses import replace
from fnmatch import fnmatchcase
from math import ceil, prod
from pathlib import Path
from typing import Any

from tests.zoo.checkpoint import SIZE, Checkpoint, Tensor, safetensors_bytes, shard_name
from tests.zoo.torch_files import distribute, turn

Mutation = Callable[[Checkpoint], Checkpoint]
MUTATIONS: dict[str, Callable[..., Mutation]] = {}


def named(make: Callable[..., Mutation]) -> Callable[..., Mutation]:
    MUTATIONS[make.__name__] = make
    return make


def mutation(text: str) -> Mutation:
    """Parse one line such as ``flatten("lm_head.weight")``; arguments are literals."""
    call = ast.parse(text.strip(), mode="eval").body
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise ValueError(f"not a mutation: {text!r}")
    arguments = [ast.literal_eval(argument) for argument in call.args]
    keywords = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
    return MUTATIONS[call.func.id](*arguments, **keywords)


def matching(checkpoint: Checkpoint, pattern: str) -> list[str]:
    found = [name for name in checkpoint.tensors if fnmatchcase(name, pattern)]
    if not found:
        raise ValueError(f"no tensor matches {pattern!r}; there are {sorted(checkpoint.tensors)[:8]} ...")
    return found


def each(pattern: str, change: Callable[[Tensor], Tensor]) -> Mutation:
    def act(checkpoint: Checkpoint) -> Checkpoint:
        touched = {name: change(checkpoint.tensors[name]) for name in matching(checkpoint, pattern)}
        return replace(checkpoint, tensors={**checkpoint.tensors, **touched})

    return act


def renamed(checkpoint: Checkpoint, change: Callable[[str], str]) -> Checkpoint:
    tensors = {change(name): tensor for name, tensor in checkpoint.tensors.items()}
    if len(tensors) != len(checkpoint.tensors):
        raise ValueError("the renaming is not one to one")
    return replace(checkpoint, tensors=tensors)


# ---------------------------------------------------------------- names
@named
def add_prefix(prefix: str, pattern: str = "*") -> Mutation:
    """Put `prefix` before every name that matches."""
    return lambda c: renamed(c, lambda name: prefix + name if fnmatchcase(name, pattern) else name)


@named
def strip_prefix(prefix: str) -> Mutation:
    return lambda c: renamed(c, lambda name: name.removeprefix(prefix))


@named
def rename(pattern: str, replacement: str) -> Mutation:
    """`re.sub` on every name; it must change one at least."""

    def act(checkpoint: Checkpoint) -> Checkpoint:
        made = renamed(checkpoint, lambda name: re.sub(pattern, replacement, name))
        if made.tensors.keys() == checkpoint.tensors.keys():
            raise ValueError(f"{pattern!r} renames nothing")
        return made

    return act


@named
def drop(pattern: str) -> Mutation:
    def act(checkpoint: Checkpoint) -> Checkpoint:
        gone = set(matching(checkpoint, pattern))
        return replace(checkpoint, tensors={n: t for n, t in checkpoint.tensors.items() if n not in gone})

    return act


@named
def keep(pattern: str) -> Mutation:
    return lambda c: replace(c, tensors={name: c.tensors[name] for name in matching(c, pattern)})


@named
def add(name: str, dtype: str, shape: list[int], seed: str | None = None) -> Mutation:
    return lambda c: replace(c, tensors={**c.tensors, name: Tensor(dtype, tuple(shape), seed or name)})


@named
def copy_tensor(source: str, target: str, same: bool = True) -> Mutation:
    """A second tensor of the same shape; `same` False gives it other values."""

    def act(checkpoint: Checkpoint) -> Checkpoint:
        tensor = checkpoint.tensors[source]
        return replace(
            checkpoint, tensors={**checkpoint.tensors, target: tensor if same else replace(tensor, seed=target)}
        )

    return act


@named
def copy_layer(source: str, target: str) -> Mutation:
    """Every tensor below `source.` once more below `target.`."""

    def act(checkpoint: Checkpoint) -> Checkpoint:
        copies = {
            target + name[len(source) :]: replace(checkpoint.tensors[name], seed=target + name[len(source) :])
            for name in matching(checkpoint, source + ".*")
        }
        return replace(checkpoint, tensors={**checkpoint.tensors, **copies})

    return act


# ---------------------------------------------------------------- shapes and types
@named
def flatten(pattern: str) -> Mutation:
    return each(pattern, lambda t: replace(t, shape=(prod(t.shape),)))


@named
def transpose(pattern: str) -> Mutation:
    return each(pattern, lambda t: replace(t, shape=(*t.shape[:-2], t.shape[-1], t.shape[-2])))


@named
def reshape(pattern: str, shape: list[int]) -> Mutation:
    """Another shape; the element count may change."""
    return each(pattern, lambda t: replace(t, shape=tuple(shape)))


@named
def squeeze(pattern: str, dim: int) -> Mutation:
    return each(pattern, lambda t: replace(t, shape=t.shape[:dim] + t.shape[dim + 1 :]))


@named
def unsqueeze(pattern: str, dim: int) -> Mutation:
    """A dimension of size one before position `dim`."""
    return each(pattern, lambda t: replace(t, shape=(*t.shape[:dim], 1, *t.shape[dim:])))


@named
def pad_rows(pattern: str, rows: int) -> Mutation:
    """`rows` more (or, when negative, fewer) rows."""
    return each(pattern, lambda t: replace(t, shape=(t.shape[0] + rows, *t.shape[1:])))


@named
def resize(pattern: str, dim: int, size: int) -> Mutation:
    return each(pattern, lambda t: replace(t, shape=(*t.shape[:dim], size, *t.shape[dim + 1 :])))


@named
def cast(pattern: str, dtype: str) -> Mutation:
    return each(pattern, lambda t: replace(t, dtype=dtype))


@named
def placeholders(pattern: str = "*", min_dims: int = 0, shape: list[int] | None = None) -> Mutation:
    """ZeRO-3: empty tensors in place of those that have at least `min_dims` dimensions."""
    empty = tuple(shape or (0,))
    return each(pattern, lambda t: replace(t, shape=empty) if len(t.shape) >= min_dims else t)


@named
def fsdp1_slices(names: list[str], rank: int, world: int) -> Mutation:
    """The tensors of one FSDP1 unit, in order, cut to the 1-D spans that this rank owns."""

    def act(checkpoint: Checkpoint) -> Checkpoint:
        tensors = dict(checkpoint.tensors)
        total = sum(prod(tensors[name].shape) for name in names)
        chunk = ceil(total / world)
        start = 0
        for name in names:
            end = start + prod(tensors[name].shape)
            length = max(0, min(end, (rank + 1) * chunk) - max(start, rank * chunk))
            tensors[name] = replace(tensors[name], shape=(length,))
            start = end
        return replace(checkpoint, tensors=tensors)

    return act


@named
def fsdp2_shards(pattern: str, rank: int, world: int) -> Mutation:
    """Dim 0 cut as torch.chunk does; 1-D tensors too."""

    def cut(tensor: Tensor) -> Tensor:
        if not tensor.shape:
            return tensor
        step = ceil(tensor.shape[0] / world)
        rows = max(0, min(tensor.shape[0], (rank + 1) * step) - rank * step)
        return replace(tensor, shape=(rows, *tensor.shape[1:]))

    return each(pattern, cut)


@named
def bnb_4bit(pattern: str, quant_state: bool = True) -> Mutation:
    """bitsandbytes packing: U8 [N/2, 1], with or without its companions."""

    def act(checkpoint: Checkpoint) -> Checkpoint:
        tensors = dict(checkpoint.tensors)
        for name in matching(checkpoint, pattern):
            count = prod(tensors[name].shape)
            tensors[name] = Tensor("U8", (ceil(count / 2), 1), name)
            if quant_state:
                tensors[name + ".absmax"] = Tensor("F32", (ceil(count / 64),), name)
                tensors[name + ".quant_map"] = Tensor("F32", (16,), "quant_map")
                tensors[name + ".quant_state.bitsandbytes__nf4"] = Tensor("U8", (90,), "quant_state")
        return replace(checkpoint, tensors=tensors)

    return act


@named
def fp8_blocks(pattern: str, block: int = 128, scales: bool = True) -> Mutation:
    """F8_E4M3 weights, each with a `weight_scale_inv` per block."""

    def act(checkpoint: Checkpoint) -> Checkpoint:
        tensors = dict(checkpoint.tensors)
        for name in matching(checkpoint, pattern):
            shape = tensors[name].shape
            tensors[name] = Tensor("F8_E4M3", shape, name)
            if scales:
                tensors[name + "_scale_inv"] = Tensor("F32", tuple(ceil(n / block) for n in shape[-2:]), name)
        return replace(checkpoint, tensors=tensors)

    return act


# ---------------------------------------------------------------- experts, adapters
@named
def renumber(pattern: str, old: int, new: int) -> Mutation:
    """`pattern` is a regex whose group 1 is the number: expert 3 becomes expert 7."""

    def act(checkpoint: Checkpoint) -> Checkpoint:
        def change(name: str) -> str:
            found = re.search(pattern, name)
            if found is None or int(found.group(1)) != old:
                return name
            return name[: found.start(1)] + str(new) + name[found.end(1) :]

        made = renamed(checkpoint, change)
        if made.tensors.keys() == checkpoint.tensors.keys():
            raise ValueError(f"{pattern!r} finds no {old}")
        return made

    return act


@named
def stack_experts(sources: list[str], target: str, concat_dim: int | None = None) -> Mutation:
    """Per-expert weights below every `...experts.` into one packed tensor per layer (shapes only)."""

    def act(checkpoint: Checkpoint) -> Checkpoint:
        tensors = dict(checkpoint.tensors)
        groups: dict[str, dict[str, list[str]]] = {}
        for name in list(tensors):
            found = re.fullmatch(r"(.*\.experts)\.(\d+)\.(.+)", name)
            if found and found.group(3) in sources:
                groups.setdefault(found.group(1), {}).setdefault(found.group(3), []).append(name)
        if not groups:
            raise ValueError("no experts to stack")
        for base, parts in groups.items():
            held = [tensors[parts[source][0]] for source in sources]
            count = len(parts[sources[0]])
            shape = list(held[0].shape)
            if concat_dim is not None:
                shape[concat_dim] = sum(tensor.shape[concat_dim] for tensor in held)
            for names in parts.values():
                for name in names:
                    del tensors[name]
            tensors[f"{base}.{target}"] = Tensor(held[0].dtype, (count, *shape), f"{base}.{target}")
        return replace(checkpoint, tensors=tensors)

    return act


@named
def peft_dump(targets: list[str], rank: int = 4) -> Mutation:
    """A PEFT model saved whole: everything wrapped, target modules with base_layer and LoRA pairs."""

    def act(checkpoint: Checkpoint) -> Checkpoint:
        tensors: dict[str, Tensor] = {}
        for name, tensor in checkpoint.tensors.items():
            module, _, leaf = name.rpartition(".")
            if not any(module.endswith("." + target) for target in targets):
                tensors["base_model.model." + name] = tensor
                continue
            tensors[f"base_model.model.{module}.base_layer.{leaf}"] = tensor
            if leaf == "weight":
                out, inner = tensor.shape
                tensors[f"base_model.model.{module}.lora_A.default.weight"] = Tensor(
                    tensor.dtype, (rank, inner), name + "A"
                )
                tensors[f"base_model.model.{module}.lora_B.default.weight"] = Tensor(
                    tensor.dtype, (out, rank), name + "B"
                )
        return replace(checkpoint, tensors=tensors)

    return act


# ---------------------------------------------------------------- adapters
ADAPTER_CONFIG = "adapter_config.json"


@named
def lora(targets: list[str], rank: int = 4, **fields: Any) -> Mutation:
    """The LoRA adapter of this model: its folder, with config.json of the base in a folder `base` below."""

    def act(checkpoint: Checkpoint) -> Checkpoint:
        tensors: dict[str, Tensor] = {}
        for name, tensor in checkpoint.tensors.items():
            module, _, leaf = name.rpartition(".")
            if leaf == "weight" and len(tensor.shape) == 2 and any(module.endswith("." + target) for target in targets):
                out, inner = tensor.shape
                for part, shape in (("A", (rank, inner)), ("B", (out, rank))):
                    stored = f"base_model.model.{module}.lora_{part}.weight"
                    tensors[stored] = Tensor("F32", shape, stored)
        config = {
            "peft_type": "LORA",
            "task_type": "CAUSAL_LM",
            "base_model_name_or_path": "base",
            "r": rank,
            "lora_alpha": 2 * rank,
            "target_modules": targets,
            "inference_mode": True,
            **fields,
        }
        extra = {**checkpoint.extra, ADAPTER_CONFIG: config, "base/config.json": checkpoint.config}
        return replace(checkpoint, config=None, tensors=tensors, extra=extra, weights="adapter_model.safetensors")

    return act


@named
def set_adapter(field: str, value: Any) -> Mutation:
    """A field of adapter_config.json."""
    return lambda made: replace(
        made, extra={**made.extra, ADAPTER_CONFIG: {**made.extra[ADAPTER_CONFIG], field: value}}
    )


@named
def set_base(field: str, value: Any) -> Mutation:
    """A field of the base's config.json."""
    place = "base/config.json"
    return lambda made: replace(made, extra={**made.extra, place: {**made.extra[place], field: value}})


@named
def no_base() -> Mutation:
    """The base is not here."""
    return lambda made: replace(made, extra={k: v for k, v in made.extra.items() if not k.startswith("base/")})


# ---------------------------------------------------------------- config
def parse_path(path: str) -> list[str | int]:
    return [int(part[1:-1]) if part.startswith("[") else part for part in re.findall(r"\[\d+\]|[^.\[\]]+", path)]


@named
def set_config(path: str, value: Any) -> Mutation:
    """Set one field; missing parents are made, the index behind the last one of a list appends."""

    def edit(config: dict[str, Any]) -> None:
        *parents, last = parse_path(path)
        node: Any = config
        for part in parents:
            node = node.setdefault(part, {}) if isinstance(node, dict) else node[part]
        if isinstance(node, list) and last == len(node):
            node.append(value)
        else:
            node[last] = value

    return lambda c: c.with_config(edit)


@named
def del_config(*paths: str) -> Mutation:
    def edit(config: dict[str, Any]) -> None:
        for path in paths:
            *parents, last = parse_path(path)
            node: Any = config
            for part in parents:
                node = node[part]
            del node[last]

    return lambda c: c.with_config(edit)


@named
def hoist_config(field: str) -> Mutation:
    """Make the nested config (`text_config`) the whole config, as a text-only export does."""

    def edit(config: dict[str, Any]) -> None:
        nested = config.pop(field)
        architectures = config.get("architectures")
        config.clear()
        config.update(nested)
        config.setdefault("architectures", architectures)

    return lambda c: c.with_config(edit)


@named
def no_config() -> Mutation:
    return lambda c: replace(c, config=None)


# ---------------------------------------------------------------- files
@named
def metadata(words: dict[str, str]) -> Mutation:
    """`__metadata__` of every weight file."""
    return lambda c: replace(c, metadata=words)


@named
def shards(count: int) -> Mutation:
    return lambda c: replace(c, shards=count)


@named
def place(pattern: str, file: str) -> Mutation:
    return lambda c: replace(c, placement={**c.placement, **dict.fromkeys(matching(c, pattern), file)})


def after(checkpoint: Checkpoint, act: Callable[[Path], None]) -> Checkpoint:
    return replace(checkpoint, after=(*checkpoint.after, act))


@named
def delete_file(name: str) -> Mutation:
    return lambda c: after(c, lambda folder: (folder / name).unlink())


@named
def drop_shard(number: int) -> Mutation:
    """The index still names it."""
    return lambda c: after(c, lambda folder: (folder / shard_name(number, c.shards)).unlink())


@named
def count_from_zero() -> Mutation:
    """The shards are numbered 0 to N - 1, as some writers do."""

    def act(folder: Path) -> None:
        index = folder / "model.safetensors.index.json"
        text = index.read_text()
        for path in sorted(folder.glob("model-*-of-*.safetensors")):
            name = path.name.replace(path.name[6:11], f"{int(path.name[6:11]) - 1:05d}", 1)
            path.rename(folder / name)
            text = text.replace(path.name, name)
        index.write_text(text)

    return lambda c: after(c, act)


@named
def link(name: str, target: str) -> Mutation:
    """A link in the place of a file, or beside the others."""

    def act(folder: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(target)

    return lambda c: after(c, act)


@named
def link_away(pattern: str) -> Mutation:
    """The files that match lie in a folder beside this one, and links in their place."""

    def act(folder: Path) -> None:
        store = Path(f"{folder}-store")
        store.mkdir(exist_ok=True)
        for path in sorted(folder.glob(pattern)):
            path.rename(store / path.name)
            path.symlink_to(store / path.name)

    return lambda c: after(c, act)


@named
def respell_shards(spelling: str) -> Mutation:
    """The index writes file names in another way; ``{}`` is the name."""

    def act(folder: Path) -> None:
        path = folder / "model.safetensors.index.json"
        index = json.loads(path.read_text())
        index["weight_map"] = {name: spelling.format(file) for name, file in index["weight_map"].items()}
        path.write_text(json.dumps(index))

    return lambda c: after(c, act)


@named
def extra_file(name: str, content: Any) -> Mutation:
    """`content`: bytes, text, or a JSON value."""
    return lambda c: replace(c, extra={**c.extra, name: content})


@named
def extra_safetensors(name: str, pattern: str = "*", stale: bool = False) -> Mutation:
    """A second weight file beside the first, holding the tensors that match (other values when `stale`)."""

    def act(checkpoint: Checkpoint) -> Checkpoint:
        held = {key: checkpoint.tensors[key] for key in matching(checkpoint, pattern)}
        if stale:
            held = {key: replace(tensor, seed="stale " + key) for key, tensor in held.items()}
        return replace(checkpoint, extra={**checkpoint.extra, name: safetensors_bytes(held)})

    return act


@named
def edit_index(path: str, value: Any) -> Mutation:
    """Set one entry of the index file (None deletes it); the path's last part may hold dots: weight_map/NAME."""

    def act(folder: Path) -> None:
        file = folder / "model.safetensors.index.json"
        index = json.loads(file.read_text())
        *parents, last = path.split("/")
        node = index
        for part in parents:
            node = node[part]
        if value is None:
            del node[last]
        else:
            node[last] = value
        file.write_text(json.dumps(index, indent=2))

    return lambda c: after(c, act)


@named
def cut_file(name: str, bytes_off: int) -> Mutation:
    """Truncate; a negative number appends zero bytes."""

    def act(folder: Path) -> None:
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data[:-bytes_off] if bytes_off > 0 else data + bytes(-bytes_off))

    return lambda c: after(c, act)


@named
def overwrite(name: str, content: Any, offset: int = 0, whole: bool = True) -> Mutation:
    """Replace a file (or, with whole False, some bytes of it at `offset`)."""

    def act(folder: Path) -> None:
        data = content.encode() if isinstance(content, str) else content
        if not whole:
            old = (folder / name).read_bytes()
            data = old[:offset] + data + old[offset + len(data) :]
        (folder / name).write_bytes(data)

    return lambda c: after(c, act)


@named
def edit_header(name: str, old: str, new: str) -> Mutation:
    """Replace text in the safetensors header (once); the length prefix follows, the data stays."""

    def act(folder: Path) -> None:
        data = (folder / name).read_bytes()
        end = 8 + int.from_bytes(data[:8], "little")
        if old.encode() not in data[8:end]:
            raise ValueError(f"the header of {name} does not hold {old!r}")
        header = data[8:end].replace(old.encode(), new.encode(), 1)
        (folder / name).write_bytes(len(header).to_bytes(8, "little") + header + data[end:])

    return lambda c: after(c, act)


__all__ = ["MUTATIONS", "SIZE", "Mutation", "after", "each", "matching", "mutation", "named", "renamed"]


@named
def rename_file(name: str, target: str) -> Mutation:
    """Another name for a file of the written folder."""
    return lambda c: after(c, lambda folder: (folder / name).rename(folder / target) and None)


@named
def torch_files(form: str = "zip", under: str = "", beside: Any = None, first: bool = False) -> Mutation:
    """Files of torch.save in place of safetensors: see `tests.zoo.torch_files`."""
    return lambda c: after(c, lambda folder: turn(folder, form, under, beside, first))


@named
def distributed(folder: str, ranks: int, without: list[int] | None = None, key: str = "model") -> Mutation:
    """A torch distributed checkpoint in place of the weight files; the files of the ranks `without` are not there."""
    return lambda c: after(c, lambda path: distribute(path, folder, ranks, tuple(without or ()), key))
