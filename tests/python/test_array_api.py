"""The sentences of the array API standard (2024.12) on reductions, searches and sorts, each on every type that it names, against
plain Python. The standard's own tests need a package that Debian does not have."""

import cmath
import itertools
import math

import numpy as np
import pytest

import tally

rng = np.random.default_rng(12)
SIGNED, UNSIGNED = ["int8", "int16", "int32", "int64"], ["uint8", "uint16", "uint32", "uint64"]
INTEGERS, FLOATS, COMPLEX = SIGNED + UNSIGNED, ["float32", "float64"], ["complex64", "complex128"]
REAL, NUMERIC = INTEGERS + FLOATS, INTEGERS + FLOATS + COMPLEX
SHAPES = [(), (1,), (6,), (3, 4), (2, 3, 4), (5, 1)]
EMPTY = [(0,), (3, 0), (0, 2)]


def drawn(shape, dtype):
    """Small numbers, whose sums and products in any order are exact in every type."""
    if np.dtype(dtype).kind == "c":
        return (rng.integers(-1, 2, shape) + 1j * rng.integers(-1, 2, shape)).astype(dtype)
    return np.asarray(rng.integers(0 if dtype in UNSIGNED or dtype == "bool" else -2, 2, shape)).astype(dtype)


def axes_of(ndim):
    """None, each axis from either end, and all pairs."""
    return [None, *range(-ndim, ndim), *itertools.combinations(range(ndim), 2)]


def sequences(x, axis):
    """The elements of each sequence along the axes as Python's numbers, by the index of its result."""
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = [d % x.ndim for d in axes]
    others = [d for d in range(x.ndim) if d not in axes]
    for index in np.ndindex(*[x.shape[d] for d in others]):
        place = [slice(None)] * x.ndim
        for d, k in zip(others, index):
            place[d] = k
        yield index, x[tuple(place)].reshape(-1).tolist()


def shape_without(x, axis, keepdims):
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = [d % x.ndim for d in axes]
    return tuple(1 if d in axes else n for d, n in enumerate(x.shape) if keepdims or d not in axes)


def default_dtype(dtype):
    """That of sums: integers become the default integer type of their kind, which has 64 bits; others stay."""
    return "int64" if dtype in SIGNED else "uint64" if dtype in UNSIGNED else dtype


def check_statistics(call, expected, kind, result_kind, shapes, **options):
    """"By default, over the entire array"; negative axes; tuples of axes; "keepdims: singleton dimensions"."""
    for shape in shapes:
        x = drawn(shape, kind)
        for axis in axes_of(x.ndim):
            for keepdims in [False, True]:
                result = np.asarray(call(x, axis=axis, keepdims=keepdims, **options))
                assert result.dtype == result_kind, (result.dtype, shape, axis)
                assert result.shape == shape_without(x, axis, keepdims)
                flat = result.reshape(shape_without(x, axis, False))
                for index, elements in sequences(x, axis):
                    assert flat[index] == pytest.approx(expected(elements), rel=1e-5, abs=1e-6)
        for axis in [x.ndim, -x.ndim - 1]:
            if x.ndim:
                with pytest.raises(IndexError):
                    call(x, axis=axis, **options)


def product(elements):
    result = 1
    for x in elements:
        result *= x
    return result


@pytest.mark.parametrize("dtype", NUMERIC)
@pytest.mark.parametrize("call, expected", [(tally.sum, sum), (tally.prod, product)])
def test_sum_and_prod(call, expected, dtype):
    check_statistics(call, expected, dtype, default_dtype(dtype), SHAPES + EMPTY)  # of no elements 0 and 1
    check_statistics(call, expected, dtype, "complex128", SHAPES, dtype="complex128")
    if dtype in INTEGERS:
        check_statistics(call, expected, dtype, "float64", SHAPES, dtype="float64")


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("call, expected", [(tally.min, min), (tally.max, max)])
def test_min_and_max(call, expected, dtype):
    check_statistics(call, expected, dtype, dtype, SHAPES)


@pytest.mark.parametrize("dtype", FLOATS)
def test_mean_var_and_std(dtype):
    check_statistics(tally.mean, lambda x: sum(x) / len(x), dtype, dtype, SHAPES)

    def variance(x, correction):
        mean = sum(x) / len(x)
        return sum((y - mean) ** 2 for y in x) / (len(x) - correction)

    for correction in [0, 0.0, 0.5]:
        check_statistics(tally.var, lambda x: variance(x, correction), dtype, dtype, SHAPES, correction=correction)
        check_statistics(tally.std, lambda x: math.sqrt(variance(x, correction)), dtype, dtype, SHAPES, correction=correction)
    check_statistics(tally.var, lambda x: variance(x, 1), dtype, dtype, [(6,), (3, 4)], correction=1)
    with pytest.warns(RuntimeWarning):
        assert math.isnan(tally.mean(np.empty(0, dtype)))  # "if N is 0, the arithmetic mean is NaN"
    with pytest.warns(RuntimeWarning):
        assert math.isnan(tally.var(np.ones(2, dtype), correction=2))  # "if N - M is less than or equal to 0, NaN"
    with pytest.raises(ValueError):
        tally.var(np.ones(3, dtype), ddof=1, correction=1)


@pytest.mark.parametrize("dtype", FLOATS)
def test_nans_propagate(dtype):
    x = np.array([[1, np.nan, 2], [3, 4, 5]], dtype)
    for call in [tally.sum, tally.prod, tally.min, tally.max, tally.mean, tally.var, tally.std]:
        result = call(x, axis=1)
        assert np.isnan(result[0]) and not np.isnan(result[1])


@pytest.mark.parametrize("dtype", ["bool", *NUMERIC])
@pytest.mark.parametrize("call, expected", [(tally.any, any), (tally.all, all)])
def test_any_and_all(call, expected, dtype):
    check_statistics(call, expected, dtype, "bool", SHAPES + EMPTY)  # "if x is empty", False and True
    if dtype in FLOATS:  # "NaN, infinity, and negative infinity must evaluate to True"
        assert all(call(np.array([value], dtype)) for value in [np.nan, np.inf, -np.inf])
        assert not call(np.array([-0.0], dtype))
    if dtype in COMPLEX:
        assert call(np.array([complex(0, math.nan), complex(0, 1), cmath.inf], dtype))


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("call, best", [(tally.argmin, min), (tally.argmax, max)])
def test_argmin_and_argmax(call, best, dtype):
    """"Only the indices corresponding to the first occurrence are returned", in the default index type."""
    for shape in SHAPES:
        x = drawn(shape, dtype)
        for axis in [None, *range(-x.ndim, x.ndim)]:
            for keepdims in [False, True]:
                result = np.asarray(call(x, axis=axis, keepdims=keepdims))
                assert result.dtype == "int64" and result.shape == shape_without(x, axis, keepdims)
                flat = result.reshape(shape_without(x, axis, False))
                for index, elements in sequences(x, axis):
                    assert flat[index] == elements.index(best(elements))


@pytest.mark.parametrize("dtype", REAL)
def test_sort_and_argsort(dtype):
    """"The returned array has the same data type and shape as x"; "the relative order of x values which compare as equal must be
    maintained"; indices have the default index type, and "axis: if -1, the last axis"."""
    for shape in [(1,), (6,), (40,), (3, 4), (2, 3, 4), (0,), (3, 0)]:
        x = drawn(shape, dtype)
        for axis in range(-x.ndim, x.ndim):
            for descending in [False, True]:
                ordered = tally.sort(x, axis=axis, descending=descending, stable=True)
                places = tally.argsort(x, axis=axis, descending=descending, stable=True)
                assert ordered.dtype == dtype and places.dtype == "int64" and ordered.shape == places.shape == shape
                if x.size == 0:
                    continue
                rows = [np.moveaxis(each, axis, -1).reshape(-1, shape[axis]).tolist() for each in (x, ordered, places)]
                for row, ordered_row, places_row in zip(*rows):
                    assert ordered_row == sorted(row, reverse=descending)
                    assert places_row == sorted(range(len(row)), key=row.__getitem__, reverse=descending)
        assert tally.sort(x).tobytes() == tally.sort(x, axis=-1).tobytes()
        with pytest.raises(IndexError):
            tally.sort(x, axis=x.ndim)


@pytest.mark.parametrize("dtype", ["bool", *REAL])
def test_unique(dtype):
    """What unique_all, unique_counts, unique_inverse and unique_values say, of the calls that do the same here: indices of first
    occurrences, inverse indices, counts of the default index type, and NaNs distinct with `equal_nan=False`."""
    for shape in [(0,), (1,), (40,), (3, 4), (2, 3, 4)]:
        x = drawn(shape, dtype)
        values, indices, inverse, counts = tally.unique(x, True, True, True, equal_nan=False)
        flat = x.reshape(-1).tolist()
        assert values.dtype == dtype and values.tolist() == sorted(set(flat))
        assert indices.dtype == inverse.dtype == counts.dtype == "int64"
        assert indices.tolist() == [flat.index(each) for each in values.tolist()]
        assert counts.tolist() == [flat.count(each) for each in values.tolist()]
        assert values[inverse].reshape(-1).tolist() == flat
    if dtype in FLOATS:
        values, counts = tally.unique(np.array([np.nan, 1, np.nan, -0.0, 0.0], dtype), return_counts=True, equal_nan=False)
        assert np.isnan(values).sum() == 2 and counts.tolist() == [2, 1, 1, 1]
