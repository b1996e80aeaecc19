"""Reductions and scans along an axis of arrays on a GPU."""

import math

import numpy as np

from .. import _arrays
from .. import _library as c
from .._operators import LOG_SUM_EXP, MAXIMUM, MINIMUM
from . import arrays
from .call import Call, check, check_shape, deliver, entered, fits, operator

_names = {MINIMUM: "minimum", MAXIMUM: "maximum"}


def scan(a, op, axis, dtype, out, initial, reverse, exclusive, include_initial, return_last, threads):
    a, leave = arrays.taken(a)
    library = arrays.library_of(a)
    op = operator(op)
    given_out, out = out, None if out is None else arrays.checked_out(library, out)
    array, inner, wanted = entered(library, a, op, dtype, out)
    if axis is None or array.ndim == 0:
        array, axis = array.reshape(-1), 0
    axis = _arrays.axis_in(axis, array.ndim)
    if op.pointer == LOG_SUM_EXP:
        refuse_from_back(reverse or include_initial)
        array, back = as_rows(library, array, axis)
        results = _scanned_rows(library, array, op, inner, initial, exclusive, return_last)
        results = [deliver(library, each, inner, wanted, None) for each in results]
        results[0] = library.permuted(results[0], back)
        if out is not None:
            check_shape(out, results[0].shape)
            library.copy(out, results[0])
        first = leave(results[0]) if out is None else given_out
        return (first, leave(results[1])) if return_last else first
    shape = list(array.shape)
    others = shape[:axis] + shape[axis + 1 :]
    n = shape[axis]
    shape[axis] += bool(include_initial)
    if out is not None:
        check_shape(out, shape)
    is_direct = out is not None and library.dtype(out) == inner and fits(library, out, array)
    result = out if is_direct else library.empty(tuple(shape), inner, array)
    call = Call(library, array)
    flags = c.REVERSE * bool(reverse) | c.EXCLUSIVE * bool(exclusive) | c.INCLUDE_INITIAL * bool(include_initial)
    call.options.flags = flags
    last = None
    if return_last:
        last = library.empty(tuple(others), inner, array)
        call.options.last = call.add(last, inner)
    if initial is not None:
        call.initial(initial, inner, others)
    if 0 not in shape and (n or include_initial):
        given = call.add(array, inner)
        check(c.scan(given, axis, call.add(result, inner), op.pointer, call.options_address()))
    delivered = library.finish(out) if is_direct else deliver(library, result, inner, wanted, out)
    delivered = leave(delivered) if out is None else given_out
    if not return_last:
        return delivered
    return delivered, leave(deliver(library, last, inner, wanted, None))


def reduce(a, op, axis, dtype, out, keepdims, initial, where, reverse, threads):
    a, leave = arrays.taken(a)
    library = arrays.library_of(a)
    op = operator(op)
    given_out, out = out, None if out is None else arrays.checked_out(library, out)
    if where is not True:
        raise NotImplementedError("where= is for arrays in the CPU's memory")
    array, inner, wanted = entered(library, a, op, dtype, out)
    array, axis, shape, kept_dims = one_axis(library, array, axis)
    if op.pointer == LOG_SUM_EXP:
        refuse_from_back(reverse)
        array, _ = as_rows(library, array, axis)
        axis = array.ndim - 1
    call = Call(library, array)
    is_direct = out is not None and not keepdims and tuple(out.shape) == shape and library.dtype(out) == inner
    is_direct = is_direct and array.shape[axis] != 0 and op.pointer != LOG_SUM_EXP and fits(library, out, array)
    if array.shape[axis] == 0:
        result = _of_nothing(library, op, shape, inner, initial, array)
    else:
        result = out if is_direct else library.empty(shape, inner, array)
        if reverse:
            call.options.flags = c.REVERSE
        if initial is not None:
            call.initial(initial, inner, shape)
        if 0 not in shape:
            given = call.add(array, inner)
            check(c.reduce(given, axis, call.add(result, inner), op.pointer, call.options_address()))
    if keepdims:
        result = result.reshape(kept_dims)
    if is_direct:
        library.finish(out)
        return given_out
    if out is not None:
        check_shape(out, result.shape)
    delivered = deliver(library, result, inner, wanted, out)
    return leave(delivered) if out is None else given_out


def one_axis(library, array, axis):
    """The array with all axes of `axis`, a number, a tuple or None for all, as one; that axis, and the shapes of a result
    without those axes and with extents of 1 in their place."""
    ndim = array.ndim
    named = range(ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = [_arrays.axis_in(each, ndim) for each in named]
    if len(set(axes)) != len(axes):
        raise ValueError("duplicate value in 'axis'")
    if not axes and ndim:
        raise ValueError("axis is empty; name one axis at least")
    kept_dims = tuple(1 if d in axes else n for d, n in enumerate(array.shape))
    others = [d for d in range(ndim) if d not in axes]
    shape = tuple(array.shape[d] for d in others)
    if ndim == 0:
        array, axis = array.reshape(1), 0
    elif len(axes) == 1:
        (axis,) = axes
    else:
        count = math.prod(array.shape[d] for d in axes)
        array, axis = library.permuted(array, others + axes).reshape(shape + (count,)), len(others)
    return array, axis, shape, kept_dims


def refuse_from_back(is_asked_for):
    if is_asked_for:
        raise NotImplementedError("reverse= and include_initial= of sums of exponentials are for arrays on the CPU")


def as_rows(library, array, axis):
    """The array with the axis as its last one, without gaps, as sums of exponentials on a GPU take it; and the axes that a
    result has for the array's own."""
    axes = [d for d in range(array.ndim) if d != axis] + [axis]
    return library.packed(library.permuted(array, axes)), sorted(range(array.ndim), key=axes.__getitem__)


def _scanned_rows(library, array, op, inner, initial, exclusive, return_last):
    shape = tuple(array.shape)
    results = [library.empty(shape, inner, array)] + [library.empty(shape[:-1], inner, array)] * bool(return_last)
    call = Call(library, array)
    call.options.flags = c.EXCLUSIVE * bool(exclusive)
    if return_last:
        call.options.last = call.add(results[1], inner)
    if initial is not None:
        call.initial(initial, inner, shape[:-1])
    if 0 not in shape:
        given, taking = call.add(array, inner), call.add(results[0], inner)
        check(c.scan(given, array.ndim - 1, taking, op.pointer, call.options_address()))
    return results


def _of_nothing(library, op, shape, dtype, initial, like):
    from .._calls import identity_of

    if initial is None:
        if op.pointer in _names:
            raise ValueError(f"zero-size array to reduction operation {_names[op.pointer]} which has no identity")
        initial = identity_of(op, dtype).item()
    if np.ndim(initial):
        return library.astype(library.asarray(initial, like), dtype)
    return library.full(shape, initial, dtype, like)
