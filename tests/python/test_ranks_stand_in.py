"""The way of arrays on a GPU through `tally.ranks`, without a GPU: a library whose arrays lie in the CPU's memory stands in
for PyTorch and CuPy, and the ranks are threads. On GPUs test_ranks_gpu.py makes the same checks."""

import numpy as np
import pytest

import ranks_gpu_checks
import tally
from tally import _gpu, _ranks
from test_gpu_stand_in import Away, StandIn
from test_ranks import Transport, World, on_threads


@pytest.fixture(autouse=True)
def stand_in(monkeypatch):
    monkeypatch.setattr(_gpu.arrays, "library_of", lambda given: StandIn if isinstance(given, Away) else None)


def put(array):
    return np.array(array).view(Away)


def take(array):
    assert type(array) is Away
    return np.asarray(array)


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("check", ["calls", "axes", "keys", "segments", "recurrences", "counts", "roots", "failures"])
def test_ranks(size, check):
    on_threads(size, lambda ranks: getattr(ranks_gpu_checks.Checks(ranks, put, take), check)())


def test_calls_for_arrays_on_the_cpu_alone():
    ranks = tally.ranks(Transport(World(1), 0))
    x = put([1.0, 2.0])
    with pytest.raises(tally.rank_error, match="exact sums of float16"):
        ranks.fsum(x.astype(np.float16))
    with pytest.raises(tally.rank_error, match="of the caller's"):
        ranks.reduce(x, lambda a, b: a)


class OnGPU(StandIn):
    """Arrays that say that they lie on a GPU."""

    device_type = tally._library.CUDA


def test_the_gpu_of_a_rank_is_chosen_once(monkeypatch):
    """Without libtally_cuda.so.1 and NCCL choosing fails, on all ranks alike, and in each call anew."""
    monkeypatch.setattr(_gpu.arrays, "library_of", lambda given: OnGPU if isinstance(given, Away) else None)
    chosen, made = [], []
    monkeypatch.setattr(_ranks, "_use_gpu", lambda pointer, device: chosen.append(device) or 0)
    monkeypatch.setitem(_ranks._functions, "reduce", lambda *arguments: made.append(arguments) or 0)
    ranks = tally.ranks(Transport(World(1), 0))
    ranks.sum(put([1.0]))
    ranks.sum(put([1.0]))
    assert chosen == [0] and len(made) == 2


def test_without_a_gpu(monkeypatch):
    monkeypatch.setattr(_gpu.arrays, "library_of", lambda given: OnGPU if isinstance(given, Away) else None)

    def body(ranks):
        for _ in range(2):
            with pytest.raises(tally.rank_error, match="libtally_cuda.so.1|NCCL|libnccl|device"):
                ranks.sum(put([1.0]))
        # One rank's array is the CPU's.
        with pytest.raises(tally.rank_error):
            ranks.sum(put([1.0]) if ranks.rank else np.array([1.0]))
        assert ranks.sum([1.0]) == ranks.size

    on_threads(2, body)


def test_a_graph_that_is_captured(monkeypatch):
    """A rank cannot tell the others meanwhile."""
    monkeypatch.setattr(StandIn, "is_capturing", staticmethod(lambda array: True))

    class Silent(Transport):
        def allgather(self, mine, all):
            raise AssertionError("a round")

    with pytest.raises(RuntimeError, match="a graph cannot capture them"):
        tally.ranks(Silent(World(1), 0)).sum(put([1.0]))
