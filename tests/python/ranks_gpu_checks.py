"""Checks of `tally.ranks` on arrays in the memory of GPUs: all bits are those of the CPU's call on the whole."""

import numpy as np
import pytest

import tally
from ranks_checks import Parts


class Checks:
    """`put(array)` gives an array of NumPy to the GPU, and `take(array)` an array of the GPU's to NumPy."""

    def __init__(self, ranks, put, take):
        self.ranks, self.put, self.take = ranks, put, take

    def same(self, on_gpu, expected):
        x, y = self.take(on_gpu), np.asarray(expected)
        assert x.dtype == y.dtype and x.shape == y.shape, (x.dtype, y.dtype, x.shape, y.shape)
        # A processor's NaN has another sign than a GPU's.
        numbers, expected_numbers = x[x == x], y[y == y]
        assert np.array_equal(x == x, y == y) and numbers.tobytes() == expected_numbers.tobytes()

    def calls(self):
        ranks, same, put = self.ranks, self.same, self.put
        for n, seed in ((0, 1), (1, 2), (50, 3), (40000, 4), (300000, 5)):
            part = Parts(ranks, n, seed)
            x, y = part.floats(n), part.floats(n, dtype=np.float32)
            small, wide = part.random.integers(-100, 100, n).astype(np.int16), part.random.integers(-(2**62), 2**62, n)
            for whole in (x, y, small, wide, (y / 1e4).astype(np.float16)):
                mine = put(part(whole))
                same(ranks.sum(mine), tally.sum(whole))
                same(ranks.sum(mine, initial=3), tally.sum(whole, initial=3))
                same(ranks.cumsum(mine), part(tally.cumsum(whole)))
                same(ranks.cummax(mine), part(tally.cummax(whole)))
                same(ranks.cummin(mine), part(tally.cummin(whole)))
                same(ranks.cumprod(mine), part(tally.cumprod(whole)))
                same(ranks.scan(mine, exclusive=True), part(tally.scan(whole, exclusive=True)))
                same(ranks.scan(mine, "minimum", exclusive=True), part(tally.scan(whole, "minimum", exclusive=True)))
                if n:
                    same(ranks.min(mine), tally.min(whole))
                    same(ranks.max(mine), tally.max(whole))
                same(ranks.any(mine), np.asarray(tally.any(whole)))
                same(ranks.all(mine), np.asarray(tally.all(whole)))
            for op in ("bitwise_and", "bitwise_or", "bitwise_xor"):
                for whole in (small, wide, wide > 0):
                    same(ranks.reduce(put(part(whole)), op), tally.reduce(whole, op))
                    same(ranks.scan(put(part(whole)), op), part(tally.scan(whole, op)))
            for whole in (x, y):
                mine = put(part(whole))
                same(ranks.fsum(mine), tally.fsum(whole))
                same(ranks.fsum(mine, initial=0.1), tally.fsum(whole, initial=0.1))
                same(ranks.scan(mine, "exact_plus"), part(tally.scan(whole, "exact_plus")))
                same(ranks.scan(mine, "exact_plus", exclusive=True), part(tally.scan(whole, "exact_plus", exclusive=True)))
                scaled = whole / whole.dtype.type(1e5)
                same(ranks.logsumexp(put(part(scaled))), tally.logsumexp(scaled))
                same(ranks.logcumsumexp(put(part(scaled))), part(tally.logcumsumexp(scaled)))
                begins = {"initial": 0.5 if ranks.rank == 0 else 7.0, "return_last": True}
                for exclusive in (False, True):
                    got, last = ranks.scan(mine, exclusive=exclusive, **begins)
                    expected, expected_last = tally.scan(whole, exclusive=exclusive, initial=0.5, return_last=True)
                    same(got, part(expected))
                    same(last, expected_last)
            out = put(np.zeros_like(part(y)))
            assert ranks.cumsum(put(part(y)), out=out) is out
            same(out, part(tally.cumsum(y)))
            assert ranks.cumsum(out, out=out) is out  # in place
            same(out, part(tally.cumsum(tally.cumsum(y))))
            wider = put(np.zeros(part(y).shape))
            assert ranks.cumsum(put(part(y)), out=wider) is wider
            same(wider, part(tally.cumsum(y, dtype=np.float64)))

    def axes(self):
        ranks, same, put = self.ranks, self.same, self.put
        part = Parts(ranks, 300, 5)
        x = part.floats(4, 300, 3)
        mine = put(part(x, 1))
        same(ranks.sum(mine, axis=1), tally.sum(x, axis=1))
        same(ranks.sum(mine, axis=1, keepdims=True), tally.sum(x, axis=1, keepdims=True))
        before = part.floats(4, 3)
        given = put(before if ranks.rank == 0 else 0 * before)
        same(ranks.sum(mine, axis=1, initial=given), tally.sum(x, axis=1, initial=before))
        same(ranks.cumsum(mine, axis=1), part(tally.cumsum(x, axis=1), 1))
        same(ranks.scan(mine, "maximum", axis=1), part(tally.scan(x, "maximum", axis=1), 1))
        same(ranks.logcumsumexp(mine, axis=1), part(tally.logcumsumexp(x, axis=1), 1))
        got, last = ranks.scan(mine, axis=1, exclusive=True, return_last=True)
        expected, expected_last = tally.scan(x, axis=1, exclusive=True, return_last=True)
        same(got, part(expected, 1))
        same(last, expected_last)
        nothing = put(np.empty((2, 0), np.float32))
        same(ranks.sum(nothing, axis=1), np.zeros(2, np.float32))
        same(ranks.sum(put(np.empty((0, 3), np.float32)), axis=1), np.empty(0, np.float32))
        # Without an axis parts are flattened: divided along the first one, they are the whole.
        rows = part.floats(300, 5)
        same(ranks.sum(put(part(rows))), tally.sum(rows))
        same(ranks.cumsum(put(part(rows))), part(tally.cumsum(rows).reshape(300, 5)).ravel())

    def keys(self):
        ranks, same, put = self.ranks, self.same, self.put
        for n, seed in ((0, 1), (1, 2), (50, 3), (40000, 4)):
            part = Parts(ranks, n, seed)
            x, y = part.floats(n), part.floats(n, dtype=np.float32)
            small, wide = part.random.integers(-100, 100, n).astype(np.int16), part.random.integers(-(2**62), 2**62, n)
            for keys in (
                np.repeat(np.arange(n // 7 + 1), 7)[:n],
                np.sort(part.random.integers(0, 9, n)).astype(np.uint8),
                np.sort(part.random.integers(0, 3, n)).astype(np.float32),
                np.zeros(n, bool),
            ):
                begins = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[:n])
                mine = (part.begin <= begins) & (begins < part.end)
                own = put(part(keys))
                for whole in (x, y, small, wide):
                    for op in ("plus", "maximum"):
                        run_keys, totals = ranks.reduce_by_key(own, put(part(whole)), op)
                        all_keys, all_totals = tally.reduce_by_key(keys, whole, op)
                        same(run_keys, all_keys[mine])
                        same(totals, all_totals[mine])
                    same(ranks.scan_by_key(own, put(part(whole))), part(tally.scan_by_key(keys, whole)))
                    same(
                        ranks.scan_by_key(own, put(part(whole)), "times", exclusive=True),
                        part(tally.scan_by_key(keys, whole, "times", exclusive=True)),
                    )
                same(ranks.sum_by_key(own, put(part(x)), initial=0.5)[1], tally.sum_by_key(keys, x, initial=0.5)[1][mine])
                scaled = x / 1e5
                same(
                    ranks.scan_by_key(own, put(part(scaled)), "log_sum_exp"),
                    part(tally.scan_by_key(keys, scaled, "log_sum_exp")),
                )

    def segments(self):
        ranks, same, put = self.ranks, self.same, self.put
        for n, seed in ((0, 1), (1, 2), (50, 3), (40000, 4)):
            part = Parts(ranks, n, seed)
            x, y = part.floats(n), part.floats(n, dtype=np.float32)
            small = part.random.integers(-100, 100, n).astype(np.int16)
            places = np.sort(part.random.integers(0, n + 1, 9))
            first, behind = np.searchsorted(places[:-1], (part.begin, part.end))
            first, behind = first if ranks.rank else 0, behind if ranks.rank + 1 < ranks.size else 8
            own = slice(first, behind)
            # Offsets of the CPU's and of the GPU.
            offsets = places[first : behind + 1] if first < behind else []
            begin = part.floats(8)
            for given in (offsets, put(np.asarray(offsets, np.int64))):
                same(ranks.segment_sum(put(part(x)), given), tally.segment_sum(x, places)[own])
                same(ranks.segment_max(put(part(small)), given), tally.segment_max(small, places)[own])
                same(
                    ranks.segment_sum(put(part(x)), given, initial=put(begin[own])),
                    tally.segment_sum(x, places, initial=begin)[own],
                )
                scaled = y / np.float32(1e5)
                same(
                    ranks.segment_reduce(put(part(scaled)), given, "log_sum_exp"),
                    tally.segment_reduce(scaled, places, "log_sum_exp")[own],
                )
                for whole in (x, y, small):
                    for exclusive in (False, True):
                        same(
                            ranks.segment_scan(put(part(whole)), given, exclusive=exclusive),
                            part(tally.segment_scan(whole, places, exclusive=exclusive)),
                        )

    def recurrences(self):
        ranks, same, put = self.ranks, self.same, self.put
        for n, seed in ((0, 1), (1, 2), (50, 3), (40000, 4)):
            part = Parts(ranks, n, seed)
            x, y = part.floats(n), part.floats(n, dtype=np.float32)
            for terms in (x, y):
                same(ranks.linear_recurrence(0.9, put(part(terms))), part(tally.linear_recurrence(0.9, terms)))
                factors = (terms / 1e7).astype(terms.dtype)
                if n:
                    got, last = ranks.linear_recurrence(put(part(factors)), put(part(terms)), initial=2, return_last=True)
                    expected, expected_last = tally.linear_recurrence(factors, terms, initial=2, return_last=True)
                    same(got, part(expected))
                    same(last, expected_last)
            same(ranks.linear_recurrence(put(part(x)), put(part(x))), part(tally.linear_recurrence(x, x)))  # overflows
        part = Parts(ranks, 300, 5)
        x = part.floats(4, 300, 3)
        before = part.floats(4, 3)
        same(
            ranks.linear_recurrence(0.5, put(part(x, 1)), axis=1, initial=put(before)),
            part(tally.linear_recurrence(0.5, x, axis=1, initial=before), 1),
        )

    def counts(self):
        ranks, same, put = self.ranks, self.same, self.put
        for n, seed in ((0, 1), (1, 2), (50, 3), (40000, 4)):
            part = Parts(ranks, n, seed)
            for whole in (part.floats(n, dtype=np.float32), part.floats(n), part.random.integers(-9, 9, n)):
                for bins, ends, density in ((5, None, False), (8, (-1.0, 1.0), True), (np.array([-3.0, 0.0, 1.0]), None, False)):
                    if density and n < 50:
                        continue
                    got, expected = (
                        call(x, bins, ends, density)
                        for call, x in ((ranks.histogram, put(part(whole))), (tally.histogram, whole))
                    )
                    same(got[0], expected[0])
                    same(got[1], expected[1])

    def roots(self):
        part = Parts(self.ranks, 100, 6)
        x = part.floats(100)
        for root in (0, self.ranks.size - 1, (0, self.ranks.size - 1)):
            wants = self.ranks.rank == root or (isinstance(root, tuple) and self.ranks.rank in root)
            got = self.ranks.reduce(self.put(part(x)), root=root)
            if wants:
                self.same(got, tally.sum(x))
            else:
                assert got is None

    def failures(self):
        """A failure of one rank ends the call on all, wherever it fails; the next call is right."""
        ranks, put = self.ranks, self.put
        last = ranks.size - 1
        on_last = ranks.rank == last
        ones = put(np.ones(3))

        def fails(call, says, cause=None):
            with pytest.raises(tally.rank_error) as caught:
                call()
            assert caught.value.rank == last and says in str(caught.value), caught.value
            if cause and on_last:
                assert isinstance(caught.value.__cause__, cause)
            self.same(ranks.sum(ones), np.float64(3 * ranks.size))

        fails(lambda: ranks.sum(ones, axis=1 if on_last else 0), "axis 1 is out of bounds", IndexError)
        fails(lambda: ranks.cumsum(ones, out=put(np.empty(2)) if on_last else None), "out has shape (2,)", ValueError)
        fails(lambda: ranks.sum(ones, where=[True] * 3 if on_last else True), "where= is for arrays", NotImplementedError)
        few = put(np.ones(2)) if on_last else ones
        fails(lambda: ranks.sum_by_key(put(np.array([1, 2, 3])), few), "keys and values have one axis", ValueError)
        place = 3 * ranks.rank
        fails(lambda: ranks.segment_sum(ones, [place, place + (4 if on_last else 3)]), "the last offset is")
        fails(lambda: ranks.histogram(ones, "auto" if on_last else 10), "a rule for their number", NotImplementedError)
        if ranks.size > 1:
            fails(lambda: ranks.sum(ones) if not on_last else ranks.prod(ones), "the ranks make different calls")
            fails(lambda: ranks.sum(ones if not on_last else put(np.ones(3, np.float32))), "the ranks make different calls")

    def all(self):
        self.calls()
        self.axes()
        self.keys()
        self.segments()
        self.recurrences()
        self.counts()
        self.roots()
        self.failures()
