"""`tally.distributed` over gloo, in processes of this machine."""

import pytest

torch = pytest.importorskip("torch")

import torch.distributed as dist  # noqa: E402
import torch.multiprocessing as multiprocessing  # noqa: E402

import ranks_checks  # noqa: E402
import tally  # noqa: E402
from tally._distributed import _OverTorch  # noqa: E402

if not dist.is_available():
    pytest.skip("this PyTorch has no torch.distributed", allow_module_level=True)


class Apart(_OverTorch):
    """Tensors that are not the arrays' memory, as those on a GPU, over gloo."""

    def _tensor(self, array):
        return torch.from_numpy(array).clone()

    def _take(self, array, tensor):
        array[:] = tensor.numpy()


def run(rank, size, path):
    dist.init_process_group("gloo", init_method=f"file://{path}", rank=rank, world_size=size)
    ranks_checks.check_all(tally.distributed())
    ranks_checks.check_all(tally.ranks(Apart(None)))
    # Of a group of some processes the ranks are those of the group.
    few = dist.new_group([1, 2])
    if rank in (1, 2):
        ranks = tally.distributed(few)
        assert ranks.rank == rank - 1
        ranks_checks.check_calls(ranks)
        running = ranks.cumsum(torch.ones(3))
        assert running.tolist() == [3 * ranks.rank + k for k in (1.0, 2.0, 3.0)]
    else:
        with pytest.raises(ValueError, match="not in the group"):
            tally.distributed(few)
    dist.barrier()
    dist.destroy_process_group()


def test_gloo(tmp_path):
    multiprocessing.spawn(run, (3, tmp_path / "store"), nprocs=3)


def test_without_a_group():
    with pytest.raises(ValueError, match="not initialised"):
        tally.distributed()
