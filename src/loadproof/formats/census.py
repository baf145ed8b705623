"""The index counted against the shards, both ways, while the shards go by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from loadproof.core.checkpoint import IndexFile
from loadproof.formats.faults import Faults, cut
from loadproof.lexicon.shards import numbered


class Census:
    """One index against the files it names. Without an index it counts nothing."""

    __slots__ = ("_absent", "_elsewhere", "_index", "_listed", "_right", "_seen", "_unindexed")

    def __init__(self, index: IndexFile | None) -> None:
        self._index = index or IndexFile("", {}, None, False)
        self._seen: dict[str, Sequence[str]] = {}  # file -> the names in it
        self._right = 0  # names that lie where the index says
        self._listed: dict[str, list[str]] | None = None
        self._elsewhere: dict[str, str] = {}  # names found in another file than the index says -> that file
        self._absent: dict[str, str] = {}  # names not found in the file that the index says -> that file
        self._unindexed: dict[str, str] = {}  # names that the index does not know -> their file

    def names_listed(self, file: str) -> list[str]:
        """The names that the index places in `file`."""
        if self._listed is None:
            self._listed = {}
            for name, target in self._index.weight_map.items():
                self._listed.setdefault(target, []).append(name)
        return self._listed.get(file, [])

    def count(self, file: str, names: Sequence[str]) -> None:
        """Compare the names of one shard with what the index says of them."""
        if not self._index.weight_map:
            return
        said = list(map(self._index.weight_map.get, names))
        right = said.count(file)
        self._right += right
        self._seen[file] = names
        if right < len(names):
            for name, target in zip(names, said, strict=True):
                if target is None:
                    self._unindexed[name] = file
                elif target != file:
                    self._elsewhere[name] = file

    def close(self) -> None:
        """After the last file that is read: which names are not where the index says."""
        if self._right == len(self._index.weight_map):
            return
        for file, names in self._seen.items():
            present = set(names)
            self._absent.update((name, file) for name in self.names_listed(file) if name not in present)

    def count_unread(self, file: str, names: Iterable[str]) -> list[str]:
        """Compare a shard that the index does not name and nobody reads: its names that are read from nowhere else."""
        lost = []
        for name in names:
            target = self._index.weight_map.get(name)
            if target is not None and self._absent.get(name) == target:
                self._elsewhere.setdefault(name, file)
            if target is None or name in self._absent:
                lost.append(name)
        return [name for name in lost if name not in self._unindexed]

    def is_found(self, name: str) -> bool:
        """Whether a name that the index places in an unread file lies in one that was read."""
        return name in self._elsewhere

    def report(self, faults: Faults) -> bool:
        """LP104, LP105 and LP106; whether there was none. transformers takes only the file names from an index."""
        path = self._index.path
        for name, file in self._absent.items():
            if name in self._elsewhere:
                found = self._elsewhere[name]
                faults.add(
                    "LP106",
                    path,
                    "wrong-shard",
                    f"{cut(name)} lies in {found}, the index says {file}",
                    tensor=name,
                    expected=file,
                    found=found,
                )
            else:
                text = f"the index places {cut(name)} in {file}, which does not hold it; no other shard does"
                faults.add("LP104", path, "ghost", text, tensor=name, expected=file)
        for name, file in self._unindexed.items():
            faults.add(
                "LP105",
                path,
                "missing-key",
                f"{cut(name)} lies in {file} but not in the index",
                tensor=name,
                found=file,
                severity="warning",
            )
        return not self._absent and not self._unindexed


def find_gap(files: Sequence[str]) -> str | None:
    """The name, without suffix, of the first shard left out of a set numbered 1..N of N; None if there is none.

    Some writers count from 0, up to N - 1 or up to N.
    """
    sets: dict[tuple[str, str, str], set[int]] = {}
    for file in files:
        if match := numbered(file):
            begin = file[: match.start("number")]
            sets.setdefault((begin, match["total"], match["variant"]), set()).add(int(match["number"]))
    if len(sets) != 1:
        return None
    ((begin, total, _), numbers) = sets.popitem()
    wanted = range(int(total)) if 0 in numbers else range(1, int(total) + 1)
    missing = next((number for number in wanted if number not in numbers), None)
    return None if missing is None else f"{begin}{missing:0{len(total)}d}-of-{total}"


def is_sibling(file: str, index: str) -> bool:
    """Whether `file` is numbered like a shard of this index: ``model-00001-of-00002.safetensors``."""
    match = numbered(file)
    return match is not None and f"{match['stem']}.{match['suffix']}.index{match['variant']}.json" == index
