"""Linear recurrences of arrays on a GPU."""

import numpy as np

from .. import _arrays
from .. import _library as c
from . import arrays
from .call import Call, deliver


def linear_recurrence(a, b, axis, initial, reverse, return_last, dtype, ranks=None):
    """A recurrence: of the parts of ranks too."""
    b, leave = arrays.taken(b)
    if arrays.library_of(a) is None and arrays.is_foreign(a):
        a, _ = arrays.taken(a)
    library = arrays.library_of(b)
    terms = library.enter(b)
    own = library.dtype(terms)
    wanted = _arrays.dtype_of(dtype) if dtype is not None else own
    two_bytes = wanted == np.float16 or _arrays.is_bfloat16(wanted)
    inner = np.dtype(np.float32) if two_bytes else wanted
    if inner not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise TypeError(f"recurrences on a GPU have states of floats, not of {inner}")
    if dtype is None:
        wanted = inner
    if own != inner:
        terms = library.astype(terms, inner)
    axis = _arrays.axis_in(axis, terms.ndim)
    call = Call(library, terms)
    if arrays.library_of(a) is library:
        factors = library.enter(a)
    elif np.ndim(a) == 0:  # filled by a kernel: a copy from the host waits, and cannot be captured
        factors = library.full((), np.asarray(a).item(), inner, terms)
    else:
        factors = library.enter(library.asarray(a, terms))
    if library.dtype(factors) != inner:
        factors = library.astype(factors, inner)
    if tuple(factors.shape) != tuple(terms.shape):
        factors = _broadcast(library, factors, terms)
    others = tuple(terms.shape[:axis]) + tuple(terms.shape[axis + 1 :])
    result = library.empty(tuple(terms.shape), inner, terms)
    if reverse:
        call.options.flags = c.REVERSE
    if initial is not None:
        call.initial(initial, inner, others)
    last = None
    if return_last:
        last = library.empty(others, inner, terms)
        call.options.last = call.add(last, inner)
    if ranks is not None or 0 not in terms.shape:
        given = call.add(terms, inner)
        a_given, taking = call.add(factors, inner), call.add(result, inner)
        call.run(ranks, "linear_recurrence", a_given, given, axis, taking)
    result = leave(deliver(library, result, inner, wanted, None))
    return (result, leave(deliver(library, last, inner, wanted, None))) if return_last else result


def _broadcast(library, factors, terms):
    shape = tuple(terms.shape)
    try:
        return library.broadcast(factors, shape)
    except (RuntimeError, ValueError):
        own = tuple(factors.shape)
        raise ValueError(f"a has shape {own}, which does not broadcast to that of b, {shape}") from None
