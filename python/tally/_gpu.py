"""Arrays in a GPU's memory: tensors of PyTorch, arrays of CuPy, JAX and others. Nothing here waits for the GPU, but for
JAX; the C library waits when it takes a stream's workspace, or a larger one."""

import ctypes
import functools
import importlib
import math
import sys

import numpy as np

from . import _arrays
from . import _library as c
from ._operators import BIT_AND, BIT_OR, BIT_XOR, MAXIMUM, MINIMUM, PLUS, TIMES


def takes(given):
    """Whether an argument is an array in a GPU's memory."""
    if type(given) is np.ndarray or type(given) is list:
        return False
    return library_of(given) is not None or is_foreign(given)


def library_of(given):
    """The adapter of an array on a GPU; None for other arguments."""
    library = type(given).__module__.partition(".")[0]
    if library == "torch":
        return _Torch if getattr(given, "is_cuda", False) else None
    if library == "cupy":
        return _CuPy
    if library in ("jax", "jaxlib") and hasattr(given, "devices"):
        return _JAX if next(iter(given.devices())).platform in ("gpu", "cuda") else None
    return None


def is_foreign(given):
    """Whether an array is on a GPU and of a library without an adapter here."""
    if type(given).__module__.partition(".")[0] in ("numpy", "torch", "cupy", "jax", "jaxlib"):
        return False
    if hasattr(given, "__cuda_array_interface__"):
        return True
    return hasattr(given, "__dlpack_device__") and int(given.__dlpack_device__()[0]) in (c.CUDA, _CUDA_MANAGED)


_CUDA_MANAGED = 13  # DLPack's number of memory that the CPU and the GPU share


def taken(given):
    """An array of a library with an adapter here on the same memory, and the function that makes a result one of the
    caller's library: by `__cuda_array_interface__` or DLPack, through CuPy or PyTorch."""
    if library_of(given) is not None:
        return given, lambda result: result
    peer = _peer()
    by_interface = hasattr(given, "__cuda_array_interface__")
    if peer.__name__ == "cupy":
        array = peer.asarray(given) if by_interface else peer.from_dlpack(given)
    else:
        array = peer.as_tensor(given, device="cuda") if by_interface else peer.from_dlpack(given)
    if type(given).__module__.startswith(("numba.", "numba_cuda.")):
        return array, sys.modules["numba"].cuda.as_cuda_array
    namespace = getattr(given, "__array_namespace__", None)
    if namespace is not None and hasattr(namespace(), "from_dlpack"):
        return array, namespace().from_dlpack
    return array, lambda result: result


def _peer():
    """CuPy or PyTorch, which can take arrays of other libraries; the one that is imported already, if one is."""
    for name in ("cupy", "torch"):
        if name in sys.modules:
            return sys.modules[name]
    for name in ("cupy", "torch"):
        try:
            return importlib.import_module(name)
        except ImportError:
            pass
    raise NotImplementedError(
        "an array on a GPU that is not PyTorch's, CuPy's or JAX's is taken by CuPy or PyTorch; install one of them"
    )


def checked_out(library, out):
    """An output as the library's array.

    Raises TypeError if it is none in a GPU's memory."""
    if library is _JAX:
        raise TypeError("arrays of JAX do not change: out= is not for them")
    if library_of(out) is None and is_foreign(out):
        out, _ = taken(out)
    if library_of(out) is not library:
        given = f"{type(out).__module__}.{type(out).__name__}"
        raise TypeError(f"out is of type {given}, and not an array of {library.name} on a GPU, as a is")
    return out


_float32 = np.dtype(np.float32)
_of_torch = functools.lru_cache(maxsize=None)(_arrays.dtype_of)


class _Library:
    """The adapter of a library: how its arrays are read, made and put in order with its other work."""

    device_type = c.CUDA


class _Torch(_Library):
    name = "torch"

    @staticmethod
    def dtype(tensor):
        return _of_torch(tensor.dtype)

    @staticmethod
    @functools.lru_cache(maxsize=None)
    def own_dtype(dtype):
        import torch

        return torch.bfloat16 if _arrays.is_bfloat16(dtype) else getattr(torch, np.dtype(dtype).name)

    @classmethod
    def enter(cls, tensor):
        if tensor.requires_grad:
            if sys.modules["torch"].is_grad_enabled():
                _arrays.refuse_gradients()
            tensor = tensor.detach()
        return tensor.resolve_conj().resolve_neg()

    @classmethod
    def astype(cls, tensor, dtype):
        return tensor.to(cls.own_dtype(dtype))

    @classmethod
    def empty(cls, shape, dtype, like):
        return like.new_empty(shape, dtype=cls.own_dtype(dtype))

    @classmethod
    def full(cls, shape, value, dtype, like):
        return like.new_full(shape, value, dtype=cls.own_dtype(dtype))

    @staticmethod
    def layout(tensor):
        return tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), tensor.device.index

    @staticmethod
    def permuted(tensor, axes):
        return tensor.permute(axes)

    @staticmethod
    def sqrt(tensor):
        return tensor.sqrt()

    @staticmethod
    def arange(n, like):
        return sys.modules["torch"].arange(n, device=like.device)

    @staticmethod
    def where(condition, tensor, other):
        return sys.modules["torch"].where(condition, tensor, other)

    @staticmethod
    def broadcast(tensor, shape):
        return tensor.expand(shape)

    @staticmethod
    def packed(tensor):
        return tensor.contiguous()

    @staticmethod
    def copied(tensor):
        return tensor.clone()

    @staticmethod
    def copy(out, result):
        out.copy_(result)

    @staticmethod
    def stream(tensor):
        return sys.modules["torch"].cuda.current_stream(tensor.device).cuda_stream

    @staticmethod
    def is_capturing(tensor):
        return sys.modules["torch"].cuda.is_current_stream_capturing()

    @staticmethod
    def asarray(value, like):
        return sys.modules["torch"].as_tensor(value, device=like.device)

    @staticmethod
    def finish(tensor):
        return tensor


class _CuPy(_Library):
    name = "cupy"

    @staticmethod
    def dtype(array):
        return array.dtype

    @staticmethod
    def enter(array):
        return array

    @staticmethod
    def astype(array, dtype):
        return array.astype(dtype)

    @staticmethod
    def empty(shape, dtype, like):
        cupy = sys.modules["cupy"]
        with like.device:
            return cupy.empty(shape, dtype)

    @staticmethod
    def full(shape, value, dtype, like):
        cupy = sys.modules["cupy"]
        with like.device:
            return cupy.full(shape, value, dtype)

    @staticmethod
    def layout(array):
        size = array.itemsize
        return array.data.ptr, array.shape, tuple(step // size for step in array.strides), array.device.id

    @staticmethod
    def permuted(array, axes):
        return array.transpose(axes)

    @staticmethod
    def sqrt(array):
        return sys.modules["cupy"].sqrt(array)

    @staticmethod
    def arange(n, like):
        with like.device:
            return sys.modules["cupy"].arange(n)

    @staticmethod
    def where(condition, array, other):
        return sys.modules["cupy"].where(condition, array, other)

    @staticmethod
    def broadcast(array, shape):
        return sys.modules["cupy"].broadcast_to(array, shape)

    @staticmethod
    def packed(array):
        return sys.modules["cupy"].ascontiguousarray(array)

    @staticmethod
    def copied(array):
        return array.copy()

    @staticmethod
    def copy(out, result):
        sys.modules["cupy"].copyto(out, result)

    @staticmethod
    def stream(array):
        with array.device:
            return sys.modules["cupy"].cuda.get_current_stream().ptr

    @staticmethod
    def is_capturing(array):
        with array.device:
            return sys.modules["cupy"].cuda.get_current_stream().is_capturing()

    @staticmethod
    def asarray(value, like):
        with like.device:
            return sys.modules["cupy"].asarray(value)

    @staticmethod
    def finish(array):
        return array


class _JAX(_Library):
    """JAX has streams of its own, which it does not show: a call waits for its argument, and for its results, which
    are written to arrays that nothing else has seen."""

    name = "jax"

    @staticmethod
    def dtype(array):
        return np.dtype(array.dtype)

    @staticmethod
    def enter(array):
        return array.block_until_ready()

    @staticmethod
    def astype(array, dtype):
        result = array.astype(dtype)
        if result.dtype != dtype:
            raise TypeError(f"the call computes with {np.dtype(dtype)}, which JAX has with jax_enable_x64")
        return result.block_until_ready()

    @classmethod
    def empty(cls, shape, dtype, like):
        return cls.full(shape, 0, dtype, like)

    @staticmethod
    def full(shape, value, dtype, like):
        import jax

        result = jax.device_put(jax.numpy.full(shape, value, dtype), list(like.devices())[0])
        if result.dtype != dtype:
            raise TypeError(f"the call computes with {np.dtype(dtype)}, which JAX has with jax_enable_x64")
        return result.block_until_ready()

    @staticmethod
    def layout(array):
        device = list(array.devices())[0]
        shape = array.shape
        strides, step = [], 1
        for extent in reversed(shape):
            strides.append(step)
            step *= extent
        return array.unsafe_buffer_pointer(), shape, tuple(reversed(strides)), device.local_hardware_id or 0

    @staticmethod
    def permuted(array, axes):
        return array.transpose(axes).block_until_ready()

    @staticmethod
    def sqrt(array):
        import jax

        return jax.numpy.sqrt(array)

    @staticmethod
    def arange(n, like):
        import jax

        return jax.device_put(jax.numpy.arange(n), list(like.devices())[0])

    @staticmethod
    def where(condition, array, other):
        import jax

        return jax.numpy.where(condition, array, other)

    @staticmethod
    def broadcast(array, shape):
        import jax

        return jax.numpy.broadcast_to(array, shape).block_until_ready()

    @staticmethod
    def packed(array):
        return array

    @staticmethod
    def copied(array):
        return array.copy().block_until_ready()

    @staticmethod
    def stream(array):
        return 0

    @staticmethod
    def is_capturing(array):
        return False

    @staticmethod
    def asarray(value, like):
        import jax

        return jax.device_put(jax.numpy.asarray(value), list(like.devices())[0]).block_until_ready()

    @staticmethod
    def finish(array):
        c.synchronize(0)
        return array


_names = {MINIMUM: "minimum", MAXIMUM: "maximum"}


_kept_for_graphs = []


@functools.lru_cache(maxsize=None)
def _type_word(dtype):
    """The four bytes of the C library's type of elements."""
    return int.from_bytes(bytes(_arrays.checked_type(dtype)), "little")


class _Call:
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

    def initial(self, initial, dtype, shape):
        if np.ndim(initial) == 0 and library_of(initial) is None:
            value = np.array(initial, dtype)
            self.options.initial = _arrays.kept_pointer(self.kept, value)
            return
        array = initial if library_of(initial) is self.library else self.library.asarray(initial, self.like)
        array = self.library.astype(self.library.enter(array), dtype)
        if tuple(array.shape) != tuple(shape):
            raise ValueError(f"initial has shape {tuple(array.shape)}; it is one value, or has shape {tuple(shape)}")
        self.options.initial = self.add(array, dtype)

    def workspace(self, array, axis):
        """Memory of the library's for a call that is captured. Others share one for each stream."""
        if not self.library.is_capturing(self.like):
            return
        size = ctypes.c_size_t()
        _check(c.workspace_bytes(array, axis, ctypes.byref(size)))
        memory = self.library.empty((size.value + 128,), np.uint8, self.like)
        address = -(-self.library.layout(memory)[0] // 128) * 128
        self.kept.append(memory)
        if self.library is _CuPy:  # a graph of CuPy's does not keep memory, as one of PyTorch's does
            _kept_for_graphs.append(memory)
        self.options.workspace, self.options.workspace_bytes = address, size.value

    def options_address(self):
        return ctypes.addressof(self.options)


def _check(status):
    if status:
        c.fail(status)


def _operator(op):
    from ._operators import Call

    call = Call(op, _float32)
    if call.own:
        raise NotImplementedError("operators of the caller's run on the CPU")
    return call


def _entered(library, a, call, dtype, out):
    """The array in the type in which elements are combined, that type, and the type of the results.

    A GPU's kernels convert nothing: small integers are converted to 64 bits before, and two-byte floats to 32, which
    gives the bits of the CPU's calls."""
    from ._calls import result_dtype

    array = library.enter(a)
    own = library.dtype(array)
    if dtype is not None:
        result = _arrays.dtype_of(dtype)
    elif out is not None:
        result = library.dtype(out)
    else:
        result = result_dtype(own, call)
    if library is _Torch and dtype is None and out is None and result == np.uint64 and own != np.uint64:
        result = np.dtype(np.int64)  # as PyTorch's sums of unsigned elements
    two_bytes = result == np.float16 or _arrays.is_bfloat16(result)
    inner = np.dtype(np.float32) if two_bytes else result
    if own != inner:
        array = library.astype(array, inner)
    return array, inner, result


def _delivered(library, result, inner, wanted, out):
    result = library.finish(result)
    if out is not None:
        library.copy(out, result)
        return out
    return result if inner == wanted else library.astype(result, wanted)


def scan(a, op, axis, dtype, out, initial, reverse, exclusive, include_initial, return_last, threads):
    a, leave = taken(a)
    library = library_of(a)
    op = _operator(op)
    given_out, out = out, None if out is None else checked_out(library, out)
    array, inner, wanted = _entered(library, a, op, dtype, out)
    if axis is None or array.ndim == 0:
        array, axis = array.reshape(-1), 0
    axis = _arrays.axis_in(axis, array.ndim)
    shape = list(array.shape)
    others = shape[:axis] + shape[axis + 1 :]
    n = shape[axis]
    shape[axis] += bool(include_initial)
    if out is not None and tuple(out.shape) != tuple(shape):
        raise ValueError(f"out has shape {tuple(out.shape)}; the results have shape {tuple(shape)}")
    is_direct = out is not None and library.dtype(out) == inner and _fits(library, out, array)
    result = out if is_direct else library.empty(tuple(shape), inner, array)
    call = _Call(library, array)
    flags = c.REVERSE * bool(reverse) | c.EXCLUSIVE * bool(exclusive) | c.INCLUDE_INITIAL * bool(include_initial)
    call.options.flags = flags
    last = None
    if return_last:
        last = library.empty(tuple(others), inner, array)
        call.options.last = call.add(last, inner)
    if initial is not None:
        call.initial(initial, inner, others)
    if 0 not in shape and (n or include_initial):
        given = call.add(array, inner)
        call.workspace(given, axis)
        _check(c.scan(given, axis, call.add(result, inner), op.pointer, call.options_address()))
    delivered = library.finish(out) if is_direct else _delivered(library, result, inner, wanted, out)
    delivered = leave(delivered) if out is None else given_out
    if not return_last:
        return delivered
    return delivered, leave(_delivered(library, last, inner, wanted, None))


def _fits(library, out, array):
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


def reduce(a, op, axis, dtype, out, keepdims, initial, where, reverse, threads):
    a, leave = taken(a)
    library = library_of(a)
    op = _operator(op)
    given_out, out = out, None if out is None else checked_out(library, out)
    if where is not True:
        raise NotImplementedError("where= is for arrays in the CPU's memory")
    array, inner, wanted = _entered(library, a, op, dtype, out)
    ndim = array.ndim
    named = range(ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = [_arrays.axis_in(each, ndim) for each in named]
    if len(set(axes)) != len(axes):
        raise ValueError("duplicate value in 'axis'")
    if not axes and ndim:
        raise ValueError("axis is empty; name one axis at least")
    kept_dims = tuple(1 if d in axes else n for d, n in enumerate(array.shape))
    others = [d for d in range(ndim) if d not in axes]
    shape = tuple(array.shape[d] for d in others)
    if ndim == 0:
        array, axis = array.reshape(1), 0
    elif len(axes) == 1:
        (axis,) = axes
    else:
        array, axis = library.permuted(array, others + axes).reshape(shape + (-1,)), len(others)
    call = _Call(library, array)
    if array.shape[axis] == 0:
        result = _of_nothing(library, op, shape, inner, initial, array)
    else:
        result = library.empty(shape, inner, array)
        if reverse:
            call.options.flags = c.REVERSE
        if initial is not None:
            call.initial(initial, inner, shape)
        if 0 not in shape:
            given = call.add(array, inner)
            call.workspace(given, axis)
            _check(c.reduce(given, axis, call.add(result, inner), op.pointer, call.options_address()))
    if keepdims:
        result = result.reshape(kept_dims)
    if out is not None and tuple(out.shape) != tuple(result.shape):
        raise ValueError(f"out has shape {tuple(out.shape)}; the results have shape {tuple(result.shape)}")
    delivered = _delivered(library, result, inner, wanted, out)
    return leave(delivered) if out is None else given_out


def mean(a, axis, dtype, out, keepdims, where):
    a, leave = taken(a)
    library = library_of(a)
    own, inner = _dtypes_of_mean(library, a, dtype)
    total = reduce(a, "plus", axis, inner, None, keepdims, None, where, False, None)
    return _finished(library, _divided(library, total, _count(a, axis)), own, out, leave)


def variance(a, axis, dtype, out, ddof, keepdims, where, takes_root):
    a, leave = taken(a)
    library = library_of(a)
    own, inner = _dtypes_of_mean(library, a, dtype)
    count = _count(a, axis)
    array = library.astype(library.enter(a), inner)
    total = reduce(array, "plus", axis, None, None, True, None, where, False, None)
    deviations = array - _divided(library, total, count)
    squares = reduce(deviations * deviations, "plus", axis, None, None, keepdims, None, where, False, None)
    result = _divided(library, squares, max(count - ddof, 0))
    return _finished(library, library.sqrt(result) if takes_root else result, own, out, leave)


def _divided(library, array, number):
    """Quotients, rounded once: PyTorch multiplies by the reciprocal of a number that is not on the GPU."""
    return array / library.full((), number, library.dtype(array), array)


def place_of_extreme(name, a, axis, out, keepdims):
    """argmin and argmax: the extremes, and the first places where they stand."""
    a, leave = taken(a)
    library = library_of(a)
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
    target = checked_out(library, out)
    if tuple(target.shape) != tuple(result.shape):
        raise ValueError(f"out has shape {tuple(target.shape)}; the results have shape {tuple(result.shape)}")
    library.copy(target, result)
    return out


def _of_nothing(library, op, shape, dtype, initial, like):
    from ._calls import identity_of

    if initial is None:
        if op.pointer in _names:
            raise ValueError(f"zero-size array to reduction operation {_names[op.pointer]} which has no identity")
        initial = identity_of(op, dtype).item()
    if np.ndim(initial):
        return library.astype(library.asarray(initial, like), dtype)
    return library.full(shape, initial, dtype, like)


def linear_recurrence(a, b, axis, initial, reverse, return_last, dtype):
    b, leave = taken(b)
    if library_of(a) is None and is_foreign(a):
        a, _ = taken(a)
    library = library_of(b)
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
    call = _Call(library, terms)
    if library_of(a) is library:
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
    if 0 not in terms.shape:
        given = call.add(terms, inner)
        call.workspace(given, axis)
        a_given, taking = call.add(factors, inner), call.add(result, inner)
        _check(c.linear_recurrence(a_given, given, axis, taking, call.options_address()))
    result = leave(_delivered(library, result, inner, wanted, None))
    return (result, leave(_delivered(library, last, inner, wanted, None))) if return_last else result


def segments(values, offsets, op, dtype, initial, reduces, exclusive):
    values, leave = taken(values)
    library = library_of(values)
    op = _operator(op)
    array, inner, wanted = _entered(library, values, op, dtype, None)
    if array.ndim != 1 or len(np.shape(offsets)) != 1:
        raise ValueError(f"values and offsets have one axis, not {array.ndim} and {len(np.shape(offsets))}")
    bounds = _bounds(library, offsets, array)
    count = bounds.shape[0] - 1
    array = library.packed(array)
    # Elements outside all segments are returned as they are.
    result = library.empty((count,), inner, array) if reduces else library.copied(array)
    call = _Call(library, array)
    call.options.flags = c.EXCLUSIVE * bool(exclusive)
    if initial is not None:
        call.initial(initial, inner, (count,))
    elif exclusive and inner.kind == "f":
        raise NotImplementedError("an exclusive scan of floats on a GPU needs initial=")
    given = call.add(array, inner)
    if array.shape[0]:
        call.workspace(given, 0)
    run = c.reduce_segments if reduces else c.scan_segments
    places, taking = call.add(bounds, np.dtype(np.int64)), call.add(result, inner)
    _check(run(given, places, taking, op.pointer, call.options_address()))
    return leave(_delivered(library, result, inner, wanted, None))


def _bounds(library, offsets, like):
    """Offsets as int64 on the GPU, side by side. Those of the CPU are checked."""
    if library_of(offsets) is None and is_foreign(offsets):
        offsets, _ = taken(offsets)
    if library_of(offsets) is not library:
        on_cpu, _ = _arrays.enter(offsets, "offsets")
        if on_cpu.size and on_cpu.dtype.kind in "iu":
            if on_cpu[0] < 0 or (on_cpu[1:] < on_cpu[:-1]).any():
                raise ValueError("offsets are places in the values, and do not decrease")
            if on_cpu[-1] > like.shape[0]:
                raise ValueError(f"the last offset is {on_cpu[-1]}, and there are {like.shape[0]} values")
        offsets = library.asarray(on_cpu, like)
    bounds = library.enter(offsets)
    own = library.dtype(bounds)
    if own.kind not in "iu":
        raise TypeError(f"offsets are integers, not {own}")
    if bounds.shape[0] == 0:
        raise ValueError("offsets is empty; there is one offset more than segments")
    return library.packed(bounds if own == np.int64 else library.astype(bounds, np.dtype(np.int64)))


def _broadcast(library, factors, terms):
    shape = tuple(terms.shape)
    try:
        return library.broadcast(factors, shape)
    except (RuntimeError, ValueError):
        own = tuple(factors.shape)
        raise ValueError(f"a has shape {own}, which does not broadcast to that of b, {shape}") from None
