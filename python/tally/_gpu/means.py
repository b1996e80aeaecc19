"""Means, variances and places of extremes of arrays on a GPU, by reductions and the arithmetic of their
library."""

import math

import numpy as np

from .. import _arrays
from . import arrays
from .along import reduce
from .call import check_shape


def mean(a, axis, dtype, out, keepdims, where):
    a, leave = arrays.taken(a)
    library = arrays.library_of(a)
    own, inner = _dtypes_of_mean(library, a, dtype)
    total = reduce(a, "plus", axis, inner, None, keepdims, None, where, False, None)
    return _finished(library, divided(library, total, _count(a, axis)), own, out, leave)


def variance(a, axis, dtype, out, ddof, keepdims, where, takes_root):
    a, leave = arrays.taken(a)
    library = arrays.library_of(a)
    own, inner = _dtypes_of_mean(library, a, dtype)
    count = _count(a, axis)
    array = library.astype(library.enter(a), inner)
    total = reduce(array, "plus", axis, None, None, True, None, where, False, None)
    deviations = array - divided(library, total, count)
    squares = reduce(deviations * deviations, "plus", axis, None, None, keepdims, None, where, False, None)
    result = divided(library, squares, max(count - ddof, 0))
    return _finished(library, library.sqrt(result) if takes_root else result, own, out, leave)


def divided(library, array, number):
    """Quotients, rounded once: PyTorch multiplies by the reciprocal of a number that is not on the GPU."""
    return array / library.full((), number, library.dtype(array), array)


def place_of_extreme(name, a, axis, out, keepdims):
    """argmin and argmax: the extremes, and the first places where they stand."""
    a, leave = arrays.taken(a)
    library = arrays.library_of(a)
    array = library.enter(a)
    kept_dims = (1,) * array.ndim
    if axis is None or array.ndim == 0:
        if axis is not None:
            _arrays.axis_in(axis, array.ndim)
        array, axis = array.reshape(-1), 0
    else:
        axis = _arrays.axis_in(axis, array.ndim)
        kept_dims = tuple(1 if d == axis else n for d, n in enumerate(array.shape))
    n = array.shape[axis]
    if n == 0:
        raise ValueError(f"attempt to get {name} of an empty sequence")
    op = "minimum" if name == "argmin" else "maximum"
    extremes = reduce(array, op, axis, None, None, True, None, True, False, None)
    here = (array == extremes) | ((array != array) & (extremes != extremes))  # a NaN is the extreme
    places = library.arange(n, array).reshape([n if d == axis else 1 for d in range(array.ndim)])
    first = reduce(library.where(here, places, n), "minimum", axis, None, None, False, None, True, False, None)
    return _finished(library, first.reshape(kept_dims) if keepdims else first, library.dtype(first), out, leave)


def _dtypes_of_mean(library, a, dtype):
    """The type of a mean, and that in which it is computed: of 32 bits at least."""
    own = _arrays.dtype_of(dtype) if dtype is not None else library.dtype(a)
    if own.kind in "biu":
        own = np.dtype(np.float64)
    two_bytes = own == np.float16 or _arrays.is_bfloat16(own)
    return own, np.dtype(np.float32) if two_bytes else own


def _count(a, axis):
    axes = range(a.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return math.prod(a.shape[_arrays.axis_in(each, a.ndim)] for each in axes) if a.ndim else 1


def _finished(library, result, own, out, leave):
    result = library.astype(result, own)
    if out is None:
        return leave(result)
    target = arrays.checked_out(library, out)
    check_shape(target, result.shape)
    library.copy(target, result)
    return out
