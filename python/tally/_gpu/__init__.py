"""Arrays in a GPU's memory: tensors of PyTorch, arrays of CuPy, JAX and others. Nothing here waits for the GPU, but for
JAX; the C library waits when it takes a stream's workspace, or a larger one."""

from .along import reduce, scan
from .arrays import takes
from .means import mean, place_of_extreme, variance
from .recurrences import linear_recurrence
from .segments import segments
