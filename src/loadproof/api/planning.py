"""`plan`: the layer plan of config.json against the one that the tensors show."""

from __future__ import annotations

import os

from msgspec import Struct

from loadproof.api.checking import Expecting, choose_reader, expecting, open_checkpoint, reading
from loadproof.config import read_config
from loadproof.config.plan.reading import diff_plans, plan_from_config
from loadproof.config.plan.tensors import plan_from_tensors
from loadproof.core.config import LayerPlan
from loadproof.formats import read_manifest


class PlanReport(Struct, frozen=True):
    """Both plans (None where nothing says one), and the layers on which they contradict each other."""

    config: LayerPlan | None
    tensors: LayerPlan | None
    differs: tuple[int, ...] = ()

    @property
    def same(self) -> bool | None:
        """Whether both say the same for every layer; None when one of them says nothing."""
        if self.config is None or self.tensors is None:
            return None
        return not self.differs and len(self.config.words) == len(self.tensors.words)


def plan(
    location: str | os.PathLike[str],
    *,
    reader: str = "transformers",
    class_name: str | None = None,
    source: str | None = None,
    names_only: bool = False,
    use_cache: bool = True,
    follow_links: bool = True,
    evaluate_code_without_wall: bool = False,
) -> PlanReport:
    """The layer plans of the checkpoint at `location`; the config's one after the defaults of the model class.

    Raises `NoCheckpointError` when there is nothing to look at, `ValueError` for an unknown reader.
    """
    chosen, _ = choose_reader(reader)
    with reading(os.fspath(location)):
        inventory = open_checkpoint(os.fspath(location), follow_links=follow_links)
        config = read_config(inventory)
        options = Expecting(class_name, source, names_only, use_cache, evaluate_code_without_wall)
        with expecting(chosen, config, inventory, options) as expected:
            manifest = read_manifest(inventory, chosen.select(inventory, config, names_only), names_only)
            expectation = expected()
    stated, found = plan_from_config(config, expectation), plan_from_tensors(manifest.families)
    differs = diff_plans(stated, found).layers if stated is not None and found is not None else ()
    return PlanReport(stated, found, differs)
