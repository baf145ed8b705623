"""Which modules a declared quantization leaves alone: its list, and how the release compares names with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from loadproof.config.patterns import MAX_PATTERN, may_explode
from loadproof.config.quantization_scheme import names_module
from loadproof.core.boxes import intersect
from loadproof.core.config import JsonPath
from loadproof.core.families import HOLE, count, fold, join_name, names_of, split_name
from loadproof.core.tensors import Axes

MOST_NAMES = 20_000  # of one module template that a pattern with digits in it is tried on
# The field of each method (transformers 5.24 utils/quantization_config.py), with older spellings behind it.
FIELDS: dict[str, tuple[str, ...]] = {
    "bitsandbytes_4bit": ("llm_int8_skip_modules",),
    "bitsandbytes_8bit": ("llm_int8_skip_modules",),
    "fp8": ("modules_to_not_convert", "ignored_layers"),
    "compressed-tensors": ("ignore",),
    "hqq": ("skip_modules",),
    "aqlm": ("linear_weights_not_to_quantize",),
    "gptq": (),
}
_USUAL = ("modules_to_not_convert",)
# Methods that leave out head, tied and last module whatever else is listed (`add_default_skips`).
ADDS_DEFAULTS = frozenset(("awq",))
# Release in which an entry began to end at a boundary between modules (quantizers/quantizers_utils.py).
_BOUNDARY = (5, 9)
_PLAIN = re.compile(r"[\w.]+")
_NO_INDEX = re.compile(r"[^\d\[\\{]*")  # nothing in it that could tell one number from another


class SkipList(Struct, frozen=True):
    """`entries` in the order of the config, below the declaration at `path`."""

    method: str
    path: JsonPath
    entries: tuple[str, ...]
    given: bool  # False: the field is absent, and the release leaves out head, tied and last module
    boundary: bool = True  # whether an entry ends at a module

    def kept(self, template: str, axes: Axes) -> Iterator[tuple[str, Axes]]:
        """(entry, indices of this module that it leaves alone), for every entry that names some."""
        for entry in self.entries:
            for box in self._boxes(entry, template, axes):
                yield entry, box

    def names(self, entry: str, name: str) -> bool:
        """Whether the entry names this module, by the rule of the method and release."""
        if self.method == "compressed-tensors":
            return names_module(entry, name)
        if len(entry) > MAX_PATTERN or may_explode(entry):
            return False
        try:
            end = r"(?:(?<=\.)|(?=\.|$))" if self.boundary else ""
            return name.endswith(entry) or re.match(f"(?:{entry}){end}", name) is not None
        except re.error:
            return False

    def _boxes(self, entry: str, template: str, axes: Axes) -> Iterator[Axes]:
        if not axes:
            yield from [()] if self.names(entry, template) else []
        elif _PLAIN.fullmatch(entry) and split_name(entry)[1]:
            yield from self._at_its_numbers(entry, template, axes)
        elif _NO_INDEX.fullmatch(entry.removeprefix("re:")):
            ends = [tuple(end(axis) for axis in axes) for end in (min, max)]
            if all(self.names(entry, join_name(template, end)) for end in ends):
                yield axes
        elif count(axes) <= MOST_NAMES:
            found = [name for name in names_of(template, axes) if self.names(entry, name)]
            yield from (box for _, box, _ in fold((name, None) for name in found))

    def _at_its_numbers(self, entry: str, template: str, axes: Axes) -> Iterator[Axes]:
        """A plain name with numbers in it stands for one box: from the start up to a module, or as a suffix."""
        head, numbers = split_name(entry)
        inside = (
            template == head or template.startswith(f"{head}.") or (not self.boundary and template.startswith(head))
        )
        if self.method == "compressed-tensors":
            inside = template == head
        at_end = self.method != "compressed-tensors" and template.endswith(head) and not template.startswith(head)
        if inside or at_end:
            first = 0 if inside else len(axes) - head.count(HOLE)
            wanted = tuple((n,) for n in numbers)
            box = intersect(axes, (*axes[:first], *wanted, *axes[first + len(wanted) :]))
            yield from [box] if box is not None else []


def skip_list(method: str, entry: Mapping[str, Any], release: str) -> SkipList:
    """The list of a declaration, empty where the method has none."""
    fields = FIELDS.get(method, _USUAL)
    field = next((name for name in fields if isinstance(entry.get(name), list)), None)
    entries = tuple(name for name in entry[field] if isinstance(name, str)) if field else ()
    path = (field or (fields[0] if fields else ""),)
    return SkipList(method, path, entries, field is not None, _ends_at_modules(release))


def _ends_at_modules(release: str) -> bool:
    numbers = [int(part) for part in re.findall(r"\d+", release)[:2]]
    return not numbers or tuple(numbers) >= _BOUNDARY
