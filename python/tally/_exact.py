"""Exact sums that go on."""

import ctypes
import weakref

import numpy as np

from . import _arrays
from . import _library as c
from ._sorting import check


class exact_sum:
    """An exact sum of floats: numbers are added in any order, sums are merged, and rounded when they are asked for.

    Parameters
    ----------
    values : array_like, optional
        The first terms.

    Notes
    -----
    Floats of 16 to 64 bits and integers of up to 32 are terms as they are; other integers are converted to doubles. A sum
    can be copied and pickled, and sums of processes merged: the result is the same for every order.

    Examples
    --------
    >>> import tally
    >>> total = tally.exact_sum([1e100, 1.0])
    >>> total.add(-1e100)
    >>> float(total)
    1.0
    >>> float(total + tally.exact_sum([0.5]))
    1.5
    """

    __slots__ = ("_sum", "__weakref__")

    def __init__(self, values=None):
        self._sum = c.exact_sum_create()
        if not self._sum:
            raise MemoryError("no memory for an exact sum")
        weakref.finalize(self, c.exact_sum_destroy, self._sum).atexit = False
        if values is not None:
            self.add(values)

    def add(self, values):
        """Add a number, each element of an array, or another `exact_sum`.

        Examples
        --------
        >>> import tally
        >>> total = tally.exact_sum()
        >>> total.add([0.1, 0.2])
        >>> float(total)
        0.30000000000000004
        """
        self._take(values, c.exact_sum_add, c.exact_sum_merge)

    def subtract(self, values):
        """Subtract a number, each element of an array, or another `exact_sum`.

        Examples
        --------
        >>> import tally
        >>> total = tally.exact_sum([1.0, 2.0])
        >>> total.subtract([2.0])
        >>> float(total)
        1.0
        """
        self._take(values, c.exact_sum_subtract, c.exact_sum_remove)

    def _take(self, values, of_values, of_sum):
        if isinstance(values, exact_sum):
            check(of_sum(self._sum, values._sum))
            return
        array, _ = _arrays.enter(values, "values")
        if array.dtype.kind in "iu" and array.dtype.itemsize == 8:
            array = array.astype(np.float64)
        kept = []
        check(of_values(self._sum, _arrays.kept_pointer(kept, array)))

    def round(self, dtype=np.float64):
        """Return the number of this dtype nearest to the sum, ties to even: rounded once.

        Examples
        --------
        >>> import numpy, tally
        >>> float(tally.exact_sum([1.0, 2.0**-30]).round(numpy.float32))
        1.0
        """
        result = np.empty((), _arrays.dtype_of(dtype))
        kept = []
        check(c.exact_sum_round(self._sum, _arrays.kept_pointer(kept, result)))
        return result[()]

    def to_bytes(self):
        """Return the sum as bytes: the same for equal sums of the same kinds of terms, on every machine.

        Examples
        --------
        >>> import tally
        >>> tally.exact_sum([1.0, 2.0]).to_bytes() == tally.exact_sum([2.0, 1.0]).to_bytes()
        True
        """
        buffer = ctypes.create_string_buffer(c.EXACT_SUM_BYTES)
        check(c.exact_sum_save(self._sum, buffer))
        return buffer.raw

    @classmethod
    def from_bytes(cls, given):
        """Return the sum that `to_bytes` has written.

        Examples
        --------
        >>> import tally
        >>> float(tally.exact_sum.from_bytes(tally.exact_sum([3.0]).to_bytes()))
        3.0
        """
        given = bytes(given)
        if len(given) != c.EXACT_SUM_BYTES:
            raise ValueError(f"{len(given)} bytes are no exact sum; it has {c.EXACT_SUM_BYTES}")
        result = cls()
        check(c.exact_sum_load(result._sum, given))
        return result

    def __reduce__(self):
        return exact_sum.from_bytes, (self.to_bytes(),)

    def __copy__(self):
        return exact_sum.from_bytes(self.to_bytes())

    def __deepcopy__(self, memo):
        return self.__copy__()

    def __float__(self):
        return float(self.round())

    def __add__(self, other):
        result = self.__copy__()
        result.add(other)
        return result

    __radd__ = __add__

    def __sub__(self, other):
        result = self.__copy__()
        result.subtract(other)
        return result

    def __iadd__(self, other):
        self.add(other)
        return self

    def __isub__(self, other):
        self.subtract(other)
        return self

    def __repr__(self):
        return f"tally.exact_sum({float(self)!r})"
