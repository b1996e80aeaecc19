"""Checks of `tally.ranks`, which every transport passes: all bits are those of the call on the whole."""

import itertools

import numpy as np
import pytest

import tally


def same(x, y):
    x, y = np.asarray(x), np.asarray(y)
    assert x.dtype == y.dtype and x.shape == y.shape, (x.dtype, y.dtype, x.shape, y.shape)
    assert x.tobytes() == y.tobytes()


class Parts:
    """A whole array, the same on all ranks, and this rank's part of it along an axis."""

    def __init__(self, ranks, n, seed):
        self.random = np.random.default_rng(seed)
        ends = np.sort(self.random.integers(0, n + 1, ranks.size - 1))
        if ranks.size > 2:
            ends[1] = ends[0]  # the second rank's part is empty
        self.begin, self.end = ([0, *ends, n][ranks.rank + k] for k in (0, 1))

    def __call__(self, whole, axis=0):
        return np.asarray(whole)[(slice(None),) * axis + (slice(self.begin, self.end),)]

    def floats(self, *shape, dtype=np.float64):
        return (self.random.standard_normal(shape) * 10.0 ** self.random.integers(-6, 6, shape)).astype(dtype)


def check_calls(ranks):
    for n, seed in ((0, 1), (1, 2), (50, 3), (40000, 4)):
        part = Parts(ranks, n, seed)
        x, y = part.floats(n), part.floats(n, dtype=np.float32)
        small = part.random.integers(-100, 100, n).astype(np.int16)
        for whole in (x, y, small):
            same(ranks.sum(part(whole)), tally.sum(whole))
            same(ranks.sum(part(whole), initial=3), tally.sum(whole, initial=3))
            same(ranks.cumsum(part(whole)), part(tally.cumsum(whole)))
            same(ranks.cummax(part(whole)), part(tally.cummax(whole)))
            same(ranks.scan(part(whole), exclusive=True), part(tally.scan(whole, exclusive=True)))
            same(ranks.fsum(part(whole)), tally.fsum(whole))
            if n:
                same(ranks.min(part(whole)), tally.min(whole))
                same(ranks.max(part(whole)), tally.max(whole))
            same(ranks.any(part(whole)), np.asarray(tally.any(whole)))
            same(ranks.sum(part(whole), where=part(whole) > 0), tally.sum(whole, where=whole > 0))
        same(ranks.logsumexp(part(x / 1e5)), tally.logsumexp(x / 1e5))
        same(ranks.logcumsumexp(part(x / 1e5)), part(tally.logcumsumexp(x / 1e5)))
        same(ranks.cumprod(part(y)), part(tally.cumprod(y)))
        same(ranks.sum(part(x + 1j * x)), tally.sum(x + 1j * x))
        got, last = ranks.scan(part(x), initial=0.5 if ranks.rank == 0 else 7.0, return_last=True)
        expected, expected_last = tally.scan(x, initial=0.5, return_last=True)
        same(got, part(expected))
        same(last, expected_last)
        same(ranks.linear_recurrence(0.9, part(x)), part(tally.linear_recurrence(0.9, x)))
        same(ranks.linear_recurrence(part(x), part(y), initial=2), part(tally.linear_recurrence(x, y, initial=2)))
        out = np.empty(part(x).shape)
        assert ranks.cumsum(part(x), out=out) is out
        same(out, part(tally.cumsum(x)))

        keys = np.repeat(np.arange(n // 7 + 1), 7)[:n] if n < 100 else np.sort(part.random.integers(0, 9, n))
        run_keys, totals = ranks.sum_by_key(part(keys), part(x))
        all_keys, all_totals = tally.sum_by_key(keys, x)
        begins = np.flatnonzero(np.diff(keys, prepend=-1))
        mine = (part.begin <= begins) & (begins < part.end)
        same(run_keys, all_keys[mine])
        same(totals, all_totals[mine])
        same(ranks.scan_by_key(part(keys), part(y)), part(tally.scan_by_key(keys, y)))
        same(ranks.max_by_key(part(keys), part(small))[1], tally.max_by_key(keys, small)[1][mine])

        places = np.sort(part.random.integers(0, n + 1, 9))
        first, behind = np.searchsorted(places[:-1], (part.begin, part.end))
        first, behind = first if ranks.rank else 0, behind if ranks.rank + 1 < ranks.size else 8
        own = slice(first, behind)
        offsets = places[first : behind + 1] if first < behind else []
        begin = part.floats(8)
        same(ranks.segment_sum(part(x), offsets), tally.segment_sum(x, places)[own])
        same(ranks.segment_sum(part(y), offsets, initial=begin[own]), tally.segment_sum(y, places, initial=begin)[own])
        same(ranks.segment_max(part(small), offsets), tally.segment_max(small, places)[own])
        exact = ranks.segment_reduce(part(y), offsets, "exact_plus", initial=begin[own])
        same(exact, tally.segment_reduce(y, places, "exact_plus", initial=begin)[own])
        same(ranks.scan_by_key(part(keys), part(x), "exact_plus"), part(tally.scan_by_key(keys, x, "exact_plus")))
        backwards = ranks.segment_reduce(part(y), offsets, initial=begin[own], reverse=True)
        same(backwards, tally.segment_reduce(y, places, initial=begin, reverse=True)[own])
        for reverse, exclusive in itertools.product((False, True), repeat=2):
            same(
                ranks.segment_scan(part(x), offsets, reverse=reverse, exclusive=exclusive),
                part(tally.segment_scan(x, places, reverse=reverse, exclusive=exclusive)),
            )
        for bins, ends in ((5, None), (8, (-1.0, 1.0)), ([-3.0, 0.0, 1.0], None)):
            for got, expected in zip(ranks.histogram(part(y), bins, ends), tally.histogram(y, bins, ends)):
                same(got, expected)


def check_axes(ranks):
    part = Parts(ranks, 300, 5)
    x = part.floats(4, 300, 3)
    same(ranks.sum(part(x, 1), axis=1), tally.sum(x, axis=1))
    same(ranks.sum(part(x, 1), axis=1, keepdims=True), tally.sum(x, axis=1, keepdims=True))
    same(ranks.cumsum(part(x, 1), axis=1), part(tally.cumsum(x, axis=1), 1))
    same(ranks.scan(part(x, 1), "maximum", axis=1), part(tally.scan(x, "maximum", axis=1), 1))
    before = part.floats(4, 3)
    same(
        ranks.linear_recurrence(0.5, part(x, 1), axis=1, initial=before if ranks.rank == 0 else 0 * before),
        part(tally.linear_recurrence(0.5, x, axis=1, initial=before), 1),
    )
    # Without an axis parts are flattened: divided along the first one, they are the whole.
    rows = part.floats(300, 5)
    same(ranks.sum(part(rows)), tally.sum(rows))
    same(ranks.cumsum(part(rows)), part(tally.cumsum(rows).reshape(300, 5)).ravel())


def check_roots(ranks):
    part = Parts(ranks, 100, 6)
    x = part.floats(100)
    for root in (0, ranks.size - 1, (0, ranks.size - 1)):
        wants = ranks.rank == root or (isinstance(root, tuple) and ranks.rank in root)
        got = ranks.reduce(part(x), root=root)
        assert got == tally.sum(x) if wants else got is None


def check_operators(ranks):
    part = Parts(ranks, 60, 7)
    x = part.random.integers(0, 9, 60)
    same(ranks.reduce(part(x), lambda a, b: b), tally.reduce(x, lambda a, b: b))
    later = tally.operation(lambda a, b: b if b else a, identity=0)
    same(ranks.scan(part(x), later, exclusive=True), part(tally.scan(x, later, exclusive=True)))


def check_failures(ranks):
    """A failure of one rank ends the call on all, wherever it fails; the next call is right."""
    last = ranks.size - 1
    ones = np.ones(3)

    def fails(call, says, cause=None, failing=last):
        with pytest.raises(tally.rank_error) as caught:
            call()
        assert caught.value.rank == failing and says in str(caught.value), caught.value
        assert f"rank {failing}" in str(caught.value)
        if cause and ranks.rank == failing:
            assert isinstance(caught.value.__cause__, cause)
        assert ranks.sum(ones) == 3 * ranks.size

    on_last = ranks.rank == last
    fails(lambda: ranks.sum(ones, axis=1 if on_last else 0), "axis 1 is out of bounds", IndexError)
    fails(lambda: ranks.cumsum(ones, out=np.empty(2) if on_last else None), "out has shape (2,)", ValueError)
    few = ones[:2] if on_last else ones
    fails(lambda: ranks.sum_by_key([1, 2, 3], few), "keys and values have one axis", ValueError)
    place = 3 * ranks.rank
    bounds = [place, place + (4 if on_last else 3)]
    fails(lambda: ranks.segment_sum(ones, bounds), "the last offset is")

    # Few elements are combined on the first rank, in an operator of Python's too.
    def divide(a, b):
        return a + b if ranks.rank != 0 or b != 5 else 1 / 0

    fails(lambda: ranks.scan([4, 5, 6], divide), "division by zero", ZeroDivisionError, 0)
    if ranks.size > 1:
        fails(lambda: ranks.sum(ones) if not on_last else ranks.prod(ones), "the ranks make different calls")
        fails(lambda: ranks.sum(ones if not on_last else ones.astype(np.float32)), "the ranks make different calls")


def check_all(ranks):
    check_calls(ranks)
    check_axes(ranks)
    check_roots(ranks)
    check_operators(ranks)
    check_failures(ranks)
