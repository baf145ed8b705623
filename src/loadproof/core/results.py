"""The answers of `plan` and `diff`, and of a `check` of many checkpoints."""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct

from loadproof.core.case import Report
from loadproof.core.config import JsonPath, LayerPlan
from loadproof.core.outcome import Outcome
from loadproof.core.shown import Shown
from loadproof.core.tensors import Axes, Shape

WORST_FIRST = (2, 1, 3, 0)  # exit statuses


class Checked(Struct, frozen=True):
    """One target of a check of many: its report, or why there is none."""

    location: str
    report: Report | None = None
    error: str = ""
    status: int = 0  # what the exit status would be for this target alone


class Checks(Shown, frozen=True):
    """The reports on many checkpoints, in the order in which they were found."""

    kind: ClassVar[str] = "checks"

    targets: tuple[Checked, ...]

    @property
    def status(self) -> int:
        """The worst of all: 2 no checkpoint, 1 wrong, 3 inconclusive, 0 in order."""
        return min((one.status for one in self.targets), key=WORST_FIRST.index, default=0)

    def brief(self) -> str:
        wrong = sum(one.status != 0 for one in self.targets)
        return f"{len(self.targets)} checkpoints, {wrong} not in order"

    def to_dict(self) -> dict[str, Any]:
        """The lines of `to_json`, which are one document each, as a list under ``checks``."""
        from msgspec.json import decode

        return {self.kind: [decode(line) for line in self.to_json().splitlines()]}


class PlanReport(Shown, frozen=True):
    """Both plans (None where nothing says one), and the layers on which they contradict each other."""

    kind: ClassVar[str] = "plan"

    location: str
    config: LayerPlan | None
    tensors: LayerPlan | None
    differs: tuple[int, ...] = ()
    inconclusive: str | None = None  # why the plan of the config is not the one that this release would take
    hint: str = ""

    @property
    def same(self) -> bool | None:
        """Whether both say the same for every layer; None when one of them says nothing."""
        if self.config is None or self.tensors is None or self.inconclusive:
            return None
        return not self.differs and len(self.config.words) == len(self.tensors.words)

    def brief(self) -> str:
        said = {True: "the plans agree", False: "the plans differ", None: self.inconclusive or "nothing to compare"}
        return f"{said[self.same]}; {self.location}"


class FieldChange(Struct, frozen=True):
    """One value of config.json; `None` on the side where the key is absent."""

    path: JsonPath
    first: Any
    second: Any


class TensorChange(Struct, frozen=True):
    """Tensors of both sides that differ in shape or dtype."""

    template: str
    axes: Axes
    first: tuple[Shape | None, str | None]
    second: tuple[Shape | None, str | None]


class Renaming(Struct, frozen=True):
    """`names` tensors of the first side stand in the second under another prefix (``""`` for none)."""

    first: str
    second: str
    names: int


class Role(Struct, frozen=True):
    """How many tensors of one role each side holds."""

    name: str
    first: int
    second: int


class Fit(Struct, frozen=True):
    """What the reader makes of the weights of one side under the config of one side (0 the first, 1 the second)."""

    config: int
    weights: int
    outcome: Outcome

    @property
    def fits(self) -> bool | None:
        """Whether every name and shape is right; None where that cannot be said."""
        return None if self.outcome.inconclusive else not self.outcome.raises and not self.outcome.rows


class DiffReport(Shown, frozen=True):
    """Everything that differs, folded into families."""

    kind: ClassVar[str] = "diff"

    first: Report
    second: Report
    config: tuple[FieldChange, ...]
    only_first: tuple[tuple[str, Axes], ...]
    only_second: tuple[tuple[str, Axes], ...]
    changed: tuple[TensorChange, ...]
    fits: tuple[Fit, ...]
    renamed: tuple[Renaming, ...] = ()  # tensors that stand on both sides under names that differ in one stretch
    roles: tuple[Role, ...] = ()  # how many tensors of each role the sides hold, where the numbers differ

    @property
    def same(self) -> bool:
        """Whether names, shapes, dtypes and the config agree (the values of the weights are not read)."""
        return not (self.config or self.only_first or self.only_second or self.changed or self.renamed)

    def brief(self) -> str:
        a, b = self.first.case.inventory.location, self.second.case.inventory.location
        return f"{'nothing' if self.same else 'something'} differs; {a}; {b}"
