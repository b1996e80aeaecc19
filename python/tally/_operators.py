"""The operators of the C library by name, and operators of the caller's."""

import ctypes
import sys
import weakref

import numpy as np

from . import _library as c
from . import _arrays

PLUS, TIMES, MINIMUM, MAXIMUM, BIT_AND, BIT_OR, BIT_XOR, EXACT_PLUS, LOG_SUM_EXP = range(1, 10)

_numbers = {
    "plus": PLUS, "add": PLUS, "sum": PLUS, "+": PLUS,
    "times": TIMES, "multiply": TIMES, "prod": TIMES, "*": TIMES,
    "minimum": MINIMUM, "min": MINIMUM, "maximum": MAXIMUM, "max": MAXIMUM,
    "bit_and": BIT_AND, "bitwise_and": BIT_AND, "&": BIT_AND,
    "bit_or": BIT_OR, "bitwise_or": BIT_OR, "|": BIT_OR,
    "bit_xor": BIT_XOR, "bitwise_xor": BIT_XOR, "^": BIT_XOR,
    "exact_plus": EXACT_PLUS, "log_sum_exp": LOG_SUM_EXP, "logaddexp": LOG_SUM_EXP,
}  # fmt: skip
_ufuncs = {name: number for name, number in _numbers.items() if isinstance(getattr(np, name, None), np.ufunc)}


class operation:
    """An operator of the caller's, for `reduce`, `scan` and the calls on segments.

    Parameters
    ----------
    combine : callable, ctypes function pointer, or numba cfunc
        The operator, associative up to rounding. It need not be commutative: operands come in the order of their
        indices. A Python callable takes two elements and returns one; Python runs it, about a microsecond a call. A
        pointer is to ``void combine(void* context, const void* left, const void* right, void* result)``, and runs
        at the speed of its code. `result` may be `left` or `right`. An object with an ``address``, as a `cfunc` of
        numba has, is taken for a pointer.
    identity : scalar, optional
        An element e with ``e op x == x``. Exclusive scans and empty sequences need one, or `initial`.
    threads : bool, default False
        Whether several threads may call a pointer at once. Python callables are called by one.
    context : int, optional
        An address that the function gets as first argument.

    Examples
    --------
    >>> import tally
    >>> later = tally.operation(lambda x, y: y if y else x, identity=0)  # the last element that is not 0
    >>> tally.scan([3, 0, 0, 5, 0], op=later)
    array([3, 3, 3, 5, 5])
    """

    def __init__(self, combine, *, identity=None, threads=False, context=None):
        self.identity = identity
        self.function = self.address = None
        if isinstance(combine, ctypes._CFuncPtr):
            self.address = ctypes.cast(combine, ctypes.c_void_p).value
        elif isinstance(getattr(combine, "address", None), int):
            self.address = combine.address
        elif callable(combine):
            self.function = combine
        else:
            raise TypeError(f"combine must be callable or a pointer to a function, not {type(combine).__name__}")
        if self.function is not None and threads:
            raise ValueError("threads=True is for pointers to functions; Python runs a callable in one thread")
        self.threads = threads
        self.context = context
        self.combine = combine  # a pointer's code lives as long as it

    def __repr__(self):
        return f"tally.operation({self.combine!r}, identity={self.identity!r})"


_combine = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


# The calls that combine with a Python callable now. Python may raise KeyboardInterrupt as it enters the callback, before
# anything there can catch it: ctypes then reports it as unraisable, and goes on without a result.
_calling = weakref.WeakSet()
_others_hook = None


def _hear(unraisable):
    for call in list(_calling):
        if call.callback is unraisable.object or (unraisable.err_msg and repr(call.callback) in unraisable.err_msg):
            call.error = unraisable.exc_value
            return
    _others_hook(unraisable)


class Call:
    """The operator of one call: the pointer that the C library takes, and what a Python callable has thrown."""

    __slots__ = ("pointer", "own", "error", "kept", "callback", "__weakref__")

    def __init__(self, op, dtype):
        self.error = None
        self.own = False
        self.kept = None
        number = _numbers.get(op) if isinstance(op, str) else None
        if isinstance(op, np.ufunc):
            number = _ufuncs.get(op.__name__)
        if number is not None:
            self.pointer = number
            return
        if isinstance(op, (str, np.ufunc)):
            raise ValueError(f"op is {op!r}; it is one of {', '.join(_numbers)}, a ufunc of such a name, or an operation")
        if not isinstance(op, operation):
            op = operation(op)
        self.own = True
        struct = c.Operation(size=ctypes.sizeof(c.Operation), context=op.context, flags=c.ON_THREADS * op.threads)
        function = op.address
        identity = None
        if function is None:
            self.callback = self._of_callable(op.function, dtype)
            self._listen()
            function = _combine(self.callback)
            struct.combine = ctypes.cast(function, ctypes.c_void_p).value
        else:
            struct.combine = function
        if op.identity is not None:
            identity = np.array(op.identity, dtype=dtype)
            struct.identity = identity.__array_interface__["data"][0]
        self.kept = op, function, identity, struct
        self.pointer = ctypes.addressof(struct)

    def _of_callable(self, function, dtype):
        size = dtype.itemsize
        element = ctypes.c_char * size

        def combine(_, left, right, result):
            try:
                if self.error is None:
                    x = np.frombuffer(element.from_address(left), dtype)[0]
                    y = np.frombuffer(element.from_address(right), dtype)[0]
                    value = np.empty((), dtype)
                    value[()] = function(x, y)
                    ctypes.memmove(result, value.__array_interface__["data"][0], size)
            except BaseException as error:  # nothing leaves a callback: the call ends, then raises
                self.error = error

        return combine

    def _listen(self):
        global _others_hook
        _calling.add(self)
        if sys.unraisablehook is not _hear:
            _others_hook = sys.unraisablehook
            sys.unraisablehook = _hear

    def check(self, status):
        """Raises what the operator has thrown, or what the status of a call says."""
        if self.error is not None:
            raise self.error
        if status:
            c.fail(status)


def type_for(call, dtype):
    """The type of the C library for elements that `call` combines: with an operator of the caller's, bytes."""
    if not call.own:
        return _arrays.checked_type(dtype)
    if dtype.hasobject:
        raise TypeError("elements of dtype object cannot be combined by tally")
    return c.Type(c.OPAQUE, 8, dtype.itemsize)
