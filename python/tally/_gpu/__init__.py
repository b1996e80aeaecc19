"""Arrays in a GPU's memory: tensors of PyTorch, arrays of CuPy, JAX and others. A call waits for the
GPU where the size of its result depends on what is there (runs of keys, selection), where it sorts, and for JAX. The C
library waits when it takes a stream's workspace, or a larger one."""

from . import ranks
from .along import reduce, scan
from .arrays import takes
from .keys import reduce_by_key, scan_by_key, unique
from .means import mean, place_of_extreme, variance
from .recurrences import linear_recurrence
from .segments import segments
from .sorting import argsort, compact, histogram, sort
