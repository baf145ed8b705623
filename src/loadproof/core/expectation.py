"""What a model class of one library release expects."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from loadproof.core.base_model import Base
from loadproof.core.loading import Loading
from loadproof.core.tensors import Axes, Shape

Private = Loading  # a union of tagged structs, one for each reader that has something of its own


class Expected(Struct, frozen=True):
    """Parameters or persistent buffers that the model class creates, folded like `Family`."""

    template: str
    axes: Axes
    shape: Shape
    kind: Literal["parameter", "buffer"] = "parameter"
    symbols: tuple[str, ...] | None = None  # each dimension over config fields, e.g. "num_key_value_heads*head_dim"
    source: str = ""  # "modeling_llama.py:262", the line that created it
    dtype: str | None = None  # as safetensors spells it; None: the dtype in which the model is loaded
    any_shape: bool = False  # a quantizer takes what is stored whatever its shape
    never_random: bool = False  # no random numbers can be drawn for its dtype: a missing one ends the load


class Quantizer(Struct, frozen=True):
    """The quantizer of the library that changed the model, read from its text: the families are what it leaves.

    Without one (`Expectation.quantizer` is None) the families are those of the class itself, and what a declared method
    makes of the checkpoint is not known. `inconclusive` says why it could not be read.
    """

    method: str  # word of quant_method that the release acts upon, "bitsandbytes_4bit" for its two forms
    packages: tuple[tuple[str, str], ...] = ()  # packages whose text was read or is needed, with their versions
    inconclusive: str | None = None


class Expectation(Struct, frozen=True):
    """What a model class of one library release expects, read from its source text."""

    reader: str  # "transformers"
    version: str  # "5.24.0"
    class_name: str
    model_type: str
    source: Literal["installed", "remote-code", "none"]
    families: tuple[Expected, ...] = ()
    ties: tuple[tuple[str, str], ...] = ()  # (target, source), only those that are active
    base_model_prefix: str = ""
    buffer_names: tuple[str, ...] = ()  # templates of all buffers, non-persistent ones included
    config: dict[str, Any] = {}  # the effective config: fields of the class after its own defaults and rewrites
    parameters: int = 0  # number of names in `families`
    quantizers: tuple[str, ...] | None = None  # words of quant_method that the release acts upon; None: not asked for
    quantizer: Quantizer | None = None  # the one that made the families what they are
    device: str = ""  # the machine that this is about; empty: any
    elsewhere: tuple[Expectation, ...] = ()  # the same for the other machines that were asked about, where they differ
    inconclusive: str | None = None  # why nothing can be said; the rest is then empty or partial
    raises: str | None = None  # the exception the library raises while building config or model
    raises_at: str = ""  # file:line of the library where it is raised, as far as known
    hint: str | None = None  # a command that helps, e.g. how to install the source
    notes: tuple[str, ...] = ()
    wall: str | None = (
        None  # what stood around the process that evaluated strangers' text; empty: nothing, as was asked for
    )
    base: Base | None = None  # of an adapter: the model that it is put on
    forbidden_call: bool = False  # that process asked the system for something forbidden, and was ended
    private: Private | None = None  # what only the reader itself understands


class Kin(Struct, frozen=True):
    """A class of a release, and a model type whose configuration it takes."""

    model_type: str
    class_name: str
