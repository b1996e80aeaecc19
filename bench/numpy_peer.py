#!/usr/bin/env python3
"""NumPy's cumsum, sum and max on the inputs of tally_bench, as JSON on standard output.

Usage: numpy_peer.py [--quick] > numpy.json

NumPy runs in a process of its own, so its figures are not interleaved with the others: medians of three to five rounds.
Exclusive scans are left out, for NumPy has none.
"""
import json
import sys
import time

import numpy as np

UNITS = {"f32": 2**24, "f64": 2**35}  # a float input is a whole number of these, so that exact sums are whole numbers
TYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64, "i16": np.int16, "i8": np.int8}
CHUNK = 1 << 22


def inputs(name, n, random):
    """Random values as tally_bench makes them, and for floats the whole numbers that they stand for."""
    if name in UNITS:
        units = random.integers(1, UNITS[name], n, dtype=np.int64, endpoint=True)
        values = np.empty(n, TYPES[name])
        for k in range(0, n, CHUNK):
            values[k:k + CHUNK] = units[k:k + CHUNK] / UNITS[name]
        return values, units
    bounds = {"i32": (-1024, 1024), "i64": (-2**30, 2**30), "i16": (-2**15, 2**15), "i8": (-2**7, 2**7)}[name]
    return random.integers(*bounds, n, dtype=TYPES[name]), None


def errors(name, found, units):
    """The largest relative error and error in units in the last place of a scan of floats, in pieces that fit in cache."""
    relative = ulps = 0.0
    before = 0
    for k in range(0, len(units), CHUNK):
        exact = before + np.cumsum(units[k:k + CHUNK])
        before = int(exact[-1])
        difference = np.abs((found[k:k + CHUNK].astype(np.float64) * UNITS[name]).astype(np.int64) - exact)
        relative = max(relative, float((difference / exact).max()))
        one_ulp = np.spacing((exact / UNITS[name]).astype(TYPES[name])).astype(np.float64) * UNITS[name]
        ulps = max(ulps, float((difference / one_ulp).max()))
    return relative, ulps


def timed(call, budget):
    """Seconds a call, one value a round, from batches of at least 2 ms; no round begins after `budget` seconds."""
    start = time.perf_counter()
    call()
    once = max(time.perf_counter() - start, 1e-7)
    batch = max(1, int(0.002 / once) + 1) if once < 0.002 else 1
    seconds = []
    begun = time.perf_counter()
    while len(seconds) < 3 or (len(seconds) < 5 and time.perf_counter() - begun < budget):
        start = time.perf_counter()
        for _ in range(batch):
            call()
        seconds.append((time.perf_counter() - start) / batch)
    return seconds


def main():
    quick = "--quick" in sys.argv[1:]
    names, powers = (["f32", "i64"], [10, 14, 18, 22, 25]) if quick else (list(TYPES), range(10, 29, 2))
    random = np.random.default_rng(1)
    cells = {}

    def record(name, call, relative=0.0, ulps=0.0, wrong=False):
        cells[name] = {"seconds": timed(call, 0.1), "relative_error": relative, "ulp_error": ulps, "wrong": wrong}

    for name in names:
        values, units = inputs(name, 1 << max(powers), random)
        out = np.empty_like(values)
        kind = TYPES[name]
        for power in powers:
            n = 1 << power
            x, y = values[:n], out[:n]
            y.fill(0)
            np.cumsum(x, dtype=kind, out=y)
            wrong, relative, ulps = False, 0.0, 0.0
            if units is not None:
                relative, ulps = errors(name, y, units[:n])
                wrong = relative > 1
            else:
                wrong = bool((y[1:] - y[:-1] != x[1:]).any() or y[0] != x[0])
            record(f"scan/plus/{name}/2^{power}", lambda: np.cumsum(x, dtype=kind, out=y), relative, ulps, wrong)
            total = np.sum(x, dtype=kind)
            if units is not None:
                exact = int(units[:n].sum())
                difference = abs(int(float(total) * UNITS[name]) - exact)
                relative = difference / exact
                ulps = difference / (float(np.spacing(kind(exact / UNITS[name]))) * UNITS[name])
                wrong = relative > 1
            else:
                wrong = total != kind(x.sum(dtype=np.int64).astype(kind))
            record(f"reduce/plus/{name}/2^{power}", lambda: np.sum(x, dtype=kind), relative, ulps, bool(wrong))
            record(f"reduce/maximum/{name}/2^{power}", lambda: np.max(x))
    json.dump({"version": np.__version__, "cells": cells}, sys.stdout)


main()
