"""Small JSON files beside config.json: adapter and tokenizer configs. Looked at, never obeyed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from loadproof.config.parse import parse_object
from loadproof.config.patterns import check_pattern
from loadproof.config.problems import CODE, UNSAFE_PATH, VALUE, fault, withheld
from loadproof.core.checkpoint import Inventory, Problem

Reader = Callable[[str], tuple[bytes | None, Problem | None]]
MAX_RANK = 1_000_000
_URL = r"(?i)[a-z][a-z0-9+.-]*://"
# Attribute walks out of a template's sandbox; ordinary chat templates use no dunder name but these never at all.
_TEMPLATE_ESCAPES = (b"__class__", b"__globals__", b"__subclasses__", b"__mro__", b"__builtins__", b"__import__")


def check_companions(inventory: Inventory, read: Reader) -> Iterator[Problem]:
    """Problems of adapter_config.json and of the chat templates."""
    present = {info.path for info in inventory.files}
    if "adapter_config.json" in present:
        yield from _adapter(inventory, read)
    for name in ("tokenizer_config.json", "chat_template.json", "chat_template.jinja"):
        if name in present:
            yield from _template(read, name)


def _adapter(inventory: Inventory, read: Reader) -> Iterator[Problem]:
    name = "adapter_config.json"
    data, problem = read(name)
    if problem:
        yield problem
    if data is None:
        return
    raw, _, problems = parse_object(data, name, name)
    is_linked = any(info.path == name and info.link for info in inventory.files)
    yield from map(withheld, problems) if is_linked else problems
    yield from _adapter_base(raw.get("base_model_name_or_path"), name)
    yield from adapter_values(raw, name)


def _adapter_base(base: Any, name: str) -> Iterator[Problem]:
    if not isinstance(base, str):
        return
    field = "base_model_name_or_path"
    if re.match(_URL, base):
        yield fault(UNSAFE_PATH, name, "remote", f"{field} is a URL; it is not fetched", found=base, expected=field)
    elif ".." in re.split(r"[/\\]", base):
        yield fault(UNSAFE_PATH, name, "parent", f"{field} leads out of the folder", found=base, expected=field)


def adapter_values(raw: dict[str, Any], name: str) -> Iterator[Problem]:
    """Problems of the rank, and of the regular expressions that a library searches module names with."""
    rank = raw.get("r")
    if isinstance(rank, (int, float)) and not 0 <= rank <= MAX_RANK:
        yield fault(VALUE, name, "bound", f"r is not between 0 and {MAX_RANK:,}", found=rank, expected="r")
    for field in ("target_modules", "exclude_modules", "layers_pattern"):
        if isinstance(raw.get(field), str):
            yield from check_pattern(raw[field], name, field)
    for field in ("rank_pattern", "alpha_pattern"):
        for pattern in raw[field] if isinstance(raw.get(field), dict) else ():
            yield from check_pattern(pattern, name, field)


def _template(read: Reader, name: str) -> Iterator[Problem]:
    data, problem = read(name)
    if problem is not None and problem.detail != "huge":
        yield problem
    if data and any(word in data for word in _TEMPLATE_ESCAPES):
        text = f"the chat template in {name} walks Python internals; it is shown nowhere and never rendered"
        yield fault(CODE, name, "template", text, severity="warning")
