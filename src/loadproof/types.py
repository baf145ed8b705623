"""The data that flows between the stages. Frozen structs only: no behaviour, no I/O, no imports of other stages.

Words used throughout:

* *template*: a tensor name in which every all-digit dot part is written ``{}``
  (``model.layers.{}.mlp.experts.{}.up_proj.weight``).
* *axes*: one sorted tuple of indices per ``{}``; a family stands for the full product of its axes.
* *shape*: a tuple of sizes, outermost dimension first, as torch prints it.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

Shape = tuple[int, ...]
Axes = tuple[tuple[int, ...], ...]
JsonPath = tuple[str | int, ...]
Verdict = Literal["loads", "loads-wrong", "fails", "inconclusive"]
Severity = Literal["error", "warning", "info"]
Confidence = Literal["certain", "likely", "possible"]
Safety = Literal["lossless", "lossy", "manual"]
RowKind = Literal["missing", "unexpected", "mismatched", "conversion"]


class Skip(Struct, frozen=True):
    """Something that was not checked, and why."""

    what: str
    why: str


# ---------------------------------------------------------------- what is there
class FileInfo(Struct, frozen=True):
    """One file of the checkpoint folder. `kind` is what its first bytes say, not what its name promises."""

    path: str  # relative to the folder, or the bare file name
    size: int  # bytes
    kind: str  # safetensors | torch | gguf | lfs-pointer | html | json | zip | empty | zeros | special | other


class Problem(Struct, frozen=True):
    """A fault of a file itself, found while reading. Readers record these; they never raise on bad content."""

    code: str  # a catalogue code, LP0xx or LP1xx
    file: str
    text: str  # one line, names what is wrong
    tensor: str | None = None
    expected: str | None = None
    found: str | None = None
    offset: int | None = None  # byte offset in the file
    severity: Severity = "error"
    detail: str = ""  # machine-readable kind below the code, e.g. "overlap", "hole", "absolute-path"
    breaks: str | None = None  # the exception text of the official reader, None where it accepts the file
    line: int | None = None  # in a text file, 1-based


class IndexFile(Struct, frozen=True):
    """A shard index (``*.index.json``). `weight_map` is as written, unchecked."""

    path: str
    weight_map: dict[str, str]
    total_size: int | None
    has_metadata: bool
    readable: bool = True  # False: not JSON, or no weight_map; `problems` says why


class Inventory(Struct, frozen=True):
    """What lies in the checkpoint folder (or the one file given), before a reader picks its weights."""

    location: str  # as the user gave it
    root: str  # absolute folder
    files: tuple[FileInfo, ...]
    indexes: tuple[IndexFile, ...] = ()
    problems: tuple[Problem, ...] = ()
    single_file: str | None = None  # set when the user named one file instead of a folder
    skipped: tuple[Skip, ...] = ()


class Selection(Struct, frozen=True):
    """Which weight files a reader would open. `error` is the exception it would raise instead."""

    entry: str | None  # the single file or the index that decided, None when nothing fits
    files: tuple[str, ...]  # in the order in which the reader opens them
    format: str  # safetensors | safetensors-sharded | torch | torch-sharded | names-only | none
    error: str | None = None
    shadowed: tuple[str, ...] = ()  # weight files that lie there and will not be read


class TensorRecord(Struct, frozen=True, gc=False):
    """One tensor as its file header states it; `begin`/`end` are absolute byte offsets in `file`."""

    name: str
    dtype: str
    shape: Shape
    file: str
    begin: int
    end: int


class Family(Struct, frozen=True):
    """Tensors that differ only in their indices. `shape`/`dtype` are None when only names are known."""

    template: str
    axes: Axes
    dtype: str | None
    shape: Shape | None
    files: tuple[str, ...] = ()  # the files that hold members, sorted


class Duplicate(Struct, frozen=True):
    """One tensor name stored in several files; the last file of the tuple is the one kept (string sort)."""

    name: str
    files: tuple[str, ...]


class Manifest(Struct, frozen=True):
    """The tensors of the selected files, folded. Equal names in several files are kept once (later file wins)."""

    format: str
    files: tuple[FileInfo, ...]
    families: tuple[Family, ...]
    tensors: int
    bytes: int  # payload bytes according to the headers, 0 when names only
    problems: tuple[Problem, ...] = ()
    duplicates: tuple[Duplicate, ...] = ()
    names_only: bool = False
    metadata: dict[str, dict[str, str]] = {}  # file -> its __metadata__
    skipped: tuple[Skip, ...] = ()
    unread: tuple[str, ...] = ()  # selected files that the reader would read and we do not: their tensors are unknown


class ModelConfig(Struct, frozen=True):
    """config.json as read. `text` is kept so that evidence can cite lines (`loadproof.config.line_of`)."""

    path: str | None  # None: there is no config.json
    raw: dict[str, Any]
    text: str = ""
    problems: tuple[Problem, ...] = ()


class LayerPlan(Struct, frozen=True):
    """One word per decoder layer. `letters` is the same as a strip, e.g. ``LLLF``; ``?`` is not known."""

    words: tuple[str | None, ...]
    source: str  # "config" or "tensors"
    field: str = ""  # the config field (dotted path) that decided, or the container path of the tensors
    given: bool = True  # False: a default of the config class
    where: str = ""  # config.json:37, or modeling file:line for a default
    mixers: tuple[str | None, ...] = ()  # from tensors only: what was recognised in each layer, e.g. "Mamba-2"


# ---------------------------------------------------------------- what is expected
class Expected(Struct, frozen=True):
    """Parameters or persistent buffers that the model class creates, folded like `Family`."""

    template: str
    axes: Axes
    shape: Shape
    kind: Literal["parameter", "buffer"] = "parameter"
    symbols: tuple[str, ...] | None = None  # each dimension over config fields, e.g. "num_key_value_heads*head_dim"
    source: str = ""  # "modeling_llama.py:262", the line that created it


class Operation(Struct, frozen=True):
    """One step of a weight converter as the release defines it; `arguments` holds dim, dim0, dim1, check_dims, ..."""

    name: str
    arguments: dict[str, Any] = {}


class ConversionRule(Struct, frozen=True):
    """A renaming or conversion rule of the reader, in application order (facts: loading-transformers.md section 5)."""

    kind: str  # WeightRenaming, WeightConverter, PrefixChange, GroupWeightRename, ...
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    regex: str  # one pattern, named groups g0, g1, ... one per source
    scope: str | None = None
    base: str | None = None
    offset: int | None = None
    operations: tuple[Operation, ...] = ()


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
    ignore_missing: tuple[str, ...] = ()
    ignore_unexpected: tuple[str, ...] = ()
    ignore_on_save: tuple[str, ...] = ()
    buffer_names: tuple[str, ...] = ()  # templates of all buffers, non-persistent ones included
    rules: tuple[ConversionRule, ...] = ()
    config: dict[str, Any] = {}  # the effective config: fields of the class after its own defaults and rewrites
    parameters: int = 0  # number of names in `families`
    inconclusive: str | None = None  # why nothing can be said; the rest is then empty or partial
    raises: str | None = None  # the exception the library raises while building config or model
    raises_at: str = ""  # file:line of the library where it is raised, as far as known
    hint: str | None = None  # a command that helps, e.g. how to install the source
    notes: tuple[str, ...] = ()


# ---------------------------------------------------------------- what will happen
class Row(Struct, frozen=True):
    """One family of the reader's report. `template` is the reader's own name, `stored` the name in the file."""

    kind: RowKind
    template: str
    axes: Axes
    expected: Shape | None = None
    found: Shape | None = None
    stored: str | None = None  # template in the file, None for missing rows
    files: tuple[str, ...] = ()
    dtype: str | None = None
    text: str = ""  # for conversion errors: the reason
    stored_axes: Axes | None = None  # axes of `stored`; they differ from `axes` where a rule eats or renumbers an index


class Assignment(Struct, frozen=True):
    """Stored tensors that do reach parameters: template in the file -> template in the model."""

    stored: str
    stored_axes: Axes
    target: str
    target_axes: Axes
    converted: bool = False  # went through a converter
    dtype: str | None = None
    shape: Shape | None = None  # stored shape


class Outcome(Struct, frozen=True):
    """What the reader would report. Rows are reported ones: after ties and ignore patterns."""

    rows: tuple[Row, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    raises: bool = False
    error: str | None = None  # the predicted exception text
    ignored: tuple[Row, ...] = ()  # missing/unexpected rows swallowed by an ignore pattern
    dropped: tuple[Row, ...] = ()  # file names that lost a collision and vanish unreported
    tied: tuple[tuple[str, str], ...] = ()  # ties that fill a parameter: (filled, from)
    skipped: tuple[Skip, ...] = ()
    quantized: tuple[Family, ...] = ()  # stored families left unjudged because a quantizer owns them
    inconclusive: str | None = None


# ---------------------------------------------------------------- what is wrong, and what mends it
class Evidence(Struct, frozen=True):
    """`where` is a place (``config.json:37``, a file, ``modeling_x.py:873``), `text` what stands there."""

    where: str
    text: str
    label: str = ""  # "", "layers", "source", "note": how the text report prints it


class RenameTensors(Struct, frozen=True, tag="rename-tensors"):
    """Header-only: (old template, new template, axes)."""

    pairs: tuple[tuple[str, str, Axes], ...]


class ReshapeTensors(Struct, frozen=True, tag="reshape-tensors"):
    """Header-only; the element count stays."""

    template: str
    axes: Axes
    shape: Shape


class DropTensors(Struct, frozen=True, tag="drop-tensors"):
    """Leave out; `file` limits it to one shard (duplicates)."""

    template: str
    axes: Axes
    file: str | None = None


class CopyTensor(Struct, frozen=True, tag="copy-tensor"):
    """Write a second copy under another name (materialise a tied head)."""

    source: str
    name: str


class TransposeTensors(Struct, frozen=True, tag="transpose-tensors"):
    template: str
    axes: Axes
    dims: tuple[int, int] = (0, 1)


class StackTensors(Struct, frozen=True, tag="stack-tensors"):
    """Per-expert tensors -> one packed tensor: templates (in order of concatenation at `concat_dim`) -> target."""

    sources: tuple[str, ...]
    axes: Axes  # of the sources; the last axis is stacked at dim 0
    target: str
    concat_dim: int | None = None


class SplitTensors(Struct, frozen=True, tag="split-tensors"):
    """One packed tensor -> per-expert tensors; inverse of StackTensors."""

    source: str
    axes: Axes
    targets: tuple[str, ...]
    concat_dim: int | None = None


class GraftTensors(Struct, frozen=True, tag="graft-tensors"):
    """Take tensors from another checkpoint folder (`donor`)."""

    donor: str
    pairs: tuple[tuple[str, Axes], ...]


class SetJson(Struct, frozen=True, tag="set-json"):
    file: str
    path: JsonPath
    value: Any


class DeleteJson(Struct, frozen=True, tag="delete-json"):
    file: str
    path: JsonPath


class RebuildIndex(Struct, frozen=True, tag="rebuild-index"):
    """Write the index anew from the shards' headers."""

    index: str
    files: tuple[str, ...]


class RegenerateHeader(Struct, frozen=True, tag="regenerate-header"):
    """Write a clean header (format metadata, padding, order) for the same tensors."""

    file: str
    metadata: dict[str, str] = {}


class TruncateFile(Struct, frozen=True, tag="truncate-file"):
    file: str
    size: int


class SetAside(Struct, frozen=True, tag="set-aside"):
    """Rename a stale file out of the reader's way; nothing is deleted."""

    file: str


Edit = (
    RenameTensors
    | ReshapeTensors
    | DropTensors
    | CopyTensor
    | TransposeTensors
    | StackTensors
    | SplitTensors
    | GraftTensors
    | SetJson
    | DeleteJson
    | RebuildIndex
    | RegenerateHeader
    | TruncateFile
    | SetAside
)


class Fix(Struct, frozen=True):
    """A repair as pure data. `manual` fixes have no edits: `title` says what a person must do."""

    title: str
    safety: Safety
    edits: tuple[Edit, ...] = ()
    loss: str = ""  # for lossy ones: what is lost


class Finding(Struct, frozen=True):
    """One root cause. `explains` counts reported rows by name (not by family)."""

    code: str
    slug: str
    severity: Severity
    confidence: Confidence
    headline: str
    evidence: tuple[Evidence, ...] = ()
    rows: tuple[Row, ...] = ()  # the rows it claims (families; a part of a family may be claimed)
    explains: int = 0
    fixes: tuple[Fix, ...] = ()
    notes: tuple[str, ...] = ()  # extra "= ..." lines: label: text


class Mismatch(Struct, frozen=True):
    """A size difference that an error text reports: what the checkpoint holds, what the model wants."""

    name: str
    stored: Shape
    wanted: Shape


class Symptom(Struct, frozen=True):
    """What a pasted error says (`tracebacks`)."""

    engine: str | None = None
    engine_version: str | None = None
    phase: str | None = None  # config | build | load | cache-init | generate | convert | save
    exception: str | None = None
    message: str = ""
    names: tuple[str, ...] = ()
    shapes: tuple[Shape, ...] = ()
    run: dict[str, Any] = {}
    frames: tuple[str, ...] = ()  # "path/file.py:12 function", outermost first
    lines: tuple[str, ...] = ()  # statements that mean something, the root exception first
    missing: tuple[str, ...] = ()  # rows of load reports, as the text spells them
    unexpected: tuple[str, ...] = ()
    mismatched: tuple[Mismatch, ...] = ()


class Timings(Struct, frozen=True):
    read_s: float = 0.0
    expect_s: float = 0.0
    total_s: float = 0.0


class Tokenizer(Struct, frozen=True):
    """Highest token id + 1 and the number of tokens, from tokenizer files beside the weights."""

    path: str
    rows_needed: int


class LiveParameter(Struct, frozen=True):
    """One parameter of a live module, with where its elements really are (facts: sharded-training.md section 1)."""

    role: Literal["input-embedding", "output-head", "other"]
    name: str
    kind: Literal["plain", "zero3", "dtensor", "fsdp1-view", "packed", "meta"]
    shape: Shape  # as torch prints it here; the global shape for a DTensor
    dtype: str
    true_shape: Shape | None = None  # ds_shape, global shape, quant_state.shape: the shape of the whole tensor
    expected: Shape | None = None  # (rows, columns) by the module's own attributes or the config
    strided: bool = True  # an ordinary contiguous-compatible tensor: `.view` can serve it
    gathered_by_hooks: bool = False  # hooks of the engine (ZeRO-3, offloading) bring the values: in order
    detail: str = ""


class LiveModel(Struct, frozen=True):
    """What `diagnose` and `guard` look at: head and input embedding, their tie, wrappers around the model."""

    class_name: str
    parameters: tuple[LiveParameter, ...]
    wrappers: tuple[str, ...] = ()  # outermost first: "DistributedDataParallel", "PeftModelForCausalLM", ...
    tie_declared: bool | None = None  # tie_word_embeddings of the config that counts
    tied: bool | None = None  # head and embedding are one Parameter object
    shares_storage: bool | None = None
    placeholders: int = 0  # parameters without elements, over the whole model
    vocab_size: int | None = None


class TieValue(Struct, frozen=True):
    """Two stored tensors that the reader ties, compared by their bytes. `equal` None: not comparable, `text` says why."""

    target: str  # the name in the file that reaches the tied parameter, usually the head
    source: str  # the name in the file that reaches its source, usually the embedding
    equal: bool | None
    complete: bool = True  # False: only samples were compared (equal samples do not prove equality)
    text: str = ""
    shape: Shape | None = None
    target_file: str = ""
    source_file: str = ""


class Case(Struct, frozen=True):
    """Everything the rules may look at. A stage that did not run is None."""

    inventory: Inventory
    selection: Selection
    manifest: Manifest
    config: ModelConfig
    expectation: Expectation
    outcome: Outcome
    config_plan: LayerPlan | None = None
    tensor_plan: LayerPlan | None = None
    tokenizer: Tokenizer | None = None
    symptom: Symptom | None = None
    tie_values: tuple[TieValue, ...] = ()
    live: LiveModel | None = None
    equal_duplicates: tuple[str, ...] = ()  # names stored in several files with the same bytes in all of them
    source: str | None = None  # folder of the release the user asked for, to read it again under another config
    use_cache: bool = True


class Report(Struct, frozen=True):
    """The answer: input of every output format."""

    case: Case
    verdict: Verdict
    findings: tuple[Finding, ...]
    unexplained: tuple[Row, ...]
    checked: tuple[str, ...]
    skipped: tuple[Skip, ...]
    timings: Timings = Timings()
