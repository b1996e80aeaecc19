"""Arrays on a GPU: results in bits against those of the CPU, on the streams of PyTorch and CuPy, in graphs, and JAX's arrays."""

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


def test_errors_and_what_runs_on_the_cpu_alone():
    on = torch.ones(4, device="cuda")
    for call in [lambda: tally.reduce(on, lambda x, y: x), lambda: tally.sum(on, where=[True] * 4), lambda: tally.sort(on), lambda: tally.segment_sum(on, [0, 4])]:
        with pytest.raises(NotImplementedError):
            call()
    with pytest.raises(TypeError):
        tally.logsumexp(on)
    with pytest.raises(ValueError, match="shape"):
        tally.cumsum(on, out=torch.empty(5, device="cuda"))
    with pytest.raises(Exception, match="axis 1"):
        tally.cumsum(on, axis=1)


def test_streams_and_graphs():
    x = torch.rand(1 << 20, device="cuda")
    side = torch.cuda.Stream()
    expected = tally.cumsum(x.cpu())
    with torch.cuda.stream(side):
        tally.cumsum(x)  # takes the workspace of the stream, and waits
        torch.cuda._sleep(2_000_000_000)
        late = x * 1  # written late in this stream; a call in another one would read it too early
        running = tally.cumsum(late)
        assert not side.query()  # this call has waited for nothing
    side.synchronize()
    same_bits(running, expected)
    rows = torch.rand(100, 3000, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        total = tally.sum(rows, axis=1)
        running = tally.cumsum(rows, axis=1)
        states = tally.linear_recurrence(0.5, rows, 1)
    for _ in range(3):
        rows.copy_(torch.rand(100, 3000))
        graph.replay()
        torch.cuda.synchronize()
        same_bits(total, tally.sum(rows.cpu(), axis=1))
        same_bits(running, tally.cumsum(rows.cpu(), axis=1))
        same_bits(states, tally.linear_recurrence(0.5, rows.cpu(), 1))


def test_gradients_and_compile():
    x = torch.randn(3, 40, device="cuda", requires_grad=True)
    weights = torch.randn(3, 40, device="cuda")
    for ours, theirs in [(tally.cumsum, torch.cumsum), (tally.cumprod, torch.cumprod)]:
        (gradient,) = torch.autograd.grad((ours(x, axis=1) * weights).sum(), x)
        (expected,) = torch.autograd.grad((theirs(x, 1) * weights).sum(), x)
        torch.testing.assert_close(gradient, expected, rtol=1e-4, atol=1e-4)
    given = torch.randn(2, 5, device="cuda", dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda a, b: tt.linear_recurrence(a, b, 1), (given, given.detach().clone().requires_grad_()))
    compiled = torch.compile(lambda x: tt.cumsum(x * 2, 1) + 1, backend="aot_eager", fullgraph=True)
    torch.testing.assert_close(compiled(x.detach()), torch.cumsum(x.detach() * 2, 1) + 1, rtol=1e-5, atol=1e-5)


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


def test_jax():
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX finds no GPU")
    x = rng.standard_normal((20, 3000)).astype(np.float32)
    on = jax.numpy.asarray(x)
    running = tally.cumsum(on, axis=1)
    assert isinstance(running, jax.Array)
    assert np.asarray(running).tobytes() == tally.cumsum(x, axis=1).tobytes()
    assert np.asarray(tally.max(on, axis=0)).tobytes() == tally.max(x, axis=0).tobytes()
    with pytest.raises(TypeError, match="jax_enable_x64"):
        tally.cumsum(jax.numpy.ones(3, jax.numpy.int32))
