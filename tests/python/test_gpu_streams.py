"""Calls on a GPU in the streams of PyTorch, in graphs and from several threads: they wait for nothing."""

import concurrent.futures

import pytest

from gpu_arrays import same_bits, torch
import tally
import tally.torch as tt


def test_calls_that_wait_are_not_captured():
    x = torch.rand(1000, device="cuda")
    ends = torch.arange(0, 1001, 100, device="cuda")
    calls = [lambda: tally.segment_max(x, ends), lambda: tally.histogram(x, 4, range=(0, 1))[0], lambda: tally.logcumsumexp(x)]
    warm = [call() for call in calls]
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for call in [lambda: tally.sort(x), lambda: tally.unique(x), lambda: tally.sum_by_key(x, x), lambda: tally.compact(x, x > 0)]:
            with pytest.raises(RuntimeError, match="capture"):
                call()
        results = [tally.segment_max(x, ends)]
    x.copy_(torch.rand(1000))
    graph.replay()
    torch.cuda.synchronize()
    same_bits(results[0], tally.segment_max(x.cpu(), ends.cpu()))
    assert len(warm) == 3


def test_streams_and_graphs():
    x = torch.rand(1 << 20, device="cuda")
    side = torch.cuda.Stream()
    expected = tally.cumsum(x.cpu())
    with torch.cuda.stream(side):
        # These take the workspace of the stream, and wait. CUDA loads a kernel when it is first called, and waits for it.
        tally.cumsum(x * 1)
        torch.cuda._sleep(1)
        torch.cuda._sleep(2_000_000_000)
        late = x * 1  # written late in this stream; a call in another one would read it too early
        running = tally.cumsum(late)
        assert not side.query()  # this call has waited for nothing
    side.synchronize()
    same_bits(running, expected)
    rows = torch.rand(100, 3000, device="cuda")
    ends = torch.arange(0, 300_001, 300, device="cuda")
    tally.segment_sum(rows.reshape(-1), ends)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        sums = tally.segment_sum(rows.reshape(-1), ends)
        total = tally.sum(rows, axis=1)
        running = tally.cumsum(rows, axis=1)
        states = tally.linear_recurrence(0.5, rows, 1)
    for _ in range(3):
        rows.copy_(torch.rand(100, 3000))
        graph.replay()
        torch.cuda.synchronize()
        same_bits(sums, tally.sum(rows.cpu().reshape(1000, 300), axis=1))
        same_bits(total, tally.sum(rows.cpu(), axis=1))
        same_bits(running, tally.cumsum(rows.cpu(), axis=1))
        same_bits(states, tally.linear_recurrence(0.5, rows.cpu(), 1))


def test_graphs_keep_memory_of_their_own():
    """Graphs that were captured in one stream run side by side; the memory of one that is gone serves a later one."""
    arrays = [torch.rand(1 << 21, device="cuda") for _ in range(2)]
    ends = torch.arange(100, (1 << 21) - 5, 1000, device="cuda")

    def calls(x):
        return tally.cumsum(x), tally.sum(x), tally.segment_sum(x, ends), tally.segment_scan(x, ends)

    calls(arrays[0])  # loads the kernels
    places = ends.cpu()
    expected = [
        (tally.cumsum(x), tally.sum(x), tally.segment_sum(x, places), tally.segment_scan(x, places))
        for x in (x.cpu() for x in arrays)
    ]
    for _ in range(3):
        graphs, results = [], []
        for x in arrays:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                results.append(calls(x))
            graphs.append(graph)
        sides = [torch.cuda.Stream() for _ in graphs]
        for _ in range(20):
            for side, graph in zip(sides, graphs):
                with torch.cuda.stream(side):
                    graph.replay()
        torch.cuda.synchronize()
        for ours, theirs in zip(results, expected):
            for each, right in zip(ours, theirs):
                same_bits(each, right)
        del graphs, graph


def test_calls_wait_for_nothing():
    x = torch.rand(1000, 300, device="cuda")
    calls = [
        lambda: tally.cumsum(x, axis=0),
        lambda: tally.sum(x, axis=1),
        lambda: tally.max(x),
        lambda: tally.linear_recurrence(0.5, x, 0, initial=1.0),
        lambda: tt.cumprod(x, 0),
    ]
    warm = [call() for call in calls]  # these take the workspace of the stream, and as much memory as all results need
    torch.cuda._sleep(1)
    del warm
    torch.cuda.synchronize()
    done = torch.cuda.Event()
    torch.cuda._sleep(1_000_000_000)
    results = [call() for call in calls]
    done.record()
    assert not done.query()
    torch.cuda.synchronize()
    for result, call in zip(results, calls):
        same_bits(result, call().cpu())


def test_results_are_in_the_librarys_memory():
    x = torch.rand(1 << 20, device="cuda")
    tally.cumsum(x)
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    result = tally.cumsum(x)
    assert torch.cuda.memory_allocated() - before == result.numel() * 4
    del result
    assert torch.cuda.memory_allocated() == before


def test_threads_with_streams_of_their_own():
    arrays = [torch.rand(100_000 + k, device="cuda") for k in range(4)]
    expected = [tally.cumsum(x.cpu()) for x in arrays]
    torch.cuda.synchronize()

    def run(k):
        with torch.cuda.stream(torch.cuda.Stream()):
            results = [tally.cumsum(arrays[k]) for _ in range(50)]
            torch.cuda.current_stream().synchronize()
        return results

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for k, results in enumerate(pool.map(run, range(4))):
            for each in results:
                same_bits(each, expected[k])
