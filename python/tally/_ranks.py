"""Calls on ranks: processes of which each has a part of one sequence."""

import ctypes
from ctypes import CFUNCTYPE, POINTER, c_char, c_char_p, c_double, c_int32, c_size_t, c_void_p

import numpy as np

from . import _calls, _keys, _recurrences, _segments, _sorting
from . import _library as c

_pointers = [c_void_p] * 8
_functions = {
    "reduce": c._function("tally_ranks_reduce", c_void_p, c_void_p, c_int32, c_void_p, c_void_p, c_void_p),
    "scan": c._function("tally_ranks_scan", c_void_p, c_void_p, c_int32, c_void_p, c_void_p, c_void_p),
    "linear_recurrence": c._function("tally_ranks_linear_recurrence", *_pointers[:3], c_int32, c_void_p, c_void_p),
    "reduce_by_key": c._function("tally_ranks_reduce_by_key", *_pointers),
    "scan_by_key": c._function("tally_ranks_scan_by_key", *_pointers[:6]),
    "reduce_segments": c._function("tally_ranks_reduce_segments", *_pointers[:6]),
    "scan_segments": c._function("tally_ranks_scan_segments", *_pointers[:6]),
    "histogram": c._function("tally_ranks_histogram", c_void_p, c_void_p, c_double, c_double, c_void_p, c_void_p),
    "histogram_of_edges": c._function("tally_ranks_histogram_of_edges", *_pointers[:5]),
}
_create = c._function("tally_ranks_create", c_void_p, c_void_p)
_destroy = c._function("tally_ranks_destroy", c_void_p, result=None)
_use_gpu = c._function("tally_ranks_use_gpu", c_void_p, c_int32)
_agree = c._function("tally_ranks_agree", c_void_p, c_char_p)
_last_failed_rank = c._function("tally_last_failed_rank")

_RANK_FAILED = 5

_on_bytes = CFUNCTYPE(c_int32, c_void_p, c_void_p, c_void_p, c_size_t)
_on_parts = CFUNCTYPE(c_int32, c_void_p, c_void_p, c_void_p, POINTER(c_size_t))
_on_data = CFUNCTYPE(c_int32, c_void_p, c_void_p, c_size_t, c_int32)
_on_numbers = CFUNCTYPE(c_int32, c_void_p, c_void_p, c_size_t)
_on_message = CFUNCTYPE(c_int32, c_void_p, c_int32, c_void_p, c_size_t)
_on_wait = CFUNCTYPE(c_int32, c_void_p, POINTER(c_int32))


class _Transport(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("context", c_void_p),
        ("rank", c_int32),
        ("ranks", c_int32),
        ("allgather", _on_bytes),
        ("allgatherv", _on_parts),
        ("broadcast", _on_data),
        ("add_up", _on_numbers),
        ("send", _on_message),
        ("receive", _on_message),
        ("wait", _on_wait),
    ]


def _bytes_at(address, size):
    """The bytes at an address as an array."""
    return np.frombuffer((c_char * size).from_address(address), np.uint8) if size else np.empty(0, np.uint8)


class rank_error(RuntimeError):
    """A call on ranks has failed on one of them, and has ended on all.

    Attributes
    ----------
    rank : int
        The rank that failed, or made another call than the others. Its own exception is the `__cause__` there.
    """

    def __init__(self, message, rank):
        super().__init__(message)
        self.rank = rank


class ranks:
    """Ranks of which each has a part of one sequence: calls on all of them have the bits of the call on the whole.

    The sequence is the parts of all ranks in their order. They have any length, none too. All ranks make the same
    call, each on its part. `tally.mpi` and `tally.distributed` make one for a communicator of mpi4py and a process
    group of PyTorch.

    Parameters
    ----------
    transport : object
        It carries bytes. Its attributes `rank` and `size` are this rank and their number. `allgather(mine, all)`,
        `allgatherv(mine, all, counts)`, `broadcast(data, root)`, `add_up(numbers)`, `send(to, data)` and
        `receive(source, data)` take arrays of NumPy, of bytes or of uint64. `wait()` ends all sends and receives, and
        returns whether each receive got bytes: a message has as many as are expected, or none. `tally.h` has the
        contract.

    Attributes
    ----------
    rank, size : int
        This rank, and their number.

    Notes
    -----
    Names, arguments and results are those of the package's functions, with these differences. Parts are in the CPU's
    memory, or all in that of GPUs: then each process has a GPU of its own, and NCCL carries elements over a communicator
    that the first such call makes and `close` gives back. Results stay there, in the order of the current stream. A scan
    returns the results of the rank's own part, and a reduction its value on every rank. An array of
    several axes may be divided along `axis`; without one, its parts are flattened. The initial value is that of rank
    0, and the others give one too.

    If one rank fails, `rank_error` is raised on all of them, also where the failure is in Python, before the call. All
    can go on with another call then. If the transport fails, its exception is raised where it failed, and the ranks
    are of no further use.

    One thread at a time makes calls on them.

    Examples
    --------
    >>> import tally
    >>> class alone:  # a transport of one rank, to which nothing crosses
    ...     rank, size = 0, 1
    ...     def allgather(self, mine, all): all[:] = mine
    ...     def allgatherv(self, mine, all, counts): all[:] = mine
    ...     def broadcast(self, data, root): pass
    ...     def add_up(self, numbers): pass
    ...     def wait(self): return True
    >>> tally.ranks(alone()).cumsum([1, 2, 3])
    array([1, 3, 6])
    """

    def __init__(self, transport):
        self.transport = transport
        self.rank, self.size = transport.rank, transport.size
        self._error = None  # what the transport has thrown
        self._heard = False  # whether all ranks have heard of the exception that is raised
        self._has_gpu = False
        self._pointer = None

        def guarded(function):
            def call(_, *arguments):
                try:
                    function(*arguments)
                    return 0
                except BaseException as error:  # nothing leaves a callback
                    self._error = error
                    return 1

            return call

        size = self.size

        def allgather(mine, all, count):
            transport.allgather(_bytes_at(mine, count), _bytes_at(all, count * size))

        def allgatherv(mine, all, counts):
            counts = counts[:size]
            transport.allgatherv(_bytes_at(mine, counts[self.rank]), _bytes_at(all, sum(counts)), counts)

        def add_up(numbers, count):
            transport.add_up(_bytes_at(numbers, 8 * count).view(np.uint64))

        def wait(all_came):
            all_came[0] = bool(transport.wait())

        struct = _Transport(size=ctypes.sizeof(_Transport), rank=self.rank, ranks=size)
        struct.allgather = _on_bytes(guarded(allgather))
        struct.allgatherv = _on_parts(guarded(allgatherv))
        struct.broadcast = _on_data(guarded(lambda at, count, root: transport.broadcast(_bytes_at(at, count), root)))
        struct.add_up = _on_numbers(guarded(add_up))
        struct.send = _on_message(guarded(lambda to, at, count: transport.send(to, _bytes_at(at, count))))
        struct.receive = _on_message(guarded(lambda source, at, count: transport.receive(source, _bytes_at(at, count))))
        struct.wait = _on_wait(guarded(wait))
        self._struct = struct
        pointer = c_void_p()
        status = _create(ctypes.addressof(struct), ctypes.addressof(pointer))
        if status:
            c.fail(status)
        self._pointer = pointer.value

    def __repr__(self):
        return f"<tally.ranks, {self.rank} of {self.size}>"

    def close(self):
        """Free what the ranks hold, of the transport too. A call of all ranks, as it is for a communicator of MPI."""
        if self._pointer:
            _destroy(self._pointer)
            self._pointer = None
            getattr(self.transport, "close", lambda: None)()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if self._pointer:
            _destroy(self._pointer)

    def _check(self, status, cause=None):
        if status:
            self._heard = True
        error, self._error = self._error, None
        if error is not None:
            raise error
        if status == _RANK_FAILED:
            message = c._last_message().decode()
            raise rank_error(message.partition(": ")[2], _last_failed_rank()) from cause
        if status:
            c.fail(status)

    def run(self, name, call, *arguments):
        """Runs a function of the C library on all ranks; `call` is the operator, or None."""
        self._check(_functions[name](self._pointer, *arguments))
        if call is not None and getattr(call, "callback", None) is not None:
            self._agree(call.error)  # Python's operator may have thrown on one of them

    def run_on_gpu(self, name, device, *arguments):
        """Runs a function of the C library on arrays that lie on this GPU, and makes it the rank's GPU before the first one.
        `device` is None for arrays that only stand for such."""
        if device is not None and not self._has_gpu:
            getattr(self.transport, "check_gpu", lambda device: None)(device)
            self._check(_use_gpu(self._pointer, device))
            self._has_gpu = True
        self._check(_functions[name](self._pointer, *arguments))

    def raise_alone(self, error):
        """Raises an exception of which the other ranks do not hear."""
        self._heard = True
        raise error

    def _agree(self, error):
        text = None if error is None else (str(error) or type(error).__name__).encode()
        self._check(_agree(self._pointer, text), error)

    def _together(self, function, *arguments, **named):
        """Calls function(..., ranks=self). What it throws before all ranks have heard of it, they hear of."""
        if not self._pointer:
            raise ValueError("the ranks are closed")
        self._heard = False
        try:
            return function(*arguments, ranks=self, **named)
        except BaseException as error:
            if self._heard:
                raise
            try:
                self._agree(error)
            except rank_error as failure:
                if isinstance(error, Exception):
                    raise failure from error
            raise

    def range_of(self, array):
        """The ends of NumPy's bins of all ranks' elements: the least and the greatest one."""
        if array.dtype.kind == "b":
            array = array.view(np.uint8)

        def all_by(array, op):
            return _calls.reduce(array, op, None, None, None, False, None, True, False, None, ranks=self)

        if all_by(np.array([array.size]), "plus") == 0:
            return 0, 1
        least, greatest = all_by(array, "minimum"), all_by(array, "maximum")
        if least == greatest:
            return least - 0.5, greatest + 0.5
        return least, greatest

    # ---- Reductions ----

    def _reduce(self, a, op, axis, dtype=None, out=None, keepdims=False, initial=None, where=True, threads=None,
                wanted=True):  # fmt: skip
        given = a, op, axis, dtype, out, keepdims, initial, where, False, threads
        return self._together(_calls.reduce, *given, wanted=wanted)

    def reduce(self, a, op="plus", axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True,
               threads=None, root=None):  # fmt: skip
        """Return the elements of all ranks combined by any associative operator: `tally.reduce` of the whole.

        `root` is the rank that gets the result, or a collection of ranks; the others get None. All get it if it is
        None.
        """
        wanted = root is None or self.rank == root or (not isinstance(root, int) and self.rank in root)
        return self._reduce(a, op, axis, dtype, out, keepdims, initial, where, threads, wanted)

    def sum(self, a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
        """Return the sum of the elements of all ranks: `tally.sum` of the whole."""
        return self._reduce(a, "plus", axis, dtype, out, keepdims, initial, where)

    def fsum(self, a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
        """Return the exact sum of the floats of all ranks, rounded once: `tally.fsum` of the whole."""
        return self._reduce(a, "exact_plus", axis, dtype, out, keepdims, initial, where)

    def logsumexp(self, a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
        """Return log(sum(exp(a))) of the elements of all ranks: `tally.logsumexp` of the whole."""
        return self._reduce(a, "log_sum_exp", axis, dtype, out, keepdims, initial, where)

    def prod(self, a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
        """Return the product of the elements of all ranks: `tally.prod` of the whole."""
        return self._reduce(a, "times", axis, dtype, out, keepdims, initial, where)

    def min(self, a, axis=None, out=None, keepdims=False, initial=None, where=True):
        """Return the least element of all ranks, as `tally.min` of the whole. Of nothing it is the type's greatest."""
        return self._reduce(a, "minimum", axis, None, out, keepdims, initial, where)

    def max(self, a, axis=None, out=None, keepdims=False, initial=None, where=True):
        """Return the greatest element of all ranks, as `tally.max` of the whole. Of nothing it is the type's least."""
        return self._reduce(a, "maximum", axis, None, out, keepdims, initial, where)

    def any(self, a, axis=None, out=None, keepdims=False, where=True):
        """Return whether any element of a rank is nonzero: `tally.any` of the whole."""
        return self._reduce(a, "maximum", axis, bool, out, keepdims, False, where)

    def all(self, a, axis=None, out=None, keepdims=False, where=True):
        """Return whether all elements of all ranks are nonzero: `tally.all` of the whole."""
        return self._reduce(a, "minimum", axis, bool, out, keepdims, True, where)

    # ---- Scans ----

    def _scan(self, a, op, axis, dtype=None, out=None, initial=None, exclusive=False, return_last=False, threads=None):
        given = a, op, axis, dtype, out, initial, False, exclusive, False, return_last, threads
        return self._together(_calls.scan, *given)

    def scan(self, a, op="plus", axis=-1, dtype=None, out=None, *, initial=None, exclusive=False, return_last=False,
             threads=None):  # fmt: skip
        """Return the running results of any associative operator, of this rank's elements: `tally.scan` of the whole.

        With `return_last` every rank gets the results of the whole's last elements.
        """
        return self._scan(a, op, axis, dtype, out, initial, exclusive, return_last, threads)

    def cumsum(self, a, axis=None, dtype=None, out=None):
        """Return the running sums of this rank's elements: `tally.cumsum` of the whole."""
        return self._scan(a, "plus", axis, dtype, out)

    def cumprod(self, a, axis=None, dtype=None, out=None):
        """Return the running products of this rank's elements: `tally.cumprod` of the whole."""
        return self._scan(a, "times", axis, dtype, out)

    def cummax(self, a, axis=None, out=None):
        """Return the greatest element so far: `tally.cummax` of the whole."""
        return self._scan(a, "maximum", axis, None, out)

    def cummin(self, a, axis=None, out=None):
        """Return the least element so far: `tally.cummin` of the whole."""
        return self._scan(a, "minimum", axis, None, out)

    def logcumsumexp(self, a, axis=None, dtype=None, out=None):
        """Return log(cumsum(exp(a))) of this rank's elements: `tally.logcumsumexp` of the whole."""
        return self._scan(a, "log_sum_exp", axis, dtype, out)

    def linear_recurrence(self, a, b, axis=-1, *, initial=None, return_last=False, dtype=None, threads=None):
        """Return the states ``y[k] = a[k] * y[k - 1] + b[k]`` of this rank: `tally.linear_recurrence` of the whole."""
        return self._together(_recurrences.recur, a, b, axis, initial, False, return_last, dtype, threads)

    # ---- Runs of equal keys ----

    def reduce_by_key(self, keys, values, op="plus", *, dtype=None, initial=None, threads=None):
        """Return the key and the reduction of each run of equal keys that begins in this rank's part.

        Those of all ranks, one after the other, are `tally.reduce_by_key` of the whole.
        """
        return self._together(_keys.reduced_by_key, keys, values, op, dtype, initial, False, threads)

    def sum_by_key(self, keys, values, *, dtype=None, initial=None):
        """Return the keys and sums of the runs that begin in this rank's part: `reduce_by_key` with "plus"."""
        return self.reduce_by_key(keys, values, "plus", dtype=dtype, initial=initial)

    def prod_by_key(self, keys, values, *, dtype=None, initial=None):
        """Return the keys and products of the runs that begin in this rank's part: `reduce_by_key` with "times"."""
        return self.reduce_by_key(keys, values, "times", dtype=dtype, initial=initial)

    def min_by_key(self, keys, values, *, initial=None):
        """Return the keys and minima of the runs that begin in this rank's part: `reduce_by_key` with "minimum"."""
        return self.reduce_by_key(keys, values, "minimum", initial=initial)

    def max_by_key(self, keys, values, *, initial=None):
        """Return the keys and maxima of the runs that begin in this rank's part: `reduce_by_key` with "maximum"."""
        return self.reduce_by_key(keys, values, "maximum", initial=initial)

    def scan_by_key(self, keys, values, op="plus", *, dtype=None, initial=None, exclusive=False, threads=None):
        """Return the running results of this rank's values within runs of keys: `tally.scan_by_key` of the whole."""
        return self._together(_keys.scanned_by_key, keys, values, op, dtype, initial, exclusive, threads)

    # ---- Segments between offsets ----

    def segment_reduce(self, values, offsets, op="plus", *, dtype=None, initial=None, reverse=False, threads=None):
        """Return the reduction of each segment that begins in this rank's part.

        `offsets` are those of these segments: places in the whole, one more than segments, or none. The last one may be
        in a later part. The results of all ranks, one after the other, are `tally.segment_reduce` of the whole.
        """
        return self._together(_segments.reduced, values, offsets, op, dtype, initial, reverse, threads)

    def segment_sum(self, values, offsets, *, dtype=None, initial=None):
        """Return the sums of the segments that begin in this rank's part: `segment_reduce` with "plus"."""
        return self.segment_reduce(values, offsets, "plus", dtype=dtype, initial=initial)

    def segment_prod(self, values, offsets, *, dtype=None, initial=None):
        """Return the products of the segments that begin in this rank's part: `segment_reduce` with "times"."""
        return self.segment_reduce(values, offsets, "times", dtype=dtype, initial=initial)

    def segment_min(self, values, offsets, *, initial=None):
        """Return the minima of the segments that begin in this rank's part: `segment_reduce` with "minimum"."""
        return self.segment_reduce(values, offsets, "minimum", initial=initial)

    def segment_max(self, values, offsets, *, initial=None):
        """Return the maxima of the segments that begin in this rank's part: `segment_reduce` with "maximum"."""
        return self.segment_reduce(values, offsets, "maximum", initial=initial)

    def segment_scan(self, values, offsets, op="plus", *, dtype=None, initial=None, reverse=False, exclusive=False,
                     threads=None):  # fmt: skip
        """Return the running results of this rank's values within segments: `tally.segment_scan` of the whole.

        `offsets` are those of the segments that begin in this rank's part, as for `segment_reduce`.
        """
        return self._together(_segments.scanned, values, offsets, op, dtype, initial, reverse, exclusive, threads)

    # ---- Counts ----

    def histogram(self, a, bins=10, range=None, density=None):
        """Return how many elements of all ranks are in each bin, and the edges: `tally.histogram` of the whole."""
        return self._together(_sorting.counted, a, bins, range, density, None)
