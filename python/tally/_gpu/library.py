"""The adapter of an array library."""

from .. import _library as c


class Library:
    """The adapter of a library: how its arrays are read, made and put in order with its other work. Its functions are
    those of `torch.Torch`."""

    device_type = c.CUDA
