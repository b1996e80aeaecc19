"""Sorts, selection and histograms."""

import ctypes

import numpy as np

from . import _arrays, _calls, _gpu
from . import _library as c


def check(status):
    if status:
        c.fail(status)


def _options(**values):
    options = c.Options(size=ctypes.sizeof(c.Options), **values)
    return options, ctypes.addressof(options)


def sorted_and_places(array, axis, wants_places, descending, wants_sorted=True):
    """Sorted elements, and where they were; None for what is not wanted."""
    ordered = np.empty(array.shape, array.dtype) if wants_sorted else None
    places = np.empty(array.shape, np.int64) if wants_places else None
    options, address = _options(flags=c.DESCENDING) if descending else (None, None)
    for piece, _ in _calls.pieces(array, axis):
        kept = []
        given, *taking = [
            _arrays.kept_pointer(kept, each[piece]) if each is not None else None for each in (array, ordered, places)
        ]
        check(c.sort(given, axis, *taking, address))
    return ordered, places


def sorted_by_key(keys, values):
    """Both arrays of one axis, in the order of the keys."""
    kept = []
    keys_out = np.empty(keys.shape, keys.dtype)
    values_out = np.empty(values.shape, values.dtype)
    check(
        c.sort_by_key(*[_arrays.kept_pointer(kept, each) for each in (keys, values, keys_out, values_out)], None)
    )
    return keys_out, values_out


def _entered(a, axis):
    array, leave = _arrays.enter(a)
    if axis is None:
        return array.reshape(-1), 0, leave
    if array.ndim == 0:
        raise _arrays.AxisError(axis, 0)
    return array, _arrays.axis_in(axis, array.ndim), leave


def sort(a, axis=-1, kind=None, *, descending=False, stable=None):
    """Return the elements in order along an axis.

    Parameters
    ----------
    a : array_like
        Integers, floats or bools.
    axis : int, default -1
        The axis; the flattened array's if None.
    kind : optional
        NumPy's names of algorithms are accepted. The sort is a radix sort, and stable.
    descending : bool, default False
        Whether the greatest element comes first. NaNs come last in either order, and -0.0 is less than 0.0.
    stable : bool, optional
        The array API standard's; the sort is stable with False too.

    Returns
    -------
    array

    Examples
    --------
    >>> import tally
    >>> tally.sort([[3, 1, 2], [6, 5, 4]])
    array([[1, 2, 3],
           [4, 5, 6]])
    """
    if _gpu.takes(a):
        return _gpu.sort(a, axis, descending)
    array, axis, leave = _entered(a, axis)
    return leave(sorted_and_places(array, axis, False, descending)[0])


def argsort(a, axis=-1, kind=None, *, descending=False, stable=None):
    """Return where the elements in order along an axis were.

    Parameters are those of `sort`. Equal elements keep their order.

    Returns
    -------
    array of int64

    Examples
    --------
    >>> import tally
    >>> tally.argsort([30, 10, 20, 10])
    array([1, 3, 2, 0])
    """
    if _gpu.takes(a):
        return _gpu.argsort(a, axis, descending)
    array, axis, leave = _entered(a, axis)
    return leave(sorted_and_places(array, axis, True, descending, wants_sorted=False)[1])


def compact(a, mask):
    """Return the elements of `a` whose element of `mask` is true, in their order, in an array of one axis: ``a[mask]``.

    Parameters
    ----------
    a : array_like
        The elements, of any type.
    mask : array_like of bool or integers
        In the shape of `a`.

    Returns
    -------
    array

    Examples
    --------
    >>> import tally
    >>> tally.compact([5, 6, 7, 8], [True, False, False, True])
    array([5, 8])
    """
    if _gpu.takes(a):
        return _gpu.compact(a, mask)
    array, leave = _arrays.enter(a)
    flags, _ = _arrays.enter(mask, "mask")
    if flags.shape != array.shape:
        raise ValueError(f"mask has shape {flags.shape}; a has shape {array.shape}")
    if flags.dtype.kind not in "biu":
        raise TypeError(f"mask has dtype {flags.dtype}; it has bools or integers")
    if array.dtype.hasobject:
        raise TypeError("elements of dtype object cannot be moved by tally")
    array, flags = array.reshape(-1), flags.reshape(-1)
    result = np.empty(np.count_nonzero(flags), array.dtype)
    count = ctypes.c_int64()
    kept, type_ = [], None
    if _arrays.type_of(array.dtype) is None:
        type_ = c.Type(c.OPAQUE, 8, array.dtype.itemsize)
    addresses = []
    for each in (array, result):
        keep, address = _arrays.described(each, type_)
        kept.append(keep)
        addresses.append(address)
    check(c.compact(addresses[0], _arrays.kept_pointer(kept, flags), addresses[1], ctypes.byref(count), None))
    return leave(result)


def histogram(a, bins=10, range=None, density=None, weights=None):
    """Return how many elements are in each bin, and the edges of the bins, as NumPy's function of this name.

    Parameters
    ----------
    a : array_like
        Integers, floats or bools, flattened.
    bins : int, sequence or str, default 10
        The number of bins of one width, or the edges, or the name of a rule for their number, which NumPy applies.
    range : (float, float), optional
        The first and the last edge; elements outside are not counted. The least and the greatest element if None.
    density : bool, optional
        Whether to return densities, whose integral is 1.
    weights : array_like, optional
        The weight of each element; they are added up as doubles.

    Returns
    -------
    hist, edges : arrays

    Notes
    -----
    An element on an edge is counted above it, the last edge excepted. An element less than an edge by at most 2^-49 of its
    distance from the first edge may be counted above it, where NumPy compares with the rounded edge.

    Examples
    --------
    >>> import tally
    >>> tally.histogram([1, 2, 1, 4], bins=3)
    (array([2, 1, 1]), array([1., 2., 3., 4.]))
    """
    return counted(a, bins, range, density, weights)


def counted(a, bins, range, density, weights, ranks=None):
    """A histogram: of the parts of ranks too."""
    if _gpu.takes(a):
        if ranks is not None:
            return _gpu.ranks.histogram(ranks, a, bins, range, density)
        return _gpu.histogram(a, bins, range, density, weights)
    array, leave = _arrays.enter(a)
    weights_array = None
    if weights is not None:
        weights_array, _ = _arrays.enter(weights, "weights")
        if weights_array.shape != array.shape:
            raise ValueError("weights should have the same shape as a.")
        if weights_array.dtype.kind not in "biuf":
            raise TypeError(f"weights have dtype {weights_array.dtype}; they are real numbers")
    if ranks is not None:
        if weights is not None:
            raise NotImplementedError("weights on ranks: the bits of their sums would depend on the division")
        if isinstance(bins, str):
            raise NotImplementedError(f"bins={bins!r} on ranks: a rule for their number needs all elements on one")
        if range is None and np.ndim(bins) == 0:
            range = ranks.range_of(array)
    edges = np.histogram_bin_edges(array, bins, range, weights_array)
    is_even = isinstance(bins, str) or np.ndim(bins) == 0
    counts = np.empty(edges.size - 1, np.int64 if weights is None else np.float64)
    kept = []
    counts_at = _arrays.kept_pointer(kept, counts)
    values_at = _arrays.kept_pointer(kept, array)
    weights_at = None if weights is None else _arrays.kept_pointer(kept, weights_array)
    if is_even:
        name, bins_given = "histogram", (float(edges[0]), float(edges[-1]))
    else:
        borders = edges if edges.dtype == array.dtype else edges.astype(np.float64)
        name, bins_given = "histogram_of_edges", (_arrays.kept_pointer(kept, borders),)
    if ranks is not None:
        ranks.run(name, None, values_at, *bins_given, counts_at, None)
    else:
        check(getattr(c, name)(values_at, weights_at, *bins_given, counts_at, None))
    if density:
        counts = counts / np.diff(edges) / counts.sum()
    elif weights is not None:
        counts = counts.astype(np.float64 if weights_array.dtype.kind == "b" else weights_array.dtype)
    return leave(counts), leave(edges)
