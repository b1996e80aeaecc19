"""Reductions along axes, with NumPy's names and arguments."""

import numpy as np

from . import _arrays, _calls

_common = """
    Parameters
    ----------
    a : array_like
        The elements.
    axis : int or tuple of ints, optional
        The axis or axes that the result lacks; all of them if None. A negative one counts from the end. Elements of
        several axes are combined in the order in which the axes are named, the last one running fastest.
    {dtype}out : array, optional
        Takes the results, and is returned. It has their shape.
    keepdims : bool, default False
        Whether the axes stay, with one element each.
    {initial}where : array_like of bool, optional
        The elements that take part.

    Returns
    -------
    array or scalar
        An array of the library that `a` is of.

    Raises
    ------
    AxisError, TypeError, ValueError
        As NumPy's function of this name. Nothing has been written to `out` then.

    Notes
    -----
    The bits do not depend on strides, on the number of threads, nor on the machine. The call releases the global lock.
"""
_dtype = """dtype : dtype, optional
        The type in which elements are combined, and that of the result. Small integers are added up in 64 bits if it is
        not given, and floats of 16 bits in 32.
    """
_initial = """initial : scalar or array, optional
        The value before the first element: one, or one for each sequence.
    """


def _documented(dtype=_dtype, initial=_initial):
    def wrap(function):
        head, _, examples = function.__doc__.partition("    Examples\n")
        function.__doc__ = head.rstrip() + "\n" + _common.format(dtype=dtype, initial=initial) + "\n    Examples\n" + examples
        return function

    return wrap


@_documented()
def sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """Return the sum of elements over axes.

    Examples
    --------
    >>> import tally
    >>> tally.sum([[1, 2], [3, 4]], axis=0)
    array([4, 6])
    >>> tally.sum([0.5, 0.25], initial=2.0)
    2.75
    """
    return _calls.reduce(a, "plus", axis, dtype, out, keepdims, initial, where, False, None)


@_documented()
def prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """Return the product of elements over axes.

    Examples
    --------
    >>> import tally
    >>> tally.prod([[1, 2], [3, 4]], axis=1)
    array([ 2, 12])
    """
    return _calls.reduce(a, "times", axis, dtype, out, keepdims, initial, where, False, None)


@_documented(dtype="")
def min(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    """Return the least element over axes. A NaN makes it NaN, and -0.0 is less than 0.0.

    Examples
    --------
    >>> import tally
    >>> tally.min([[3, 2], [1, 4]], axis=1)
    array([2, 1])
    """
    return _calls.reduce(a, "minimum", axis, None, out, keepdims, initial, where, False, None)


@_documented(dtype="")
def max(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    """Return the greatest element over axes. A NaN makes it NaN, and 0.0 is greater than -0.0.

    Examples
    --------
    >>> import tally
    >>> tally.max([[3, 2], [1, 4]], axis=0, keepdims=True)
    array([[3, 4]])
    """
    return _calls.reduce(a, "maximum", axis, None, out, keepdims, initial, where, False, None)


@_documented(dtype="", initial="")
def any(a, axis=None, out=None, keepdims=False, where=True):
    """Return whether any element is nonzero, over axes.

    Examples
    --------
    >>> import tally
    >>> tally.any([[0, 0], [0, 3]], axis=1)
    array([False,  True])
    """
    return _calls.reduce(a, "maximum", axis, bool, out, keepdims, False, where, False, None)


@_documented(dtype="", initial="")
def all(a, axis=None, out=None, keepdims=False, where=True):
    """Return whether all elements are nonzero, over axes.

    Examples
    --------
    >>> import tally
    >>> tally.all([[1, 0], [2, 3]], axis=1)
    array([False,  True])
    """
    return _calls.reduce(a, "minimum", axis, bool, out, keepdims, True, where, False, None)


@_documented(initial="")
def mean(a, axis=None, dtype=None, out=None, keepdims=False, where=True):
    """Return the mean of elements over axes: their sum, divided by their number. Integers are added up as doubles.

    Examples
    --------
    >>> import tally
    >>> tally.mean([[1, 2], [3, 5]], axis=1)
    array([1.5, 4. ])
    """
    array, leave = _arrays.enter(a)
    own = _arrays.dtype_of(dtype) if dtype is not None else array.dtype if array.dtype.kind == "f" else np.dtype(float)
    inner = np.dtype(np.float32) if own == np.float16 else own
    total = _calls.reduce(array, "plus", axis, inner, None, keepdims, None, where, False, None)
    taken = array if where is True else np.broadcast_to(where, array.shape)
    if where is True:
        axes = range(array.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        count = np.prod([array.shape[k] for k in axes] if array.ndim else [1], dtype=np.int64)
    else:
        count = np.count_nonzero(taken, axis=axis, keepdims=keepdims)
    with np.errstate(invalid="ignore", divide="ignore"):
        result = np.true_divide(total, count).astype(own)
    if out is not None:
        np.copyto(_arrays.entered_out(out, np.shape(result)), result, casting="same_kind")
        return out
    return leave(np.asarray(result)) if leave is not _arrays._as_is else result


def argmin(a, axis=None, out=None, keepdims=False):
    """Return where the first least element stands along an axis. It is NumPy's function, for completeness.

    Examples
    --------
    >>> import tally
    >>> int(tally.argmin([3, 1, 2]))
    1
    """
    array, leave = _arrays.enter(a)
    result = np.argmin(array, axis=axis, out=out, keepdims=keepdims)
    return leave(np.asarray(result)) if leave is not _arrays._as_is else result


def argmax(a, axis=None, out=None, keepdims=False):
    """Return where the first greatest element stands along an axis. It is NumPy's function, for completeness.

    Examples
    --------
    >>> import tally
    >>> int(tally.argmax([3, 1, 2]))
    0
    """
    array, leave = _arrays.enter(a)
    result = np.argmax(array, axis=axis, out=out, keepdims=keepdims)
    return leave(np.asarray(result)) if leave is not _arrays._as_is else result


def reduce(a, op="plus", axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True, reverse=False,
           threads=None):  # fmt: skip
    """Return the elements over axes combined by any associative operator.

    Parameters
    ----------
    a, axis, dtype, out, keepdims, initial, where
        As for `sum`.
    op : str, ufunc, `operation` or callable, default "plus"
        "plus", "times", "minimum", "maximum", "bit_and", "bit_or", "bit_xor", NumPy's names for them, or an operator of
        the caller's. It need not be commutative.
    reverse : bool, default False
        Whether to go from the last element to the first.
    threads : int, optional
        At most so many threads. No bit depends on it.

    Returns
    -------
    array or scalar

    Examples
    --------
    >>> import tally
    >>> tally.reduce([6, 3, 5], op="bit_and")
    0
    >>> tally.reduce([1.0, 2.0, 3.0], op=lambda x, y: y)
    3.0
    """
    return _calls.reduce(a, op, axis, dtype, out, keepdims, initial, where, reverse, threads)
