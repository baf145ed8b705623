"""Tensors of several files gathered into families; a name that is stored twice is kept once, from the later file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loadproof.core.families import fold_group, group_by_mask, mask_of, names_of, union
from loadproof.core.tensors import Axes, Duplicate, Family, Shape
from loadproof.formats.base import Groups
from loadproof.formats.faults import Faults, cut

LONGEST_JUDGED = 4_096  # characters; no class has such a name, and every rule would spend time in proportion to it
Kind = tuple[str | None, Shape | None]  # dtype and shape; None when only the name is known


class _Group:
    """Names of one mask and kind, in the order of the files; `runs` says how many came from which file."""

    __slots__ = ("_file_of", "is_one_product", "names", "runs")

    def __init__(self) -> None:
        self._file_of: dict[str, str] = {}
        self.is_one_product = True
        self.names: list[str] = []
        self.runs: list[tuple[str, int]] = []

    def holders(self) -> Iterator[tuple[str, str]]:
        """Each name with its file."""
        names = iter(self.names)
        for file, length in self.runs:
            for _ in range(length):
                yield next(names), file

    def file_of(self, name: str) -> str | None:
        """The file of one name, None where the group does not hold it."""
        if not self._file_of:
            self._file_of.update(self.holders())
        return self._file_of.get(name)


class Gathering:
    """Feed it the files in the order in which the reader opens them."""

    __slots__ = ("_groups", "overlong")

    def __init__(self) -> None:
        self.overlong: dict[str, list[str]] = {}  # file -> names that are left aside
        self._groups: dict[tuple[str, Kind], _Group] = {}

    def add(self, file: str, groups: Groups) -> None:
        """Take the tensors of one file, as its header groups them."""
        for (mask, dtype, shape, _), members in groups.items():
            if len(mask) > LONGEST_JUDGED:
                self.overlong.setdefault(file, []).extend(members)
                continue
            key = (mask, (dtype, shape))
            group = self._groups.get(key) or self._groups.setdefault(key, _Group())
            group.names += members
            group.runs.append((file, len(members)))

    def add_names(self, file: str, names: Sequence[str]) -> None:
        """Take tensors of which nothing but the name is known."""
        unknown = [None] * len(names)
        self.add(file, group_by_mask(names, unknown, unknown, unknown))

    def families(self, faults: Faults) -> tuple[tuple[Family, ...], tuple[Duplicate, ...]]:
        """All tensors, each name once, and the names that were stored more than once (LP107)."""
        self._tell_overlong(faults)
        duplicates = self._settle_duplicates()
        for duplicate in duplicates:
            text = f"{cut(duplicate.name)} is stored in {len(duplicate.files)} files; readers keep the last one, "
            faults.add(
                "LP107",
                duplicate.files[-1],
                "duplicate",
                text + duplicate.files[-1],
                tensor=duplicate.name,
                found=", ".join(duplicate.files),
            )
        parts: dict[tuple[str, Kind, int], list[tuple[Axes, str]]] = {}
        for (mask, kind), group in self._groups.items():
            folded = list(fold_group(mask, group.names))
            group.is_one_product = len(folded) == 1
            for template, axes in folded:
                parts.setdefault((template, kind, len(axes)), []).append((axes, mask))
        families = [
            family for (template, kind, _), found in parts.items() for family in self._fold(template, kind, found)
        ]
        return tuple(families), duplicates

    def _fold(self, template: str, kind: Kind, parts: list[tuple[Axes, str]]) -> Iterator[Family]:
        united = union([axes for axes, _ in parts])
        groups = {mask: self._groups[mask, kind] for _, mask in parts}
        files = tuple(sorted({file for group in groups.values() for file, _ in group.runs}))
        is_whole = len(united) == 1 and all(group.is_one_product for group in groups.values())
        for axes in united:
            if is_whole or len(files) == 1:
                yield Family(template, axes, *kind, files)
            else:
                held = {groups[mask_of(name)].file_of(name) for name in names_of(template, axes)}
                yield Family(template, axes, *kind, tuple(sorted(file for file in held if file is not None)))

    def _tell_overlong(self, faults: Faults) -> None:
        for file, names in self.overlong.items():
            text = f"{len(names):,} tensor names are longer than {LONGEST_JUDGED:,} characters and not judged: "
            faults.add("LP011", file, "long", text + cut(ascii(names[0])), tensor=names[0], severity="warning")

    def _settle_duplicates(self) -> tuple[Duplicate, ...]:
        """Leave each name only where it is read from."""
        by_mask: dict[str, list[tuple[str, Kind]]] = {}
        for key in self._groups:
            by_mask.setdefault(key[0], []).append(key)
        duplicates: list[Duplicate] = []
        for keys in by_mask.values():
            names = [name for key in keys for name in self._groups[key].names]
            if len(set(names)) < len(names):
                duplicates += self._settle(keys)
        return tuple(duplicates)

    def _settle(self, keys: list[tuple[str, Kind]]) -> list[Duplicate]:
        found: dict[str, list[tuple[str, Kind]]] = {}
        for key in keys:
            for name, file in self._groups.pop(key).holders():
                found.setdefault(name, []).append((file, key[1]))
        for name, holders in found.items():
            holders.sort(key=lambda holder: holder[0])
            file, kind = holders[-1]
            group = self._groups.setdefault((keys[0][0], kind), _Group())
            group.names.append(name)
            group.runs.append((file, 1))
        return [
            Duplicate(name, tuple(file for file, _ in holders)) for name, holders in found.items() if len(holders) > 1
        ]
