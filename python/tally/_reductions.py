"""Reductions along axes, with NumPy's names and arguments."""

import warnings

import numpy as np

from . import _arrays, _calls, _gpu

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
    if axis is None and dtype is None and out is None and not keepdims and initial is None and where is True:
        result = _calls.total(a, _calls.PLUS)
        if result is not None:
            return result
    return _calls.reduce(a, "plus", axis, dtype, out, keepdims, initial, where, False, None)


@_documented()
def fsum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """Return the exact sum of floats over axes, rounded once: the same for every order of the elements.

    It is `math.fsum` along axes, with `reduce` and "exact_plus". Integers are converted to doubles before. `exact_sum` is a
    sum that goes on.

    Examples
    --------
    >>> import tally
    >>> tally.fsum([0.1] * 10)
    1.0
    >>> tally.fsum([[1e100, 1.0, -1e100], [1.0, 2.0, 3.0]], axis=1)
    array([1., 6.])
    """
    return _calls.reduce(a, "exact_plus", axis, dtype, out, keepdims, initial, where, False, None)


@_documented()
def logsumexp(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """Return log(sum(exp(a))) over axes, without overflow. Of nothing it is -inf.

    Examples
    --------
    >>> import tally
    >>> tally.logsumexp([1000.0, 1000.0])
    1000.6931471805599
    """
    return _calls.reduce(a, "log_sum_exp", axis, dtype, out, keepdims, initial, where, False, None)


@_documented()
def prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """Return the product of elements over axes.

    Examples
    --------
    >>> import tally
    >>> tally.prod([[1, 2], [3, 4]], axis=1)
    array([ 2, 12])
    """
    if axis is None and dtype is None and out is None and not keepdims and initial is None and where is True:
        result = _calls.total(a, _calls.TIMES)
        if result is not None:
            return result
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
    if _gpu.takes(a):
        return _gpu.mean(a, axis, dtype, out, keepdims, where)
    array, leave = _arrays.enter(a)
    own = _dtype_of_mean(array, dtype)
    total, count = _total(array, own, axis, keepdims, where)
    _warn_if(count == 0, "Mean of empty slice")
    with np.errstate(invalid="ignore", divide="ignore"):
        result = np.true_divide(total, count).astype(own)
    return _delivered(result, out, leave)


def _dtype_of_mean(array, dtype):
    if dtype is not None:
        return _arrays.dtype_of(dtype)
    return array.dtype if array.dtype.kind in "fc" else np.dtype(float)


def _total(array, dtype, axis, keepdims, where):
    """The sum of elements, in floats of 32 bits at least, and their number."""
    inner = np.dtype(np.float32) if dtype == np.float16 else dtype
    total = _calls.reduce(array, "plus", axis, inner, None, keepdims, None, where, False, None)
    if where is True:
        axes = range(array.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        return total, np.prod([array.shape[k] for k in axes] if array.ndim else [1], dtype=np.int64)
    return total, np.count_nonzero(np.broadcast_to(where, array.shape), axis=axis, keepdims=keepdims)


def _warn_if(condition, text):
    if np.count_nonzero(condition):
        warnings.warn(text, RuntimeWarning, stacklevel=4)


def _delivered(result, out, leave):
    if out is not None:
        np.copyto(_arrays.entered_out(out, np.shape(result)), result, casting="same_kind")
        return out
    return leave(np.asarray(result)) if leave is not _arrays._as_is else result


def _lost_degrees(ddof, correction):
    if correction is None:
        return ddof
    if ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return correction


def _variance(a, axis, dtype, out, ddof, keepdims, where, finish):
    if _gpu.takes(a):
        return _gpu.variance(a, axis, dtype, out, ddof, keepdims, where, finish is np.sqrt)
    array, leave = _arrays.enter(a)
    own = _dtype_of_mean(array, dtype)
    total, count = _total(array, own, axis, True, where)
    with np.errstate(invalid="ignore", divide="ignore"):
        _warn_if(count - ddof <= 0, "Degrees of freedom <= 0 for slice")
        # In the sums' type: the quotient by an integer is a double in some versions of NumPy.
        deviations = np.asarray(np.subtract(array, np.true_divide(total, count).astype(total.dtype), dtype=total.dtype))
        squares = (deviations * deviations.conj()).real if deviations.dtype.kind == "c" else np.square(deviations, out=deviations)
        real = np.zeros((), own).real.dtype
        total, count = _total(squares, np.promote_types(real, np.float32), axis, keepdims, where)
        result = finish(np.true_divide(total, np.maximum(count - ddof, 0)).astype(total.dtype)).astype(real)
    return _delivered(result, out, leave)


@_documented(initial="""ddof : int, default 0
        The sum of squares is divided by n - ddof.
    correction : int or float, optional
        The array API standard's name of `ddof`.
    """)
def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True, *, correction=None):
    """Return the variance of elements over axes: the mean of the squared deviations from their mean.

    Examples
    --------
    >>> import tally
    >>> tally.var([1.0, 2.0, 3.0, 4.0])
    1.25
    >>> tally.var([[1.0, 2.0], [3.0, 7.0]], axis=1, ddof=1)
    array([0.5, 8. ])
    """
    return _variance(a, axis, dtype, out, _lost_degrees(ddof, correction), keepdims, where, lambda variance: variance)


@_documented(initial="""ddof : int, default 0
        The sum of squares is divided by n - ddof.
    correction : int or float, optional
        The array API standard's name of `ddof`.
    """)
def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True, *, correction=None):
    """Return the standard deviation of elements over axes: the square root of `var`.

    Examples
    --------
    >>> import tally
    >>> tally.std([1.0, 3.0])
    1.0
    """
    return _variance(a, axis, dtype, out, _lost_degrees(ddof, correction), keepdims, where, np.sqrt)


# Elements from which on `_place_of_extreme` gains: 2 to 4 times on 2^24, and it would lose four times on 2^15.
_many = 1 << 20


def _place_of_extreme(name, a, axis, out, keepdims):
    """argmin and argmax. NumPy's goes at the speed of memory where elements along the axis are side by side, and elsewhere
    turns the array round first: there it takes the extremes, and the first places where they stand."""
    if _gpu.takes(a):
        return _gpu.place_of_extreme(name, a, axis, out, keepdims)
    array, leave = _arrays.enter(a)
    apart = array.ndim > 1 and axis is not None and array.dtype.kind in "biuf" and array.size >= _many
    if apart:
        axis = _arrays.axis_in(axis, array.ndim)
        apart = array.strides[axis] != array.itemsize
    if not apart:
        result = getattr(np, name)(array, axis=axis, out=out, keepdims=keepdims)
        return leave(np.asarray(result)) if leave is not _arrays._as_is else result
    op = "minimum" if name == "argmin" else "maximum"
    extremes = _calls.reduce(array, op, axis, None, None, True, None, True, False, None)
    here = array == extremes
    if array.dtype.kind == "f":
        unordered = np.isnan(extremes)
        if unordered.any():
            here |= unordered & np.isnan(array)
    n = array.shape[axis]
    places = np.arange(n, dtype=np.int32 if n < 2**31 else np.int64).reshape([n if d == axis else 1 for d in range(array.ndim)])
    first = _calls.reduce(np.where(here, places, places.dtype.type(n - 1)), "minimum", axis, None, None, keepdims, None, True, False, None)
    return _delivered(first.astype(np.intp), out, leave)


def argmin(a, axis=None, out=None, keepdims=False):
    """Return where the first least element stands along an axis, or in the flattened array. A NaN counts as least.

    Examples
    --------
    >>> import tally
    >>> int(tally.argmin([3, 1, 2]))
    1
    >>> tally.argmin([[3, 1], [2, 5]], axis=0)
    array([1, 0])
    """
    return _place_of_extreme("argmin", a, axis, out, keepdims)


def argmax(a, axis=None, out=None, keepdims=False):
    """Return where the first greatest element stands along an axis, or in the flattened array. A NaN counts as greatest.

    Examples
    --------
    >>> import tally
    >>> int(tally.argmax([3, 1, 2]))
    0
    >>> tally.argmax([[3, 1], [2, 5]], axis=0)
    array([0, 1])
    """
    return _place_of_extreme("argmax", a, axis, out, keepdims)


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
