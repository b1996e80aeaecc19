"""Running results along an axis, with NumPy's names and arguments."""

from . import _arrays, _calls

_common = """
    Parameters
    ----------
    a : array_like
        The elements.
    axis : int, optional
        The axis along which they are combined; the flattened array's if None.
    {dtype}out : array, optional
        Takes the results, and is returned. It may be `a`.

    Returns
    -------
    array
        One result for each element, in an array of the library that `a` is of.

    Raises
    ------
    AxisError, TypeError, ValueError
        As NumPy's function of this name. Nothing has been written to `out` then.

    Notes
    -----
    Each sequence has the bits of a call on it alone, whatever the strides, the threads and the machine. The last result
    has the bits of the reduction. The call releases the global lock.
"""
_dtype = """dtype : dtype, optional
        The type in which elements are combined, and that of the results. Small integers are added up in 64 bits if it is
        not given, and floats of 16 bits in 32.
    """


def _documented(dtype=_dtype):
    def wrap(function):
        head, _, examples = function.__doc__.partition("    Examples\n")
        function.__doc__ = head.rstrip() + "\n" + _common.format(dtype=dtype) + "\n    Examples\n" + examples
        return function

    return wrap


@_documented()
def cumsum(a, axis=None, dtype=None, out=None):
    """Return the running sums of elements along an axis.

    Examples
    --------
    >>> import tally
    >>> tally.cumsum([[1, 2], [3, 4]], axis=0)
    array([[1, 2],
           [4, 6]])
    """
    if dtype is None and out is None:
        result = _calls.running(a, _calls.PLUS, axis)
        if result is not None:
            return result
    if _arrays.is_tracked(a):
        return _arrays.with_gradients("cumsum", a, axis, dtype, out)
    return _calls.scan(a, "plus", axis, dtype, out, None, False, False, False, False, None)


@_documented()
def cumprod(a, axis=None, dtype=None, out=None):
    """Return the running products of elements along an axis.

    Examples
    --------
    >>> import tally
    >>> tally.cumprod([1, 2, 3, 4])
    array([ 1,  2,  6, 24])
    """
    if dtype is None and out is None:
        result = _calls.running(a, _calls.TIMES, axis)
        if result is not None:
            return result
    if _arrays.is_tracked(a):
        return _arrays.with_gradients("cumprod", a, axis, dtype, out)
    return _calls.scan(a, "times", axis, dtype, out, None, False, False, False, False, None)


@_documented(dtype="")
def cummax(a, axis=None, out=None):
    """Return the greatest element so far along an axis: NumPy's `maximum.accumulate`.

    Examples
    --------
    >>> import tally
    >>> tally.cummax([3, 1, 4, 1])
    array([3, 3, 4, 4])
    """
    return _calls.scan(a, "maximum", axis, None, out, None, False, False, False, False, None)


@_documented(dtype="")
def cummin(a, axis=None, out=None):
    """Return the least element so far along an axis: NumPy's `minimum.accumulate`.

    Examples
    --------
    >>> import tally
    >>> tally.cummin([3, 1, 4, 1])
    array([3, 1, 1, 1])
    """
    return _calls.scan(a, "minimum", axis, None, out, None, False, False, False, False, None)


@_documented()
def logcumsumexp(a, axis=None, dtype=None, out=None):
    """Return log(cumsum(exp(a))) along an axis, without overflow: NumPy's `logaddexp.accumulate`.

    Examples
    --------
    >>> import tally
    >>> tally.logcumsumexp([1000.0, 1000.0, -1000.0])
    array([1000.        , 1000.69314718, 1000.69314718])
    """
    if _arrays.is_tracked(a):
        return _arrays.with_gradients("logcumsumexp", a, axis, dtype, out)
    return _calls.scan(a, "log_sum_exp", axis, dtype, out, None, False, False, False, False, None)


def _standard(x, op, axis, dtype, include_initial):
    if axis is None:
        if _arrays.enter(x)[0].ndim > 1:
            raise ValueError("axis is required for an array of several axes")
        axis = 0
    return _calls.scan(x, op, axis, dtype, None, None, False, False, include_initial, False, None)


def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    """Return the running sums along an axis, as the array API standard has them.

    Parameters
    ----------
    x : array_like
        The elements.
    axis : int, optional
        The axis; it may be left out if there is only one.
    dtype : dtype, optional
        The type of the results, as for `cumsum`.
    include_initial : bool, default False
        Whether the first result is 0, and n elements have n + 1 results.

    Returns
    -------
    array

    Examples
    --------
    >>> import tally
    >>> tally.cumulative_sum([1, 2, 3], include_initial=True)
    array([0, 1, 3, 6])
    """
    return _standard(x, "plus", axis, dtype, include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    """Return the running products along an axis, as the array API standard has them.

    Parameters are those of `cumulative_sum`; the initial value is 1.

    Examples
    --------
    >>> import tally
    >>> tally.cumulative_prod([2, 3], include_initial=True)
    array([1, 2, 6])
    """
    return _standard(x, "times", axis, dtype, include_initial)


def scan(a, op="plus", axis=-1, dtype=None, out=None, *, initial=None, reverse=False, exclusive=False,
         include_initial=False, return_last=False, threads=None):  # fmt: skip
    """Return the running results of any associative operator along an axis.

    Parameters
    ----------
    a, dtype, out
        As for `cumsum`.
    op : str, ufunc, `operation` or callable, default "plus"
        As for `reduce`.
    axis : int, default -1
        The axis; None is the flattened array's.
    initial : scalar or array, optional
        The value before the first element: one, or one for each sequence.
    reverse : bool, default False
        Whether to go from the last element to the first.
    exclusive : bool, default False
        Whether a result is of the elements before its own. The first one is the initial value or the identity.
    include_initial : bool, default False
        Whether n elements have n + 1 results, the first of which is the initial value or the identity.
    return_last : bool, default False
        Whether to return the result of each sequence's last element too, from which another call can go on.
    threads : int, optional
        At most so many threads. No bit depends on it.

    Returns
    -------
    array, or a tuple of two arrays with `return_last`

    Examples
    --------
    >>> import tally
    >>> tally.scan([1, 2, 3], exclusive=True)
    array([0, 1, 3])
    >>> running, last = tally.scan([[1, 2], [3, 4]], return_last=True)
    >>> tally.scan([[5], [6]], initial=last)
    array([[ 8],
           [13]])
    """
    return _calls.scan(a, op, axis, dtype, out, initial, reverse, exclusive, include_initial, return_last, threads)
