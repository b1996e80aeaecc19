"""Arrays on a GPU: which library they are of, and those of libraries without an adapter here, which are taken by
`__cuda_array_interface__` or DLPack."""

import importlib
import sys

import numpy as np

from .. import _library as c
from .cupy import CuPy
from .jax import JAX
from .torch import Torch

_CUDA_MANAGED = 13  # DLPack's number of memory that the CPU and the GPU share


def takes(given):
    """Whether an argument is an array in a GPU's memory."""
    if type(given) is np.ndarray or type(given) is list:
        return False
    return library_of(given) is not None or is_foreign(given)


def library_of(given):
    """The adapter of an array on a GPU; None for other arguments."""
    library = type(given).__module__.partition(".")[0]
    if library == "torch":
        return Torch if getattr(given, "is_cuda", False) else None
    if library == "cupy":
        return CuPy
    if library in ("jax", "jaxlib") and hasattr(given, "devices"):
        return JAX if next(iter(given.devices())).platform in ("gpu", "cuda") else None
    return None


def is_foreign(given):
    """Whether an array is on a GPU and of a library without an adapter here."""
    if type(given).__module__.partition(".")[0] in ("numpy", "torch", "cupy", "jax", "jaxlib"):
        return False
    if hasattr(given, "__cuda_array_interface__"):
        return True
    return hasattr(given, "__dlpack_device__") and int(given.__dlpack_device__()[0]) in (c.CUDA, _CUDA_MANAGED)


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
    if library is JAX:
        raise TypeError("arrays of JAX do not change: out= is not for them")
    if library_of(out) is None and is_foreign(out):
        out, _ = taken(out)
    if library_of(out) is not library:
        given = f"{type(out).__module__}.{type(out).__name__}"
        raise TypeError(f"out is of type {given}, and not an array of {library.name} on a GPU, as a is")
    return out
