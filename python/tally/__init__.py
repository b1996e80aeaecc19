"""Reductions and scans of arrays, at memory speed and with the same bits everywhere.

    >>> import numpy, tally
    >>> rain = numpy.array([[0.25, 0.0, 1.5], [3.25, 0.5, 0.0]])  # millimetres: a row a day
    >>> tally.sum(rain, axis=1)
    array([1.75, 3.75])
    >>> tally.cumsum(rain, axis=1)
    array([[0.25, 0.25, 1.75],
           [3.25, 3.75, 3.75]])

Names and arguments are NumPy's. An array of NumPy or PyTorch, or any object with a buffer, `__array_interface__` or
`__dlpack__`, is read where it lies; a result is an array of the library that the argument is of. The results of a call
have the same bits for every number of threads and every machine: those of the C++ library.

Calls release Python's global lock, and may be made from several threads at once.
"""

import importlib as _importlib

__version__ = "0.2.0"

# The module of each name. It is imported when the name is first asked for: `import tally` imports nothing.
_modules = {
    "_reductions": "sum fsum prod min max argmin argmax mean var std logsumexp any all reduce",
    "_scans": "cumsum cumprod cummax cummin logcumsumexp cumulative_sum cumulative_prod scan",
    "_segments": "segment_sum segment_prod segment_min segment_max segment_reduce segment_scan",
    "_keys": "sum_by_key prod_by_key min_by_key max_by_key reduce_by_key scan_by_key unique",
    "_sorting": "sort argsort compact histogram",
    "_exact": "exact_sum",
    "_recurrences": "linear_recurrence",
    "_operators": "operation",
    "_ranks": "ranks rank_error",
    "_mpi": "mpi",
    "_distributed": "distributed",
    "_library": "library_version library_path",
}
_module_of = {name: module for module, names in _modules.items() for name in names.split()}

__all__ = sorted(_module_of)


def __getattr__(name):
    module = _module_of.get(name)
    if module is None:
        raise AttributeError(f"module 'tally' has no attribute {name!r}")
    value = getattr(_importlib.import_module(f"tally.{module}"), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__})
