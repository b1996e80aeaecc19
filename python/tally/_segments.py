"""Reductions and scans of segments: sequences of different lengths, one after the other in an array."""

import collections

import numpy as np

from . import _arrays, _calls, _gpu
from . import _library as c
from ._operators import Call


def _entered(values, offsets, op, dtype, initial, ranks=None):
    array, leave = _arrays.enter(values, "values")
    bounds, _ = _arrays.enter(offsets, "offsets")
    if array.ndim != 1 or bounds.ndim != 1:
        raise ValueError(f"values and offsets have one axis, not {array.ndim} and {bounds.ndim}")
    if bounds.size == 0 and ranks is not None:
        bounds = bounds.astype(np.int64)
    if bounds.dtype.kind not in "iu":
        raise TypeError(f"offsets are integers, not {bounds.dtype}")
    if bounds.size == 0 and ranks is None:
        raise ValueError("offsets is empty; there is one offset more than segments")
    call = Call(op, _arrays.dtype_of(dtype) if dtype is not None else array.dtype)
    dtype = _calls.result_dtype(array.dtype, call) if dtype is None else _arrays.dtype_of(dtype)
    begin = None if initial is None else _calls.initial_values(initial, dtype, (_count(bounds),))
    return _calls.prepared(array, dtype), leave, bounds, call, dtype, begin


def _count(bounds):
    """The number of segments. A rank without any may give no offsets."""
    return max(bounds.size - 1, 0)


Part = collections.namedtuple("Part", "segments elements")
_all = Part(slice(None), slice(None))


def _pieces(bounds, size):
    """Parts of whole segments, of some _calls.LONG elements each if a segment has no more."""
    long = _calls.LONG
    if size <= long or bounds.size < 3 or bounds[0] < 0 or bounds[-1] > size or (bounds[1:] < bounds[:-1]).any():
        return [_all]
    borders = np.searchsorted(bounds, np.arange(int(bounds[0]) + long, int(bounds[-1]), long))
    ends = np.unique(np.concatenate([borders, [0, bounds.size - 1]])).tolist()
    return [Part(slice(s, t), slice(int(bounds[s]), int(bounds[t]))) for s, t in zip(ends, ends[1:])]


def _arguments(call, dtype, begin, threads, bounds, part, flags):
    """The arguments of a call on a part, and the address of its offsets."""
    arguments = _calls.Arguments(call, dtype)
    if flags:
        arguments.option(flags=flags)
    if begin is not None:
        arguments.option(initial=arguments.add(begin[part.segments] if begin.ndim else begin))
    if threads:
        arguments.option(threads=threads)
    if part is not _all:
        bounds = bounds[part.segments.start : part.segments.stop + 1] - bounds.dtype.type(part.elements.start)
    kept, address = _arrays.pointer_to(bounds)
    arguments.kept.append((bounds, kept))
    return arguments, address


def segment_reduce(values, offsets, op="plus", *, dtype=None, initial=None, reverse=False, threads=None):
    """Return the reduction of each segment, ``values[offsets[s]:offsets[s + 1]]``.

    Parameters
    ----------
    values : array_like of one axis
        The elements.
    offsets : array_like of integers
        One more than there are segments. They do not decrease. Segments may be empty.
    op : str, ufunc, `operation` or callable, default "plus"
        As for `reduce`. An empty segment's result is the initial value, or the identity.
    dtype, initial, reverse, threads
        As for `reduce`; segments are reversed on the CPU only.

    Returns
    -------
    array
        One result for each segment. It has the bits of `reduce` of the segment alone.

    Examples
    --------
    >>> import tally
    >>> tally.segment_reduce([5, 1, 7, 2], [0, 2, 2, 4], op="maximum", initial=0)
    array([5, 0, 7])
    """
    return reduced(values, offsets, op, dtype, initial, reverse, threads)


def _refuse_reverse(reverse):
    if reverse:
        raise NotImplementedError("reverse= of segments is for arrays on the CPU")


def reduced(values, offsets, op, dtype, initial, reverse, threads, ranks=None):
    """Reductions of segments: of those that begin in the parts of ranks too."""
    if _gpu.takes(values):
        _refuse_reverse(reverse)
        if ranks is not None:
            return _gpu.ranks.segments(ranks, values, offsets, op, dtype, initial, True, False)
        return _gpu.segments(values, offsets, op, dtype, initial, True, False)
    array, leave, bounds, call, dtype, begin = _entered(values, offsets, op, dtype, initial, ranks)
    result = np.empty(_count(bounds), dtype)
    for part in _pieces(bounds, array.size) if ranks is None else [_all]:
        arguments, places = _arguments(call, dtype, begin, threads, bounds, part, c.REVERSE * bool(reverse))
        given, taking = arguments.add(array[part.elements]), arguments.add(result[part.segments])
        _calls.run_call(
            "reduce_segments", ranks, call, given, places, taking, call.pointer, arguments.options_address()
        )  # fmt: skip
    return leave(result)


def segment_sum(values, offsets, *, dtype=None, initial=None):
    """Return the sum of each segment: `segment_reduce` with "plus".

    Examples
    --------
    >>> import tally
    >>> tally.segment_sum([1.0, 2.0, 4.0], [0, 1, 1, 3])
    array([1., 0., 6.])
    """
    if _arrays.is_tracked(values) and initial is None and dtype is None:
        from . import torch as differentiable

        return differentiable.segment_sum(values, offsets)
    return segment_reduce(values, offsets, "plus", dtype=dtype, initial=initial)


def segment_prod(values, offsets, *, dtype=None, initial=None):
    """Return the product of each segment: `segment_reduce` with "times".

    Examples
    --------
    >>> import tally
    >>> tally.segment_prod([2, 3, 4], [0, 1, 3])
    array([ 2, 12])
    """
    return segment_reduce(values, offsets, "times", dtype=dtype, initial=initial)


def segment_min(values, offsets, *, initial=None):
    """Return the least element of each segment: `segment_reduce` with "minimum".

    Examples
    --------
    >>> import tally
    >>> tally.segment_min([2, 3, 4], [0, 1, 3])
    array([2, 3])
    """
    return segment_reduce(values, offsets, "minimum", initial=initial)


def segment_max(values, offsets, *, initial=None):
    """Return the greatest element of each segment: `segment_reduce` with "maximum".

    Examples
    --------
    >>> import tally
    >>> tally.segment_max([2, 3, 4], [0, 1, 3])
    array([2, 4])
    """
    return segment_reduce(values, offsets, "maximum", initial=initial)


def segment_scan(values, offsets, op="plus", *, dtype=None, initial=None, reverse=False, exclusive=False, threads=None):
    """Return the running results of each segment, at the places of its elements.

    Parameters are those of `segment_reduce`, and `exclusive` as for `scan`. Elements outside all segments are returned as
    they are.

    Examples
    --------
    >>> import tally
    >>> tally.segment_scan([1, 2, 3, 4], [0, 2, 4])
    array([1, 3, 3, 7])
    """
    return scanned(values, offsets, op, dtype, initial, reverse, exclusive, threads)


def scanned(values, offsets, op, dtype, initial, reverse, exclusive, threads, ranks=None):
    """Running results of segments: of the parts of ranks too."""
    if _gpu.takes(values):
        _refuse_reverse(reverse)
        if ranks is not None:
            return _gpu.ranks.segments(ranks, values, offsets, op, dtype, initial, False, exclusive)
        return _gpu.segments(values, offsets, op, dtype, initial, False, exclusive)
    array, leave, bounds, call, dtype, begin = _entered(values, offsets, op, dtype, initial, ranks)
    result = array.astype(dtype)
    flags = c.REVERSE * bool(reverse) | c.EXCLUSIVE * bool(exclusive)
    for part in _pieces(bounds, array.size) if ranks is None else [_all]:
        arguments, places = _arguments(call, dtype, begin, threads, bounds, part, flags)
        given, taking = arguments.add(array[part.elements]), arguments.add(result[part.elements])
        _calls.run_call("scan_segments", ranks, call, given, places, taking, call.pointer, arguments.options_address())
    return leave(result)
