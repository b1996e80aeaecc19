"""Times calls of tally beside NumPy's, and PyTorch's where it is installed, on the same arrays. Prints the table of docs/python.md.

Usage: PYTHONPATH=python python3 bench/python/against_numpy.py

Times are the best of some calls in turn, which write to the same output. The error is the largest relative one of the results,
against sums of doubles that are longer than those of the call: of float32 in float64, of float64 in long double. "Same bits" says
whether one thread gives the bits of all threads.
"""

import time

import numpy as np

import tally

try:
    import torch
except ImportError:
    torch = None

# The target of a row: times NumPy, times PyTorch, microseconds more than NumPy.
TARGETS = {"cumsum": "8 x NumPy, 1.5 x PyTorch", "small": "at most 2 us more"}


def best_of(calls, times):
    best = [float("inf")] * len(calls)
    for _ in range(times):
        for k, call in enumerate(calls):
            begin = time.perf_counter()
            call()
            best[k] = min(best[k], time.perf_counter() - begin)
    return best


def shown(seconds):
    return f"{seconds * 1e6:.2f} us" if seconds < 1e-5 else f"{seconds * 1e6:.0f} us" if seconds < 1e-3 else f"{seconds * 1e3:.1f} ms"


def error_of(result, exact):
    if exact is None:
        return ""
    wide = np.asarray(exact)
    return f"{float(np.max(np.abs((np.asarray(result).astype(wide.dtype) - wide) / wide))):.0e}"


def race(name, ours, theirs, torchs=None, times=9, exact=None, one_thread=None, target=""):
    calls = [ours, theirs] + ([torchs] if torchs is not None and torch is not None else [])
    errors = error_of(theirs(), exact), error_of(ours(), exact)
    same = "" if one_thread is None else "yes" if np.asarray(ours()).tobytes() == np.asarray(one_thread()).tobytes() else "NO"
    best = best_of(calls, times)
    beside = [shown(best[1]), *([shown(best[2]) if len(best) > 2 else ""] if torch is not None else [])]
    ratio = f"{best[1] / best[0]:.2g} x" if best[0] > 1e-5 else f"{(best[0] - best[1]) * 1e6:+.2f} us"
    cells = [name, *beside, shown(best[0]), ratio, target, errors[0], errors[1], same]
    print("| " + " | ".join(cells) + " |", flush=True)


def main():
    rng = np.random.default_rng(1)
    peers = ["NumPy", *(["PyTorch"] if torch is not None else [])]
    head = ["", *peers, "Tally", "beside NumPy", "target", "NumPy's error", "Tally's error", "same bits"]
    print("| " + " | ".join(head) + " |\n|---|" + "---:|" * (len(head) - 1))

    few = rng.random(8)
    race("`sum` of 8 float64", lambda: tally.sum(few), lambda: np.sum(few), times=20000, target=TARGETS["small"])
    race("`cumsum` of 8 float64", lambda: tally.cumsum(few), lambda: np.cumsum(few), times=20000, target=TARGETS["small"])

    for dtype in (np.float32, np.float64, np.int64):
        for power in (16, 20, 25):
            x = (rng.random(1 << power) * 100).astype(dtype)
            out, rest = np.empty_like(x), np.empty_like(x)
            tensor = None if torch is None else torch.from_numpy(x)
            into = None if torch is None else torch.empty_like(tensor)
            wide = None if dtype == np.int64 else np.cumsum(x, dtype=np.float64 if dtype == np.float32 else np.longdouble)
            name = f"2^{power} {np.dtype(dtype)}"
            race(f"`cumsum` of {name}", lambda: tally.cumsum(x, out=out), lambda: np.cumsum(x, out=rest),
                 lambda: torch.cumsum(tensor, 0, out=into), exact=wide, one_thread=lambda: tally.scan(x, threads=1),
                 target=TARGETS["cumsum"] if power == 25 and wide is not None else "")  # fmt: skip
            race(f"`sum` of {name}", lambda: tally.sum(x), lambda: np.sum(x), lambda: torch.sum(tensor),
                 exact=None if wide is None else wide[-1:], one_thread=lambda: tally.reduce(x, threads=1))  # fmt: skip

    x = rng.random((2048, 4096)).astype(np.float32)
    out, rest = np.empty_like(x), np.empty_like(x)
    tensor = None if torch is None else torch.from_numpy(x)
    for axis, what in ((0, "columns"), (1, "rows")):
        name = f"2048 x 4096 float32, {what}"
        wide = np.cumsum(x, axis=axis, dtype=np.float64)
        race(f"`cumsum` of {name}", lambda: tally.cumsum(x, axis=axis, out=out), lambda: np.cumsum(x, axis=axis, out=rest),
             lambda: torch.cumsum(tensor, axis), exact=wide, one_thread=lambda: tally.scan(x, axis=axis, threads=1))  # fmt: skip
        race(f"`sum` of {name}", lambda: tally.sum(x, axis=axis), lambda: np.sum(x, axis=axis), lambda: torch.sum(tensor, axis),
             exact=wide.take(-1, axis=axis), one_thread=lambda: tally.reduce(x, axis=axis, threads=1))  # fmt: skip
        race(f"`argmax` of {name}", lambda: tally.argmax(x, axis=axis), lambda: np.argmax(x, axis=axis),
             lambda: torch.argmax(tensor, axis), times=5)  # fmt: skip

    values = rng.random(1 << 22).astype(np.float32)
    begins = np.unique(rng.integers(0, values.size, 1 << 17))
    begins[0] = 0
    offsets = np.append(begins, values.size)
    race("`segment_sum` of 2^22 float32, 2^17 segments; `add.reduceat`", lambda: tally.segment_sum(values, offsets),
         lambda: np.add.reduceat(values, begins), exact=np.add.reduceat(values.astype(np.float64), begins),
         one_thread=lambda: tally.segment_reduce(values, offsets, threads=1))  # fmt: skip

    decay = np.full(1 << 20, 0.99)
    inputs = rng.random(1 << 20)

    def loop():
        state, states = 0.0, []
        for a, b in zip(decay.tolist(), inputs.tolist()):
            state = a * state + b
            states.append(state)
        return states

    race("`linear_recurrence` of 2^20 float64; a loop", lambda: tally.linear_recurrence(decay, inputs), loop, times=3,
         one_thread=lambda: tally.linear_recurrence(decay, inputs, threads=1))  # fmt: skip


if __name__ == "__main__":
    main()
