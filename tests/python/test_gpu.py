"""Arrays on a GPU: results in bits against those of the CPU, on the streams of PyTorch and CuPy, in graphs, with gradients and
in compiled code, and the arrays of other libraries."""

import concurrent.futures

import numpy as np
import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("PyTorch finds no GPU", allow_module_level=True)

import tally  # noqa: E402
import tally.torch as tt  # noqa: E402

rng = np.random.default_rng(4)
SHAPES = [((1,), 0), ((1000,), 0), ((300_000,), 0), ((3, 5), 0), ((3, 5), 1), ((700, 33), 0), ((700, 33), 1), ((4, 2000, 3), 1), ((2, 3, 4), 0)]


def drawn(shape, dtype):
    if dtype.is_floating_point:
        return torch.from_numpy(rng.standard_normal(shape)).to(dtype)
    if dtype is torch.bool:
        return torch.from_numpy(rng.random(shape) < 0.3)
    return torch.from_numpy(rng.integers(0, 5, shape)).to(dtype)


def same_bits(on_gpu, on_cpu):
    assert on_gpu.is_cuda and on_gpu.dtype == on_cpu.dtype and on_gpu.shape == on_cpu.shape
    ours, theirs = on_gpu.cpu().contiguous(), on_cpu.contiguous()
    if theirs.dim() == 0:
        ours, theirs = ours.reshape(1), theirs.reshape(1)
    assert torch.equal(ours.view(torch.uint8), theirs.view(torch.uint8))


TYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.uint8, torch.bool]


@pytest.mark.parametrize("dtype", TYPES)
def test_bits_are_the_cpus(dtype):
    for shape, axis in SHAPES:
        x = drawn(shape, dtype)
        for each in [x, x.flip(0), x.t() if x.dim() == 2 else x]:
            on, at = each.cuda(), axis
            same_bits(tally.cumsum(on, axis=at), tally.cumsum(each, axis=at))
            same_bits(tally.sum(on, axis=at), tally.sum(each, axis=at))
            same_bits(tally.max(on, axis=at, keepdims=True), tally.max(each, axis=at, keepdims=True))
            if dtype is not torch.bool:
                same_bits(tally.cummin(on, axis=at), tally.cummin(each, axis=at))
                same_bits(tally.scan(on, axis=at, exclusive=True), tally.scan(each, axis=at, exclusive=True))
                same_bits(tally.scan(on, axis=at, reverse=True), tally.scan(each, axis=at, reverse=True))
                same_bits(tally.scan(on, axis=at, include_initial=True), tally.scan(each, axis=at, include_initial=True))
        same_bits(tally.sum(x.cuda()), torch.as_tensor(tally.sum(x)))
        if x.dim() == 3:
            same_bits(tally.sum(x.cuda(), axis=(0, 2)), tally.sum(x, axis=(0, 2)))


def test_options():
    x = drawn((6, 500), torch.float32)
    begin = drawn((6,), torch.float32)
    on = x.cuda()
    for initial, theirs in [(2.5, 2.5), (begin.cuda(), begin.numpy())]:
        ours, last = tally.scan(on, initial=initial, return_last=True)
        expected, expected_last = tally.scan(x.numpy(), initial=theirs, return_last=True)
        same_bits(ours, torch.from_numpy(expected))
        same_bits(last, torch.from_numpy(expected_last))
        same_bits(tally.sum(on, axis=1, initial=initial), torch.from_numpy(tally.sum(x.numpy(), axis=1, initial=theirs)))
    out = torch.full((6, 500), 7.0, device="cuda")
    assert tally.cumsum(on, axis=0, out=out) is out
    same_bits(out, tally.cumsum(x, axis=0))
    same = on.clone()
    tally.cumsum(same, axis=1, out=same)
    same_bits(same, tally.cumsum(x, axis=1))
    wide = torch.empty(6, 500, device="cuda", dtype=torch.float64)
    tally.cumsum(on, axis=1, out=wide)
    same_bits(wide, tally.cumsum(x.double(), axis=1))
    for out in [torch.full((6,), 7.0, device="cuda"), torch.full((12,), 7.0, device="cuda")[::2], on.clone()[:, 3]]:
        assert tally.sum(on, axis=1, out=out) is out
        same_bits(out, tally.sum(x, axis=1))
    base = torch.zeros(501, device="cuda")
    base[:500] = on[0]
    tally.cumsum(base[:500], out=base[1:])  # an output that overlaps the input
    same_bits(base[1:], tally.cumsum(x[0]))
    assert tally.sum(torch.empty(0, device="cuda")).item() == 0
    assert tally.cumsum(torch.empty(3, 0, device="cuda"), axis=1).shape == (3, 0)
    assert tally.prod(torch.empty(0, 2, device="cuda"), axis=0).tolist() == [1, 1]


def test_recurrences():
    for shape, axis in [((1000,), 0), ((40, 300), 1), ((300, 40), 0)]:
        for dtype in [torch.float32, torch.float64]:
            a, b = drawn(shape, dtype).clamp(-0.9, 0.9), drawn(shape, dtype)
            for reverse in [False, True]:
                same_bits(
                    tally.linear_recurrence(a.cuda(), b.cuda(), axis, reverse=reverse), tally.linear_recurrence(a, b, axis, reverse=reverse)
                )
            same_bits(tally.linear_recurrence(0.5, b.cuda(), axis, initial=2.0), tally.linear_recurrence(0.5, b, axis, initial=2.0))


def test_means():
    for dtype in [torch.float32, torch.float64, torch.float16, torch.int32]:
        x = drawn((300, 70), dtype)
        for axis in [0, 1]:
            for call in [tally.mean, tally.var, tally.std]:
                same_bits(call(x.cuda(), axis=axis), call(x, axis=axis))
            for call in [tally.argmin, tally.argmax]:
                same_bits(call(x.cuda(), axis=axis), call(x, axis=axis))
        same_bits(tally.mean(x.cuda()), torch.as_tensor(tally.mean(x)))
        assert tally.any(x.cuda()).item() is True and tally.all(x.cuda() * 0).item() is False


def test_segments():
    for count, n in [(1, 10), (7, 5), (1000, 30_000), (40_000, 200_000), (3, 1_000_000), (200_000, 1_000_000)]:
        ends = np.sort(rng.integers(0, n + 1, count + 1))
        offsets = torch.from_numpy(ends)
        for dtype in [torch.float32, torch.float64, torch.int64, torch.float16, torch.uint8]:
            x = drawn((n,), dtype)
            on = x.cuda()
            same_bits(tally.segment_sum(on, offsets.cuda()), tally.segment_sum(x, offsets))
            same_bits(tally.segment_scan(on, offsets.cuda()), tally.segment_scan(x, offsets))
        x, begin = drawn((n,), torch.float32), drawn((count,), torch.float32)
        on = x.cuda()
        for initial, theirs in [(1.5, 1.5), (begin.cuda(), begin.numpy())]:
            same_bits(tally.segment_reduce(on, offsets.int(), initial=initial), tally.segment_reduce(x, offsets, initial=theirs))
            for exclusive in [False, True]:
                ours = tally.segment_scan(on, ends, initial=initial, exclusive=exclusive)
                same_bits(ours, tally.segment_scan(x, offsets, initial=theirs, exclusive=exclusive))
        ours = tally.segment_scan(on.long(), ends, exclusive=True)
        same_bits(ours, tally.segment_scan(x.long(), offsets, exclusive=True))
    spread = drawn((600,), torch.float32)
    same_bits(tally.segment_sum(spread.cuda()[::2], [0, 7, 7, 300]), tally.segment_sum(spread[::2], [0, 7, 7, 300]))
    same_bits(tally.segment_sum(torch.empty(0, device="cuda"), [0, 0, 0]), torch.zeros(2))
    assert tally.segment_sum(torch.empty(0, device="cuda"), [0]).shape == (0,)
    same_bits(tally.segment_scan(spread.cuda(), [3]), spread)


def hostile(shape, dtype):
    """Elements with zeros of both signs, infinities, NaNs, and many equal ones."""
    x = drawn(shape, dtype)
    if dtype.is_floating_point:
        flat, n = x.view(-1), x.numel()
        for value in [0.0, -0.0, float("inf"), -float("inf"), float("nan"), 1.5]:
            flat[torch.from_numpy(rng.integers(0, n, n // 20 + 1))] = value
    return x


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.int64, torch.int32, torch.uint8, torch.bool])
def test_operators_of_segments(dtype):
    for count, n in [(1, 10), (7, 5), (1000, 30_000), (40_000, 200_000), (3, 1_000_000)]:
        offsets = torch.from_numpy(np.sort(rng.integers(0, n + 1, count + 1)))
        x = drawn((n,), dtype) * 2 if dtype.is_floating_point else drawn((n,), dtype)
        on, there = x.cuda(), offsets.cuda()
        for op in ["times", "minimum", "maximum"] + ["bit_and", "bit_or", "bit_xor"] * (not dtype.is_floating_point):
            same_bits(tally.segment_reduce(on, there, op), tally.segment_reduce(x, offsets, op))
            for exclusive in [False, True]:
                ours = tally.segment_scan(on, there, op, exclusive=exclusive)
                same_bits(ours, tally.segment_scan(x, offsets, op, exclusive=exclusive))
        same_bits(tally.segment_scan(on, there, exclusive=True), tally.segment_scan(x, offsets, exclusive=True))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
def test_sums_of_exponentials(dtype):
    for shape, axis in SHAPES:
        x = drawn(shape, dtype) * 20
        x.view(-1)[::7] = -float("inf")
        for each in [x, x.t() if x.dim() == 2 else x]:
            on = each.cuda()
            same_bits(tally.logcumsumexp(on, axis=axis), tally.logcumsumexp(each, axis=axis))
            same_bits(tally.logsumexp(on, axis=axis, keepdims=True), tally.logsumexp(each, axis=axis, keepdims=True))
            ours = tally.scan(on, "logaddexp", axis=axis, exclusive=True, initial=1.5, return_last=True)
            for mine, expected in zip(ours, tally.scan(each, "logaddexp", axis=axis, exclusive=True, initial=1.5, return_last=True)):
                same_bits(mine, torch.as_tensor(expected))
        same_bits(tally.logsumexp(x.cuda()), torch.as_tensor(tally.logsumexp(x)))
    x = drawn((30_000,), dtype)
    offsets = torch.from_numpy(np.sort(rng.integers(0, 30_001, 500)))
    same_bits(tally.segment_reduce(x.cuda(), offsets.cuda(), "logaddexp"), tally.segment_reduce(x, offsets, "logaddexp"))


SORTED = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int16, torch.uint8, torch.bool]


@pytest.mark.parametrize("dtype", SORTED)
def test_sorts_and_distinct_elements(dtype):
    for shape, axis in SHAPES + [((5, 40_000), 1), ((40_000, 5), 0), ((100_000, 3), 1)]:
        x = hostile(shape, dtype)
        for each in [x, x.flip(0), x.t() if x.dim() == 2 else x]:
            on = each.cuda()
            for descending in [False, True]:
                same_bits(tally.sort(on, axis, descending=descending), tally.sort(each, axis, descending=descending))
                same_bits(tally.argsort(on, axis, descending=descending), tally.argsort(each, axis, descending=descending))
        for equal_nan in [True, False]:
            options = {"return_index": True, "return_inverse": True, "return_counts": True, "equal_nan": equal_nan}
            if dtype is torch.bfloat16:  # NumPy compares no such elements
                assert tally.unique(x.cuda(), equal_nan=equal_nan).numel() <= x.numel()
                continue
            for ours, expected in zip(tally.unique(x.cuda(), **options), tally.unique(x, **options)):
                same_bits(ours, expected)
        mask = torch.from_numpy(rng.random(shape) < 0.4)
        for flags in [mask, mask.cuda(), mask.to(torch.int32).cuda()]:
            same_bits(tally.compact(x.cuda(), flags), x[mask])
        same_bits(tally.compact(x.cuda(), mask & False), x[mask & False])
    same_bits(tally.sort(x[:0].cuda(), 0), x[:0])


@pytest.mark.parametrize("dtype", SORTED)
def test_runs_of_keys(dtype):
    for n in [1, 33, 5000, 300_000]:
        shuffled = hostile((n,), dtype)
        ordered = tally.sort(shuffled)
        for keys in [shuffled, ordered]:
            for values in [drawn((n,), torch.float32), drawn((n,), torch.int32)]:
                on, there = keys.cuda(), values.cuda()
                for op in ["plus", "minimum"]:
                    for exclusive in [False, True]:
                        ours = tally.scan_by_key(on, there, op, exclusive=exclusive)
                        same_bits(ours, tally.scan_by_key(keys, values, op, exclusive=exclusive))
                    for sort in [False, True]:
                        ours = tally.reduce_by_key(on, there, op, sort=sort, initial=2)
                        for mine, expected in zip(ours, tally.reduce_by_key(keys, values, op, sort=sort, initial=2)):
                            same_bits(mine, expected)
    ours = tally.sum_by_key(keys[:0].cuda(), values[:0].cuda())
    assert ours[0].numel() == ours[1].numel() == 0 and ours[0].dtype == dtype


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.int64, torch.int32, torch.uint8])
def test_histograms(dtype):
    x = drawn((300, 1000), dtype)
    edges = [np.array([0.0, 0.25, 1.0, 1.0, 4.0]), np.array([0, 1, 3], tally._arrays.dtype_of(dtype))]
    for each in [x, x.t()]:
        for bins, options in [(10, {}), (3000, {}), (100_000, {}), (7, {"range": (0, 2)}), (10, {"density": True}), *((e, {}) for e in edges)]:
            try:
                theirs = tally.histogram(each, bins, **options)
            except ValueError:  # NumPy refuses more bins than a narrow type has numbers
                with pytest.raises(ValueError):
                    tally.histogram(each.cuda(), bins, **options)
                continue
            for ours, expected in zip(tally.histogram(each.cuda(), bins, **options), theirs):
                same_bits(ours, expected)


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


def test_errors_and_what_runs_on_the_cpu_alone():
    on = torch.ones(4, device="cuda")
    for call in [
        lambda: tally.reduce(on, lambda x, y: x),
        lambda: tally.sum(on, where=[True] * 4),
        lambda: tally.histogram(on, weights=on),
        lambda: tally.histogram(on, bins="auto"),
        lambda: tally.unique(on, axis=0),
        lambda: tally.scan(on, "logaddexp", reverse=True),
    ]:
        with pytest.raises(NotImplementedError):
            call()
    for call in [
        lambda: tally.fsum(on),
        lambda: tally.sum_by_key(on, np.ones(4)),
        lambda: tally.sum_by_key(on, on.to(torch.complex64)),
        lambda: tally.compact(on, on),
        lambda: tally.segment_sum(on, [0.0, 4.0]),
        lambda: tally.sum(on.to(torch.complex64)),
        lambda: tally.cumsum(on, out=torch.empty(4)),
        lambda: tally.sum(on, axis=0, out=np.empty(())),
        lambda: tally.linear_recurrence(0.5, on.to(torch.int32)),
    ]:
        with pytest.raises(TypeError):
            call()
    with pytest.raises(ValueError, match="shape"):
        tally.cumsum(on, out=torch.empty(5, device="cuda"))
    with pytest.raises(ValueError, match="initial has shape"):
        tally.scan(on, initial=torch.ones(3, device="cuda"))
    with pytest.raises(ValueError, match="no identity"):
        tally.max(on[:0])
    for offsets in [[0, 5], [2, 1], [-1, 2]]:
        with pytest.raises(ValueError, match="offset"):
            tally.segment_sum(on, offsets)
    with pytest.raises(ValueError, match="broadcast"):
        tally.linear_recurrence(torch.ones(3, device="cuda"), on)
    with pytest.raises(RuntimeError, match="detach"):
        tally.max(on.clone().requires_grad_())
    axis_error = getattr(np, "exceptions", np).AxisError
    for call in [tally.cumsum, tally.sum, tally.max]:
        with pytest.raises(axis_error, match="axis 1"):
            call(on, axis=1)


def test_numbers_with_the_bits_of_the_golden_files():
    """The order's results of long rows, against files that the C++ library pins down (tests/order/golden)."""
    from test_golden import FOLDER, elements, shown

    for name, op in [("plus_f32", "plus"), ("plus_f64", "plus"), ("multiplies_f32", "times"), ("multiplies_f64", "times")]:
        operator, _, type_name = name.rpartition("_")
        rows = [line.split() for line in (FOLDER / f"{name}.txt").read_text().splitlines() if not line.startswith("#")]
        rows = [row for row in rows if row[0].isdigit() and int(row[0]) > 0]
        x = torch.from_numpy(elements(operator, type_name, np.arange(max(int(row[0]) for row in rows)))).cuda()
        begin = elements(operator, type_name, [2**32])[0]
        for row in rows:
            part = x[: int(row[0])]
            assert shown(tally.reduce(part, op).cpu().numpy()) == row[2], (name, row[0])
            assert shown(tally.scan(part, op)[-1].cpu().numpy()) == row[2], (name, row[0])
            assert shown(tally.reduce(part, op, initial=begin).cpu().numpy()) == row[4], (name, row[0])


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


def test_gradients_are_pytorchs():
    x = torch.randn(3, 40, device="cuda", requires_grad=True)
    weights = torch.randn(3, 40, device="cuda")
    for ours, theirs in [(tally.cumsum, torch.cumsum), (tally.cumprod, torch.cumprod)]:
        (gradient,) = torch.autograd.grad((ours(x, axis=1) * weights).sum(), x)
        (expected,) = torch.autograd.grad((theirs(x, 1) * weights).sum(), x)
        torch.testing.assert_close(gradient, expected, rtol=1e-4, atol=1e-4)


def given(*shape):
    return torch.randn(shape, device="cuda", dtype=torch.float64, requires_grad=True)


GRADIENTS = {
    "cumsum": (lambda x: tt.cumsum(x, 1), lambda: [given(2, 5)]),
    "cumsum reverse": (lambda x: tt.cumsum(x, 0, reverse=True), lambda: [given(4, 2)]),
    "cumprod": (lambda x: tt.cumprod(x, -1), lambda: [given(2, 5)]),
    "logcumsumexp": (lambda x: tt.logcumsumexp(x, 1), lambda: [given(2, 5)]),
    "linear_recurrence": (lambda a, b, y: tt.linear_recurrence(a, b, 1, initial=y), lambda: [given(2, 5), given(2, 5), given(2)]),
    "linear_recurrence reverse": (lambda a, b: tt.linear_recurrence(a, b, 0, reverse=True), lambda: [given(5, 2), given(5, 2)]),
    "linear_recurrence of one factor": (lambda a, b: tt.linear_recurrence(a, b), lambda: [given(), given(6)]),
    "segment_sum": (lambda x: tt.segment_sum(x, torch.tensor([1, 3, 3, 6], device="cuda")), lambda: [given(8)]),
    "segment_sum, offsets on the CPU": (lambda x: tt.segment_sum(x, [1, 3, 3, 6]), lambda: [given(8)]),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name):
    call, inputs = GRADIENTS[name]
    tensors = inputs()
    assert torch.autograd.gradcheck(call, tensors)
    assert torch.autograd.gradgradcheck(call, tensors)


def test_compiled_graphs_keep_the_calls():
    x, rows = torch.randn(3, 4, device="cuda"), torch.rand(3, device="cuda")
    for operator, arguments in [
        (torch.ops.tally.cumsum, (x.clone().requires_grad_(), 1, False)),
        (torch.ops.tally.cumprod, (x.clone().requires_grad_(), 1)),
        (torch.ops.tally.recurrence, (x.clone().requires_grad_(), x.clone().requires_grad_(), rows, 1, False)),
    ]:
        torch.library.opcheck(operator.default, arguments)
    for backend in ["aot_eager", "inductor"]:
        compiled = torch.compile(lambda x: tt.cumsum(x * 2, 1) + 1, backend=backend, fullgraph=True)
        torch.testing.assert_close(compiled(x), torch.cumsum(x * 2, 1) + 1, rtol=1e-5, atol=1e-5)
    with torch._subclasses.FakeTensorMode():
        fake = torch.empty(7, 5, device="cuda", dtype=torch.int8)
        result = tt.cumsum(fake, 0)
        assert result.shape == (7, 5) and result.dtype == torch.int64 and result.device.type == "cuda"


class Interface:
    """An array that shows `__cuda_array_interface__` alone."""

    def __init__(self, tensor):
        self.tensor = tensor
        self.__cuda_array_interface__ = tensor.__cuda_array_interface__


class Capsules:
    """An array that shows DLPack alone."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack__(self, **arguments):
        return self.tensor.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()


@pytest.mark.parametrize("kind", [Interface, Capsules])
def test_arrays_of_other_libraries(kind):
    x = drawn((40, 300), torch.float32)
    on = kind(x.cuda().t())
    running = tally.cumsum(on, axis=1)
    same_bits(torch.as_tensor(running, device="cuda"), tally.cumsum(x.t(), axis=1))
    same_bits(torch.as_tensor(tally.max(on, axis=0), device="cuda"), tally.max(x.t(), axis=0))
    same_bits(torch.as_tensor(tally.linear_recurrence(0.5, on, 0), device="cuda"), tally.linear_recurrence(0.5, x.t(), 0))
    same_bits(torch.as_tensor(tally.sort(on, 1), device="cuda"), tally.sort(x.t(), 1))
    distinct, counts = tally.unique(on, return_counts=True)
    assert torch.as_tensor(distinct, device="cuda").numel() == torch.as_tensor(counts, device="cuda").numel()


def test_numba():
    try:
        from numba import cuda
    except ImportError as error:  # not there, or not for this NumPy
        pytest.skip(str(error))
    if not cuda.is_available():
        pytest.skip("numba finds no GPU")
    x = rng.standard_normal((20, 300))
    running = tally.cumsum(cuda.to_device(x), axis=1)
    assert cuda.is_cuda_array(running)
    assert running.copy_to_host().tobytes() == tally.cumsum(x, axis=1).tobytes()


def test_cupy():
    cupy = pytest.importorskip("cupy")
    x = rng.standard_normal((200, 300)).astype(np.float32)
    on = cupy.asarray(x)
    with cupy.cuda.Stream():
        running = tally.cumsum(on[::-1], axis=0)
        assert type(running) is cupy.ndarray
        assert running.get().tobytes() == tally.cumsum(x[::-1], axis=0).tobytes()
    assert tally.sum(on).get().tobytes() == tally.sum(x).tobytes()
    assert tally.sum(on.astype(np.int8), axis=1).dtype == np.int64
    assert tally.linear_recurrence(0.25, on, 1).get().tobytes() == tally.linear_recurrence(np.float32(0.25), x, 1).tobytes()
    out = cupy.full((200, 300), 7, np.float32)
    assert tally.cumsum(on, axis=1, out=out) is out
    assert out.get().tobytes() == tally.cumsum(x, axis=1).tobytes()
    for dtype in [np.float16, np.float64, np.int64, np.uint8, bool]:
        y = (x > 0.3).astype(dtype)
        running, expected = tally.cumsum(cupy.asarray(y), axis=0), tally.cumsum(y, axis=0)
        assert running.dtype == expected.dtype and running.get().tobytes() == expected.tobytes()
    with pytest.raises(TypeError, match="cupy"):
        tally.cumsum(on, axis=0, out=np.empty((200, 300), np.float32))


def test_cupys_streams_and_graphs():
    cupy = pytest.importorskip("cupy")
    x = cupy.random.rand(1 << 20, dtype=np.float32)
    expected = tally.cumsum(x.get())
    late = cupy.zeros_like(x)
    cupy.cuda.Device().synchronize()
    side = cupy.cuda.Stream(non_blocking=True)
    with side:
        tally.cumsum(late)  # takes the workspace of the stream, and waits
        side.synchronize()
        torch_side = torch.cuda.ExternalStream(side.ptr)
        with torch.cuda.stream(torch_side):
            torch.cuda._sleep(2_000_000_000)
        cupy.copyto(late, x)  # written late in this stream; a call in another one would read it too early
        running = tally.cumsum(late)
        assert not side.done
    side.synchronize()
    assert running.get().tobytes() == expected.tobytes()
    with side:
        total, again = tally.sum(x), tally.cumsum(x)
        side.begin_capture(cupy.cuda.runtime.streamCaptureModeRelaxed)  # the memory pool may grow
        total, again = tally.sum(x), tally.cumsum(x)
        graph = side.end_capture()
        graph.launch(side)
        side.synchronize()
    assert again.get().tobytes() == expected.tobytes()
    assert total.get().tobytes() == tally.sum(x.get()).tobytes()


def test_jax():
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX finds no GPU")
    x = rng.standard_normal((20, 3000)).astype(np.float32)
    on = jax.numpy.asarray(x)
    running = tally.cumsum(on, axis=1)
    assert isinstance(running, jax.Array) and running.devices() == on.devices()
    assert np.asarray(running).tobytes() == tally.cumsum(x, axis=1).tobytes()
    assert np.asarray(tally.cumsum(on * 2, axis=0)).tobytes() == tally.cumsum(x * 2, axis=0).tobytes()
    assert np.asarray(tally.max(on, axis=0)).tobytes() == tally.max(x, axis=0).tobytes()
    assert np.asarray(tally.sum(on)).tobytes() == tally.sum(x).tobytes()
    ours, expected = tally.linear_recurrence(0.5, on, 1), tally.linear_recurrence(np.float32(0.5), x, 1)
    assert np.asarray(ours).tobytes() == expected.tobytes()
    half = on.astype(jax.numpy.bfloat16)
    ours = tally.cumsum(half, axis=1)
    assert ours.dtype == jax.numpy.bfloat16
    expected = tally.cumsum(torch.from_numpy(np.asarray(half.astype(np.float32))).bfloat16(), axis=1)
    assert np.asarray(ours.astype(np.float32)).tobytes() == expected.float().numpy().tobytes()
    with pytest.raises(TypeError, match="jax_enable_x64"):
        tally.cumsum(jax.numpy.ones(3, jax.numpy.int32))
    with pytest.raises(TypeError, match="do not change"):
        tally.cumsum(on, axis=0, out=on)
    with pytest.raises(Exception):  # inside jit, where arrays have no memory
        jax.jit(lambda x: tally.cumsum(x, axis=0))(on)
