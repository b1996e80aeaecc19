"""The Python package against NumPy, and against plain loops where NumPy has no such call."""

import ctypes
import fractions
import itertools
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tally

INTEGERS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]
FLOATS = [np.float16, np.float32, np.float64]
rng = np.random.default_rng(1)


def numbers(shape, dtype):
    """Numbers whose sums and running sums are exact in every type of the results."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind == "u":
        return rng.integers(0, 9, shape).astype(dtype)
    return rng.integers(-8, 9, shape).astype(dtype)


def layouts(array):
    """The same elements in other places: strided, transposed, backwards, not aligned, in the other byte order."""
    yield array
    if array.ndim:
        spread = np.zeros(tuple(2 * n for n in array.shape), array.dtype)
        view = spread[tuple(slice(0, 2 * n, 2) for n in array.shape)]
        view[...] = array
        yield view
        yield array[::-1].copy()[::-1]
        yield np.asfortranarray(array)
    raw = np.zeros(array.nbytes + 1, np.uint8)
    shifted = raw[1:].view(array.dtype).reshape(array.shape) if array.size else array
    if array.size:
        shifted[...] = array
    yield shifted
    yield array.astype(array.dtype.newbyteorder())
    locked = array.copy()
    locked.flags.writeable = False
    yield locked


SHAPES = [(0,), (1,), (7,), (1000,), (3, 5), (4, 0), (0, 4), (2, 3, 4)]


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS, bool])
def test_sums_and_extremes_are_numpys(dtype):
    for shape in SHAPES:
        for array in layouts(numbers(shape, dtype)):
            for axis in [None, *range(-len(shape), len(shape))]:
                for name in ["sum", "prod", "min", "max"]:
                    if name in ("min", "max") and 0 in shape:
                        continue
                    ours = getattr(tally, name)(array, axis=axis)
                    native = array.astype(array.dtype.newbyteorder("="))
                    if name == "prod" and native.dtype.kind == "f":
                        native = np.sign(native)
                        ours = tally.prod(np.sign(array), axis=axis)
                    theirs = getattr(np, name)(native, axis=axis)
                    np.testing.assert_array_equal(ours, theirs)
                    assert ours.dtype == theirs.dtype and np.shape(ours) == np.shape(theirs)


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS, bool])
def test_running_results_are_numpys(dtype):
    for shape in SHAPES:
        for array in layouts(numbers(shape, dtype)):
            native = array.astype(array.dtype.newbyteorder("="))
            for axis in [None, *range(-len(shape), len(shape))]:
                ours = tally.cumsum(array, axis=axis)
                theirs = np.cumsum(native, axis=axis)
                if native.dtype != np.float16 or shape == (7,):  # NumPy rounds each sum of halves
                    np.testing.assert_array_equal(ours, theirs)
                assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
                if axis is not None:
                    np.testing.assert_array_equal(tally.cummax(array, axis=axis), np.maximum.accumulate(native, axis=axis))
                    np.testing.assert_array_equal(tally.cummin(array, axis=axis), np.minimum.accumulate(native, axis=axis))


def test_several_axes_keepdims_where_initial_dtype_out():
    array = numbers((3, 4, 5), np.float64)
    keep = rng.random(array.shape) < 0.5
    for axis in [(0,), (0, 1), (1, 2), (0, 2), (0, 1, 2), (2, 0)]:
        for keepdims in [False, True]:
            np.testing.assert_array_equal(tally.sum(array, axis=axis, keepdims=keepdims), np.sum(array, axis=axis, keepdims=keepdims))
            np.testing.assert_array_equal(tally.max(array, axis=axis, keepdims=keepdims), np.max(array, axis=axis, keepdims=keepdims))
        np.testing.assert_array_equal(tally.sum(array, axis=axis, where=keep), np.sum(array, axis=axis, where=keep))
        np.testing.assert_array_equal(tally.min(array, axis=axis, where=keep, initial=3), np.min(array, axis=axis, where=keep, initial=3))
        np.testing.assert_allclose(tally.mean(array, axis=axis), np.mean(array, axis=axis), rtol=1e-15, atol=1e-15)
        np.testing.assert_array_equal(tally.any(array > 7, axis=axis), np.any(array > 7, axis=axis))
        np.testing.assert_array_equal(tally.all(array > -8, axis=axis), np.all(array > -8, axis=axis))
    out = np.full((3, 5), 77.0, np.float32)
    assert tally.sum(array, axis=1, out=out) is out
    np.testing.assert_array_equal(out, np.sum(array, axis=1))
    assert tally.sum([1, 2], dtype=np.float32).dtype == np.float32
    assert tally.sum(np.array([1.75, 2.75]), dtype=np.int64) == 3
    assert tally.sum(np.int8([100, 100])) == 200
    assert tally.mean(np.float16([60000, 60000])) == 60000
    assert tally.argmin([3, 1, 2]) == 1 and tally.argmax([[3, 1], [4, 9]], axis=1).tolist() == [0, 1]
    np.testing.assert_array_equal(tally.sum(array, axis=0, initial=numbers((4, 5), float) * 0 + 2), np.sum(array, axis=0) + 2)


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float16, np.float32, np.float64, bool])
def test_places_of_extremes_are_numpys(dtype, monkeypatch):
    for many in [1, 1 << 20]:  # elements from which on the places are found in another way
        monkeypatch.setattr(tally._reductions, "_many", many)
        for shape in [(7,), (3, 50), (50, 3), (2, 3, 4)]:
            array = numbers(shape, dtype)
            if np.dtype(dtype).kind == "f":
                array[rng.random(shape) < 0.1] = np.nan
                array[rng.random(shape) < 0.1] = -0.0
            for each in layouts(array):
                for name, axis, keepdims in itertools.product(["argmin", "argmax"], [None, *range(-len(shape), len(shape))], [False, True]):
                    ours = getattr(tally, name)(each, axis=axis, keepdims=keepdims)
                    theirs = getattr(np, name)(array, axis=axis, keepdims=keepdims)
                    np.testing.assert_array_equal(ours, theirs)
                    assert np.asarray(ours).dtype == np.intp
        out = np.zeros(4, np.intp)
        assert tally.argmax(numbers((5, 4), np.int32), axis=0, out=out) is out
        with pytest.raises(getattr(np, "exceptions", np).AxisError):
            tally.argmin(np.zeros((3, 2)), axis=2)
        with pytest.raises(ValueError):
            tally.argmax(np.zeros((0, 2)), axis=0)


def test_ctrl_c_ends_a_call_with_an_operator_in_python():
    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for turn in range(20):  # often Python takes the signal as it enters the operator, sometimes within it
            with pytest.raises(KeyboardInterrupt):
                signal.setitimer(signal.ITIMER_REAL, 0.01 + 0.0007 * turn)
                tally.reduce(np.zeros(200_000), op=lambda x, y: x + y)  # a second
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_long_calls_are_made_in_pieces(monkeypatch):
    calls = {
        "reduce": lambda x, axis: tally.reduce(x, axis=axis, initial=0.5),
        "scan": lambda x, axis: tally.scan(x, axis=axis, include_initial=True, initial=np.take(x, 0, axis)),
        "last": lambda x, axis: tally.scan(x, axis=axis, exclusive=True, return_last=True)[1],
        "reverse": lambda x, axis: tally.scan(x, axis=axis, reverse=True),
        "cumsum": lambda x, axis: tally.cumsum(x, axis=axis),
        "states": lambda x, axis: tally.linear_recurrence(np.float32(0.5), x, axis, initial=np.take(x, 0, axis)),
        "factors": lambda x, axis: tally.linear_recurrence(x, x, axis, reverse=True),
        "sort": lambda x, axis: tally.sort(x, axis=axis),
        "argsort": lambda x, axis: tally.argsort(x, axis=axis, descending=True),
    }
    arrays = [rng.standard_normal(shape).astype(np.float32) for shape in [(50, 7), (7, 50), (5, 40, 6), (3, 2, 90), (300,)]]
    whole = [(name, x, axis, call(x, axis)) for name, call in calls.items() for x in arrays for axis in range(x.ndim)]
    monkeypatch.setattr(tally._calls, "LONG", 64)
    assert len(tally._calls.pieces(arrays[0], 1)) == 6 and len(tally._calls.pieces(arrays[4], 0)) == 1
    for name, x, axis, expected in whole:
        assert calls[name](x, axis).tobytes() == expected.tobytes(), (name, x.shape, axis)


def test_long_sequences_are_made_in_pieces(monkeypatch):
    keys = np.repeat(rng.integers(0, 3, 60), rng.integers(1, 20, 60)).astype(np.float32)
    keys[keys == 0] = np.where(rng.random((keys == 0).sum()) < 0.5, -0.0, 0.0)  # equal ones
    keys[100:130] = np.nan  # each of which is a run
    ends = np.sort(rng.integers(0, 301, 40))
    options = [{}, {"reverse": True}, {"initial": 3}, {"exclusive": True, "reverse": True, "initial": 2}]
    floats, integers = rng.standard_normal(300).astype(np.float32), rng.integers(-9, 9, 300)
    calls = [lambda op=op, o=o, x=x: tally.scan(x, op, **o) for op in ["minimum", "maximum"] for o in options for x in (floats, integers)]
    calls += [lambda op=op, o=o: tally.scan(integers, op, return_last=True, **o) for op in ["plus", "bit_xor"] for o in options]
    calls += [lambda op=op: tally.scan(floats > 0, op, dtype=bool) for op in ["plus", "times"]]
    calls += [lambda: tally.scan(integers, include_initial=True), lambda: tally.cumsum(integers), lambda: tally.cumsum(floats)]
    calls += [lambda op=op, x=x: tally.reduce(x, op, initial=1) for op in ["plus", "maximum"] for x in (floats, integers)]
    calls += [lambda: tally.sum(integers), lambda: tally.reduce(integers, "plus", reverse=True), lambda: tally.min(floats)]
    calls += [
        lambda kind=kind, begin=begin: call(floats, ends.astype(kind), initial=begin)
        for call in (tally.segment_reduce, tally.segment_scan)
        for kind in (np.int64, np.uint16)
        for begin in (None, 0.5, floats[:39])
    ]
    calls += [lambda o=o: call(keys, np.arange(keys.size) % 7.5, **o) for call in (tally.reduce_by_key, tally.scan_by_key) for o in [{}, {"initial": 2}]]
    calls += [lambda: tally.scan_by_key(np.ones(300), floats), lambda: tally.sum_by_key(np.arange(300), floats)]
    flat = [call() for call in calls]
    monkeypatch.setattr(tally._calls, "LONG", 37)
    assert len(tally._segments._pieces(ends, 300)) > 5 and len(tally._keys._pieces(keys)) > 5
    for call, expected in zip(calls, flat):
        for ours, theirs in zip(*[each if isinstance(each, tuple) else (each,) for each in (call(), expected)]):
            assert np.asarray(ours).tobytes() == np.asarray(theirs).tobytes() and np.shape(ours) == np.shape(theirs)
    same = integers.copy()
    assert tally.cumsum(same, out=same) is same and same.tolist() == np.cumsum(integers).tolist()
    for wrong in [[0, 5, 3, 300], [-1, 5, 300], [0, 5, 301]]:
        with pytest.raises(ValueError, match="offset"):
            tally.segment_sum(floats, wrong)


def test_ctrl_c_ends_a_long_call_between_pieces(monkeypatch):
    done = []
    scan = tally._library.scan

    def interrupted_scan(*arguments):
        done.append(scan(*arguments))
        if len(done) == 3:
            signal.raise_signal(signal.SIGINT)
        return done[-1]

    monkeypatch.setattr(tally._calls, "LONG", 1000)
    monkeypatch.setattr(tally._library, "scan", interrupted_scan)
    out = np.full((100, 100), 7.0)
    with pytest.raises(KeyboardInterrupt):
        tally.cumsum(np.zeros((100, 100)), axis=1, out=out)
    assert len(done) == 3 and np.count_nonzero(out) == 7000
    done.clear()
    with pytest.raises(KeyboardInterrupt):
        tally.cumsum(np.zeros(10_000, np.int64))
    assert len(done) == 3


def test_scans_by_every_option():
    for shape, axis in [((9,), 0), ((3, 7), 1), ((3, 7), 0), ((0,), 0), ((2, 0), 1)]:
        array = numbers(shape, np.int64)
        running = np.cumsum(array, axis=axis)
        others = tuple(n for d, n in enumerate(shape) if d != axis)
        zero = np.zeros([1 if d == axis else n for d, n in enumerate(shape)], np.int64)
        padded = np.concatenate([zero, running], axis=axis)
        n = shape[axis]
        np.testing.assert_array_equal(tally.scan(array, axis=axis, include_initial=True), padded)
        np.testing.assert_array_equal(tally.scan(array, axis=axis, exclusive=True), padded.take(range(n), axis=axis))
        np.testing.assert_array_equal(tally.scan(array, axis=axis, reverse=True), np.flip(np.cumsum(np.flip(array, axis), axis=axis), axis))
        begin = numbers(others, np.int64)
        ours, last = tally.scan(array, axis=axis, initial=begin, return_last=True)
        np.testing.assert_array_equal(ours, running + np.expand_dims(begin, axis))
        np.testing.assert_array_equal(last, begin + np.sum(array, axis=axis))
        for threads in [1, 2]:
            np.testing.assert_array_equal(tally.scan(array, axis=axis, threads=threads), running)
    array = numbers((5, 6), np.float32)
    expected = np.cumsum(array, axis=1)
    kept = array.copy()
    assert tally.cumsum(kept, axis=1, out=kept) is kept  # in place
    np.testing.assert_array_equal(kept, expected)
    for step in [1, 5]:  # outputs that overlap the input
        both = numbers(100_000, np.int64)
        sums = np.cumsum(both[:-step])
        tally.cumsum(both[:-step], out=both[step:])
        np.testing.assert_array_equal(both[step:], sums)
    wide = np.zeros((5, 6))
    tally.cumsum(array, axis=1, out=wide, dtype=np.float32)
    np.testing.assert_array_equal(wide, expected)
    np.testing.assert_array_equal(tally.cumulative_sum([1, 2]), [1, 3])
    np.testing.assert_array_equal(tally.cumulative_prod(array[0], include_initial=True), np.concatenate([[1], np.cumprod(array[0])]))


def test_operators_by_name_ufunc_function_and_pointer():
    array = numbers((4, 11), np.int32)
    for name, ufunc in [("bit_and", np.bitwise_and), ("bit_or", np.bitwise_or), ("bit_xor", np.bitwise_xor), ("minimum", np.minimum)]:
        np.testing.assert_array_equal(tally.scan(array, op=name), ufunc.accumulate(array, axis=1))
        np.testing.assert_array_equal(tally.scan(array, op=ufunc), ufunc.accumulate(array, axis=1))
        np.testing.assert_array_equal(tally.reduce(array, op=ufunc, axis=0), ufunc.reduce(array, axis=0))
    pairs = np.dtype([("scale", np.int64), ("offset", np.int64)])  # maps x -> scale x + offset, which do not commute
    maps = np.zeros(300, pairs)
    maps["scale"], maps["offset"] = numbers(300, np.int64) | 1, numbers(300, np.int64)
    maps["scale"][::2] = 1
    maps["scale"][1::2] = -1

    def compose(x, y):
        return y["scale"] * x["scale"], y["scale"] * x["offset"] + y["offset"]

    expected = list(itertools.accumulate(maps, lambda x, y: np.array(compose(x, y), pairs)[()]))
    assert tally.scan(maps, op=compose).tolist() == [tuple(each) for each in expected]
    assert tally.reduce(maps, op=tally.operation(compose, identity=(1, 0))).item() == tuple(expected[-1])

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double))
    def later(_, left, right, result):
        result[0] = right[0] if right[0] else left[0]

    filled = tally.scan([3.0, 0, 0, 5, 0], op=tally.operation(later, identity=0.0))
    assert filled.tolist() == [3, 3, 3, 5, 5]
    with pytest.raises(ZeroDivisionError):
        tally.reduce(np.ones(100), op=lambda x, y: 1 // 0)


@given(st.lists(st.lists(st.integers(-100, 100), max_size=6), max_size=12), st.booleans())
@settings(max_examples=60, deadline=None)
def test_segments(lists, as_floats):
    values = np.array(sum(lists, []), np.float64 if as_floats else np.int64)
    offsets = np.cumsum([0] + [len(each) for each in lists])
    assert tally.segment_sum(values, offsets).tolist() == [sum(each) for each in lists]
    assert tally.segment_max(values, offsets, initial=-1000).tolist() == [max(each, default=-1000) for each in lists]
    running = [list(itertools.accumulate(each)) for each in lists]
    assert tally.segment_scan(values, offsets.astype(np.uint32)).tolist() == sum(running, [])
    before = [([0] + each)[: len(each)] for each in running]
    assert tally.segment_scan(values, offsets, exclusive=True).tolist() == sum(before, [])
    backwards = [list(itertools.accumulate(each[::-1]))[::-1] for each in lists]
    assert tally.segment_scan(values, offsets, reverse=True).tolist() == sum(backwards, [])
    assert tally.segment_reduce(values, offsets, reverse=True).tolist() == [sum(each) for each in lists]


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False, min_value=-2.0**60, max_value=2.0**60), min_size=1, max_size=400))
@settings(max_examples=80, deadline=None)
def test_sums_are_near_the_exact_ones(values):
    exact = sum(map(fractions.Fraction, values))
    size = sum(abs(fractions.Fraction(x)) for x in values)
    array = np.array(values, np.float32)
    for ours in [tally.sum(array), tally.cumsum(array)[-1]]:
        assert abs(fractions.Fraction(float(ours)) - exact) <= size * fractions.Fraction(2) ** -20
    assert tally.sum(array).tobytes() == tally.cumsum(array)[-1].tobytes()
    assert tally.cumsum(np.stack([array, array]), axis=1)[1].tobytes() == tally.cumsum(array).tobytes()


def test_recurrences():
    for shape, axis in [((40,), 0), ((3, 20), 1), ((3, 20), 0)]:
        a, b = rng.random(shape) - 0.5, rng.random(shape)
        for factors in [a, 0.75, a.take([0], axis=1 - axis) if len(shape) > 1 else a]:
            expected = np.zeros(shape)
            state = np.zeros([n for d, n in enumerate(shape) if d != axis]) + 2
            full = np.moveaxis(np.broadcast_to(factors, shape), axis, 0)
            for k, term in enumerate(np.moveaxis(b, axis, 0)):
                state = full[k] * state + term
                np.moveaxis(expected, axis, 0)[k] = state
            ours, last = tally.linear_recurrence(factors, b, axis=axis, initial=2, return_last=True)
            np.testing.assert_allclose(ours, expected, rtol=1e-13)
            np.testing.assert_array_equal(last, np.moveaxis(ours, axis, 0)[-1])
    assert tally.linear_recurrence(2, [1, 1, 1]).tolist() == [1, 3, 7]
    assert tally.linear_recurrence(2, [1, 1, 1], reverse=True).tolist() == [7, 3, 1]


def test_errors_are_numpys():
    axis_error = getattr(np, "exceptions", np).AxisError
    with pytest.raises(axis_error):
        tally.sum(np.ones(3), axis=1)
    with pytest.raises(axis_error):
        tally.cumsum(np.ones((2, 2)), axis=-3)
    with pytest.raises(TypeError):
        tally.sum(np.ones(3), axis=0.5)
    with pytest.raises(ValueError, match="duplicate"):
        tally.sum(np.ones((2, 2)), axis=(0, -2))
    with pytest.raises(ValueError, match="no identity"):
        tally.max(np.ones((2, 0)), axis=1)
    with pytest.raises(TypeError, match="complex128"):
        tally.max(np.ones(3, complex))
    with pytest.raises(TypeError):
        tally.cumsum(np.array(["a"]))
    with pytest.raises(ValueError, match="read-only"):
        locked = np.zeros(3)
        locked.flags.writeable = False
        tally.cumsum(np.ones(3), out=locked)
    with pytest.raises(ValueError, match="shape"):
        tally.cumsum(np.ones(3), out=np.zeros(4))
    with pytest.raises(TypeError):
        tally.cumsum(np.ones(3), out=np.zeros(3, np.int32))  # not of the same kind
    with pytest.raises(ValueError, match="op is"):
        tally.scan([1], op="plusminus")
    with pytest.raises(ValueError):
        tally.segment_sum(np.ones(3), [0, 2, 1])
    with pytest.raises(ValueError):
        tally.segment_sum(np.ones(3), [0, 4])
    with pytest.raises(TypeError, match="integers"):
        tally.segment_sum(np.ones(3), [0.0, 3.0])
    with pytest.raises(TypeError, match="mask"):
        tally.sum(np.ma.array([1, 2], mask=[0, 1]))


def test_other_arrays():
    assert tally.sum(memoryview(np.arange(4.0))) == 6
    assert tally.sum(bytearray(b"\1\2\3")) == 6
    assert tally.cumsum([[1, 2], [3, 4]]).tolist() == [1, 3, 6, 10]
    assert tally.sum(5) == 5 and tally.cumsum(5).tolist() == [5]


def test_torch():
    torch = pytest.importorskip("torch")
    x = torch.arange(6.0).reshape(2, 3)
    assert torch.equal(tally.cumsum(x, axis=1), torch.cumsum(x, 1))
    assert torch.equal(tally.sum(x, axis=0), x.sum(0))
    assert tally.cumsum(x.bfloat16(), axis=0).dtype == torch.bfloat16
    with pytest.raises(RuntimeError):
        tally.sum(x.requires_grad_())


@pytest.mark.parametrize("dtype", [*INTEGERS, np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("call, plain, identity", [(tally.cumulative_sum, np.cumsum, 0), (tally.cumulative_prod, np.cumprod, 1)])
def test_cumulative_calls_as_the_array_api_has_them(call, plain, identity, dtype):
    """Each sentence of the standard (2024.12) on cumulative_sum and cumulative_prod that says what is computed."""
    small = np.dtype(dtype).kind in "iu"
    wide = np.dtype(np.uint64 if np.dtype(dtype).kind == "u" else np.int64) if small else np.dtype(dtype)
    for shape in [(0,), (1,), (7,), (3, 4), (2, 3, 4), (3, 0)]:
        x = rng.integers(1, 3, shape).astype(dtype)
        with pytest.raises(TypeError):
            call(x, 0)  # axis is a keyword
        if x.ndim > 1:
            with pytest.raises(ValueError):
                call(x)  # with several axes it is required
        else:
            assert call(x).tobytes() == call(x, axis=0).tobytes()
        for axis in range(-x.ndim, x.ndim):
            result = call(x, axis=axis)
            assert result.dtype == wide and result.shape == x.shape
            np.testing.assert_allclose(result, plain(x, axis=axis, dtype=wide))
            longer = call(x, axis=axis, include_initial=True)
            expected = list(x.shape)
            expected[axis] += 1
            assert longer.dtype == wide and list(longer.shape) == expected
            assert (longer.take(0, axis=axis) == identity).all()
            assert longer.take(range(1, expected[axis]), axis=axis).tobytes() == result.tobytes()
            other = np.complex128 if wide.kind == "c" else np.float64
            assert call(x, axis=axis, dtype=other).dtype == other
        for axis in [x.ndim, -x.ndim - 1]:
            with pytest.raises(IndexError):  # AxisError is one
                call(x, axis=axis)
    if np.dtype(dtype).kind == "f":
        nan = call(np.array([1, np.nan, 2], dtype))
        assert nan[0] == 1 and np.isnan(nan[1:]).all()


def test_operators_of_numba():
    try:
        import numba
    except ImportError as error:  # not there, or not for this NumPy
        pytest.skip(str(error))
    pointer = numba.types.CPointer(numba.float64)

    @numba.cfunc(numba.void(numba.types.voidptr, pointer, pointer, pointer))
    def later(context, left, right, result):
        result[0] = right[0] if right[0] != 0 else left[0]

    array = np.where(rng.random(10_000) < 0.2, rng.random(10_000), 0)
    for operator in [tally.operation(later, identity=0.0), tally.operation(later, threads=True)]:
        places = np.maximum.accumulate(np.where(array != 0, np.arange(array.size), 0))
        np.testing.assert_array_equal(tally.scan(array, operator), array[places])


def test_bfloat16_of_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    array = rng.standard_normal((30, 200)).astype(ml_dtypes.bfloat16)
    for axis in [0, 1]:
        running, total = tally.cumsum(array, axis=axis), tally.sum(array, axis=axis)
        assert running.dtype == total.dtype == ml_dtypes.bfloat16
        wide = tally.cumsum(array.astype(np.float32), axis=axis)  # rounded once, from the sum in 32 bits
        assert running.tobytes() == wide.astype(ml_dtypes.bfloat16).tobytes()
        assert total.tobytes() == np.take(running, -1, axis=axis).tobytes()
    assert tally.max(array).dtype == ml_dtypes.bfloat16


def test_threads_and_forks():
    array = rng.random(200_000)
    expected = tally.cumsum(array)
    results = []
    threads = [threading.Thread(target=lambda: results.append(tally.cumsum(array))) for _ in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(results) == 6 and all(np.array_equal(each, expected) for each in results)
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(tally.cumsum(array), expected) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_the_import_brings_no_numpy():
    code = "import sys, tally; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_stubs_have_the_signatures():
    import ast
    import inspect
    import pathlib

    def check_functions(nodes, of):
        names = set()
        for node in nodes:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                given = node.args
                parameters = [each.arg for each in [*given.posonlyargs, *given.args, *given.kwonlyargs]]
                assert list(inspect.signature(getattr(of, node.name)).parameters) == parameters, node.name
                names.add(node.name)
        return names

    module = ast.parse(pathlib.Path(tally.__file__).with_suffix(".pyi").read_text()).body
    classes = {node.name: node.body for node in module if isinstance(node, ast.ClassDef)}
    assert check_functions(module, tally) | set(classes) == set(tally.__all__)
    methods = {name for name, value in vars(tally.ranks).items() if inspect.isfunction(value) and name[0] != "_"}
    assert check_functions(classes["ranks"], tally.ranks) == methods - {"raise_alone", "range_of", "run", "run_on_gpu"}


def test_the_module_is_the_tool(tmp_path):
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\necho called with $*\n")
    tool.chmod(0o755)
    call = [sys.executable, "-m", "tally", "sum", "-"]
    run = subprocess.run(call, capture_output=True, text=True, env={**os.environ, "TALLY_TOOL": str(tool)})
    assert (run.returncode, run.stdout) == (0, "called with sum -\n")
    run = subprocess.run(call, capture_output=True, text=True, env={**os.environ, "TALLY_TOOL": str(tmp_path / "none")})
    assert run.returncode == 1 and "cannot be run" in run.stderr


@pytest.mark.parametrize(
    "module",
    "_distributed _exact _keys _library _mpi _operators _ranks _recurrences _reductions _scans _segments _sorting".split(),
)
def test_examples(module):
    import doctest
    import importlib

    # NumPy 2 shows numbers as np.float64(2.75), and NumPy 1.25 as 2.75.
    older = {} if int(np.__version__.partition(".")[0]) < 2 else {"legacy": "1.25"}
    with np.printoptions(**older):
        assert doctest.testmod(importlib.import_module(f"tally.{module}")).failed == 0
        assert doctest.testmod(tally).failed == 0
