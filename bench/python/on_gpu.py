"""Times calls of tally beside those of PyTorch, CuPy and JAX on a GPU, on the same values, and prints a page of tables.

Usage: PYTHONPATH=python python3 bench/python/on_gpu.py > docs/measurements/.../python.md
"""

import sys

import numpy as np
import torch

import tally
import tally.torch as tt

try:
    import cupy
except ImportError:
    cupy = None


def microseconds(call):
    """The median time of a call among many, in a stream that is kept busy."""
    for _ in range(5):
        call()
    torch.cuda.synchronize()
    times = []
    for _ in range(9):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda._sleep(2_000_000)  # the host gets ahead, so that its own time is not measured
        begin.record()
        for _ in range(10):
            call()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) * 100)
    return sorted(times)[len(times) // 2]


def same_bits(call):
    results = {bytes(call().cpu().contiguous().view(torch.uint8).numpy().data) for _ in range(4)}
    return len(results) == 1


def error(result, x, axis):
    """The greatest error in units of 2^-24 of the sum of magnitudes."""
    exact = torch.cumsum(x.double(), axis)
    size = torch.cumsum(x.double().abs(), axis)
    return ((result.double() - exact).abs() / size).max().item() * 2**24


def table(title, columns, rows):
    print(f"\n## {title}\n")
    print("| " + " | ".join(columns) + " |")
    print("|---|" + "---:|" * (len(columns) - 1))
    for row in rows:
        print("| " + " | ".join(str(each) for each in row) + " |")
    sys.stdout.flush()


def ratio(one, other):
    return f"{other / one:.2f} x"


def cupys(x):
    return cupy.from_dlpack(x) if cupy is not None else None


def running_sums():
    rows = []
    shapes = [("2^16", (1 << 16,), 0), ("2^20", (1 << 20,), 0), ("2^24", (1 << 24,), 0), ("2^28", (1 << 28,), 0),
              ("2^20 rows of 64", (1 << 20, 64), 1), ("65536 rows of 1024", (1 << 16, 1024), 1), ("64 rows of 2^20", (64, 1 << 20), 1),
              ("2^20 x 64, columns", (1 << 20, 64), 0), ("4096 x 8192, columns", (4096, 8192), 0)]  # fmt: skip
    for name, shape, axis in shapes:
        x = torch.rand(shape, device="cuda") - 0.4
        out = torch.empty_like(x)
        ours, theirs = (microseconds(lambda: f(x, axis, out)) for f in (
            lambda x, axis, out: tally.cumsum(x, axis=axis, out=out), lambda x, axis, out: torch.cumsum(x, axis, out=out)))  # fmt: skip
        row = [f"cumsum, {name}", f"{ours:.1f}", f"{theirs:.1f}", ratio(ours, theirs)]
        if cupy is not None and x.numel() <= 1 << 26:
            y, z = cupys(x), cupys(out)
            with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
                row.append(ratio(ours, microseconds(lambda: cupy.cumsum(y, axis=axis, out=z))))
        else:
            row.append("")
        row += [f"{8 * x.numel() / ours / 1e6:.2f} TB/s"]
        if x.numel() <= 1 << 26:
            row += [f"{error(tally.cumsum(x, axis=axis), x, axis):.1f}", f"{error(torch.cumsum(x, axis), x, axis):.1f}"]
        else:
            row += ["", ""]
        row += ["yes" if same_bits(lambda: tally.cumsum(x, axis=axis)) else "no",
                "yes" if same_bits(lambda: torch.cumsum(x, axis)) else "no"]  # fmt: skip
        rows.append(row)
    table("Running sums of float32", ["", "tally, us", "torch, us", "torch / tally", "cupy / tally", "tally's speed", "error, tally",
          "error, torch", "bits repeat, tally", "torch"], rows)  # fmt: skip


def sums():
    rows = []
    for name, shape, axis in [("2^20", (1 << 20,), 0), ("2^28", (1 << 28,), 0), ("2^20 rows of 64", (1 << 20, 64), 1),
                              ("65536 rows of 1024", (1 << 16, 1024), 1), ("2^20 x 64, columns", (1 << 20, 64), 0)]:  # fmt: skip
        x = torch.rand(shape, device="cuda")
        ours, theirs = microseconds(lambda: tally.sum(x, axis=axis)), microseconds(lambda: torch.sum(x, axis))
        rows.append([f"sum, {name}", f"{ours:.1f}", f"{theirs:.1f}", ratio(ours, theirs), f"{4 * x.numel() / ours / 1e6:.2f} TB/s"])
    table("Sums of float32", ["", "tally, us", "torch, us", "torch / tally", "tally's speed"], rows)


def recurrences():
    rows = []
    for name, shape, axis in [("65536 rows of 1024", (1 << 16, 1024), 1), ("4096 x 8192, columns", (4096, 8192), 0), ("2^26", (1 << 26,), 0)]:
        a, b = torch.rand(shape, device="cuda"), torch.rand(shape, device="cuda")
        ours = microseconds(lambda: tally.linear_recurrence(a, b, axis))
        rows.append([f"y[k] = a[k] y[k-1] + b[k], {name}", f"{ours:.1f}", f"{12 * b.numel() / ours / 1e6:.2f} TB/s"])
    table("Recurrences of float32", ["", "tally, us", "tally's speed"], rows)


def small_calls():
    """The host's time of a call: 1000 calls on 8 elements, none of which waits."""
    import time

    x = torch.rand(8, device="cuda")
    rows = []
    for name, call in [("tally.cumsum", lambda: tally.cumsum(x, axis=0)), ("tally.torch.cumsum", lambda: tt.cumsum(x, 0)), ("torch.cumsum", lambda: torch.cumsum(x, 0))]:
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
    print(f"# Tally in Python on a GPU\n\n{torch.cuda.get_device_name()}, PyTorch {torch.__version__}", end="")
    print(f", CuPy {cupy.__version__}" if cupy is not None else "", f", NumPy {np.__version__}.", sep="")
    print("Medians of 9 times 10 calls in a busy stream. Errors are the greatest, in units of 2^-24 of the sum of magnitudes.")
    running_sums()
    sums()
    recurrences()
    small_calls()


if __name__ == "__main__":
    main()
