"""Arrays of CuPy."""

import sys

from .library import Library


class CuPy(Library):
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
    def searchsorted(borders, values):
        return sys.modules["cupy"].searchsorted(borders, values, side="right")

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
