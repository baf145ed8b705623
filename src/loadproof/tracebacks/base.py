"""What the knowledge base is made of: causes, and entries that lead from an error text to ranked causes."""

from __future__ import annotations

from msgspec import Struct

from loadproof.core.severity import Confidence


class Cause(Struct, frozen=True, forbid_unknown_fields=True):
    """One possible root cause of an error text.

    `headline`, `confirms`, `remedy` may hold ``{name}``, ``{layer}``, ``{shape}``, ``{disk}``: they are filled from
    the symptom. `blames` says what is at fault: the checkpoint, the engine, the run (launch flags, wrappers in
    memory) or the environment; only blame of the checkpoint can be decided from the files alone.
    """

    key: str  # own name of the cause, finer than the rule code
    code: str  # rule code of the catalogue, LP401
    slug: str
    headline: str
    confirms: str  # what one sees when this is it
    refutes: str  # what one sees when it is not
    next: str  # the next command to type
    remedy: str
    blames: str = "checkpoint"  # checkpoint | engine | run | environment
    see: tuple[str, ...] = ()  # public threads with this error
    confidence: Confidence = "possible"
    because: tuple[str, ...] = ()  # what in the symptom speaks for it


class When(Struct, frozen=True, forbid_unknown_fields=True):
    """A condition on the symptom; every given part must hold. Texts are regular expressions, searched.

    ``@word`` stands for an expression that the `words` of its file give.
    """

    name: str = ""  # in the name that the pattern caught (or any name of the symptom)
    kind: str = ""  # kind of that name: runtime-layer | fused | tensor | token-id | word | ...
    text: str = ""  # anywhere in the statements and frames
    near: str = ""  # anywhere as well: for a condition that goes with one on `text`
    frame: str = ""  # in a stack frame
    unlike: str = ""  # kinds of that name that it must not be, separated by spaces
    engine: str = ""
    run: str = ""  # key of the run facts that must be set
    asks: str = ""  # who lacks the name: "file" (known to have been asked for it) or "model" (see `lookups.py`)
    lacks: str = ""  # must not be found in statements or frames


class Ranked(Struct, frozen=True, forbid_unknown_fields=True):
    """A cause in the list of an entry, in rank order; skipped when its condition does not hold."""

    cause: str
    confidence: Confidence = "possible"
    when: When | None = None


class Example(Struct, frozen=True, forbid_unknown_fields=True):
    """An error text and the key of the cause that must come first for it. Every example is a test."""

    text: str
    first: str


class Entry(Struct, frozen=True, forbid_unknown_fields=True):
    """One error text of one or more engines.

    `patterns` are texts with placeholders (see `patterns.py`): ``There is no module or parameter named '<name>'``.
    """

    patterns: tuple[str, ...]
    causes: tuple[Ranked, ...]
    examples: tuple[Example, ...] = ()
    engine: str | None = None  # the engine this text betrays, None when several share it
    phase: str | None = None
    wrapper: bool = False  # the text only says that something else failed: the cause is to be sought elsewhere
    defers: bool = False  # a load report printed with it says more
