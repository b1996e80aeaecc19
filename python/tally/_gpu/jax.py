"""Arrays of JAX."""

import numpy as np

from .. import _library as c
from .library import Library


class JAX(Library):
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
    def searchsorted(borders, values):
        import jax

        return jax.numpy.searchsorted(borders, values, side="right")

    @staticmethod
    def broadcast(array, shape):
        import jax

        return jax.numpy.broadcast_to(array, shape).block_until_ready()

    @staticmethod
    def packed(array):
        return array

    @staticmethod
    def copied(array):
        import jax

        return jax.numpy.array(array, copy=True).block_until_ready()

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
