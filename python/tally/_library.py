"""libtally.so.1: its functions, its structs, and its errors as exceptions."""

import ctypes
import os
from ctypes import c_char_p, c_double, c_int32, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p

CPU, CUDA = 1, 2
INT, UINT, FLOAT, OPAQUE, BFLOAT, COMPLEX, BOOL = range(7)
REVERSE, EXCLUSIVE, INCLUDE_INITIAL, DESCENDING, COPY_OTHERS = 1, 2, 4, 8, 16
ON_THREADS = 1


class Type(ctypes.Structure):
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class Array(ctypes.Structure):
    """tally_array, which has the layout of DLPack's DLTensor."""

    _fields_ = [
        ("data", c_void_p),
        ("device_type", c_int32),
        ("device_number", c_int32),
        ("ndim", c_int32),
        ("dtype", Type),
        ("shape", c_void_p),
        ("strides", c_void_p),
        ("byte_offset", c_uint64),
    ]


class Options(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("flags", c_uint32),
        ("threads", c_int32),
        ("initial", c_void_p),
        ("last", c_void_p),
        ("accumulator", Type),
        ("stream", c_void_p),
        ("workspace", c_void_p),
        ("workspace_bytes", ctypes.c_size_t),
    ]


class Operation(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("combine", c_void_p),
        ("context", c_void_p),
        ("identity", c_void_p),
        ("flags", c_uint32),
    ]


def _load():
    here = os.path.dirname(os.path.abspath(__file__))
    named = os.environ.get("TALLY_LIBRARY")
    if named:
        return ctypes.CDLL(named)
    # Inside the package; beside it, as in a checkout that is built; on the system.
    places = [
        os.path.join(here, "libtally.so.1"),
        os.path.join(os.path.dirname(here), "libtally.so.1"),
        os.path.join(os.path.dirname(os.path.dirname(here)), "build", "src", "c", "libtally.so.1"),
    ]
    for path in places:
        if os.path.exists(path):
            return ctypes.CDLL(path)
    try:
        return ctypes.CDLL("libtally.so.1")
    except OSError as error:
        raise ImportError(
            "tally needs libtally.so.1, which is not in " + ", nor in ".join(os.path.dirname(path) for path in places)
            + f", nor on the system ({error}). TALLY_LIBRARY may name its path"
        ) from None


# A CDLL's functions release the global lock during a call.
_loaded = _load()


def _function(name, *arguments, result=c_int32):
    function = getattr(_loaded, name)
    function.argtypes = arguments
    function.restype = result
    return function


reduce = _function("tally_reduce", c_void_p, c_int32, c_void_p, c_void_p, c_void_p)
scan = _function("tally_scan", c_void_p, c_int32, c_void_p, c_void_p, c_void_p)
reduce_segments = _function("tally_reduce_segments", c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)
scan_segments = _function("tally_scan_segments", c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)
linear_recurrence = _function("tally_linear_recurrence", c_void_p, c_void_p, c_int32, c_void_p, c_void_p)
_synchronize = _function("tally_synchronize", c_int32, c_void_p)
reduce_by_key = _function("tally_reduce_by_key", *[c_void_p] * 7)
scan_by_key = _function("tally_scan_by_key", *[c_void_p] * 5)
unique = _function("tally_unique", *[c_void_p] * 5)
compact = _function("tally_compact", *[c_void_p] * 5)
sort = _function("tally_sort", c_void_p, c_int32, c_void_p, c_void_p, c_void_p)
sort_by_key = _function("tally_sort_by_key", *[c_void_p] * 5)
histogram = _function("tally_histogram", c_void_p, c_void_p, c_double, c_double, c_void_p, c_void_p)
histogram_of_edges = _function("tally_histogram_of_edges", *[c_void_p] * 5)
exact_sum_create = _function("tally_exact_sum_create", result=c_void_p)
exact_sum_destroy = _function("tally_exact_sum_destroy", c_void_p, result=None)
exact_sum_add = _function("tally_exact_sum_add", c_void_p, c_void_p)
exact_sum_subtract = _function("tally_exact_sum_subtract", c_void_p, c_void_p)
exact_sum_merge = _function("tally_exact_sum_merge", c_void_p, c_void_p)
exact_sum_remove = _function("tally_exact_sum_remove", c_void_p, c_void_p)
exact_sum_round = _function("tally_exact_sum_round", c_void_p, c_void_p)
exact_sum_save = _function("tally_exact_sum_save", c_void_p, c_void_p)
exact_sum_load = _function("tally_exact_sum_load", c_void_p, c_void_p)
EXACT_SUM_BYTES = 283
_last_message = _function("tally_last_message", result=c_char_p)
_version = _function("tally_version")

# The pointer that a capsule holds. PyDLL keeps the lock: this is a call into Python.
pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
pointer_of.argtypes = [ctypes.py_object, c_char_p]
pointer_of.restype = c_void_p

_exceptions = {1: ValueError, 2: TypeError, 3: MemoryError}


def fail(status):
    """Raises the exception of a call that returned `status`, not 0, in this thread."""
    message = _last_message().decode()
    raise _exceptions.get(status, RuntimeError)(message.partition(": ")[2] or message)


def synchronize(device, stream=None):
    """Waits until the work in a stream of a GPU is done."""
    status = _synchronize(device, stream)
    if status:
        fail(status)


def library_version():
    """Return the version of the C library that is in use, such as ``(0, 2, 0)``.

    Examples
    --------
    >>> import tally
    >>> tally.library_version() >= (0, 2, 0)
    True
    """
    version = _version()
    return version // 10000, version // 100 % 100, version % 100


def library_path():
    """Return the path of the C library that is in use.

    Examples
    --------
    >>> import os.path, tally
    >>> os.path.basename(tally.library_path()).startswith("libtally.so")
    True
    """
    return _loaded._name
