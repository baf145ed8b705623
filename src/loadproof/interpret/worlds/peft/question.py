"""What is asked about an adapter, and what is answered: plain data, as it goes to another process and to the cache."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from loadproof.core.tensors import Shape


class StoredTensor(Struct, frozen=True, array_like=True):
    dtype: str
    shape: Shape


class Question(Struct, frozen=True):
    """An adapter, and the class that it is put on. `tensors` is None where there is no weight file."""

    config: Any  # adapter_config.json, None where there is none
    tensors: dict[str, StoredTensor] | None
    base: dict[str, Any]  # config.json of the base
    class_name: str | None = None  # of the base; None: the one that configuration and base lead to


Fate = Literal["file", "zero", "one", "other"]


class OnClass(Struct, frozen=True):
    """The same on another class of the base, in numbers."""

    class_name: str
    is_whole: bool
    filled: int
    made: int
    error: str | None = None


class Answer(Struct, frozen=True):
    """What `PeftModel.from_pretrained` does. With `inconclusive` the rest is empty or partial; with `error` what is
    `expected` is what peft would have filled."""

    model_class: str = ""  # of the base
    others: tuple[OnClass, ...] = ()  # where the adapter does not load whole
    expected: dict[str, Shape] = {}  # name in the file -> shape, as peft itself would save this adapter
    parameter: dict[str, str] = {}  # name in the file -> parameter of the model, where it is one
    fates: dict[
        str, Fate
    ] = {}  # parameters of the adapter, and those of the base that the file fills -> how they are filled
    given: dict[str, tuple[str, ...]] = {}  # parameter of the model -> the stored tensors of which it is filled
    base: tuple[str, ...] = ()  # parameters of the base, not of the adapter, that the file fills
    restated: tuple[str, ...] = ()  # those of them that peft itself saves along: an embedding or head that is adapted
    unexpected: tuple[str, ...] = ()  # what the library calls unexpected: names of no parameter
    unused: tuple[str, ...] = ()  # stored tensors that reach nothing
    warnings: tuple[str, ...] = ()
    class_name: str = ""  # PeftModelForCausalLM
    error: str | None = None
    error_at: str = ""
    inconclusive: str | None = None
