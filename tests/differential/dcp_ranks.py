"""Run by test_training_states in two processes: writes distributed checkpoints with gloo on the CPU."""

import sys

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard, distribute_tensor


def main(folder: str, rank: int, port: str) -> None:
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)
    mesh = init_device_mesh("cpu", (2,))
    torch.manual_seed(1)
    whole = {
        "model.embed_tokens.weight": torch.randn(10, 4),
        "model.layers.0.weight": torch.randn(5, 6),
        "model.layers.1.weight": torch.randn(5, 6),
        "model.norm.weight": torch.randn(7).to(torch.bfloat16),
        "replicated": torch.randn(3),
    }
    places = {"model.layers.1.weight": Shard(1), "replicated": Replicate()}
    cut = {name: distribute_tensor(value, mesh, [places.get(name, Shard(0))]) for name, value in whole.items()}
    dcp.save({"model": cut}, checkpoint_id=f"{folder}/pytorch_model_fsdp_0")
    dcp.save({"model": cut, "step": torch.tensor(3), "words": {"a": "text"}}, checkpoint_id=f"{folder}/plain")
    torch.save(cut, f"{folder}/model_world_size_2_rank_{rank}.pt")
    if rank == 0:
        torch.save(whole, f"{folder}/whole.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
