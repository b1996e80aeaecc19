"""Sorts, selection and histograms of arrays on a GPU."""

import ctypes

import numpy as np

from .. import _arrays
from .. import _library as c
from . import arrays
from .along import reduce
from .call import Call, check, refuse_graphs
from .means import divided


def _flat_or_checked(array, axis):
    if axis is None:
        return array.reshape(-1), 0
    if array.ndim == 0:
        raise _arrays.AxisError(axis, 0)
    return array, _arrays.axis_in(axis, array.ndim)


def sorted_and_places(library, array, axis, wants_places, descending, wants_sorted=True):
    """Sorted elements, and where they were; None for what is not wanted."""
    refuse_graphs(library, array)
    dtype, places_dtype = library.dtype(array), np.dtype(np.int64)
    ordered = library.empty(tuple(array.shape), dtype, array) if wants_sorted else None
    places = library.empty(tuple(array.shape), places_dtype, array) if wants_places else None
    call = Call(library, array)
    call.options.flags = c.DESCENDING * bool(descending)
    if 0 not in array.shape:
        given = call.add(array, dtype)
        taking = None if ordered is None else call.add(ordered, dtype)
        placing = None if places is None else call.add(places, places_dtype)
        check(c.sort(given, axis, taking, placing, call.options_address()))
    return (None if each is None else library.finish(each) for each in (ordered, places))


def sort(a, axis, descending):
    a, leave = arrays.taken(a)
    library = arrays.library_of(a)
    array, axis = _flat_or_checked(library.enter(a), axis)
    ordered, _ = sorted_and_places(library, array, axis, False, descending)
    return leave(ordered)


def argsort(a, axis, descending):
    a, leave = arrays.taken(a)
    library = arrays.library_of(a)
    array, axis = _flat_or_checked(library.enter(a), axis)
    _, places = sorted_and_places(library, array, axis, True, descending, wants_sorted=False)
    return leave(places)


def beside(library, given, like, name):
    """An argument as an array of the library of another one, on its GPU."""
    if arrays.library_of(given) is None and arrays.is_foreign(given):
        given, _ = arrays.taken(given)
    if arrays.library_of(given) is library:
        return library.enter(given)
    if arrays.library_of(given) is not None:
        raise TypeError(f"{name} is an array of another library, and not of {library.name}")
    on_cpu, _ = _arrays.enter(given, name)
    return library.asarray(on_cpu, like)


def compact(a, mask):
    a, leave = arrays.taken(a)
    library = arrays.library_of(a)
    array = library.enter(a)
    refuse_graphs(library, array)
    flags = beside(library, mask, array, "mask")
    if tuple(flags.shape) != tuple(array.shape):
        raise ValueError(f"mask has shape {tuple(flags.shape)}; a has shape {tuple(array.shape)}")
    kind = library.dtype(flags)
    if kind.kind not in "biu":
        raise TypeError(f"mask has dtype {kind}; it has bools or integers")
    array, flags = array.reshape(-1), flags.reshape(-1)
    dtype = library.dtype(array)
    call, count = Call(library, array), ctypes.c_int64()
    given, choosing = call.add(array, dtype), call.add(flags, kind)
    if array.shape[0]:
        check(c.compact(given, choosing, None, ctypes.byref(count), call.options_address()))
    result = library.empty((count.value,), dtype, array)
    if count.value:
        taking = call.add(result, dtype)
        check(c.compact(given, choosing, taking, ctypes.byref(count), call.options_address()))
    return leave(library.finish(result))


def histogram(a, bins, range, density, weights):
    if weights is not None:
        raise NotImplementedError("weights= is for arrays in the CPU's memory")
    if isinstance(bins, str):
        raise NotImplementedError("rules for the number of bins are for arrays in the CPU's memory")
    a, leave = arrays.taken(a)
    library = arrays.library_of(a)
    values = library.enter(a).reshape(-1)
    counts, edges = counted(library, values, bins, range)
    return as_histogram(library, leave, counts, edges, density, values)


def counted(library, values, bins, range):
    """How many values are in each bin, and the edges as an array of NumPy's."""
    own, size = library.dtype(values), values.shape[0]
    if own.kind not in "biuf" and not _arrays.is_bfloat16(own):
        raise TypeError(f"elements of dtype {own} are not counted")
    is_even = np.ndim(bins) == 0
    computing = np.dtype(np.float32) if _arrays.is_bfloat16(own) else own
    sample = np.empty(0, computing)
    if is_even and range is None and size:  # NumPy's edges of all elements are those of the least and the greatest one
        extremes = (reduce(values, op, None, None, None, False, None, True, False, None) for op in ("minimum", "maximum"))
        sample = np.array([each.item() for each in extremes], computing)
    edges = np.histogram_bin_edges(sample, bins if is_even else _arrays.enter(bins, "bins")[0], range)
    borders = edges
    if own in (np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.int64)) and (is_even or edges.dtype == own):
        wide = own
    elif is_even and own.itemsize <= 2:
        wide = np.dtype(np.float32)
    elif own == np.uint64 and edges.dtype == own:
        raise NotImplementedError("edges and elements of uint64 are for arrays in the CPU's memory")
    else:
        wide, borders = np.dtype(np.float64), edges.astype(np.float64)
    if own != wide:
        values = library.astype(values, wide)
    values = library.packed(values)
    counts = library.empty((edges.size - 1,), np.dtype(np.int64), values)
    call = Call(library, values)
    given, counting = call.add(values, wide), call.add(counts, np.dtype(np.int64))
    if is_even:
        check(c.histogram(given, None, float(edges[0]), float(edges[-1]), counting, call.options_address()))
    else:
        refuse_graphs(library, values)
        edges_at = _arrays.kept_pointer(call.kept, borders)
        check(c.histogram_of_edges(given, None, edges_at, counting, call.options_address()))
    return library.finish(counts), edges


def as_histogram(library, leave, counts, edges, density, values):
    if density:
        of_all = int(counts.sum())
        counts = library.astype(counts, np.dtype(np.float64)) / library.asarray(np.diff(edges), counts)
        counts = divided(library, counts, of_all)
    return leave(counts), leave(library.asarray(edges, values))
