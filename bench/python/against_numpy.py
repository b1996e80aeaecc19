"""Times calls of tally beside NumPy's on the same arrays: the best of some calls in turn, and their ratio.

Usage: PYTHONPATH=python python3 bench/python/against_numpy.py
"""

import time

import numpy as np

import tally


def race(name, ours, theirs, times):
    best = [float("inf")] * 2
    for _ in range(times):
        for k, call in enumerate((ours, theirs)):
            begin = time.perf_counter()
            call()
            best[k] = min(best[k], time.perf_counter() - begin)
    print(f"{name:40} tally {best[0] * 1e6:10.1f} us   numpy {best[1] * 1e6:10.1f} us   {best[1] / best[0]:6.2f} x")


def main():
    rng = np.random.default_rng(1)
    few = rng.random(8)
    race("sum of 8 float64", lambda: tally.sum(few), lambda: np.sum(few), 20000)
    race("cumsum of 8 float64", lambda: tally.cumsum(few), lambda: np.cumsum(few), 20000)
    for dtype in (np.float32, np.float64, np.int64):
        for power in (16, 20, 25):
            x = (rng.random(1 << power) * 100).astype(dtype)
            out = np.empty_like(x)
            name = f"2^{power} {np.dtype(dtype)}"
            race("cumsum of " + name, lambda: tally.cumsum(x, out=out), lambda: np.cumsum(x, out=out), 9)
            race("sum of " + name, lambda: tally.sum(x), lambda: np.sum(x), 9)
    x = rng.random((2048, 4096)).astype(np.float32)
    out = np.empty_like(x)
    for axis in (0, 1):
        name = f"2048 x 4096 float32, axis {axis}"
        race("cumsum of " + name, lambda: tally.cumsum(x, axis=axis, out=out), lambda: np.cumsum(x, axis=axis, out=out), 9)
        race("sum of " + name, lambda: tally.sum(x, axis=axis), lambda: np.sum(x, axis=axis), 9)


if __name__ == "__main__":
    main()
