"""Which training state a folder holds, whether all of it is there, and which command merges it."""

from __future__ import annotations

from collections.abc import Mapping

from loadproof.core.families import names_of
from loadproof.core.training import TrainingState
from loadproof.formats.training import find_states
from loadproof.storage.memory import Memory
from tests.formats.torch.writing import EIGHT, archive, call, mapping, named, number, numbers, pickled, tensor, text

STEP = "global_step10"
SHAPES = {"model.embed.weight": (6, 4), "model.norm.weight": (4,)}


def states(files: Mapping[str, bytes]) -> tuple[TrainingState, ...]:
    with Memory(files) as storage:
        return find_states(storage)[0]


def shapes(state: TrainingState) -> dict[str, tuple[int, ...] | None]:
    return {name: family.shape for family in state.families for name in names_of(family.template, family.axes)}


def model_states(stage: int, world: int) -> bytes:
    """As the engine writes them: whole weights up to stage 2, placeholders and the true shapes in stage 3."""
    weights = {name: tensor(shape=(0,), stride=(1,)) if stage == 3 else tensor() for name in SHAPES}
    sizes = {name: call("torch", "Size", numbers(shape)) for name, shape in SHAPES.items()}
    groups = b"](" + mapping(**sizes) + b"e"
    value = mapping(
        module=mapping(**weights), param_shapes=groups, dp_world_size=number(world), ds_version=text("0.19")
    )
    return archive(pickled(value))


def optimizer_states() -> bytes:
    """They hold objects of DeepSpeed, which nobody needs to know."""
    scaler = named("deepspeed.runtime.fp16.loss_scaler", "LossScaler") + b")\x81" + mapping(cur_scale=number(1)) + b"b"
    return archive(pickled(mapping(optimizer_state_dict=mapping(loss_scaler=scaler))), {"0": EIGHT})


def zero(stage: int, world: int, there: set[int], script: bool = True) -> dict[str, bytes]:
    model = "zero_pp_rank_0_mp_rank_00" if stage == 3 else "mp_rank_00"
    files = {"latest": STEP.encode(), f"{STEP}/{model}_model_states.pt": model_states(stage, world)}
    files |= {f"{STEP}/bf16_zero_pp_rank_{rank}_mp_rank_00_optim_states.pt": optimizer_states() for rank in there}
    return files | ({"zero_to_fp32.py": b""} if script else {})


def test_the_state_itself_says_how_many_ranks_there_must_be() -> None:
    (state,) = states(zero(3, 4, {0, 1, 2, 3}))
    assert (state.kind, state.folder, state.parts, state.is_complete) == ("DeepSpeed ZeRO-3 state", STEP, 4, True)
    assert shapes(state) == SHAPES


def test_ranks_absent_at_the_end_are_known_from_the_state_itself() -> None:
    (state,) = states(zero(3, 4, {0, 1}))
    names = tuple(f"{STEP}/bf16_zero_pp_rank_{rank}_mp_rank_00_optim_states.pt" for rank in (2, 3))
    assert (state.is_complete, state.absent) == (False, names)


def test_up_to_stage_2_the_model_states_hold_whole_weights() -> None:
    (state,) = states(zero(2, 2, {0, 1}))
    assert (state.kind, state.is_complete) == ("DeepSpeed ZeRO state", True)
    assert any("'module'" in fact for fact in state.facts)


def test_without_the_script_the_module_of_the_package_is_named() -> None:
    (beside,) = states(zero(3, 1, {0}))
    (alone,) = states(zero(3, 1, {0}, script=False))
    end = f"OUT -t {STEP} --safe_serialization"
    assert beside.command == f"python {{folder}}/zero_to_fp32.py {{folder}} {end}"
    assert alone.command == f"python -m deepspeed.utils.zero_to_fp32 {{folder}} {end}"


def test_a_folder_that_is_itself_the_state_is_told_by_its_own_name() -> None:
    with Memory({".metadata": b"x", "__0_0.distcp": b"x"}, place="/runs/pytorch_model_fsdp_0") as storage:
        (fsdp,) = find_states(storage)[0]
    inner = {name.removeprefix(f"{STEP}/"): content for name, content in zero(3, 1, {0}).items() if "/" in name}
    with Memory(inner, place=f"/runs/{STEP}") as storage:
        (step,) = find_states(storage)[0]
    assert fsdp.command == "accelerate merge-weights {folder} OUT"
    assert step.command.endswith(f"{{folder}}/.. OUT -t {STEP} --safe_serialization")


def test_latest_that_names_another_step_is_told() -> None:
    (state,) = states({**zero(3, 1, {0}), "latest": b"global_step9"})
    assert "'latest' names 'global_step9'" in state.facts


def test_a_folder_of_odd_name_is_quoted_in_the_command() -> None:
    files = {f"a b; rm x/pytorch_model_fsdp_0/{name}": b"x" for name in (".metadata", "__0_0.distcp")}
    (state,) = states(files)
    assert state.command == "accelerate merge-weights {folder}/'a b; rm x/pytorch_model_fsdp_0' OUT"


def test_the_optimizer_beside_a_distributed_checkpoint_is_no_state_of_weights() -> None:
    files = {f"{folder}/.metadata": b"x" for folder in ("pytorch_model_fsdp_0", "optimizer_0")}
    assert [state.folder for state in states(files)] == ["pytorch_model_fsdp_0"]


def test_megatron_ranks_that_leave_a_gap_are_named() -> None:
    files = {f"iter_0000010/mp_rank_{t:02d}_{p:03d}/model_optim_rng.pt": b"x" for t in (0, 1) for p in (0, 1)}
    del files["iter_0000010/mp_rank_01_000/model_optim_rng.pt"]
    (state,) = states(files)
    assert (state.parts, state.is_complete, state.absent) == (4, False, ("iter_0000010/mp_rank_01_000",))


def test_a_megatron_distributed_checkpoint_is_no_plain_one() -> None:
    files = {"iter_1/.metadata": b"x", "iter_1/metadata.json": b'{"sharded_backend": "torch_dist"}'}
    (state,) = states(files)
    assert (state.kind, state.command) == ("Megatron distributed checkpoint", "")


def test_other_programs_folders_are_named() -> None:
    kinds = {
        "Orbax checkpoint (JAX)": {"0/items/_METADATA": b"{}", "0/items/manifest.ocdbt": b"x"},
        "NeMo archive": {"model.nemo": b"x"},
        "NeMo 2 checkpoint": {"context/model.yaml": b"x", "weights/common.pt": b"x"},
        "vLLM sharded state": {"model-rank-0-part-0.safetensors": b"x"},
        "diffusers pipeline": {"model_index.json": b"{}", "unet/diffusion_pytorch_model.safetensors": b"x"},
        "checkpoint of its own": {"checkpoint-500/model.safetensors": b"x"},
    }
    assert {kind: states(files)[0].kind for kind, files in kinds.items()} == {kind: kind for kind in kinds}


def test_a_lightning_checkpoint_loses_the_name_of_its_module() -> None:
    names = {f"model.layers.{i}.weight": tensor() for i in range(3)}
    version = {"pytorch-lightning_version": text("2.4.0")}
    content = archive(pickled(mapping(state_dict=mapping(**names), **version)))
    (state,) = states({"last.ckpt": content})
    assert (state.kind, state.key, state.prefix) == ("Lightning checkpoint", "state_dict", "model.")
    assert list(shapes(state)) == [f"layers.{i}.weight" for i in range(3)]


def test_an_optimizer_alone_is_no_state_dict() -> None:
    assert states({"optimizer.pt": archive(), "training_args.bin": archive()}) == ()


def test_a_file_that_would_run_code_is_told_and_not_run() -> None:
    evil = archive(pickled(mapping(state_dict=mapping(w=tensor()), x=call("posix", "system", text("true")))))
    with Memory({"model.pt": evil}) as storage:
        _, problems = find_states(storage)
    assert [(problem.code, problem.found) for problem in problems] == [("LP012", "posix.system")]
