"""Case files: Markdown pages that say, for one rule or one case from the field, what is broken and what must be said.

    ## bad: the second of three shards was never downloaded

    ```zoo
    llama
    shards(3)
    drop_shard(2)
    ```

    first: shard-missing
    verdict: fails

    ## near-miss: all three shards are there

    ```zoo
    llama
    shards(3)
    ```

The first line of a zoo block is a layout of `tests.zoo`, the others are mutations. Lines ``key: value`` below it are
the expectations: ``first`` (slug of the first finding), ``also`` (further slugs, comma separated), ``verdict``, ``fix``
(tags of the edits of the first finding's fixes), ``lossless`` (slugs of the findings that offer a lossless fix: all of
them, in order), ``repaired`` (the verdict after these are carried out), ``severity`` (of the first finding), ``says``
(text that the first finding must contain, may be repeated), ``silent: yes`` (no error and no warning at all),
``names-only: yes``, ``file: NAME`` (check this file of the folder), ``opened: yes`` (by an evaluator that runs what it
reads). A near-miss demands that the rule of its page yields nothing, not even an info; where it may speak, the page
says how loud: ``yields: info``.
A ``report`` block is the text report, word for word (``python -m tests.rules.snapshots`` writes it anew).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from tests import zoo

REPORT = re.compile(r"^```report\n(.*?)^```\n", flags=re.M | re.S)
KEYS = {
    "yields",
    "first",
    "also",
    "verdict",
    "fix",
    "severity",
    "says",
    "silent",
    "names-only",
    "file",
    "unexplained",
    "opened",
}
KEYS |= {"lossless", "repaired"}  # what test_fixes.py and test_catalogue.py carry out


@dataclass(frozen=True)
class Example:
    """One section of a page. `kind` is "bad" or "near-miss"."""

    page: Path
    kind: str
    title: str
    layout: str
    mutations: tuple[str, ...]
    expect: dict[str, list[str]] = field(default_factory=dict)
    report: str | None = None  # the text report, where the page shows it

    @property
    def id(self) -> str:
        return f"{self.page.stem}: {self.title}"

    @property
    def lossless(self) -> list[str]:
        """Slugs of the findings that offer a lossless fix."""
        return [word.strip() for line in self.expect.get("lossless", ()) for word in line.split(",")]

    @property
    def names_only(self) -> bool:
        return "names-only" in self.expect

    def one(self, key: str) -> str | None:
        return self.expect.get(key, [None])[0]

    def write(self, folder: Path) -> Path:
        """Build the checkpoint; the path to check."""
        made = zoo.build(self.layout).mutate(*map(zoo.mutation, self.mutations)).write(folder / "model")
        return made / self.expect["file"][0] if "file" in self.expect else made


def read_page(page: Path) -> list[Example]:
    """The examples of a page, in order. A line that is neither prose, block nor known key is an error of the page."""
    examples = []
    for section in re.split(r"^## ", page.read_text(), flags=re.M)[1:]:
        head, _, body = section.partition("\n")
        kind, _, title = head.partition(":")
        if kind not in ("bad", "near-miss"):
            continue
        block = re.search(r"^```zoo\n(.*?)^```$", body, flags=re.M | re.S)
        if block is None:
            raise ValueError(f"{page.name}: {head!r} has no zoo block")
        layout, *mutations = [line.strip() for line in block.group(1).splitlines() if line.strip()]
        shown = REPORT.search(body)
        expect: dict[str, list[str]] = {}
        for key, value in re.findall(r"^([a-z-]+): (.+)$", REPORT.sub("", body[block.end() :]), flags=re.M):
            if key not in KEYS:
                raise ValueError(f"{page.name}: unknown key {key!r} in {head!r}")
            expect.setdefault(key, []).append(value.strip())
        report = shown.group(1) if shown else None
        examples.append(Example(page, kind, title.strip(), layout, tuple(mutations), expect, report))
    return examples


def read_pages(folder: Path) -> list[Example]:
    return [example for page in sorted(folder.glob("*.md")) for example in read_page(page)]
