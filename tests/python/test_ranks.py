"""`tally.ranks` over a transport of threads, which needs neither MPI nor PyTorch."""

import collections
import queue
import threading

import numpy as np
import pytest

import ranks_checks
import tally


class World:
    """Threads that stand for ranks."""

    def __init__(self, size):
        self.size = size
        self.given = [None] * size
        self.barrier = threading.Barrier(size, timeout=60)
        self.boxes = collections.defaultdict(queue.SimpleQueue)


class Transport:
    def __init__(self, world, rank):
        self.world, self.rank, self.size = world, rank, world.size
        self.expected = []

    def _all(self, mine):
        self.world.given[self.rank] = mine.copy()
        self.world.barrier.wait()
        result = list(self.world.given)
        self.world.barrier.wait()
        return result

    def allgather(self, mine, all):
        all[:] = np.concatenate(self._all(mine))

    def allgatherv(self, mine, all, counts):
        parts = self._all(mine)
        assert [part.size for part in parts] == list(counts)
        all[:] = np.concatenate(parts)

    def broadcast(self, data, root):
        data[:] = self._all(data)[root]

    def add_up(self, numbers):
        numbers[:] = np.sum(self._all(numbers), axis=0, dtype=np.uint64)

    def send(self, to, data):
        self.world.boxes[self.rank, to].put(data.copy())

    def receive(self, source, data):
        self.expected.append((source, data))

    def wait(self):
        came = True
        for source, data in self.expected:
            message = self.world.boxes[source, self.rank].get(timeout=60)
            came = came and message.size == data.size
            if message.size:
                data[:] = message
        self.expected = []
        return came


def on_threads(size, body):
    world, failures = World(size), []

    def run(rank):
        try:
            body(tally.ranks(Transport(world, rank)))
        except BaseException as error:
            failures.append(error)
            world.barrier.abort()

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("check", ["calls", "axes", "roots", "operators", "failures"])
def test_ranks(size, check):
    on_threads(size, getattr(ranks_checks, f"check_{check}"))


def test_a_transport_that_fails():
    class Broken(Transport):
        def allgather(self, mine, all):
            raise OSError("the cable is cut")

    ranks = tally.ranks(Broken(World(1), 0))
    assert repr(ranks) == "<tally.ranks, 0 of 1>"
    with pytest.raises(OSError, match="the cable is cut"):
        ranks.sum([1, 2])


def test_closed():
    with tally.ranks(Transport(World(1), 0)) as ranks:
        assert ranks.sum([1, 2]) == 3
    with pytest.raises(ValueError, match="closed"):
        ranks.sum([1, 2])


def test_what_ranks_do_not_take():
    ranks = tally.ranks(Transport(World(1), 0))
    with pytest.raises(tally.rank_error, match="a rule for their number"):
        ranks.histogram([1, 2], "auto")
