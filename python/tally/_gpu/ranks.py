"""Calls on ranks whose parts lie in the memory of GPUs: rows without gaps, of floats of 32 and 64 bits or integers of 64."""

import ctypes

import numpy as np

from .. import _arrays
from .. import _library as c
from .._operators import EXACT_PLUS
from . import arrays
from .along import as_rows, one_axis
from .call import Call, as_segments_are, check_shape, deliver, entered, fits, operator, refuse_graphs_on_ranks
from .keys import number_of_runs
from .segments import offsets_on_gpu
from .sorting import as_histogram, beside, counted


def _entered(a, op, dtype, out, initial):
    """The array as ranks combine its elements, their type, that of the results, and the initial value."""
    a, leave = arrays.taken(a)
    library = arrays.library_of(a)
    op = operator(op)
    out = None if out is None else arrays.checked_out(library, out)
    array, inner, wanted = entered(library, a, op, dtype, out)
    if op.pointer == EXACT_PLUS and inner != wanted:
        raise NotImplementedError(f"exact sums of {wanted} are for arrays in the CPU's memory; a GPU has those of wider floats")
    array, inner, initial = as_segments_are(library, array, inner, wanted, op, initial)
    return library, leave, op, array, inner, wanted, initial, out


def reduce(ranks, a, op, axis, dtype, out, keepdims, initial, where, wanted):
    given_out = out
    library, leave, op, array, inner, outer, initial, out = _entered(a, op, dtype, out, initial)
    if where is not True:
        raise NotImplementedError("where= is for arrays in the CPU's memory")
    array, axis, shape, kept_dims = one_axis(library, array, axis)
    array, _ = as_rows(library, array, axis)
    if out is not None:
        check_shape(out, kept_dims if keepdims else shape)
    result = library.empty(shape, inner, array)
    call = Call(library, array)
    if initial is not None:
        call.initial(initial, inner, shape)
    given = call.add(array, inner)
    taking = call.add(result, inner) if wanted else call.add_nothing(result, inner)
    call.run(ranks, "reduce", given, array.ndim - 1, taking, op.pointer)
    if not wanted:
        return None
    if keepdims:
        result = result.reshape(kept_dims)
    delivered = deliver(library, result, inner, outer, out)
    return leave(delivered) if out is None else given_out


def scan(ranks, a, op, axis, dtype, out, initial, exclusive, return_last):
    given_out = out
    library, leave, op, array, inner, outer, initial, out = _entered(a, op, dtype, out, initial)
    if axis is None or array.ndim == 0:
        array, axis = array.reshape(-1), 0
    axis = _arrays.axis_in(axis, array.ndim)
    if out is not None:
        check_shape(out, array.shape)
    array, back = as_rows(library, array, axis)
    others = tuple(array.shape[:-1])
    is_direct = (
        out is not None
        and array.ndim == 1
        and library.dtype(out) == inner
        and fits(library, out, array)
        and tuple(library.layout(out)[2]) == (1,)
    )
    result = out if is_direct else library.empty(tuple(array.shape), inner, array)
    call = Call(library, array)
    call.options.flags = c.EXCLUSIVE * bool(exclusive)
    last = None
    if return_last:
        last = library.empty(others, inner, array)
        call.options.last = call.add(last, inner)
    if initial is not None:
        call.initial(initial, inner, others)
    call.run(ranks, "scan", call.add(array, inner), array.ndim - 1, call.add(result, inner), op.pointer)
    if is_direct:
        library.finish(out)
        first = given_out
    else:
        first = deliver(library, library.permuted(result, back), inner, outer, out)
        first = leave(first) if out is None else given_out
    if not return_last:
        return first
    return first, leave(deliver(library, last, inner, outer, None))


def segments(ranks, values, offsets, op, dtype, initial, reduces, exclusive):
    library, leave, op, array, inner, outer, initial, _ = _entered(values, op, dtype, None, initial)
    if array.ndim != 1 or len(np.shape(offsets)) != 1:
        raise ValueError(f"values and offsets have one axis, not {array.ndim} and {len(np.shape(offsets))}")
    bounds = offsets_on_gpu(library, offsets, array)
    count = max(bounds.shape[0] - 1, 0)
    array = library.packed(array)
    # In a scan the elements of no segment stay as they are.
    result = library.empty((count,), inner, array) if reduces else library.copied(array)
    call = Call(library, array)
    call.options.flags = c.EXCLUSIVE * bool(exclusive)
    if initial is not None:
        call.initial(initial, inner, (count,))
    given, places, taking = call.add(array, inner), call.add(bounds, np.dtype(np.int64)), call.add(result, inner)
    call.run(ranks, "reduce_segments" if reduces else "scan_segments", given, places, taking, op.pointer)
    return leave(deliver(library, result, inner, outer, None))


def _entered_keys(keys, values, op, dtype, initial):
    """As _entered; and keys of 64 bits, which are equal where the given ones are, and their own type."""
    if not arrays.takes(values):
        raise TypeError("keys are on a GPU, and values are not")
    library, leave, op, array, inner, outer, initial, _ = _entered(values, op, dtype, None, initial)
    keys = beside(library, keys, array, "keys")
    if keys.ndim != 1 or tuple(array.shape) != tuple(keys.shape):
        raise ValueError(
            f"keys and values have one axis and one size, not shapes {tuple(keys.shape)} and {tuple(array.shape)}"
        )
    own = library.dtype(keys)
    wide = np.dtype(np.int64 if own.kind in "biu" else np.float64)
    keys = library.packed(keys if own == wide else library.astype(keys, wide))
    return library, leave, op, library.packed(array), inner, outer, initial, keys, wide, own


def reduce_by_key(ranks, keys, values, op, dtype, initial):
    library, leave, op, array, inner, outer, initial, keys, wide, own = _entered_keys(keys, values, op, dtype, initial)
    refuse_graphs_on_ranks(ranks, library, keys)
    most = number_of_runs(library, keys)
    distinct, result = library.empty((most,), wide, keys), library.empty((most,), inner, array)
    call, runs = Call(library, array), ctypes.c_int64()
    if initial is not None:
        call.initial(initial, inner, ())
    given, adding = call.add(keys, wide), call.add(array, inner)
    naming, taking = call.add(distinct, wide), call.add(result, inner)
    call.run(ranks, "reduce_by_key", given, adding, naming, taking, ctypes.byref(runs), op.pointer)
    distinct, result = library.finish(distinct)[: runs.value], library.finish(result)[: runs.value]
    distinct = distinct if own == wide else library.astype(distinct, own)
    return leave(distinct), leave(result if inner == outer else library.astype(result, outer))


def scan_by_key(ranks, keys, values, op, dtype, initial, exclusive):
    library, leave, op, array, inner, outer, initial, keys, wide, _ = _entered_keys(keys, values, op, dtype, initial)
    result = library.empty(tuple(array.shape), inner, array)
    call = Call(library, array)
    call.options.flags = c.EXCLUSIVE * bool(exclusive)
    if initial is not None:
        call.initial(initial, inner, ())
    call.run(ranks, "scan_by_key", call.add(keys, wide), call.add(array, inner), call.add(result, inner), op.pointer)
    return leave(deliver(library, result, inner, outer, None))


def _range_of(ranks, library, values):
    """The ends of NumPy's bins of all ranks' elements: the least and the greatest one."""

    def all_by(array, op):
        return reduce(ranks, array, op, None, None, None, False, None, True, True).item()

    if all_by(library.full((1,), values.shape[0], np.dtype(np.int64), values), "plus") == 0:
        return 0, 1
    own = library.dtype(values)
    # NumPy computes edges in the type of the ends.
    end = int if own.kind == "b" else np.float32 if _arrays.is_bfloat16(own) else own.type
    return end(all_by(values, "minimum")), end(all_by(values, "maximum"))


def histogram(ranks, a, bins, range, density):
    if isinstance(bins, str):
        raise NotImplementedError(f"bins={bins!r} on ranks: a rule for their number needs all elements on one")
    a, leave = arrays.taken(a)
    library = arrays.library_of(a)
    values = library.enter(a).reshape(-1)
    if range is None and np.ndim(bins) == 0:
        range = _range_of(ranks, library, values)
    refuse_graphs_on_ranks(ranks, library, values)
    counts, edges = counted(library, values, bins, range)
    counts = reduce(ranks, counts.reshape(-1, 1), "plus", 1, None, None, False, None, True, True)
    return as_histogram(library, leave, counts, edges, density, values)
