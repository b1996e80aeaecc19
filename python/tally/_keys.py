"""Runs of equal keys: reductions, scans, distinct elements."""

import ctypes

import numpy as np

from . import _arrays, _calls, _gpu
from . import _library as c
from . import _sorting
from ._operators import Call


def _arguments(keys, values, op, dtype, initial, sort):
    keys, leave_keys = _arrays.enter(keys, "keys")
    array, leave = _arrays.enter(values, "values")
    if keys.ndim != 1 or array.shape != keys.shape:
        raise ValueError(f"keys and values have one axis and one size, not shapes {keys.shape} and {array.shape}")
    call = Call(op, _arrays.dtype_of(dtype) if dtype is not None else array.dtype)
    dtype = _calls.result_dtype(array.dtype, call) if dtype is None else _arrays.dtype_of(dtype)
    array = _calls.prepared(array, dtype)
    if sort:
        keys, array = _sorting.sorted_by_key(keys, array)
    begin = None if initial is None else _calls.initial_values(initial, dtype, ())

    def arguments_of_call(threads):
        arguments = _calls.Arguments(call, dtype)
        if begin is not None:
            arguments.option(initial=arguments.add(begin))
        if threads:
            arguments.option(threads=threads)
        return arguments

    return keys, leave_keys, array, leave, call, dtype, arguments_of_call


def _pieces(keys):
    """Parts of whole runs, of some _calls.LONG elements each if a run has no more."""
    long, step = _calls.LONG, 1 << 20
    if keys.size <= long or _arrays.is_bfloat16(keys.dtype):  # NumPy compares no bfloat16
        return [slice(None)]
    ends = [0]
    for at in range(long, keys.size, long):
        at = max(at, ends[-1] + 1)
        while at < keys.size:
            changes = np.flatnonzero(keys[at : at + step] != keys[at - 1 : min(at + step, keys.size) - 1])
            if changes.size:
                ends.append(at + int(changes[0]))
                break
            at += step
    ends.append(keys.size)
    return [slice(begin, end) for begin, end in zip(ends, ends[1:]) if begin < end]


def reduce_by_key(keys, values, op="plus", *, dtype=None, initial=None, sort=False, threads=None):
    """Return the key of each run of equal keys, and the reduction of its values.

    Parameters
    ----------
    keys : array_like of one axis
        Integers, floats or bools. Equal keys that are not adjacent are different runs.
    values : array_like of one axis
        As many elements.
    op : str, ufunc, `operation` or callable, default "plus"
        As for `reduce`.
    dtype, initial, threads
        As for `reduce`.
    sort : bool, default False
        Whether to sort by key before, stably: then each key has one run.

    Returns
    -------
    keys, results : arrays
        One of each for each run. A result has the bits of `reduce` of the run alone.

    Examples
    --------
    >>> import tally
    >>> tally.reduce_by_key([3, 3, 1, 3], [5, 1, 7, 2], "maximum")
    (array([3, 1, 3]), array([5, 7, 2]))
    >>> tally.reduce_by_key([3, 3, 1, 3], [5, 1, 7, 2], sort=True)
    (array([1, 3]), array([7, 8]))
    """
    return reduced_by_key(keys, values, op, dtype, initial, sort, threads)


def reduced_by_key(keys, values, op, dtype, initial, sort, threads, ranks=None):
    """Runs and their reductions: of the parts of ranks too."""
    if _gpu.takes(values) or _gpu.takes(keys):
        if ranks is not None:
            return _gpu.ranks.reduce_by_key(ranks, keys, values, op, dtype, initial)
        return _gpu.reduce_by_key(keys, values, op, dtype, initial, sort)
    keys, leave_keys, array, leave, call, dtype, arguments_of_call = _arguments(keys, values, op, dtype, initial, sort)
    parts = []
    for part in _pieces(keys) if ranks is None else [slice(None)]:
        kept, arguments, runs = [], arguments_of_call(threads), ctypes.c_int64()
        keys_at = _arrays.kept_pointer(kept, keys[part])
        call.check(c.unique(keys_at, None, None, ctypes.byref(runs), None))
        run_keys, result = np.empty(runs.value, keys.dtype), np.empty(runs.value, dtype)
        _calls.run_call(
            "reduce_by_key", ranks, call, keys_at, arguments.add(array[part]), _arrays.kept_pointer(kept, run_keys),
            arguments.add(result), ctypes.byref(runs), call.pointer, arguments.options_address()
        )  # fmt: skip
        parts.append((run_keys[: runs.value], result[: runs.value]))
    run_keys, result = parts[0] if len(parts) == 1 else map(np.concatenate, zip(*parts))
    return leave_keys(run_keys), leave(result)


def sum_by_key(keys, values, *, dtype=None, initial=None, sort=False):
    """Return the key of each run of equal keys, and the sum of its values: `reduce_by_key` with "plus".

    Examples
    --------
    >>> import tally
    >>> tally.sum_by_key([1, 1, 2], [0.5, 0.25, 4.0])
    (array([1, 2]), array([0.75, 4.  ]))
    """
    return reduce_by_key(keys, values, "plus", dtype=dtype, initial=initial, sort=sort)


def prod_by_key(keys, values, *, dtype=None, initial=None, sort=False):
    """Return the key of each run of equal keys, and the product of its values: `reduce_by_key` with "times".

    Examples
    --------
    >>> import tally
    >>> tally.prod_by_key([1, 1, 2], [2, 3, 4])
    (array([1, 2]), array([6, 4]))
    """
    return reduce_by_key(keys, values, "times", dtype=dtype, initial=initial, sort=sort)


def min_by_key(keys, values, *, initial=None, sort=False):
    """Return the key of each run of equal keys, and the least of its values: `reduce_by_key` with "minimum".

    Examples
    --------
    >>> import tally
    >>> tally.min_by_key([1, 1, 2], [2, 3, 4])
    (array([1, 2]), array([2, 4]))
    """
    return reduce_by_key(keys, values, "minimum", initial=initial, sort=sort)


def max_by_key(keys, values, *, initial=None, sort=False):
    """Return the key of each run of equal keys, and the greatest of its values: `reduce_by_key` with "maximum".

    Examples
    --------
    >>> import tally
    >>> tally.max_by_key([1, 1, 2], [2, 3, 4])
    (array([1, 2]), array([3, 4]))
    """
    return reduce_by_key(keys, values, "maximum", initial=initial, sort=sort)


def scan_by_key(keys, values, op="plus", *, dtype=None, initial=None, exclusive=False, threads=None):
    """Return the running results of the values within each run of equal keys.

    Parameters are those of `reduce_by_key`, and `exclusive` as for `scan`.

    Examples
    --------
    >>> import tally
    >>> tally.scan_by_key([1, 1, 2, 2], [1, 2, 3, 4])
    array([1, 3, 3, 7])
    """
    return scanned_by_key(keys, values, op, dtype, initial, exclusive, threads)


def scanned_by_key(keys, values, op, dtype, initial, exclusive, threads, ranks=None):
    """Running results within runs: of the parts of ranks too."""
    if _gpu.takes(values) or _gpu.takes(keys):
        if ranks is not None:
            return _gpu.ranks.scan_by_key(ranks, keys, values, op, dtype, initial, exclusive)
        return _gpu.scan_by_key(keys, values, op, dtype, initial, exclusive)
    keys, _, array, leave, call, dtype, arguments_of_call = _arguments(keys, values, op, dtype, initial, False)
    result = np.empty(keys.shape, dtype)
    for part in _pieces(keys) if ranks is None else [slice(None)]:
        kept, arguments = [], arguments_of_call(threads)
        if exclusive:
            arguments.option(flags=c.EXCLUSIVE)
        keys_at = _arrays.kept_pointer(kept, keys[part])
        given, taking = arguments.add(array[part]), arguments.add(result[part])
        _calls.run_call("scan_by_key", ranks, call, keys_at, given, taking, call.pointer, arguments.options_address())
    return leave(result)


# NumPy 2's inverse has the shape of the argument.
_flat_inverse = int(np.__version__.partition(".")[0]) < 2


def unique(a, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True):
    """Return the distinct elements in ascending order, as NumPy's function of this name.

    Parameters
    ----------
    a : array_like
        Integers, floats or bools.
    return_index : bool, default False
        Whether to return where each one is found first.
    return_inverse : bool, default False
        Whether to return, for each element, its place among the distinct ones.
    return_counts : bool, default False
        Whether to return how often each one occurs.
    axis : int, optional
        The axis whose subarrays are compared, as sequences; the elements of the flattened array are if None.
    equal_nan : bool, default True
        Whether all NaNs are one element; subarrays with NaNs are distinct.

    Returns
    -------
    array, or a tuple of arrays

    Examples
    --------
    >>> import tally
    >>> tally.unique([3, 1, 3, 3], return_counts=True)
    (array([1, 3]), array([1, 3]))
    """
    if _gpu.takes(a):
        return _gpu.unique(a, return_index, return_inverse, return_counts, axis, equal_nan, _flat_inverse)
    array, leave = _arrays.enter(a)
    if axis is not None:
        axis = _arrays.axis_in(axis, array.ndim)
        results = _unique_subarrays(np.moveaxis(array, axis, 0))
        chosen = [np.moveaxis(results[0], 0, axis)]
        chosen += [each for each, wanted in zip(results[1:], (return_index, return_inverse, return_counts)) if wanted]
        return leave(chosen[0]) if len(chosen) == 1 else tuple(map(leave, chosen))
    shape, array = array.shape, array.reshape(-1)
    needs_places = return_index or return_inverse
    ordered, places = _sorting.sorted_and_places(array, 0, needs_places, False)
    kept, runs = [], ctypes.c_int64()
    at = _arrays.kept_pointer(kept, ordered)
    _sorting.check(c.unique(at, None, None, ctypes.byref(runs), None))
    distinct, counts = np.empty(runs.value, array.dtype), np.empty(runs.value, np.int64)
    _sorting.check(
        c.unique(at, _arrays.kept_pointer(kept, distinct), _arrays.kept_pointer(kept, counts), ctypes.byref(runs), None)
    )
    if equal_nan and distinct.dtype.kind == "f" and distinct.size and np.isnan(distinct[-1]):
        numbers = distinct.size - np.count_nonzero(np.isnan(distinct))
        counts[numbers] = counts[numbers:].sum()
        distinct, counts = distinct[: numbers + 1], counts[: numbers + 1]
    results = [distinct]
    if return_index:
        first = np.zeros(counts.size, np.int64)
        np.cumsum(counts[:-1], out=first[1:])
        results.append(places[first])
    if return_inverse:
        inverse = np.empty(array.size, np.int64)
        inverse[places] = np.repeat(np.arange(counts.size), counts)
        results.append(inverse if _flat_inverse else inverse.reshape(shape))
    if return_counts:
        results.append(counts)
    results = [leave(each) for each in results]
    return results[0] if len(results) == 1 else tuple(results)


def _unique_subarrays(array):
    """The distinct subarrays along the first axis in lexicographic order, where each is first, the place of each one of the
    array among them, and how often each occurs."""
    rows = array.reshape(array.shape[0], int(np.prod(array.shape[1:])))
    if rows.dtype.kind == "f":
        rows = rows + rows.dtype.type(0)  # no -0.0, which a sort has before 0.0
    places = np.arange(rows.shape[0])
    for column in rows.T[::-1]:  # stable sorts, the most significant element last
        places = places[_sorting.sorted_and_places(column[places], 0, True, False, False)[1]]
    ordered = rows[places]
    begins = np.ones(places.size, bool)
    begins[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    first = _sorting.compact(np.arange(places.size), begins)
    inverse = np.empty(places.size, np.int64)
    inverse[places] = _calls.scan(begins, "plus", 0, np.int64, None, None, False, False, False, False, None) - 1
    return array[places[first]], places[first], inverse, np.diff(first, append=places.size)
