"""Times calls of tally beside those of PyTorch, CuPy and JAX on a GPU, on the same values, and prints a page of tables.

Usage: PYTHONPATH=python python3 bench/python/on_gpu.py [FOLDER] > docs/measurements/.../python.txt

FOLDER has the tables of the C++ library's benchmarks on the same GPU, table.txt and batches_races.txt, as scripts/gpu
writes them. The page then has the ratio to them too.
"""

import os
import re
import sys
import time
from pathlib import Path

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX takes most of the memory otherwise

import numpy as np
import torch

import tally
import tally.torch as tt

try:
    import cupy
except ImportError:
    cupy = None
try:
    import jax

    jax = jax if jax.default_backend() == "gpu" else None
except ImportError:
    jax = None

OF_JAX = {"2^24", "rows of 1024", "columns of 4096"}  # each takes seconds to compile
ALL = 1 << 28  # elements of the rows and columns, as in the C++ library's benchmark
FEW = 1 << 22  # arrays of up to so many elements are timed in a graph, as there


def in_stream(call, rounds=7, calls=10):
    """The median time of a call in microseconds, in a stream that is kept busy."""
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    times = []
    for _ in range(rounds):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda._sleep(2_000_000)  # the host gets ahead, so that its own time is not measured
        begin.record()
        for _ in range(calls):
            call()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) * 1000 / calls)
        if times[0] > 50_000:
            break
    return sorted(times)[len(times) // 2]


def in_graph(call, calls=100):
    """The median time of a call in microseconds, among a hundred in a graph."""
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(calls):
            call()
    return in_stream(graph.replay, calls=1) / calls


def microseconds(call, elements):
    return in_graph(call) if elements <= FEW else in_stream(call)


def microseconds_of_jax(function, x):
    """The median time of ten compiled calls that follow each other, by the clock: JAX does not show its streams."""
    call = jax.jit(function)
    given = jax.dlpack.from_dlpack(x)
    call(given).block_until_ready()
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        for _ in range(10):
            result = call(given)
        result.block_until_ready()
        times.append((time.perf_counter() - begin) * 1e5)
    return sorted(times)[len(times) // 2]


def attempt(call, *arguments):
    """What a call returns, None if a peer has no memory or no code for it."""
    try:
        return call(*arguments)
    except Exception as error:
        print(f"on_gpu.py: a peer's call failed: {type(error).__name__}: {error}", file=sys.stderr)
        torch.cuda.synchronize()
        return None


def library_times(folder):
    """The C++ library's times in microseconds, by the names that its benchmarks print."""
    times = {}
    if folder is None:
        return times
    for line in (folder / "table.txt").read_text().splitlines():
        found = re.match(r"(inclusive scan|reduce) f32 +2\^(\d+) +(graph|stream) +Tally +([\d.]+) us", line)
        if found and (found[3] == "graph") == (2 ** int(found[2]) <= FEW):
            times[found[1].replace("inclusive ", ""), f"2^{found[2]}"] = float(found[4])
    for line in (folder / "batches_races.txt").read_text().splitlines():
        found = re.match(r"(scan|reduce)/f32/((?:rows|columns) of (\d+))\S* .*?  Tally (\d+) GB/s", line)
        if found:
            results = ALL if found[1] == "scan" else ALL // int(found[3])
            times[found[1], found[2]] = 4 * (ALL + results) / int(found[4]) / 1e3
    return times


def same_bits(call):
    results = {bytes(call().cpu().contiguous().view(torch.uint8).numpy().data) for _ in range(3)}
    return "yes" if len(results) == 1 else "no"


def error(result, x, axis):
    """The greatest error in units of 2^-24 of the sum of magnitudes."""
    exact, size = torch.cumsum(x.double(), axis), torch.cumsum(x.double().abs(), axis)
    return f"{((result.double() - exact).abs() / size).max().item() * 2**24:.1f}"


def table(title, columns, rows):
    print(f"\n## {title}\n")
    print("| " + " | ".join(columns) + " |")
    print("|---|" + "---:|" * (len(columns) - 1))
    for row in rows:
        print("| " + " | ".join(str(each) for each in row) + " |")
    sys.stdout.flush()


def ratio(one, other):
    return "" if other is None or one is None else f"{other / one:.2f} x"


def shown(time):
    return "" if time is None else f"{time:.1f}"


SHAPES = [*((f"2^{power}", (1 << power,), 0) for power in (16, 18, 20, 22, 24, 26, 28)),
          *((f"rows of {n}", (ALL // n, n), 1) for n in (16, 64, 256, 1024, 4096, 65536)),
          *((f"columns of {n}", (n, ALL // n), 0) for n in (16, 256, 4096, 65536, 1 << 20))]  # fmt: skip


def along_axes(kind, library):
    """Running sums or sums of one array, of rows and of columns."""
    scans = kind == "scan"
    rows = []
    for name, shape, axis in SHAPES:
        x = torch.rand(shape, device="cuda") - (0.4 if scans else 0)
        out = torch.empty_like(x) if scans else torch.empty(x.sum(axis).shape, device="cuda")
        elements = x.numel()
        if scans:
            ours = microseconds(lambda: tally.cumsum(x, axis=axis, out=out), elements)
            theirs = microseconds(lambda: torch.cumsum(x, axis, out=out), elements)
        else:
            ours = microseconds(lambda: tally.sum(x, axis=axis, out=out), elements)
            theirs = microseconds(lambda: torch.sum(x, axis, out=out), elements)
        row = [name, shown(ours), shown(theirs), ratio(ours, theirs)]
        if cupy is not None:
            y, z = cupy.from_dlpack(x), cupy.from_dlpack(out)
            run = cupy.cumsum if scans else cupy.sum
            with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
                row.append(ratio(ours, attempt(in_stream, lambda: run(y, axis=axis, out=z), 3, 5)))
            cupy.get_default_memory_pool().free_all_blocks()
        if jax is not None:
            run = jax.numpy.cumsum if scans else jax.numpy.sum
            row.append(ratio(ours, attempt(microseconds_of_jax, lambda x: run(x, axis), x)) if name in OF_JAX else "")
        moved = 4 * (elements + out.numel())
        row += [ratio(ours, library.get((kind, name))), f"{moved / ours / 1e6:.2f} TB/s"]
        if scans:
            calls = [lambda: tally.cumsum(x, axis=axis), lambda: torch.cumsum(x, axis)]
            checked = elements <= 1 << 26  # larger ones take their time in double precision
            row += [error(call(), x, axis) if checked else "" for call in calls]
            row += [same_bits(call) if checked else "" for call in calls]
        rows.append(row)
        del x, out
    columns = ["", "Tally, us", "PyTorch, us", "PyTorch / Tally"]
    columns += ["CuPy / Tally"] if cupy is not None else []
    columns += ["JAX / Tally"] if jax is not None else []
    columns += ["C++ library / Tally", "Tally's speed"]
    if scans:
        columns += ["Tally's error", "PyTorch's error", "Tally's bits repeat", "PyTorch's bits repeat"]
    table("Running sums of float32" if scans else "Sums of float32", columns, rows)


def segments():
    """Segments whose ends are drawn at random, so that lengths are of every size around the mean."""
    rows = []
    n = 1 << 26
    x = torch.rand(n, device="cuda")
    for mean in (10, 100, 1000, 100_000):
        inner = torch.randint(0, n + 1, (n // mean - 1,), device="cuda").sort().values
        offsets = torch.cat([inner.new_zeros(1), inner, inner.new_full((1,), n)])
        ours = in_stream(lambda: tally.segment_sum(x, offsets))
        theirs = attempt(in_stream, lambda: torch.segment_reduce(x, "sum", offsets=offsets, unsafe=True))
        running = in_stream(lambda: tally.segment_scan(x, offsets))
        read = 4 * n + 12 * (n // mean)
        rows.append([f"{mean} elements on average", shown(ours), shown(theirs), ratio(ours, theirs),
                     f"{read / ours / 1e6:.2f} TB/s", shown(running), f"{8 * n / running / 1e6:.2f} TB/s"])  # fmt: skip
    columns = ["2^26 float32 in segments of", "sums, us", "PyTorch's segment_reduce, us", "PyTorch / Tally"]
    table("Segments", [*columns, "Tally's speed", "running sums, us", "Tally's speed"], rows)


def composed(x, y):
    """The step x and then the step y, as one step (a, b)."""
    return x[0] * y[0], x[1] * y[0] + y[1]


def recurrences():
    rows = []
    shapes = [("2^26", (1 << 26,), 0), ("rows of 1024", (1 << 16, 1024), 1), ("columns of 4096", (4096, 1 << 14), 0)]
    for name, shape, axis in shapes:
        a, b = torch.rand(shape, device="cuda"), torch.rand(shape, device="cuda")
        ours = in_stream(lambda: tally.linear_recurrence(a, b, axis))
        theirs = None
        if jax is not None:
            c = jax.dlpack.from_dlpack(a)
            combine = jax.lax.associative_scan
            theirs = attempt(microseconds_of_jax, lambda d: combine(composed, (c, d), axis=axis)[1], b)
            del c
        rows.append([name, shown(ours), f"{12 * b.numel() / ours / 1e6:.2f} TB/s", shown(theirs), ratio(ours, theirs)])
    columns = ["", "Tally, us", "Tally's speed", "JAX's associative_scan, us", "JAX / Tally"]
    table("Recurrences y[k] = a[k] y[k-1] + b[k] of float32", columns, rows)


def other_calls():
    """Calls on 2^26 elements whose time is not a single pass over memory."""
    n = 1 << 26
    x = torch.rand(n, device="cuda")
    keys = (x * (n // 100)).int()
    ordered, rows_of_x, mask = keys.sort().values, x.reshape(-1, 1024), x < 0.5
    ends = torch.arange(0, n + 1, 1024, device="cuda")
    calls = [
        ("sort, float32", lambda: tally.sort(x), lambda: torch.sort(x)),
        ("argsort, int32", lambda: tally.argsort(keys), lambda: torch.argsort(keys, stable=True)),
        ("sort, rows of 1024", lambda: tally.sort(rows_of_x, 1), lambda: torch.sort(rows_of_x, 1)),
        ("unique with counts", lambda: tally.unique(keys, return_counts=True), lambda: torch.unique(keys, return_counts=True)),
        ("sum_by_key, runs of 100", lambda: tally.sum_by_key(ordered, x), None),
        ("compact, every other one", lambda: tally.compact(x, mask), lambda: x[mask]),
        ("histogram, 256 bins", lambda: tally.histogram(x, 256, range=(0, 1)), lambda: torch.histc(x, 256, 0, 1)),
        ("segment_max, 1024 elements", lambda: tally.segment_max(x, ends), lambda: torch.segment_reduce(x, "max", offsets=ends, unsafe=True)),
        ("logcumsumexp, rows of 1024", lambda: tally.logcumsumexp(rows_of_x, 1), lambda: torch.logcumsumexp(rows_of_x, 1)),
    ]
    rows = []
    for name, ours, theirs in calls:
        own, other = in_stream(ours), None if theirs is None else attempt(in_stream, theirs)
        rows.append([name, shown(own), shown(other), ratio(own, other)])
    table("Sorts, keys, selection, histograms of 2^26 elements", ["", "Tally, us", "PyTorch, us", "PyTorch / Tally"], rows)


def small_calls():
    """The host's time of a call: 1000 calls on 8 elements, none of which waits."""
    x = torch.rand(8, device="cuda")
    rows = []
    calls = {
        "tally.cumsum": lambda: tally.cumsum(x, axis=0),
        "tally.torch.cumsum": lambda: tt.cumsum(x, 0),
        "torch.cumsum": lambda: torch.cumsum(x, 0),
    }
    for name, call in calls.items():
        for _ in range(100):
            call()
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(1000):
            call()
        spent = time.perf_counter() - begin
        torch.cuda.synchronize()
        rows.append([name, f"{spent * 1000:.1f}"])
    table("The host's time of a small call", ["", "us"], rows)


def main():
    library = library_times(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    versions = [f"{name} {each.__version__}" for name, each in [("CuPy", cupy), ("JAX", jax), ("NumPy", np)] if each]
    print("# Tally in Python on a GPU\n")
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, {', '.join(versions)}.")
    print("Medians of 7 rounds: for arrays of up to 2^22 elements of a hundred calls in a graph, for larger ones of")
    print("ten calls in a busy stream; of JAX by the clock. Rows and columns have 2^28 elements in all, segments and")
    print("recurrences 2^26. Errors are the greatest, in units of 2^-24 of the sum of magnitudes.")
    along_axes("scan", library)
    along_axes("reduce", library)
    segments()
    recurrences()
    other_calls()
    small_calls()


if __name__ == "__main__":
    main()
