"""The way of arrays on a GPU through the package, without a GPU: a library whose arrays lie in the CPU's memory stands in for
PyTorch, CuPy and JAX. What their adapters do is tested on a GPU (test_gpu.py)."""

import numpy as np
import pytest

import tally
from tally import _gpu

rng = np.random.default_rng(6)


class Away(np.ndarray):
    """An array of the stand-in's."""


class StandIn(_gpu.library.Library):
    name = "stand-in"
    device_type = tally._library.CPU

    dtype = staticmethod(lambda array: array.dtype)
    enter = finish = staticmethod(lambda array: array)
    astype = staticmethod(lambda array, dtype: array.astype(dtype))
    empty = staticmethod(lambda shape, dtype, like: np.full(shape, 7, dtype).view(Away))
    full = staticmethod(lambda shape, value, dtype, like: np.full(shape, value, dtype).view(Away))
    permuted = staticmethod(lambda array, axes: array.transpose(axes))
    sqrt = staticmethod(np.sqrt)
    arange = staticmethod(lambda n, like: np.arange(n).view(Away))
    where = staticmethod(lambda condition, array, other: np.where(condition, array, other).view(Away))
    broadcast = staticmethod(lambda array, shape: np.broadcast_to(array, shape).view(Away))
    packed = staticmethod(lambda array: np.ascontiguousarray(array).view(Away))
    copied = staticmethod(lambda array: array.copy())
    copy = staticmethod(lambda out, result: np.copyto(out, result))
    stream = staticmethod(lambda array: 0)
    is_capturing = staticmethod(lambda array: False)
    asarray = staticmethod(lambda value, like: np.asarray(value).view(Away))

    @staticmethod
    def layout(array):
        strides = tuple(step // array.itemsize for step in array.strides)
        return array.__array_interface__["data"][0], array.shape, strides, 0


@pytest.fixture(autouse=True)
def stand_in(monkeypatch):
    monkeypatch.setattr(_gpu.arrays, "library_of", lambda given: StandIn if isinstance(given, Away) else None)


def same(ours, expected):
    assert type(ours) is Away and ours.dtype == expected.dtype and ours.tobytes() == np.asarray(expected).tobytes()


def drawn(shape, dtype):
    return (rng.standard_normal(shape) * 3).astype(dtype) if np.dtype(dtype).kind in "fi" else rng.integers(0, 2, shape).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.int64, np.int8, np.uint8, bool])
def test_calls_are_the_cpus(dtype):
    for shape in [(9,), (3, 5), (2, 3, 4), (700, 3)]:
        x = drawn(shape, dtype)
        for each in [x, x[::-1], x.T]:
            on = each.view(Away)
            for axis in range(each.ndim):
                same(tally.cumsum(on, axis=axis), tally.cumsum(each, axis=axis))
                same(tally.sum(on, axis=axis, keepdims=True), tally.sum(each, axis=axis, keepdims=True))
                same(tally.max(on, axis=axis), np.asarray(tally.max(each, axis=axis)))
                same(tally.any(on, axis=axis), np.asarray(tally.any(each, axis=axis)))
                same(tally.scan(on, axis=axis, reverse=True), tally.scan(each, axis=axis, reverse=True))
                same(tally.cumsum(on, axis=axis, dtype=np.float64), tally.cumsum(each, axis=axis, dtype=np.float64))
            same(tally.sum(on), np.asarray(tally.sum(each)))
        if x.ndim == 3:
            same(tally.sum(x.view(Away), axis=(2, 0)), tally.sum(x, axis=(2, 0)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.int64, np.uint8])
def test_means(dtype):
    x = drawn((4, 60, 3), dtype)
    on = x.view(Away)
    for axis in [None, 0, 1, -1, (0, 2)]:
        for options in [{}, {"keepdims": True}, {"dtype": np.float64}]:
            same(tally.mean(on, axis=axis, **options), np.asarray(tally.mean(x, axis=axis, **options)))
            for call in [tally.var, tally.std]:
                same(call(on, axis=axis, ddof=1, **options), np.asarray(call(x, axis=axis, ddof=1, **options)))
    out = np.empty(3).view(Away)
    assert tally.mean(on, axis=(0, 1), out=out) is out
    np.testing.assert_allclose(out, x.mean(axis=(0, 1), dtype=float), rtol=1e-2)
    with pytest.raises(ValueError, match="shape"):
        tally.var(on, axis=0, out=out)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, bool])
def test_places_of_extremes(dtype):
    x = drawn((4, 60, 3), dtype)
    if x.dtype.kind == "f":
        x[1, 5:7, 1] = np.nan
    for call, theirs in [(tally.argmin, np.argmin), (tally.argmax, np.argmax)]:
        for axis in [None, 0, 1, -1]:
            for keepdims in [False, True]:
                same(call(x.view(Away), axis=axis, keepdims=keepdims), np.asarray(theirs(x, axis=axis, keepdims=keepdims)))
        with pytest.raises(ValueError, match="empty"):
            call(x[:0].view(Away), axis=0)


def test_options():
    x, begin = drawn((6, 50), np.float32), drawn(6, np.float32)
    on = x.view(Away)
    for initial, theirs in [(2.5, 2.5), (begin.view(Away), begin), (begin, begin)]:
        for ours, expected in zip(tally.scan(on, initial=initial, return_last=True), tally.scan(x, initial=theirs, return_last=True)):
            same(ours, expected)
        same(tally.sum(on, axis=1, initial=initial), tally.sum(x, axis=1, initial=theirs))
    for dtype in [np.float32, np.float64]:
        out = np.empty((6, 50), dtype).view(Away)
        assert tally.cumsum(on, axis=0, out=out) is out
        same(out, tally.cumsum(x.astype(dtype), axis=0))
        out = np.empty(6, dtype).view(Away)
        assert tally.sum(on, axis=1, out=out) is out
        same(out, tally.sum(x.astype(dtype), axis=1))
    base = np.zeros(51, np.float32).view(Away)
    base[:50] = on[0]
    tally.cumsum(base[:50], out=base[1:])  # an output that overlaps the input
    same(base[1:], tally.cumsum(x[0]))
    same(tally.sum(on[:, :0], axis=1), np.zeros(6, np.float32))
    same(tally.linear_recurrence(0.5, on, 1), tally.linear_recurrence(np.float32(0.5), x, 1))
    same(tally.linear_recurrence(on, on, 0, initial=1.0), tally.linear_recurrence(x, x, 0, initial=1.0))


def test_segments():
    x, offsets, begin = drawn(100, np.float32), np.array([3, 10, 10, 70]), drawn(3, np.float32)
    for values in [x, x[::-1], x.astype(np.float16), x.astype(np.int8)]:
        on = values.view(Away)
        for given in [offsets, offsets.view(Away), offsets.astype(np.int32).view(Away), offsets.tolist()]:
            same(tally.segment_sum(on, given), tally.segment_sum(values, offsets))
            same(tally.segment_scan(on, given), tally.segment_scan(values, offsets))
    for initial, theirs in [(1.5, 1.5), (begin.view(Away), begin)]:
        same(tally.segment_reduce(x.view(Away), offsets, initial=initial), tally.segment_reduce(x, offsets, initial=theirs))
        ours = tally.segment_scan(x.view(Away), offsets, initial=initial, exclusive=True)
        same(ours, tally.segment_scan(x, offsets, initial=theirs, exclusive=True))


def test_errors():
    on = np.ones((2, 3), np.float32).view(Away)
    plain = np.ones((2, 3), np.float32)
    for call, error in [
        (lambda: tally.cumsum(on, axis=0, out=plain), TypeError),
        (lambda: tally.sum(on, axis=0, out=np.empty(3)), TypeError),
        (lambda: tally.cumsum(on, axis=0, out=on[:1]), ValueError),
        (lambda: tally.sum(on, where=plain > 0), NotImplementedError),
        (lambda: tally.reduce(on, lambda x, y: x), NotImplementedError),
        (lambda: tally.max(on[:0], axis=0), ValueError),
        (lambda: tally.cumsum(on, axis=2), getattr(np, "exceptions", np).AxisError),
        (lambda: tally.linear_recurrence(np.ones(5), on, 1), ValueError),
        (lambda: tally.linear_recurrence(0.5, on.astype(np.int32), 1), TypeError),
        (lambda: tally.segment_sum(on, [0, 1]), ValueError),
        (lambda: tally.segment_sum(on[0], [0.0, 1.0]), TypeError),
        (lambda: tally.segment_sum(on[0], [0, 4]), ValueError),
        (lambda: tally.segment_sum(on[0], [2, 1]), ValueError),
        (lambda: tally.segment_scan(on[0], [0, 1], exclusive=True), NotImplementedError),
    ]:
        with pytest.raises(error):
            call()
