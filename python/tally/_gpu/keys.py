"""Runs of equal keys of arrays on a GPU: reductions, scans, distinct elements. The calls wait for the GPU, which finds how
many runs there are."""

import ctypes

import numpy as np

from .. import _arrays
from .. import _library as c
from . import arrays
from .along import scan
from .call import Call, as_segments_are, check, deliver, entered, operator, refuse_graphs
from .sorting import beside, sorted_and_places


def _arguments(keys, values, op, dtype, initial):
    if not arrays.takes(values):
        raise TypeError("keys are on a GPU, and values are not")
    values, leave = arrays.taken(values)
    library = arrays.library_of(values)
    op = operator(op)
    array, inner, wanted = entered(library, values, op, dtype, None)
    keys = library.packed(beside(library, keys, array, "keys"))
    if keys.ndim != 1 or tuple(array.shape) != tuple(keys.shape):
        raise ValueError(
            f"keys and values have one axis and one size, not shapes {tuple(keys.shape)} and {tuple(array.shape)}"
        )
    refuse_graphs(library, array)
    array, inner, initial = as_segments_are(library, array, inner, wanted, op, initial)
    return library, leave, op, keys, library.packed(array), inner, wanted, initial


def number_of_runs(library, keys):
    runs = ctypes.c_int64()
    call = Call(library, keys)
    if keys.shape[0]:
        check(c.unique(call.add(keys, library.dtype(keys)), None, None, ctypes.byref(runs), call.options_address()))
    return runs.value


def reduce_by_key(keys, values, op, dtype, initial, sort):
    library, leave, op, keys, array, inner, wanted, initial = _arguments(keys, values, op, dtype, initial)
    kind = library.dtype(keys)
    if sort and keys.shape[0]:
        keys, array = _sorted_by_key(library, keys, array, inner)
    count = number_of_runs(library, keys)
    distinct, result = library.empty((count,), kind, keys), library.empty((count,), inner, array)
    call = Call(library, array)
    if initial is not None:
        call.initial(initial, inner, ())
    if count:
        runs = ctypes.c_int64()
        given, adding = call.add(keys, kind), call.add(array, inner)
        naming, taking = call.add(distinct, kind), call.add(result, inner)
        check(c.reduce_by_key(given, adding, naming, taking, ctypes.byref(runs), op.pointer, call.options_address()))
    return leave(library.finish(distinct)), leave(deliver(library, result, inner, wanted, None))


def scan_by_key(keys, values, op, dtype, initial, exclusive):
    library, leave, op, keys, array, inner, wanted, initial = _arguments(keys, values, op, dtype, initial)
    result = library.empty(tuple(array.shape), inner, array)
    call = Call(library, array)
    call.options.flags = c.EXCLUSIVE * bool(exclusive)
    if initial is not None:
        call.initial(initial, inner, ())
    if array.shape[0]:
        given, adding, taking = call.add(keys, library.dtype(keys)), call.add(array, inner), call.add(result, inner)
        check(c.scan_by_key(given, adding, taking, op.pointer, call.options_address()))
    return leave(deliver(library, result, inner, wanted, None))


def _sorted_by_key(library, keys, array, inner):
    kind = library.dtype(keys)
    keys_out, values_out = library.empty(tuple(keys.shape), kind, keys), library.empty(tuple(array.shape), inner, array)
    call = Call(library, array)
    given = [call.add(*each) for each in ((keys, kind), (array, inner), (keys_out, kind), (values_out, inner))]
    check(c.sort_by_key(*given, call.options_address()))
    return library.finish(keys_out), library.finish(values_out)


def unique(a, return_index, return_inverse, return_counts, axis, equal_nan, has_flat_inverse):
    if axis is not None:
        raise NotImplementedError("axis= is for arrays in the CPU's memory")
    a, leave = arrays.taken(a)
    library = arrays.library_of(a)
    array = library.enter(a)
    shape, array = tuple(array.shape), array.reshape(-1)
    kind, places_dtype = library.dtype(array), np.dtype(np.int64)
    needs_places = return_index or return_inverse
    ordered, places = sorted_and_places(library, array, 0, needs_places, False)
    count = number_of_runs(library, ordered)
    distinct, counts = library.empty((count,), kind, array), library.empty((count,), places_dtype, array)
    if count:
        call, runs = Call(library, array), ctypes.c_int64()
        given, naming, counting = call.add(ordered, kind), call.add(distinct, kind), call.add(counts, places_dtype)
        check(c.unique(given, naming, counting, ctypes.byref(runs), call.options_address()))
        distinct, counts = library.finish(distinct), library.finish(counts)
    if equal_nan and count and (kind.kind == "f" or _arrays.is_bfloat16(kind)):
        nans = int((distinct != distinct).sum())
        if nans > 1:  # each has been a run
            count -= nans - 1
            distinct, counts = distinct[:count], counts[:count]
            counts = library.where(library.arange(count, array) != count - 1, counts, nans)
    results = [distinct]
    if needs_places:
        upto = scan(counts, "plus", 0, None, None, None, False, False, False, False, None)
        first = upto - counts
    if return_index:
        results.append(places[first])
    if return_inverse:
        _, order = sorted_and_places(library, places, 0, True, False, wants_sorted=False)
        inverse = library.searchsorted(upto, order)
        results.append(inverse if has_flat_inverse else inverse.reshape(shape))
    if return_counts:
        results.append(counts)
    results = [leave(each) for each in results]
    return results[0] if len(results) == 1 else tuple(results)
