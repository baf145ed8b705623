#!/usr/bin/env python3
"""Keep the picture in architecture.md true: draw the rooms of the package from the imports between them.

usage: python docs/rooms.py [--check]      (exit 1 when --check finds a difference)
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import grimp

PAGE = Path(__file__).resolve().with_name("architecture.md")
LEFT_OUT = {"__main__", "version"}
Edges = dict[str, set[str]]


def rooms() -> Edges:
    """Which room imports which others, somewhere in it."""
    graph = grimp.build_graph("loadproof")
    room_of = {name: name.split(".")[1] for name in graph.modules if "." in name}
    edges: Edges = {room: set() for room in set(room_of.values()) - LEFT_OUT}
    for name, room in room_of.items():
        if room in edges:
            edges[room] |= {room_of.get(other, "") for other in graph.find_modules_directly_imported_by(name)}
    return {room: others & edges.keys() - {room} for room, others in edges.items()}


def reduced(edges: Edges) -> Edges:
    """Without the arrows that a longer way says already; the rooms have no circle (`make lint` sees to it)."""

    def reached(room: str) -> set[str]:
        return edges[room].union(*(reached(other) for other in edges[room]))

    return {room: others - set().union(*(reached(other) for other in others)) for room, others in sorted(edges.items())}


def drawing() -> str:
    """The picture as mermaid text between its markers."""
    arrows = [f"  {room} --> {other}" for room, others in reduced(rooms()).items() for other in sorted(others)]
    return "\n".join(["<!-- rooms:begin -->", "```mermaid", "graph TD", *arrows, "```", "<!-- rooms:end -->"])


def main() -> int:
    before = PAGE.read_text()
    after = re.sub("<!-- rooms:begin -->.*?<!-- rooms:end -->", lambda _: drawing(), before, flags=re.DOTALL)
    if "--check" in sys.argv:
        return int(before != after)
    PAGE.write_text(after)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
