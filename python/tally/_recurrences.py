"""Linear recurrences along an axis."""

import numpy as np

from . import _arrays, _calls, _gpu
from . import _library as c
from ._operators import Call


def linear_recurrence(a, b, axis=-1, *, initial=None, reverse=False, return_last=False, dtype=None, threads=None):
    """Return the states of ``y[k] = a[k] * y[k - 1] + b[k]`` along an axis.

    Parameters
    ----------
    a : scalar or array_like
        The factors: one, or an array that broadcasts to the shape of `b`.
    b : array_like
        The terms.
    axis : int, default -1
        The axis of the steps.
    initial : scalar or array, optional
        The state before the first step: one, or one for each sequence. 0 if not given.
    reverse : bool, default False
        Whether to go backward: ``y[k] = a[k] * y[k + 1] + b[k]``.
    return_last : bool, default False
        Whether to return each sequence's last state too, from which another call can go on.
    dtype : dtype, optional
        The type of the states: that of `b` and `a` if not given, and 32 bits for floats of 16.
    threads : int, optional
        At most so many threads. No bit depends on it.

    Returns
    -------
    array, or a tuple of two arrays with `return_last`

    Notes
    -----
    The maps of the steps are scanned, so that one long recurrence is quicker than a loop, and goes by several threads. The
    bits are those of the C++ library everywhere. Floats differ from a loop's by rounding; integers do not.

    Examples
    --------
    >>> import tally
    >>> tally.linear_recurrence(0.5, [8.0, 0.0, 0.0, 4.0])
    array([8., 4., 2., 5.])
    """
    if any(map(_arrays.is_tracked, (a, b, initial))) and not return_last:
        from . import torch as differentiable

        return differentiable.linear_recurrence(a, b, axis, initial=initial, reverse=reverse)
    return recur(a, b, axis, initial, reverse, return_last, dtype, threads)


def recur(a, b, axis, initial, reverse, return_last, dtype, threads, ranks=None):
    """A recurrence: of the parts of ranks too."""
    if _gpu.takes(b):
        return _gpu.linear_recurrence(a, b, axis, initial, reverse, return_last, dtype, ranks)
    terms, leave = _arrays.enter(b, "b")
    factors, _ = _arrays.enter(a, "a")
    if dtype is None:
        dtype = terms.dtype if factors.ndim == 0 and terms.dtype.kind == "f" else np.result_type(terms, factors)
        if dtype.kind == "b":
            dtype = np.dtype(np.int64)
        if dtype == np.float16 or _arrays.is_bfloat16(dtype):
            dtype = np.dtype(np.float32)
    else:
        dtype = _arrays.dtype_of(dtype)
    terms, factors = _calls.prepared(terms, dtype), _calls.prepared(factors, dtype)
    if terms.ndim == 0:
        terms = terms.reshape(1)
    axis = _arrays.axis_in(axis, terms.ndim)
    if factors.ndim:
        try:
            factors = np.broadcast_to(factors, terms.shape)
        except ValueError:
            raise ValueError(f"a has shape {factors.shape}, which does not broadcast to that of b, {terms.shape}") from None
    call = Call("plus", dtype)
    others = terms.shape[:axis] + terms.shape[axis + 1 :]
    result = np.empty(terms.shape, dtype)
    begin = None if initial is None else _calls.initial_values(initial, dtype, others)
    last = np.empty(others, dtype) if return_last else None
    for piece, across in _calls.pieces(terms, axis) if ranks is None else [(..., ...)]:
        arguments = _calls.Arguments(call, dtype)
        if reverse:
            arguments.option(flags=c.REVERSE)
        if begin is not None:
            arguments.option(initial=arguments.add(begin[across] if begin.ndim else begin))
        if return_last:
            arguments.option(last=arguments.add(last[across]))
        if threads:
            arguments.option(threads=threads)
        given = arguments.add(factors[piece] if factors.ndim else factors), arguments.add(terms[piece])
        taking = arguments.add(result[piece])
        _calls.run_call("linear_recurrence", ranks, call, *given, axis, taking, arguments.options_address())
    if not return_last:
        return leave(result)
    return leave(result), leave(last) if last.ndim or leave is not _arrays._as_is else last[()]
