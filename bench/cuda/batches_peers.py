#!/usr/bin/env python3
"""batches_peers.py [--elements LOG2] [--json FILE]: rows, columns and middle axes in PyTorch and JAX on this machine's GPU, float32.

Prints three tables. The first has the speed of each library's cumulative sum and sum along an axis, in GB/s (a scan reads and
writes each element, a sum reads it) and as a share of a device-to-device copy of the same size, in the same process; medians
of rounds in which all take turns. The second has a few rows in a graph, in microseconds. The third asks whether a row's bits
depend on the batch that it is in: the sums and cumulative sums of one row, alone and among others, are compared bit for bit.
Needs PyTorch. Without JAX its columns are left out, and the first line says so. docs/batches.md quotes these tables.
"""
import argparse
import json
import statistics
import sys

import torch

try:
    import jax
    import jax.dlpack
    import jax.numpy
except ImportError:
    jax = None


def events(work, repeats):
    """Milliseconds of one call, from a few calls between two events."""
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(repeats):
        work()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / repeats


def wall(work, repeats):
    """Milliseconds of one call of a library that has a stream of its own."""
    import time

    begin = time.perf_counter()
    for _ in range(repeats):
        result = work()
    result.block_until_ready()
    return (time.perf_counter() - begin) * 1e3 / repeats


def medians(contenders, most_seconds):
    """The median of each contender, {name: milliseconds}. Those that take long are asked less often."""
    times = {name: [] for name in contenders}
    repeats = {}
    for name, (timer, work) in contenders.items():
        timer(work, 1)
        once = timer(work, 1)
        repeats[name] = max(1, min(20, int(20 / once))) if once < 200 else 0
        times[name].append(once)
    for _ in range(7):
        for name, (timer, work) in contenders.items():
            if repeats[name] and sum(times[name]) * repeats[name] < most_seconds * 1e3:
                times[name].append(timer(work, repeats[name]))
    return {name: statistics.median(values[1:] or values) for name, values in times.items()}


def shapes(elements):
    for row in (16, 64, 256, 1024, 4096, 65536, 1 << 20):
        yield f"{elements // row} rows of {row}", (elements // row, row), 1
    yield f"16 rows of {elements // 16}", (16, elements // 16), 1
    for columns in (elements // 65536, 256):
        yield f"{columns} columns of {elements // columns}", (elements // columns, columns), 0
    yield f"{elements // 16} columns of 16", (16, elements // 16), 0
    for inner in (4, 64, 1024):
        outer = elements // 4096 // inner
        yield f"middle axis of {outer} x 4096 x {inner}", (outer, 4096, inner), 1


def speeds(elements, seconds):
    rows = []
    for title, shape, axis in shapes(elements):
        x = torch.randn(shape, device="cuda")
        out = torch.empty_like(x)
        contenders = {
            "copy": (events, lambda: out.copy_(x)),
            "torch.cumsum": (events, lambda: torch.cumsum(x, axis, out=out)),
            "torch.sum": (events, lambda: torch.sum(x, axis)),
        }
        if jax is not None:
            y = jax.dlpack.from_dlpack(x)
            cumsum, total = jax.jit(lambda v: jax.numpy.cumsum(v, axis)), jax.jit(lambda v: jax.numpy.sum(v, axis))
            contenders["jax cumsum"] = (wall, lambda: cumsum(y))
            contenders["jax sum"] = (wall, lambda: total(y))
            scan = jax.jit(lambda v: jax.lax.associative_scan(jax.numpy.add, v, axis=axis))
            contenders["jax associative_scan cumsum"] = (wall, lambda: scan(y))
        cell = {"work": title}
        for name, milliseconds in medians(contenders, seconds).items():
            cell[name] = x.nbytes * (1 if name.endswith("sum") and "cum" not in name else 2) / milliseconds / 1e6
        rows.append(cell)
        print(f"{title:32}", *(f"{name} {value:6.0f} ({value / cell['copy']:.3f})" for name, value in cell.items() if name != "work"), sep="  ", flush=True)
    return rows


def small(replays=50):
    """A few rows in a graph of 100 calls: microseconds of one call, the median of several replays."""
    cells = []
    for length in (64, 256, 1024, 4096):
        for count in (1, 32, 1024):
            x = torch.randn((count, length), device="cuda")
            out, sums = torch.empty_like(x), torch.empty(count, device="cuda")
            cell = {"work": f"{count} rows of {length}, in a graph"}
            for name, call in (("torch.cumsum", lambda: torch.cumsum(x, 1, out=out)), ("torch.sum", lambda: torch.sum(x, 1, out=sums))):
                call()
                torch.cuda.synchronize()
                graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(graph):
                    for _ in range(100):
                        call()
                graph.replay()
                cell[name] = statistics.median(events(graph.replay, 1) for _ in range(replays)) * 10
            cells.append(cell)
            print(f"{cell['work']:32}  torch.cumsum {cell['torch.cumsum']:.2f} us  torch.sum {cell['torch.sum']:.2f} us", flush=True)
    return cells


def invariance():
    """For each length: how many of 64 rows get other bits in a batch of 64, of 1000 and of 30,000 than alone."""
    results = []
    torch.manual_seed(1)
    for length in (100, 1000, 4096, 10000, 100000):
        most = min(30000, (1 << 28) // length)
        x = torch.rand((most, length), device="cuda")
        for name, call in (("torch.sum", lambda v: torch.sum(v, 1)), ("torch.cumsum", lambda v: torch.cumsum(v, 1))):
            alone = [call(x[k : k + 1])[0] for k in range(64)]
            for batch in sorted({64, min(1000, most), most}):
                together = call(x[:batch])
                differ = sum(not torch.equal(alone[k], together[k]) for k in range(64))
                results.append({"call": name, "length": length, "batch": batch, "rows that differ": differ, "of": 64})
                print(f"{name:14} rows of {length:6}, {batch:6} in the batch: {differ:2} of 64 rows have other bits than alone", flush=True)
    return results


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    options.add_argument("--elements", type=int, default=28, metavar="LOG2", help="elements in all, as a power of two")
    options.add_argument("--seconds", type=float, default=0.3, help="the most seconds a contender takes at one shape")
    options.add_argument("--json", metavar="FILE")
    given = options.parse_args()
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}" + (f", JAX {jax.__version__}" if jax else ", no JAX: its columns are left out"))
    report = {"speeds, GB/s": speeds(1 << given.elements, given.seconds), "a few rows, us": small(), "batches": invariance()}
    if given.json:
        with open(given.json, "w") as file:
            json.dump(report, file, indent=1)


if __name__ == "__main__":
    sys.exit(main())
