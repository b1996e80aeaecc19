"""The way of arrays on a GPU through the package, without a GPU: a library whose arrays lie in the CPU's memory stands in for
PyTorch, CuPy and JAX. What their adapters do is tested on a GPU (test_gpu_libraries.py)."""

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
    searchsorted = staticmethod(lambda borders, values: np.searchsorted(borders, values, side="right").view(Away))
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
    spread = np.full(12, 7, np.float32).view(Away)
    tally.sum(on, axis=1, out=spread[::-2])
    same(spread[::-2], tally.sum(x, axis=1))
    same(spread[::2], np.full(6, 7, np.float32))
    own = on.copy()
    tally.sum(own, axis=1, out=own[:, 3])  # within the input
    same(own[:, 3], tally.sum(x, axis=1))
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


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.uint8, np.int32, np.uint64, bool, np.float16])
def test_operators_of_segments(dtype):
    x, offsets = drawn(300, dtype), [3, 10, 10, 70, 300]
    on = x.view(Away)
    for op in ["times", "minimum", "maximum"] + ["bit_and", "bit_or", "bit_xor"] * (np.dtype(dtype).kind != "f"):
        same(tally.segment_reduce(on, offsets, op), tally.segment_reduce(x, offsets, op))
        for exclusive in [False, True]:
            ours, expected = [tally.segment_scan(each, offsets, op, exclusive=exclusive) for each in (on, x)]
            same(ours, expected)
            keys = np.repeat(np.arange(5), [100, 0, 1, 150, 49])
            ours, expected = [tally.scan_by_key(keys, each, op, exclusive=exclusive) for each in (on, x)]
            same(ours, expected)
    for ours, expected in zip(tally.reduce_by_key(keys, on, "maximum"), tally.reduce_by_key(keys, x, "maximum")):
        assert ours.tobytes() == expected.tobytes() and ours.dtype == expected.dtype


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
def test_sums_of_exponentials(dtype):
    x = drawn((4, 50, 3), dtype)
    on = x.view(Away)
    for axis in [None, 0, 1, -1, (0, 2)]:
        for options in [{}, {"keepdims": True}, {"initial": 1.5}]:
            same(tally.logsumexp(on, axis=axis, **options), np.asarray(tally.logsumexp(x, axis=axis, **options)))
        if axis != (0, 2):
            ours, expected = tally.logcumsumexp(on, axis=axis), tally.logcumsumexp(x, axis=axis)
            assert np.ascontiguousarray(ours).tobytes() == expected.tobytes() and ours.dtype == expected.dtype
    out = np.empty((4, 50, 3), np.float32).view(Away)
    assert tally.logcumsumexp(on, axis=1, out=out) is out
    same(out, tally.logcumsumexp(x.astype(np.float32), axis=1))
    begin = drawn((4, 3), np.float32)
    options = {"axis": 1, "exclusive": True, "return_last": True, "dtype": np.float32}
    for ours, expected in zip(tally.scan(on, "logaddexp", initial=begin.view(Away), **options), tally.scan(x, "logaddexp", initial=begin, **options)):
        assert np.ascontiguousarray(ours).tobytes() == expected.tobytes()


SORTED = [np.float32, np.float64, np.float16, np.int64, np.int16, np.uint8, np.uint32, bool]


@pytest.mark.parametrize("dtype", SORTED)
def test_sorts_and_distinct_elements(dtype):
    x = drawn((6, 50), dtype)
    if x.dtype.kind == "f":
        x[2, 5:9] = np.nan
        x[3, ::5] = -0.0
    for each in [x, x.T, x[::-1, ::2]]:
        on = each.view(Away)
        for axis in [0, 1, -1, None]:
            for descending in [False, True]:
                same(tally.sort(on, axis, descending=descending), tally.sort(each, axis, descending=descending))
                same(tally.argsort(on, axis, descending=descending), tally.argsort(each, axis, descending=descending))
        for equal_nan in [False, True]:
            options = {"return_index": True, "return_inverse": True, "return_counts": True, "equal_nan": equal_nan}
            for ours, expected in zip(tally.unique(on, **options), tally.unique(each, **options)):
                assert ours.shape == expected.shape
                same(ours, expected)
    same(tally.unique(x[:0].view(Away)), tally.unique(x[:0]))
    mask = x > x[0, 0]
    for flags in [mask, mask.view(Away), mask.astype(np.int32).view(Away)]:
        same(tally.compact(x.view(Away), flags), tally.compact(x, mask))


@pytest.mark.parametrize("dtype", SORTED)
def test_runs_of_keys(dtype):
    keys, x = np.sort(drawn(200, dtype))[::-1], drawn(200, np.float32)
    for each in [keys, rng.permutation(keys)]:
        for given in [each, each.view(Away)]:
            for options in [{}, {"initial": 2.0}, {"dtype": np.float64}]:
                same(tally.scan_by_key(given, x.view(Away), **options), tally.scan_by_key(each, x, **options))
                for sort in [False, True]:
                    ours = tally.sum_by_key(given, x.view(Away), sort=sort, **options)
                    for mine, expected in zip(ours, tally.sum_by_key(each, x, sort=sort, **options)):
                        assert mine.tobytes() == expected.tobytes()
    for ours, expected in zip(tally.sum_by_key(keys[:0], x[:0].view(Away)), tally.sum_by_key(keys[:0], x[:0])):
        assert ours.shape == expected.shape and ours.dtype == expected.dtype


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.int64, np.int32, np.uint8, np.uint64])
def test_histograms(dtype):
    x = np.abs(drawn((20, 30), dtype))
    for bins, options in [(7, {}), (7, {"range": (0.5, 2)}), (3, {"density": True}), ([0, 1, 1.5, 4], {}), (np.array([0, 1, 3], dtype), {})]:
        if dtype is np.uint64 and isinstance(bins, np.ndarray):
            continue
        for ours, expected in zip(tally.histogram(x.view(Away), bins, **options), tally.histogram(x, bins, **options)):
            same(ours, expected)
    for ours, expected in zip(tally.histogram(x[:0].view(Away)), tally.histogram(x[:0])):
        same(ours, expected)


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
        (lambda: tally.histogram(on, weights=plain), NotImplementedError),
        (lambda: tally.histogram(on, bins="auto"), NotImplementedError),
        (lambda: tally.unique(on, axis=0), NotImplementedError),
        (lambda: tally.scan(on, "logaddexp", axis=0, reverse=True), NotImplementedError),
        (lambda: tally.compact(on, plain[0] > 0), ValueError),
        (lambda: tally.compact(on, plain), TypeError),
        (lambda: tally.sum_by_key(on, on), ValueError),
        (lambda: tally.sum_by_key(on[0], plain[0]), TypeError),
        (lambda: tally.scan_by_key(on[0], [1, 2, 3]), TypeError),
        (lambda: tally.sort(on, axis=2), getattr(np, "exceptions", np).AxisError),
    ]:
        with pytest.raises(error):
            call()
