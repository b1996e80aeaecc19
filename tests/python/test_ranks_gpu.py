"""`tally.distributed` with tensors in the memory of GPUs: a process for each of two GPUs, elements over NCCL."""

import faulthandler

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import torch.distributed as dist  # noqa: E402
import torch.multiprocessing as multiprocessing  # noqa: E402

import ranks_gpu_checks  # noqa: E402
import tally  # noqa: E402

SIZE = 2
if not dist.is_available() or not dist.is_nccl_available() or torch.cuda.device_count() < SIZE:
    pytest.skip("there are no two GPUs, or this PyTorch has no NCCL", allow_module_level=True)


def put(array):
    return torch.from_numpy(np.array(array)).cuda()


def take(tensor):
    assert tensor.device.index == torch.cuda.current_device()
    return tensor.cpu().numpy()


def started(body):
    """A process of a rank, which ends if it waits for ever."""

    def run(rank, size, path, backend):
        faulthandler.dump_traceback_later(240, exit=True)
        torch.cuda.set_device(rank)
        dist.init_process_group(backend, init_method=f"file://{path}", rank=rank, world_size=size)
        body(rank)
        dist.barrier()
        dist.destroy_process_group()
        faulthandler.cancel_dump_traceback_later()

    return run


def all_checks(rank):
    with tally.distributed() as ranks:
        ranks_gpu_checks.Checks(ranks, put, take).all()
        # Arrays of the CPU, with the same ranks.
        assert ranks.sum(np.ones(3)) == 3 * SIZE
        assert ranks.cumsum(torch.ones(2)).tolist() == [2 * rank + 1, 2 * rank + 2]


def on_other_streams(rank):
    """Calls come behind the work of the current stream, and before what follows there."""
    ranks = tally.distributed()
    n = 1 << 22
    for stream in (torch.cuda.Stream(), torch.cuda.current_stream(), torch.cuda.Stream()):
        with torch.cuda.stream(stream):
            x = torch.zeros(n, device="cuda")
            torch.cuda._sleep(50_000_000)
            x += 1
            running = ranks.cumsum(x)
            x.zero_()
            twice = running * 2
        stream.synchronize()
        expected = np.arange(1, n + 1, dtype=np.float32) + n * rank
        assert running.cpu().numpy().tobytes() == expected.tobytes()
        assert twice.cpu().numpy().tobytes() == (expected * 2).tobytes()
    with pytest.raises(RuntimeError, match="a graph cannot capture them"):
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            ranks.cumsum(x)
    assert ranks.sum(x).item() == 0


def mistakes(rank):
    ranks = tally.distributed()
    ones = torch.ones(3, device="cuda")

    def fails(call, says, failing):
        with pytest.raises(tally.rank_error, match=says) as caught:
            call()
        assert caught.value.rank == failing
        assert ranks.sum(ones).item() == 3 * SIZE

    assert ranks.sum(ones).item() == 3 * SIZE
    # One rank's array is the CPU's; one's lies on the GPU of the other.
    fails(lambda: ranks.sum(ones if rank == 0 else ones.cpu()), "the ranks make different calls", 1)
    fails(lambda: ranks.sum(ones.to("cuda:0")), "a lies on GPU 0|in lies on GPU 0, and this rank's GPU is 1", 1)
    fails(lambda: ranks.sum(ones if rank == 0 else ones.to(torch.complex64)), "complex64", 1)
    fails(lambda: ranks.reduce(ones, lambda a, b: a), "of the caller's", 0)
    # Both ranks with one GPU: bytes travel by gloo, so that they hear of it.
    by_gloo = tally.distributed(dist.new_group(backend="gloo"))
    with pytest.raises(tally.rank_error, match="ranks 0 and 1 have the same GPU"):
        by_gloo.sum(torch.ones(3, device="cuda:0"))
    assert by_gloo.sum(ones).item() == 3 * SIZE
    ranks_gpu_checks.Checks(by_gloo, put, take).failures()
    # A group of one process.
    groups = [dist.new_group([r]) for r in range(SIZE)]
    alone = tally.distributed(groups[rank])
    assert alone.cumsum(ones).tolist() == [1, 2, 3]


def of_cupy(rank):
    cupy = pytest.importorskip("cupy")
    with cupy.cuda.Device(rank):
        ranks = tally.distributed()

        def from_cupy(array):
            assert type(array) is cupy.ndarray
            return array.get()

        checks = ranks_gpu_checks.Checks(ranks, cupy.asarray, from_cupy)
        checks.axes()
        checks.keys()
        checks.failures()


def run_all_checks(*arguments):
    started(all_checks)(*arguments)


def run_on_other_streams(*arguments):
    started(on_other_streams)(*arguments)


def run_mistakes(*arguments):
    started(mistakes)(*arguments)


def run_of_cupy(*arguments):
    started(of_cupy)(*arguments)


@pytest.mark.parametrize("backend", ["nccl", "cpu:gloo,cuda:nccl"])
def test_all(tmp_path, backend):
    multiprocessing.spawn(run_all_checks, (SIZE, tmp_path / "store", backend), nprocs=SIZE)


@pytest.mark.parametrize("body", [run_on_other_streams, run_mistakes])
def test_nccl(tmp_path, body):
    multiprocessing.spawn(body, (SIZE, tmp_path / "store", "nccl"), nprocs=SIZE)


def test_cupy(tmp_path):
    pytest.importorskip("cupy")
    multiprocessing.spawn(run_of_cupy, (SIZE, tmp_path / "store", "nccl"), nprocs=SIZE)
