"""What becomes of an adapter that is put on its base."""

from __future__ import annotations

from msgspec import Struct

from loadproof.core.expectation import Expected
from loadproof.core.tensors import Family


class OtherClass(Struct, frozen=True):
    """The same adapter on another class of the same base."""

    class_name: str
    is_whole: bool  # every parameter of the adapter is filled, and every stored tensor is used
    filled: int
    made: int
    error: str | None = None


class AdapterLoad(Struct, frozen=True):
    """What the library makes of an adapter, beside the rows of the outcome."""

    model_class: str  # of the base: LlamaForCausalLM
    wrapper: str = ""  # PeftModelForCausalLM
    expected: tuple[Expected, ...] = ()  # what a file of this configuration holds on this base
    filled: int = 0  # parameters of the adapter that get a stored tensor
    made: int = 0  # parameters of the adapter
    zero: int = 0  # of those left as made, how many are zero: as if they were not there
    overwritten: tuple[Family, ...] = ()  # stored tensors that take the place of weights of the base
    restated: tuple[Family, ...] = ()  # the same of an embedding or head that is adapted: the library saves it along
    warnings: tuple[str, ...] = ()
    error_at: str = ""
    others: tuple[OtherClass, ...] = ()
