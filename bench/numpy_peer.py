#!/usr/bin/env python3
"""NumPy's cumsum, sum and max on the inputs of tally_bench, as JSON on standard output.

Usage: numpy_peer.py [--quick] [--filter REGULAR_EXPRESSION] > numpy.json

NumPy runs in a process of its own, so its figures are not interleaved with the others: medians of three to five rounds.
Exclusive scans are left out, for NumPy has none.
"""
import argparse
import glob
import itertools
import json
import re
import sys
import time

import numpy as np

UNITS = {"f32": 2**24, "f64": 2**35}  # a float input is a whole number of these, so that exact sums are whole numbers
TYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64, "i16": np.int16, "i8": np.int8}
CHUNK = 1 << 22


def last_cache():
    """Bytes of the largest cache."""
    sizes = [0]
    for file in glob.glob("/sys/devices/system/cpu/cpu0/cache/index*/size"):
        with open(file, encoding="ascii") as text:
            sizes.append(int(text.read().strip().rstrip("K")) * 1024)
    return max(sizes)


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


def check_scan(name, values, found, units):
    """Relative error, error in units in the last place, and whether the result is wrong."""
    if units is None:
        return 0.0, 0.0, bool((found[1:] - found[:-1] != values[1:]).any() or found[0] != values[0])
    relative, ulps = errors(name, found, units)
    return relative, ulps, relative > 1


def check_sum(name, values, found, units):
    if units is None:
        return 0.0, 0.0, bool(found != values.sum(dtype=np.int64).astype(TYPES[name]))
    exact = int(units.sum())
    difference = abs(int(float(found) * UNITS[name]) - exact)
    one_ulp = float(np.spacing(TYPES[name](exact / UNITS[name]))) * UNITS[name]
    return difference / exact, difference / one_ulp, difference > exact


def measure(name, powers, wanted, random):
    """All cells of one type whose names are wanted: {cell: figures}."""
    cells = {}
    kind = TYPES[name]
    if not any(wanted(f"{what}/{name}/2^{p}") for what in ("scan/plus", "reduce/plus", "reduce/maximum") for p in powers):
        return cells
    size = np.dtype(kind).itemsize
    values, units = inputs(name, max(1 << max(powers), 8 * last_cache() // size), random)
    out = np.zeros_like(values)
    for power in powers:
        n = 1 << power
        x, u = values[:n], None if units is None else units[:n]
        calls = {
            "scan/plus": (2, lambda k: np.cumsum(values[k:k + n], dtype=kind, out=out[k:k + n]),
                          lambda found: check_scan(name, x, found, u)),
            "reduce/plus": (1, lambda k: np.sum(values[k:k + n], dtype=kind), lambda found: check_sum(name, x, found, u)),
            "reduce/maximum": (1, lambda k: np.max(values[k:k + n]),
                               lambda found: (0.0, 0.0, bool((x > found).any() or not (x == found).any()))),
        }
        for what, (accesses, call, check) in calls.items():
            cell = f"{what}/{name}/2^{power}"
            if wanted(cell):
                relative, ulps, wrong = check(call(0))
                # In cache always the same place; beyond, as in tally_bench, never what the last call has touched.
                in_cache = accesses * n * size <= last_cache() // 2
                places = itertools.cycle([0] if in_cache else range(0, len(values) - n + 1, n))
                seconds = timed(lambda: call(next(places)), 0.1)
                cells[cell] = {"seconds": seconds, "relative_error": relative, "ulp_error": ulps, "wrong": wrong}
    return cells


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--filter", default=re.compile(""), type=re.compile)
    options = parser.parse_args()
    names, powers = (["f32", "i64"], [10, 14, 18, 22, 25]) if options.quick else (list(TYPES), range(10, 29, 2))
    random = np.random.default_rng(1)
    cells = {}
    for name in names:
        cells.update(measure(name, powers, options.filter.search, random))
    json.dump({"version": np.__version__, "cells": cells}, sys.stdout)


main()
