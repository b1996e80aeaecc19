"""What the calls on a GPU are made of: their arguments for the C library, and their results in the caller's type."""

import ctypes
import functools

import numpy as np

from .. import _arrays
from .. import _library as c
from . import arrays
from .torch import Torch
from .._operators import MAXIMUM, MINIMUM

_float32 = np.dtype(np.float32)


@functools.lru_cache(maxsize=None)
def _type_word(dtype):
    """The four bytes of the C library's type of elements."""
    return int.from_bytes(bytes(_arrays.checked_type(dtype)), "little")


class Call:
    """The arrays and options of one call."""

    def __init__(self, library, like):
        self.library = library
        self.like = like
        self.kept = []
        self.options = c.Options(size=ctypes.sizeof(c.Options), stream=library.stream(like) or None)
        self.bytes = 0

    def add(self, array, dtype):
        """The address of a tally_array for an array on the GPU: its six words, and behind them shape and strides."""
        data, shape, strides, device = self.library.layout(array)
        ndim = len(shape)
        words = (ctypes.c_int64 * (6 + 2 * ndim))(
            data, self.library.device_type | device << 32, ndim | _type_word(dtype) << 32, 0, 0, 0, *shape, *strides
        )
        address = ctypes.addressof(words)
        words[3], words[4] = address + 48, address + 48 + 8 * ndim
        self.kept.append((array, words))
        return address

    def add_nothing(self, array, dtype):
        """The address of a tally_array without memory, of the shape and type of an array."""
        address = self.add(array, dtype)
        self.kept[-1][1][0] = 0
        return address

    def initial(self, initial, dtype, shape):
        if np.ndim(initial) == 0 and arrays.library_of(initial) is None:
            value = np.array(initial, dtype)
            self.options.initial = _arrays.kept_pointer(self.kept, value)
            return
        array = initial if arrays.library_of(initial) is self.library else self.library.asarray(initial, self.like)
        array = self.library.packed(self.library.astype(self.library.enter(array), dtype))
        if tuple(array.shape) != tuple(shape):
            raise ValueError(f"initial has shape {tuple(array.shape)}; it is one value, or has shape {tuple(shape)}")
        self.options.initial = self.add(array, dtype)

    def options_address(self):
        return ctypes.addressof(self.options)

    def run(self, ranks, name, *arguments):
        """Runs a function of the C library on these arrays, or that of ranks, and raises what it reports."""
        if ranks is None:
            check(getattr(c, name)(*arguments, self.options_address()))
            return
        refuse_graphs_on_ranks(ranks, self.library, self.like)
        device = self.library.layout(self.like)[3] if self.library.device_type == c.CUDA else None
        ranks.run_on_gpu(name, device, *arguments, self.options_address())


def check(status):
    if status:
        c.fail(status)


def operator(op):
    from .._operators import Call

    call = Call(op, _float32)
    if call.own:
        raise NotImplementedError("operators of the caller's run on the CPU")
    return call


def entered(library, a, call, dtype, out):
    """The array in the type in which elements are combined, that type, and the type of the results.

    A GPU's kernels convert nothing: small integers are converted to 64 bits before, and two-byte floats to 32, which
    gives the bits of the CPU's calls."""
    from .._calls import result_dtype

    array = library.enter(a)
    own = library.dtype(array)
    if dtype is not None:
        result = _arrays.dtype_of(dtype)
    elif out is not None:
        result = library.dtype(out)
    else:
        result = result_dtype(own, call)
    if library is Torch and dtype is None and out is None and result == np.uint64 and own != np.uint64:
        result = np.dtype(np.int64)  # as PyTorch's sums of unsigned elements
    two_bytes = result == np.float16 or _arrays.is_bfloat16(result)
    inner = np.dtype(np.float32) if two_bytes else result
    if own != inner:
        array = library.astype(array, inner)
    return array, inner, result


def as_segments_are(library, array, inner, result, op, initial):
    """The array in a type that the calls on segments and runs have on a GPU, that type, and the initial value. Small
    integers and bools are combined in 64 bits, and their extremes begin with those of their own type."""
    if inner.kind not in "biu" or inner.itemsize == 8:
        return array, inner, initial
    from .._calls import identity_of

    if initial is None and op.pointer in (MINIMUM, MAXIMUM):
        initial = identity_of(op, result).item()
    wide = np.dtype(np.int64)
    return library.astype(array, wide), wide, initial


def refuse_graphs(library, like):
    if library.is_capturing(like):
        raise RuntimeError("this call waits for the GPU, so that a graph cannot capture it")


def refuse_graphs_on_ranks(ranks, library, like):
    """Raises on this rank alone, since there can be no round either."""
    if library.is_capturing(like):
        ranks.raise_alone(RuntimeError("calls on ranks wait for each other, so that a graph cannot capture them"))


def check_shape(out, shape):
    if tuple(out.shape) != tuple(shape):
        raise ValueError(f"out has shape {tuple(out.shape)}; the results have shape {tuple(shape)}")


def deliver(library, result, inner, wanted, out):
    result = library.finish(result)
    if out is not None:
        library.copy(out, result)
        return out
    return result if inner == wanted else library.astype(result, wanted)


def fits(library, out, array):
    """Whether results can be written to `out` at once: it lies apart from the elements, or is their place."""
    begin, shape, strides, _ = library.layout(out)
    own, own_shape, own_strides, _ = library.layout(array)
    if (begin, tuple(shape), tuple(strides)) == (own, tuple(own_shape), tuple(own_strides)):
        return True
    size = library.dtype(out).itemsize

    def bounds(at, shape, strides):
        low = high = 0
        for extent, step in zip(shape, strides):
            reach = (extent - 1) * step
            low, high = low + min(reach, 0), high + max(reach, 0)
        return at + low * size, at + (high + 1) * size

    low, high = bounds(begin, shape, strides)
    own_low, own_high = bounds(own, own_shape, own_strides)
    distinct = all(step or extent == 1 for extent, step in zip(shape, strides))
    return distinct and (high <= own_low or own_high <= low)
