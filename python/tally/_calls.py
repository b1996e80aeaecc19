"""The two calls that every function of the package is made of: a reduction and a scan along an axis."""

import ctypes

import numpy as np

from . import _arrays, _gpu
from . import _library as c
from ._operators import Call, EXACT_PLUS, LOG_SUM_EXP, MAXIMUM, MINIMUM, PLUS, TIMES, BIT_AND, BIT_OR, BIT_XOR, type_for

_sums = {PLUS, TIMES}
_of_floats = {EXACT_PLUS, LOG_SUM_EXP}
_names = {MINIMUM: "minimum", MAXIMUM: "maximum"}


def result_dtype(dtype, call):
    """NumPy's dtype of sums and products, in which small integers and bools do not overflow; else that of the elements."""
    if not call.own and call.pointer in _sums and dtype.kind in "biu" and dtype.itemsize < 8:
        return np.dtype(np.uint64 if dtype.kind == "u" else np.int64)
    if not call.own and call.pointer in _of_floats and dtype.kind in "biu":
        return np.dtype(np.float64)
    return dtype


def identity_of(call, dtype):
    """The operator's identity, as an array without axes. None: it has none that Python knows."""
    if call.own:
        given = call.kept[0].identity
        return None if given is None else np.array(given, dtype)
    kind = dtype.kind
    if call.pointer == LOG_SUM_EXP:
        return np.array(-np.inf, dtype)
    if call.pointer in (PLUS, EXACT_PLUS, BIT_OR, BIT_XOR):
        return np.zeros((), dtype)
    if call.pointer == TIMES:
        return np.ones((), dtype)
    if call.pointer == BIT_AND:
        return np.array(True) if kind == "b" else ~np.zeros((), dtype)
    is_least = call.pointer == MAXIMUM
    if kind == "b":
        return np.array(not is_least)
    if kind == "f":
        return np.array(-np.inf if is_least else np.inf, dtype)
    if kind not in "iu":
        return None
    limits = np.iinfo(dtype)
    return np.array(limits.min if is_least else limits.max, dtype)


def dtype_of_output(out, dtype):
    """The dtype of an output, in which elements of `dtype` are combined then."""
    own = _arrays.entered_out(out, np.shape(out)).dtype.newbyteorder("=")
    if not np.can_cast(dtype, own, casting="same_kind"):
        raise TypeError(f"cannot cast from dtype {dtype} to that of out, {own}, by the rule 'same_kind'")
    return own


def prepared(array, dtype):
    """The array in a type that the C library converts to `dtype`."""
    kind, to = array.dtype.kind, dtype.kind
    if kind == "f" and to in "biu" or kind == "c" and to != "c" or to == "b" and kind != "b":
        return array.astype(dtype)
    return array


# A call on more elements than this, some tenths of a second, is made in pieces of whole sequences. Between them Python
# handles signals, so that Ctrl-C ends the call. A sequence is cut if the operator is exactly associative: each piece begins
# with what the one before it ends with. The pieces of a sum of floats would have other bits.
LONG = 1 << 27


def pieces(array, axis):
    """Parts of the array of about LONG elements that have whole sequences along `axis`, as slices of one other axis: pairs
    (index into the array, index into an array without `axis`)."""
    across = [d for d in range(array.ndim) if d != axis]
    if array.size <= LONG or not across:
        return [(..., ...)]
    cut = max(across, key=array.shape.__getitem__)
    step = max(1, array.shape[cut] * LONG // array.size)
    slices = [slice(k, k + step) for k in range(0, array.shape[cut], step)]
    whole = slice(None)
    return [((whole,) * cut + (each,), (whole,) * (cut - (cut > axis)) + (each,)) for each in slices]


def is_exact(call, dtype):
    """Whether every bracketing of the operator gives the same bits."""
    if call.own or call.pointer in _of_floats:
        return False
    return dtype.kind in "biu" or (dtype.kind == "f" and call.pointer in _names)


def stretches(size, reverse):
    """Parts of one long sequence, in the order in which they are combined."""
    parts = [slice(k, k + LONG) for k in range(0, size, LONG)]
    return parts[::-1] if reverse else parts


class Arguments:
    """Structs for the C library, and what they point to."""

    __slots__ = ("call", "dtype", "kept", "options")

    def __init__(self, call, dtype):
        self.call = call
        self.dtype = dtype
        self.kept = []
        self.options = None

    def add(self, array):
        """The address of a tally_array."""
        if self.call.own:
            if array.dtype != self.dtype:
                array = array.astype(self.dtype)
            kept, address = _arrays.described(array, type_for(self.call, self.dtype))
        else:
            kept, address = _arrays.pointer_to(array)
        self.kept.append((array, kept))
        return address

    def add_nothing(self, array):
        """The address of a tally_array without memory, of the shape and type of an array."""
        struct, address = _arrays.described(array, type_for(self.call, self.dtype))
        struct.data = None
        self.kept.append(struct)
        return address

    def option(self, **values):
        if self.options is None:
            self.options = c.Options(size=ctypes.sizeof(c.Options))
        for name, value in values.items():
            setattr(self.options, name, value)

    def options_address(self):
        return None if self.options is None else ctypes.addressof(self.options)


def run_call(name, ranks, call, *arguments):
    """Runs a function of the C library, or that of ranks, and raises what it or the operator reports."""
    if ranks is None:
        call.check(getattr(c, name)(*arguments))
    else:
        ranks.run(name, call, *arguments)


def initial_values(initial, dtype, shape):
    """`initial` as an array: one value, or one for each sequence."""
    values = np.asarray(initial, dtype) if not isinstance(initial, np.ndarray) else initial.astype(dtype, copy=False)
    if values.ndim and values.shape != shape:
        try:
            values = np.broadcast_to(values, shape)
        except ValueError:
            raise ValueError(f"initial has shape {values.shape}; it is one value, or has shape {shape}") from None
    return _arrays.plain(values)


def one_axis(array, axis):
    """The array with all axes of `axis`, a number, a tuple or None for all, as its last one; and the shapes of a result
    without those axes and with extents of 1 in their place."""
    if axis is None:
        return array.reshape(-1), (), (1,) * array.ndim
    if isinstance(axis, tuple):
        axes = [_arrays.axis_in(each, array.ndim) for each in axis]
        if len(set(axes)) != len(axes):
            raise ValueError("duplicate value in 'axis'")
        if not axes:  # each element is a sequence
            return array[..., np.newaxis], array.shape, array.shape
    else:
        axes = [_arrays.axis_in(axis, array.ndim)]
    if array.ndim == 0:
        return array.reshape(1), (), ()
    kept_dims = tuple(1 if d in axes else n for d, n in enumerate(array.shape))
    others = [d for d in range(array.ndim) if d not in axes]
    if len(axes) > 1:
        shape = tuple(array.shape[d] for d in others)
        count = int(np.prod([array.shape[d] for d in axes], dtype=np.int64))
        return array.transpose(others + axes).reshape(shape + (count,)), shape, kept_dims
    return np.moveaxis(array, axes[0], -1), tuple(array.shape[d] for d in others), kept_dims


# The types whose sums and products are of the same type. A call on an array of them without options takes a short way: the
# general one takes two microseconds, more than the work on few elements.
_direct = frozenset(np.dtype(each) for each in (np.int64, np.uint64, np.float32, np.float64))


# Names of this module, which are found quicker than those of another one.
_ndarray, _empty, _pointer_of, _reduce, _scan = np.ndarray, np.empty, c.pointer_of, c.reduce, c.scan


def running(a, number, axis):
    """The running results of an operator of the library, without options; None if it is a call for `scan`."""
    if type(a) is not _ndarray or a.dtype not in _direct:
        return None
    if a.ndim != 1:
        if axis is None or a.ndim == 0 or a.size > LONG:
            return None
        axis = _arrays.axis_in(axis, a.ndim)
    elif (axis is None or axis == 0) and a.size <= LONG:
        axis = 0
    else:
        return None
    try:
        result = _empty(a.shape, a.dtype)
        kept, kept_result = a.__dlpack__(), result.__dlpack__()
    except (BufferError, TypeError, RuntimeError, ValueError):  # a read-only array
        return None
    status = _scan(_pointer_of(kept, b"dltensor"), axis, _pointer_of(kept_result, b"dltensor"), number, None)
    return result if not status else _failed(a, status)


def total(a, number):
    """The reduction of an array of one axis by an operator of the library; None if it is a call for `reduce`."""
    if type(a) is not _ndarray or a.ndim != 1 or a.dtype not in _direct or a.size > LONG:
        return None
    try:
        result = _empty((), a.dtype)
        kept, kept_result = a.__dlpack__(), result.__dlpack__()
    except (BufferError, TypeError, RuntimeError, ValueError):
        return None
    status = _reduce(_pointer_of(kept, b"dltensor"), 0, _pointer_of(kept_result, b"dltensor"), number, None)
    return result[()] if not status else _failed(a, status)


def _failed(a, status):
    """None for elements that are not aligned, which the general way copies; else an exception."""
    if a.flags.aligned:
        c.fail(status)


def reduce(a, op, axis, dtype, out, keepdims, initial, where, reverse, threads, ranks=None, wanted=True):
    """A reduction: of the parts of ranks too, of which those that do not want the result get None."""
    if _gpu.takes(a):
        if ranks is not None:
            return _gpu.ranks.reduce(ranks, a, op, axis, dtype, out, keepdims, initial, where, wanted)
        return _gpu.reduce(a, op, axis, dtype, out, keepdims, initial, where, reverse, threads)
    array, leave = _arrays.enter(a)
    if dtype is not None:
        dtype = _arrays.dtype_of(dtype)
    call = Call(op, dtype or array.dtype)
    if dtype is None:
        dtype = result_dtype(array.dtype, call) if out is None else dtype_of_output(out, array.dtype)
    array = prepared(array, dtype)
    if where is not True:
        if initial is None and not call.own and call.pointer in _names:
            raise ValueError(f"reduction operation {_names[call.pointer]!r} has no identity, so that where= needs initial=")
        neutral = identity_of(call, dtype)
        if neutral is None:
            raise ValueError("where= needs an operator with an identity")
        array = np.where(where, array, neutral.astype(dtype)).astype(dtype, copy=False)
    array, shape, kept_dims = one_axis(array, axis)
    if array.shape[-1] == 0 and initial is None and not call.own and call.pointer in _names and ranks is None:
        raise ValueError(f"zero-size array to reduction operation {_names[call.pointer]} which has no identity")
    target = None if out is None else _arrays.entered_out(out, kept_dims if keepdims else shape)
    result = np.empty(shape, dtype)
    begin = None if initial is None else initial_values(initial, dtype, shape)

    def run(piece, across, begin):
        arguments = Arguments(call, dtype)
        if begin is not None:
            arguments.option(initial=arguments.add(begin[across] if begin.ndim else begin))
        if reverse:
            arguments.option(flags=c.REVERSE)
        if threads:
            arguments.option(threads=threads)
        given = arguments.add(array[piece])
        taking = arguments.add(result[across]) if wanted else arguments.add_nothing(result)
        run_call("reduce", ranks, call, given, array.ndim - 1, taking, call.pointer, arguments.options_address())

    if ranks is not None:
        run(..., ..., begin)
    elif array.ndim == 1 and array.size > LONG and is_exact(call, dtype):
        for stretch in stretches(array.size, reverse):
            run(stretch, ..., begin)
            begin = result.copy()
    else:
        for piece, across in pieces(array, array.ndim - 1):
            run(piece, across, begin)
    if not wanted:
        return None
    if keepdims:
        result = result.reshape(kept_dims)
    if target is not None:
        np.copyto(target, result, casting="same_kind")
        return out
    return leave(result) if result.ndim or leave is not _arrays._as_is else result[()]


def scan(a, op, axis, dtype, out, initial, reverse, exclusive, include_initial, return_last, threads, ranks=None):
    """A scan: of the parts of ranks too."""
    if _gpu.takes(a):
        if ranks is not None:
            return _gpu.ranks.scan(ranks, a, op, axis, dtype, out, initial, exclusive, return_last)
        return _gpu.scan(a, op, axis, dtype, out, initial, reverse, exclusive, include_initial, return_last, threads)
    array, leave = _arrays.enter(a)
    if dtype is not None:
        dtype = _arrays.dtype_of(dtype)
    call = Call(op, dtype or array.dtype)
    if dtype is None:
        dtype = result_dtype(array.dtype, call) if out is None else dtype_of_output(out, array.dtype)
    array = prepared(array, dtype)
    if axis is None or array.ndim == 0:
        if axis is not None:
            _arrays.axis_in(axis, 0)
        array, axis = array.reshape(-1), 0
    axis = _arrays.axis_in(axis, array.ndim)
    others = array.shape[:axis] + array.shape[axis + 1 :]
    shape = array.shape[:axis] + (array.shape[axis] + bool(include_initial),) + array.shape[axis + 1 :]
    target = None if out is None else _arrays.entered_out(out, shape)
    is_direct = target is not None and target.dtype == dtype and target is _arrays.plain(target) and 0 not in target.strides and (
        same_place(target, array) or not np.may_share_memory(target, array)
    )
    result = target if is_direct else np.empty(shape, dtype)
    flags = c.REVERSE * bool(reverse) | c.EXCLUSIVE * bool(exclusive) | c.INCLUDE_INITIAL * bool(include_initial)
    begin = None if initial is None else initial_values(initial, dtype, others)
    goes_on = ranks is None and array.ndim == 1 and array.size > LONG and not include_initial and is_exact(call, dtype)
    last = np.empty(others, dtype) if return_last or goes_on else None

    def run(piece, across, begin):
        arguments = Arguments(call, dtype)
        if flags:
            arguments.option(flags=flags)
        if begin is not None:
            arguments.option(initial=arguments.add(begin[across] if begin.ndim else begin))
        if last is not None:
            arguments.option(last=arguments.add(last[across]))
        if threads:
            arguments.option(threads=threads)
        given, taking = arguments.add(array[piece]), arguments.add(result[piece])
        run_call("scan", ranks, call, given, axis, taking, call.pointer, arguments.options_address())

    if ranks is not None:
        run(..., ..., begin)
    elif goes_on:
        for stretch in stretches(array.size, reverse):
            run(stretch, ..., begin)
            begin = last.copy()
    else:
        for piece, across in pieces(array, axis):
            run(piece, across, begin)
    if target is None:
        given = leave(result)
    else:
        if not is_direct:
            np.copyto(target, result, casting="same_kind")
        given = out
    if not return_last:
        return given
    return given, leave(last) if last.ndim or leave is not _arrays._as_is else last[()]


def same_place(x, y):
    """Whether two arrays are the same elements, in the same places."""
    return (
        x.shape == y.shape
        and x.strides == y.strides
        and x.dtype == y.dtype
        and x.__array_interface__["data"][0] == y.__array_interface__["data"][0]
    )
