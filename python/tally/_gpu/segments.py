"""Reductions and scans of segments of arrays on a GPU."""

import numpy as np

from .. import _arrays
from .. import _library as c
from . import arrays
from .call import Call, as_segments_are, check, deliver, entered, operator


def segments(values, offsets, op, dtype, initial, reduces, exclusive):
    values, leave = arrays.taken(values)
    library = arrays.library_of(values)
    op = operator(op)
    array, inner, wanted = entered(library, values, op, dtype, None)
    if array.ndim != 1 or len(np.shape(offsets)) != 1:
        raise ValueError(f"values and offsets have one axis, not {array.ndim} and {len(np.shape(offsets))}")
    array, inner, initial = as_segments_are(library, array, inner, wanted, op, initial)
    bounds = _bounds(library, offsets, array)
    count = bounds.shape[0] - 1
    array = library.packed(array)
    result = library.empty((count,) if reduces else tuple(array.shape), inner, array)
    call = Call(library, array)
    call.options.flags = c.EXCLUSIVE * bool(exclusive) | (0 if reduces else c.COPY_OTHERS)
    if initial is not None:
        call.initial(initial, inner, (count,))
    given = call.add(array, inner)
    run = c.reduce_segments if reduces else c.scan_segments
    places, taking = call.add(bounds, np.dtype(np.int64)), call.add(result, inner)
    check(run(given, places, taking, op.pointer, call.options_address()))
    return leave(deliver(library, result, inner, wanted, None))


def _bounds(library, offsets, like):
    """Offsets as int64 on the GPU, side by side. Those of the CPU are checked."""
    if arrays.library_of(offsets) is None and not arrays.is_foreign(offsets):
        on_cpu, _ = _arrays.enter(offsets, "offsets")
        if on_cpu.size and on_cpu.dtype.kind in "iu":
            if on_cpu[0] < 0 or (on_cpu[1:] < on_cpu[:-1]).any():
                raise ValueError("offsets are places in the values, and do not decrease")
            if on_cpu[-1] > like.shape[0]:
                raise ValueError(f"the last offset is {on_cpu[-1]}, and there are {like.shape[0]} values")
    bounds = offsets_on_gpu(library, offsets, like)
    if bounds.shape[0] == 0:
        raise ValueError("offsets is empty; there is one offset more than segments")
    return bounds


def offsets_on_gpu(library, offsets, like):
    """Offsets as int64 on the GPU, side by side."""
    if arrays.library_of(offsets) is None and arrays.is_foreign(offsets):
        offsets, _ = arrays.taken(offsets)
    if arrays.library_of(offsets) is not library:
        on_cpu, _ = _arrays.enter(offsets, "offsets")
        if on_cpu.size == 0:  # of no type that says anything: a list
            on_cpu = on_cpu.astype(np.int64)
        offsets = library.asarray(on_cpu, like)
    bounds = library.enter(offsets)
    own = library.dtype(bounds)
    if own.kind not in "iu":
        raise TypeError(f"offsets are integers, not {own}")
    return library.packed(bounds if own == np.int64 else library.astype(bounds, np.dtype(np.int64)))
