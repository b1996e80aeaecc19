"""Tensors of PyTorch."""

import functools
import sys

import numpy as np

from .. import _arrays
from .library import Library

_dtype_of = functools.lru_cache(maxsize=None)(_arrays.dtype_of)


@functools.lru_cache(maxsize=None)
def _stream_getter():
    """PyTorch's function for the address of a device's current stream. The public one makes an object too, which takes ten
    times as long."""
    torch = sys.modules["torch"]
    get = getattr(torch._C, "_cuda_getCurrentRawStream", None)
    return get or (lambda device: torch.cuda.current_stream(device).cuda_stream)


class Torch(Library):
    name = "torch"

    @staticmethod
    def dtype(tensor):
        return _dtype_of(tensor.dtype)

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
    def searchsorted(borders, values):
        return sys.modules["torch"].searchsorted(borders, values, right=True)

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
        return _stream_getter()(tensor.device.index)

    @staticmethod
    def is_capturing(tensor):
        return sys.modules["torch"].cuda.is_current_stream_capturing()

    @staticmethod
    def asarray(value, like):
        return sys.modules["torch"].as_tensor(value, device=like.device)

    @staticmethod
    def finish(tensor):
        return tensor
