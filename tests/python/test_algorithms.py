"""Sorts, keys, selection, histograms, exact sums, exponentials and complex numbers, against NumPy and exact fractions."""

import copy
import fractions
import itertools
import math
import pickle
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tally

rng = np.random.default_rng(2)
TYPES = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float16, np.float32, np.float64, bool]


def values(shape, dtype, kinds=20):
    least = 0 if np.dtype(dtype).kind in "ub" else -kinds // 2
    return rng.integers(least, least + kinds, shape).astype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
def test_sorts_are_numpys(dtype):
    for shape in [(0,), (1,), (9,), (300,), (3, 40), (40, 3), (2, 3, 5), (4, 0)]:
        array = values(shape, dtype)
        for each in [array, array.T, array[::-1], np.repeat(array, 2, axis=-1)[..., ::2]]:
            before = each.copy()
            for axis in [None, *range(-each.ndim, each.ndim)]:
                np.testing.assert_array_equal(tally.sort(each, axis=axis), np.sort(each, axis=axis))
                np.testing.assert_array_equal(tally.argsort(each, axis=axis), np.argsort(each, axis=axis, kind="stable"))
                falling = tally.sort(each, axis=axis, descending=True)
                np.testing.assert_array_equal(falling, np.flip(np.sort(each, axis=axis), 0 if axis is None else axis))
                places = tally.argsort(each, axis=axis, descending=True)
                flat = each.reshape(-1) if axis is None else each
                np.testing.assert_array_equal(np.take_along_axis(flat, places, 0 if axis is None else axis), falling)
            np.testing.assert_array_equal(each, before)
    assert tally.sort(values(5, dtype)).dtype == dtype


def test_sorts_of_special_values():
    array = np.array([np.nan, 1, -np.inf, np.inf, np.nan, -1] * 100)
    np.testing.assert_array_equal(tally.sort(array), np.sort(array))
    np.testing.assert_array_equal(tally.argsort(array), np.argsort(array, kind="stable"))
    assert np.isnan(tally.sort(array, descending=True)[-200:]).all()
    with pytest.raises(TypeError, match="complex128"):
        tally.sort(array + 0j)
    with pytest.raises(getattr(np, "exceptions", np).AxisError):
        tally.sort(3)


@pytest.mark.parametrize("dtype", TYPES)
def test_unique_is_numpys(dtype):
    for size in [0, 1, 7, 2000]:
        array = values(size, dtype, 50)
        for flags in itertools.product([False, True], repeat=3):
            ours, theirs = tally.unique(array, *flags), np.unique(array, *flags)
            for one, other in zip(ours if any(flags) else [ours], theirs if any(flags) else [theirs]):
                np.testing.assert_array_equal(one, other)
                assert one.dtype == other.dtype
    for shape in [(0,), (9,), (200, 2), (3, 40), (4, 5, 2), (5, 0), (0, 3)]:
        array = values(shape, dtype, 2)
        for axis in range(-len(shape), len(shape)):
            if array.size == 0 and array.ndim > 1:
                continue  # NumPy refuses some of these
            ours, theirs = tally.unique(array, True, True, True, axis), np.unique(array, True, True, True, axis)
            for one, other in zip(ours, theirs):
                np.testing.assert_array_equal(one, other.reshape(one.shape))
            np.testing.assert_array_equal(tally.unique(array, axis=axis), theirs[0])
    assert tally.unique(np.array([[0.0, 1], [-0.0, 0], [0.0, 1]]), axis=0).tolist() == [[0, 0], [0, 1]]
    assert tally.unique(np.zeros((0, 3)), axis=0).shape == (0, 3) and tally.unique(np.zeros((2, 0)), axis=0).shape == (1, 0)
    array = np.array([np.nan, 1, np.nan, 2, 1])
    for equal in [True, False]:
        for one, other in zip(tally.unique(array, True, True, True, equal_nan=equal), np.unique(array, True, True, True, equal_nan=equal)):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("dtype", [*TYPES, complex, "S3", "M8[s]", np.dtype([("x", np.int32), ("y", np.float64)])])
def test_compact_is_indexing_by_a_mask(dtype):
    for shape in [(0,), (5,), (1000,), (20, 30)]:
        array = np.frombuffer(rng.bytes(int(np.prod(shape)) * np.dtype(dtype).itemsize), dtype).reshape(shape)
        if np.dtype(dtype) == bool:
            array = values(shape, bool)
        mask = rng.random(shape) < 0.4
        assert tally.compact(array, mask).tobytes() == array[mask].tobytes()
        assert tally.compact(array[::-1], mask.astype(np.int32) * 256).tobytes() == array[::-1][mask].tobytes()
    with pytest.raises(ValueError, match="mask has shape"):
        tally.compact([1, 2], [True])
    with pytest.raises(TypeError, match="bools or integers"):
        tally.compact([1, 2], [0.5, 1])


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-50, 50)), max_size=60), st.booleans())
@settings(max_examples=80, deadline=None)
def test_by_key_is_groupby(pairs, sort):
    keys, numbers = [k for k, _ in pairs], [v for _, v in pairs]
    keys, numbers = np.array(keys, np.int16), np.array(numbers, np.int64)
    ordered = sorted(pairs, key=lambda pair: pair[0]) if sort else pairs
    groups = [(key, [v for _, v in group]) for key, group in itertools.groupby(ordered, key=lambda pair: pair[0])]
    for call, loop in [(tally.sum_by_key, sum), (tally.min_by_key, min), (tally.max_by_key, max), (tally.prod_by_key, math.prod)]:
        if loop is math.prod and any(len(group) > 9 for _, group in groups):
            continue
        of, results = call(keys, numbers, sort=sort)
        assert of.tolist() == [key for key, _ in groups] and results.tolist() == [loop(group) for _, group in groups]
    if not sort:
        running = [each for _, group in groups for each in itertools.accumulate(group)]
        assert tally.scan_by_key(keys, numbers).tolist() == running
        of, last = tally.reduce_by_key(keys, numbers, lambda x, y: y)
        assert last.tolist() == [group[-1] for _, group in groups]


def test_by_key_keeps_bits_and_refuses():
    numbers = rng.random(1000).astype(np.float32)
    keys = np.repeat([2.5, 1.5, 2.5], [400, 1, 599])
    of, sums = tally.sum_by_key(keys, numbers, initial=1)
    assert of.tolist() == [2.5, 1.5, 2.5] and sums.dtype == np.float32
    assert sums[2].tobytes() == tally.sum(numbers[401:], initial=1).tobytes()
    assert tally.scan_by_key(keys, numbers, exclusive=True, initial=3)[400] == 3
    with pytest.raises(ValueError, match="one size"):
        tally.sum_by_key([1, 2], [1])
    with pytest.raises(TypeError, match="complex128"):
        tally.sum_by_key([1j], [1])


@pytest.mark.parametrize("dtype", TYPES)
def test_histograms_are_numpys(dtype):
    for size in [1, 10, 5000]:
        array = values(size, dtype, 100) if dtype is not bool else values(size, np.uint8, 2)
        for bins, limits in [(10, None), (7, (0, 21)), ([0, 5, 6, 30], None), (np.array([0.5, 2.25, 60]), None)]:
            for weights in [None, rng.integers(-5, 9, size), rng.integers(0, 99, size) / 8]:
                ours, edges = tally.histogram(array, bins, limits, weights=weights)
                theirs, their_edges = np.histogram(array, bins, limits, weights=weights)
                np.testing.assert_array_equal(ours, theirs)
                np.testing.assert_array_equal(edges, their_edges)
                assert ours.dtype == theirs.dtype and edges.dtype == their_edges.dtype
        np.testing.assert_allclose(tally.histogram(array, 5, density=True)[0], np.histogram(array, 5, density=True)[0])
    with pytest.raises(ValueError):
        tally.histogram([1.0], bins=[3, 2, 1])
    with pytest.raises(ValueError):
        tally.histogram([1.0], bins=0)


def rounded_sum(numbers):
    """The exact sum, rounded once. math.fsum would refuse a sum that overflows."""
    exact = sum(map(fractions.Fraction, numbers))
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


# The second example's sum lies half-way between the largest double and 2^1024, and rounds to infinity.
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=200))
@example([2.0**1023, 2.0**1023 - 2.0**971])
@example([2.0**1023, 2.0**1023 - 2.0**970])
@example([2.0**1023, 2.0**1023, -(2.0**970)])
@settings(max_examples=100, deadline=None)
def test_exact_sums_are_those_of_fractions(numbers):
    expected = rounded_sum(numbers)
    array = np.array(numbers, np.float64)
    assert tally.fsum(array) == expected
    assert float(tally.exact_sum(array)) == expected
    assert tally.fsum(array[::-1]) == expected
    half = tally.exact_sum(array[::2]) + tally.exact_sum(array[1::2])
    assert half.to_bytes() == tally.exact_sum(array).to_bytes()
    if len(numbers) > 1:
        assert tally.scan(array, "exact_plus")[1] == rounded_sum(numbers[:2])


def part(numbers):
    return tally.exact_sum(numbers)


def test_exact_sums_go_on():
    numbers = rng.standard_normal(10_000) * 10.0 ** rng.integers(-200, 200, 10_000)
    expected = math.fsum(numbers)
    with ProcessPoolExecutor(2) as pool:
        assert float(sum(pool.map(part, np.array_split(numbers, 7)), tally.exact_sum())) == expected
    total = tally.exact_sum(numbers)
    again = pickle.loads(pickle.dumps(total))
    other = copy.copy(total)
    total += 1e300
    total -= 1e300
    assert float(again) == float(total) == float(other) == expected
    again.subtract(numbers)
    assert float(again) == 0 and repr(again) == "tally.exact_sum(0.0)"
    assert total.round(np.float32).dtype == np.float32
    assert float(tally.exact_sum(np.arange(100, dtype=np.uint8))) == 4950
    assert float(tally.exact_sum(np.float16([0.5, 1.5]))) == 2
    assert math.isnan(float(tally.exact_sum([math.inf, -math.inf])))
    assert tally.fsum(np.ones((3, 4), np.int64), axis=0).tolist() == [3.0] * 4
    with pytest.raises(ValueError, match="283"):
        tally.exact_sum.from_bytes(b"no sum")
    with pytest.raises(ValueError, match="format"):
        tally.exact_sum.from_bytes(bytes(283))
    with pytest.raises(ValueError, match="complex128"):
        tally.exact_sum([1j])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_of_exponentials(dtype):
    array = (rng.random((5, 300)) * 2000 - 900).astype(dtype)
    exact = np.logaddexp.accumulate(array.astype(np.float64), axis=1)
    running = tally.logcumsumexp(array, axis=1)
    assert running.dtype == dtype
    np.testing.assert_allclose(running, exact, rtol=8 * np.finfo(dtype).eps)
    np.testing.assert_array_equal(tally.logsumexp(array, axis=1), running[:, -1])
    assert tally.logsumexp(np.array([], dtype)) == -np.inf
    assert tally.logsumexp([1, 2]) == np.logaddexp(1, 2)
    masked = tally.logsumexp(array, axis=1, where=array < 0, keepdims=True)
    np.testing.assert_allclose(masked, np.logaddexp.reduce(array.astype(float), axis=1, where=array < 0, initial=-np.inf, keepdims=True), rtol=1e-5)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_numbers(dtype):
    array = (rng.standard_normal((6, 50)) + 1j * rng.standard_normal((6, 50))).astype(dtype)
    for axis in [None, 0, 1, (0, 1)]:
        for name in ["sum", "mean", "var", "std"]:
            ours, theirs = getattr(tally, name)(array, axis=axis), getattr(np, name)(array, axis=axis)
            np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)
            assert ours.dtype == theirs.dtype
    np.testing.assert_allclose(tally.cumsum(array, axis=1), np.cumsum(array, axis=1), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(tally.cumprod(array[:, :6], axis=1), np.cumprod(array[:, :6], axis=1), rtol=1e-4, atol=1e-5)
    assert tally.sum([1, 2], dtype=dtype) == 3
    with pytest.raises(TypeError, match="complex"):
        tally.max(array)


@pytest.mark.parametrize("dtype", [*TYPES, np.complex64])
def test_variances_are_numpys(dtype):
    array = values((4, 30), dtype, 50)
    keep = rng.random(array.shape) < 0.7
    for axis in [None, 0, 1, (0, 1)]:
        for options in [{}, {"ddof": 1}, {"keepdims": True}, {"where": keep, "ddof": 1}]:
            for name in ["var", "std"]:
                ours, theirs = getattr(tally, name)(array, axis=axis, **options), getattr(np, name)(array, axis=axis, **options)
                np.testing.assert_allclose(ours, theirs, rtol=2e-3 if dtype is np.float16 else 1e-5)
                assert ours.dtype == theirs.dtype and np.shape(ours) == np.shape(theirs)
    out = np.empty(4)
    if dtype is not np.complex64:
        assert tally.var(array, axis=1, out=out) is out
        np.testing.assert_allclose(out, np.var(array, axis=1), rtol=2e-3)


@pytest.mark.parametrize("module", ["_keys", "_sorting", "_exact"])
def test_examples(module):
    import doctest
    import importlib

    result = doctest.testmod(importlib.import_module(f"tally.{module}"))
    assert result.failed == 0 and result.attempted > 0
