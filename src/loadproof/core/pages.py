"""What `loadproof rules` lists and `loadproof explain CODE` shows."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from loadproof.core.shown import Shown

# Field of a page -> the heading it stands under, wherever the page is written or shown.
HEADINGS = {
    "finds": "What it finds",
    "why": "Why it matters",
    "errors": "What you see",
    "example": "Example",
    "fix": "What to do",
    "harmless": "When it is harmless",
}


class RulePage(Shown, frozen=True):
    """The page of a rule, in the words of its own docs: plain Markdown below each heading."""

    kind: ClassVar[str] = "page"

    code: str
    slug: str
    title: str
    finds: str
    why: str
    errors: tuple[str, ...]  # the errors seen, one per engine: "vLLM: `KeyError: ...`"
    example: str
    fix: str
    harmless: str

    def brief(self) -> str:
        return f"{self.code} {self.slug}"


# What JSON calls the fields of a cause (frozen).
_IN_JSON = {"confirms": "confirm", "refutes": "refute", "blames": "where", "see": "issues"}


class CauseText(Struct, frozen=True, rename=_IN_JSON):
    """One cause that only an error text leads to. Its texts hold ``{name}`` where a symptom fills something in."""

    headline: str
    confirms: str
    refutes: str
    remedy: str
    blames: str  # checkpoint, engine, run or environment
    see: tuple[str, ...]  # public threads with this error


class CausesPage(Shown, frozen=True):
    """The page of a code that no check finds: its causes."""

    kind: ClassVar[str] = "page"

    code: str
    slug: str
    causes: tuple[CauseText, ...]

    def brief(self) -> str:
        return f"{self.code} {self.slug}"


class Listed(Struct, frozen=True):
    code: str
    slug: str
    title: str


class RuleList(Shown, frozen=True):
    """Everything that has a page, by code."""

    kind: ClassVar[str] = "rules"

    rules: tuple[Listed, ...]

    def brief(self) -> str:
        return f"{len(self.rules)} codes"
