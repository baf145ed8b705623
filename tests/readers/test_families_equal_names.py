"""Rules applied to families give what they give name by name, whatever rules and names."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from loadproof.core.families import join_name
from loadproof.core.loading import ConversionRule, Operation
from loadproof.readers.transformers.pieces import spelled, start
from loadproof.readers.transformers.predict_v5 import predict_v5
from loadproof.readers.transformers.release import Semantics, semantics_of
from loadproof.readers.transformers.rename import Rule, apply_rules
from tests.differential.real import predicted
from tests.readers import reference
from tests.readers.build import expectation, manifest, rule

INDICES = st.sampled_from([0, 1, 2, 3, 9, 10, 11, 61, 100, 101, 610])
WORDS = st.sampled_from(
    [
        "model",
        "layers",
        "mlp",
        "experts",
        "w1",
        "w2",
        "norm",
        "norm1",
        "weight",
        "bias",
        "lm_head",
        "mixer",
        "block",
        "conv1d",
        "qkv",
    ]
)
PARTS = st.one_of(WORDS, WORDS, INDICES.map(str))
NAMES = st.lists(PARTS, min_size=1, max_size=6).map(".".join)
GRIDS = st.tuples(
    st.sampled_from(
        [
            "model.layers.{}.mlp.experts.{}.w1.weight",
            "layers.{}.experts.{}.w2",
            "model.layers.{}.norm1.weight",
            "layers.{}.mixer.{}.qkv.weight",
            "{}.layers.{}.conv1d.bias",
            "layers.{}.layers.{}.mixer",
        ]
    ),
    st.lists(INDICES, min_size=1, max_size=5, unique=True),
    st.lists(INDICES, min_size=1, max_size=5, unique=True),
).map(lambda g: [g[0].format(i, j) for i in g[1] for j in (g[2] if g[0].count("{}") > 1 else [0])])
NAME_LISTS = st.lists(st.one_of(NAMES.map(lambda n: [n]), GRIDS, GRIDS), min_size=1, max_size=5).map(
    lambda lists: sorted({name for names in lists for name in names})
)
SOURCES = st.sampled_from([
    "layers.61.", r"layers\.1\.", "layers", r"layers.(\d+)", r"layers\.(\d+)\.mlp", "w1", "1", "experts.*.w1.weight",
    "experts.*.w2", "norm", "norm1", r"^model\.", "^model.", r"^(?:(?!model\.))(.+)", r"^model\.(.+)", "mlp.experts",
    r"\.(\d)\.", r"[2-6]", r"layers\.[0-9]+\.", "weight", "layers.1", "0", r"(?<=layers\.)1", r"experts\.(\d+)\.w",
    "mixer", r"layers\.\d\.", "conv1d", "qkv.weight", ".1.", r"\d+$",
])  # fmt: skip
TARGETS = st.sampled_from(["blocks", "layers.0.", "norm", "model.", "", "norm1", "h.2", "experts.gate_up", "layers."])
BACK = st.sampled_from([r"blocks.\1", r"model.\1", r"\1", r"block\1", r"layers.\1.mlp", r"x.\1.\1"])
SCOPES = [{}, {}, {"scope": "", "base": "model"}, {"scope": "mlp", "base": "model"}, {"scope": "layers.1", "base": ""}]
PLAIN = st.builds(
    lambda source, target, back, scope: rule(source, back if "(" in source.replace("(?", "") else target, **scope),
    SOURCES,
    TARGETS,
    BACK,
    st.sampled_from(SCOPES),
)  # fmt: skip
GROUPS = st.builds(
    lambda sources, targets: rule(tuple(sources), tuple(targets), kind="GroupWeightRename"),
    st.lists(st.sampled_from(["norm1", "norm", "w1", "layers.1.", "qkv"]), min_size=2, max_size=2, unique=True),
    st.lists(TARGETS, min_size=2, max_size=2),
)  # fmt: skip
COMPUTED = st.sampled_from([
    rule(r"layers\.(\d+)", r"layers.\1", kind="LayerPairCollapse"),
    rule(r"experts\.(\d+)", r"experts.\1", kind="Inkling2IndexOffsetWeightRename", offset=1),
    rule(r"layers\.(\d+)\.mlp", r"blocks.\1.mlp", kind="Inkling2IndexOffsetWeightRename", offset=2),
])  # fmt: skip
CONVERTERS = st.sampled_from([
    rule("experts.*.w1.weight", "experts.gate_up", Operation("MergeModulelist", {"dim": 0})),
    rule(("experts.*.w1.weight", "experts.*.w2"), "experts.up", Operation("MergeModulelist", {"dim": 0}),
         Operation("Concatenate", {"dim": 1})),
    rule("qkv.weight", ("q.weight", "k.weight"), Operation("Chunk", {"dim": 0})),
    rule("conv1d", "conv2d", Operation("Transpose", {"dim0": 0, "dim1": 1})),
    rule("norm1.weight", "1.weight", Operation("Interleave", {"dim": 0})),
    rule("layers.1.norm1", "layers.0.norm1", Operation("Transpose", {"dim0": 0, "dim1": 0})),
])  # fmt: skip
RULES = st.lists(st.one_of(PLAIN, PLAIN, GROUPS, COMPUTED, CONVERTERS), max_size=4).map(tuple)
RELEASES = st.sampled_from(["5.24.0", "5.24.0", "5.12.0", "5.2.0"])
SHAPES = st.sampled_from([(4, 6), (4, 6), (4, 6), (2, 6), (3, 5), (24,), (3, 4, 6)])


def by_families(
    names: list[str], rules: tuple[ConversionRule, ...], semantics: Semantics
) -> dict[str, tuple[str, str | None]]:
    out: dict[str, tuple[str, str | None]] = {}
    pieces = [p for f in manifest(dict.fromkeys(names, (1,))).families for p in start(f)]
    for piece in apply_rules(pieces, [Rule(spec, semantics) for spec in rules]):
        singles: list[tuple[int, ...]] = [()]
        for axis in piece.axes:
            singles = [(*head, i) for head in singles for i in axis]
        for at in singles:
            name = join_name(piece.family.template, at)
            assert name not in out
            out[name] = (spelled(piece.form, tuple((i,) for i in at)), piece.pattern)
    return out


@given(NAME_LISTS, RULES, RELEASES)
@settings(max_examples=150, deadline=None)
def test_renaming_families_equals_renaming_names(
    names: list[str], rules: tuple[ConversionRule, ...], release: str
) -> None:
    semantics = semantics_of(release)
    assert by_families(names, rules, semantics) == reference.rename_all(names, rules, semantics)


@given(NAME_LISTS, NAME_LISTS, RULES, st.data())
@settings(max_examples=200, deadline=None)
def test_the_report_of_families_equals_the_report_of_names(
    stored: list[str], known: list[str], rules: tuple[ConversionRule, ...], data: st.DataObject
) -> None:
    files = {name: data.draw(SHAPES) for name in stored}
    reached = [key for key, _ in reference.rename_all(stored, rules).values()]
    some = data.draw(st.lists(st.sampled_from(stored + reached), max_size=8))
    model = {name: data.draw(SHAPES) for name in dict.fromkeys(known + some) if name}
    ties = data.draw(st.lists(st.tuples(st.sampled_from(list(model)), st.sampled_from(list(model))), max_size=3))
    wanted = expectation(
        model,
        *rules,
        base_model_prefix=data.draw(st.sampled_from(["model", "model", "layers", ""])),
        ties=tuple(t for t in ties if t[0] != t[1]),
        ignore_missing=data.draw(st.sampled_from([(), (r"layers\.61.*",), ("1",)])),
        ignore_unexpected=data.draw(st.sampled_from([(), (r"model\.layers\.61.*",), (r"\.1\.", "lm_head")])),
    )
    wanted = replace(wanted, version=data.draw(RELEASES))
    real = reference.report(files, model, wanted)
    outcome = predict_v5(manifest(files), wanted)
    if real is None:
        assert outcome.raises
        return
    mine = predicted(outcome)
    assert (mine.missing, mine.unexpected, mine.mismatched, mine.conversion) == real
