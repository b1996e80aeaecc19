"""Arrays as callers have them, as NumPy sees them, and as the C library takes them."""

import ctypes
import sys

import numpy as np

from . import _library as c

AxisError = getattr(np, "exceptions", np).AxisError

# A bfloat16 without a library that has the type: NumPy moves such elements, and the C library computes with them.
_own_bfloat16 = np.dtype([("bfloat16", np.uint16)])

_codes = {"b": c.BOOL, "i": c.INT, "u": c.UINT, "f": c.FLOAT, "c": c.COMPLEX}


def is_bfloat16(dtype):
    return dtype == _own_bfloat16 or (dtype.itemsize == 2 and dtype.name == "bfloat16")


def type_of(dtype):
    """The C library's type of elements of this dtype; None if it has none."""
    code = _codes.get(dtype.kind)
    if code is None:
        return c.Type(c.BFLOAT, 16, 1) if is_bfloat16(dtype) else None
    if dtype.itemsize > (16 if code == c.COMPLEX else 8):  # longdouble
        return None
    return c.Type(code, 8 * dtype.itemsize, 1)


def checked_type(dtype):
    type_ = type_of(dtype)
    if type_ is None:
        raise TypeError(f"tally has no code for elements of dtype {dtype}")
    return type_


def described(array, type_=None):
    """The struct of an array, with the memory that it points to. `type_` is None for the type of the array's dtype."""
    struct = c.Array()
    struct.data = array.__array_interface__["data"][0]
    struct.device_type = c.CPU
    struct.ndim = array.ndim
    struct.dtype = checked_type(array.dtype) if type_ is None else type_
    extents = ctypes.c_int64 * array.ndim
    struct.kept = array, extents(*array.shape), extents(*(step // array.itemsize for step in array.strides))
    struct.shape, struct.strides = map(ctypes.addressof, struct.kept[1:])
    return struct, ctypes.addressof(struct)


def kept_pointer(kept, array):
    """The address of a tally_array, for as long as the list `kept` lives."""
    keep, address = pointer_to(array)
    kept.append((array, keep))
    return address


def pointer_to(array):
    """An object to keep and the address of a tally_array, for an array of a type that the C library has.

    NumPy's own capsule begins with one, and is made in a tenth of the time of a struct. It has none for a read-only
    array, and before NumPy 1.25 none for bools.
    """
    try:
        capsule = array.__dlpack__()
        return capsule, c.pointer_of(capsule, b"dltensor")
    except (BufferError, TypeError, RuntimeError, ValueError):
        return described(array)


def plain(array):
    """The array, or a copy: elements in the machine's byte order, aligned, at distances of whole elements."""
    if not array.dtype.isnative:
        return array.astype(array.dtype.newbyteorder("="))
    size = array.itemsize
    if not array.flags.aligned or (array.strides and size > 1 and any(step % size for step in array.strides)):
        return array.copy()
    return array


def refuse_gradients():
    raise RuntimeError(
        "the tensor requires grad, which this call has not. cumsum, cumprod, logcumsumexp, linear_recurrence and segment_sum"
        " have; else call detach() on it first"
    )


def _from_torch(tensor, torch):
    if tensor.device.type != "cpu":
        raise NotImplementedError(f"the tensor lies on {tensor.device}; this call computes on the CPU")
    if tensor.requires_grad:
        if torch.is_grad_enabled():
            refuse_gradients()
        tensor = tensor.detach()
    tensor = tensor.resolve_conj().resolve_neg()
    if tensor.dtype is torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(_own_bfloat16)
    return tensor.numpy()


def _to_torch(array, torch, of):
    """A tensor of an array, the results of elements of the dtype `of`. PyTorch's sums of small integers are int64."""
    array = np.asarray(array)
    if array.dtype == np.uint64 and of != np.uint64:
        array = array.view(np.int64) if array.ndim else array.astype(np.int64)
    if array.dtype == _own_bfloat16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    if array.dtype.kind == "u" and array.itemsize > 1 and not hasattr(torch, "uint64"):
        array = array.astype(np.int64)
    return torch.from_numpy(array)


def _as_is(result):
    return result


def is_tracked(given):
    """Whether PyTorch asks for the gradients of a call with this argument."""
    return type(given) is not np.ndarray and getattr(given, "requires_grad", False) and sys.modules["torch"].is_grad_enabled()


def with_gradients(name, a, axis, dtype, out):
    """The running results that tally.torch has."""
    from . import torch as differentiable

    if out is not None:
        raise RuntimeError("out= is not for tensors that require grad")
    if dtype is not None:
        a = a.to(dtype)
    return getattr(differentiable, name)(a.flatten() if axis is None else a, 0 if axis is None else axis)


def enter(given, name="a"):
    """An array of NumPy on the caller's memory, and the function that makes a result one of the caller's library."""
    kind = type(given)
    if kind is np.ndarray:
        return plain(given), _as_is
    library = kind.__module__.partition(".")[0]
    if library == "torch" and hasattr(given, "data_ptr"):
        torch = sys.modules["torch"]
        array = plain(_from_torch(given, torch))
        return array, lambda result: _to_torch(result, torch, array.dtype)
    if isinstance(given, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array; tally has no masks. where= leaves elements out")
    if hasattr(given, "__cuda_array_interface__"):
        raise NotImplementedError(f"{name} lies on a GPU; this call computes on the CPU")
    if hasattr(given, "__dlpack__") and not hasattr(given, "__array_interface__"):
        device = given.__dlpack_device__()[0]
        if int(device) != c.CPU:
            raise NotImplementedError(f"{name} lies on a device of type {int(device)}; this version of tally computes on the CPU")
        array = np.from_dlpack(given)
        namespace = getattr(given, "__array_namespace__", None)
        if namespace is None:
            return plain(array), _as_is
        return plain(array), lambda result: namespace().from_dlpack(np.asarray(result))
    return plain(np.asarray(given)), _as_is


def entered_out(out, shape, name="out"):
    """An array of NumPy on the memory of an output of the caller's."""
    if type(out) is not np.ndarray:
        if type(out).__module__.partition(".")[0] == "torch" and hasattr(out, "data_ptr"):
            array = _from_torch(out, sys.modules["torch"])
        elif isinstance(out, np.ndarray):
            array = out.view(np.ndarray)
        else:
            try:
                array = np.asarray(memoryview(out))
            except TypeError:
                raise TypeError(f"{name} must be an array, not {type(out).__name__}") from None
    else:
        array = out
    if not array.flags.writeable:
        raise ValueError(f"{name} is read-only")
    if array.shape != tuple(shape):
        raise ValueError(f"{name} has shape {array.shape}; the results have shape {tuple(shape)}")
    return array


def dtype_of(given):
    """A dtype of NumPy's: of whatever NumPy takes for one, or of PyTorch's."""
    if type(given).__module__.partition(".")[0] == "torch":
        name = str(given).partition(".")[2]
        return _own_bfloat16 if name == "bfloat16" else np.dtype(name)
    if isinstance(given, str) and given == "bfloat16":
        return _own_bfloat16
    return np.dtype(given).newbyteorder("=")


def axis_in(axis, ndim):
    """The axis, counted from 0. An array without axes is taken for one of one element."""
    try:
        number = axis.__index__()
    except AttributeError:
        raise TypeError(f"'{type(axis).__name__}' object cannot be interpreted as an integer") from None
    count = ndim or 1
    if not -count <= number < count:
        raise AxisError(number, ndim)
    return number % count
