"""Calls on ranks whose parts lie in the memory of GPUs: rows without gaps, of floats of 32 and 64 bits or integers of 64."""

from .. import _arrays
from .. import _library as c
from .._operators import EXACT_PLUS
from . import arrays
from .along import as_rows, one_axis
from .call import Call, as_segments_are, check_shape, deliver, entered, fits, operator, refuse_graphs


def _entered(a, op, dtype, out, initial):
    """The array as ranks combine its elements, their type, that of the results, and the initial value."""
    a, leave = arrays.taken(a)
    library = arrays.library_of(a)
    op = operator(op)
    out = None if out is None else arrays.checked_out(library, out)
    array, inner, wanted = entered(library, a, op, dtype, out)
    refuse_graphs(library, array)
    if op.pointer == EXACT_PLUS and inner != wanted:
        raise NotImplementedError(f"exact sums of {wanted} are for arrays in the CPU's memory; a GPU has those of wider floats")
    array, inner, initial = as_segments_are(library, array, inner, wanted, op, initial)
    return library, leave, op, array, inner, wanted, initial, out


def _run(ranks, name, call, *arguments):
    library, array = call.library, call.like
    device = library.layout(array)[3] if library.device_type == c.CUDA else None
    ranks.run_on_gpu(name, device, *arguments, call.options_address())


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
    _run(ranks, "reduce", call, given, array.ndim - 1, taking, op.pointer)
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
    _run(ranks, "scan", call, call.add(array, inner), array.ndim - 1, call.add(result, inner), op.pointer)
    if is_direct:
        library.finish(out)
        first = given_out
    else:
        first = deliver(library, library.permuted(result, back), inner, outer, out)
        first = leave(first) if out is None else given_out
    if not return_last:
        return first
    return first, leave(deliver(library, last, inner, outer, None))
