"""The test zoo: tiny healthy checkpoints of many architectures, and named mutations that damage them.

``zoo.build("qwen3_next").mutate(zoo.flatten("lm_head.weight")).write(tmp_path)``
"""

from tests.zoo import quantizers  # noqa: F401 - its mutations enter the table
from tests.zoo.checkpoint import Checkpoint, Tensor, build, layouts, names
from tests.zoo.mutations import MUTATIONS, mutation

__all__ = ["MUTATIONS", "Checkpoint", "Tensor", "build", "layouts", "mutation", "names"]


def __getattr__(name: str):
    try:
        return MUTATIONS[name]
    except KeyError:
        raise AttributeError(f"no mutation {name!r} in the zoo") from None
