#!/usr/bin/env python3
"""Compares `tally app recurrence` with PyTorch's associative scan, or with log-steps where that is missing.

    recurrence_torch.py TALLY [ROWS STEPS]

y[k] = a[k] y[k-1] + b[k] in every row, doubles with |a| <= 1, in three ways: the tool, PyTorch on all threads, and the
loop over the steps in exact fractions for one row. Prints the largest errors against those fractions, and the time of
PyTorch alone. Exit status 77: there is no PyTorch.
"""

import fractions
import os
import struct
import subprocess
import sys
import tempfile
import time

try:
    import torch
except ImportError:
    print("no PyTorch here")
    sys.exit(77)


def combine(earlier, later):
    """The composition of maps y -> a y + b."""
    return later[0] * earlier[0], later[0] * earlier[1] + later[1]


def by_log_steps(a, b):
    """Hillis and Steele: every map composed with the one 1, 2, 4, ... places before."""
    a, b = a.clone(), b.clone()
    stride = 1
    while stride < a.shape[1]:
        composed = combine((a[:, :-stride], b[:, :-stride]), (a[:, stride:], b[:, stride:]))
        a[:, stride:], b[:, stride:] = composed[0].clone(), composed[1].clone()
        stride *= 2
    return b


def by_torch(a, b):
    try:
        from torch._higher_order_ops.associative_scan import associative_scan
    except ImportError:
        return "log-steps", by_log_steps
    return "associative_scan", lambda a, b: associative_scan(combine, (a, b), dim=1, combine_mode="generic")[1]


def write_npy(path, values):
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }" % values.shape
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    with open(path, "wb") as to:
        to.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        to.write(struct.pack("<%dd" % values.numel(), *values.flatten().tolist()))


def read_npy(path, shape):
    with open(path, "rb") as source:
        content = source.read()
    begin = 10 + struct.unpack("<H", content[8:10])[0]
    count = shape[0] * shape[1]
    return torch.tensor(struct.unpack("<%dd" % count, content[begin : begin + 8 * count])).reshape(shape)


def main():
    tally = sys.argv[1]
    rows, steps = (int(sys.argv[2]), int(sys.argv[3])) if len(sys.argv) > 3 else (64, 4096)
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(1)
    a = 1 - torch.rand(rows, steps) ** 2 * 0.1
    b = torch.randn(rows, steps)
    name, scan = by_torch(a, b)
    scan(a, b)
    begin = time.perf_counter()
    y = scan(a, b)
    seconds = time.perf_counter() - begin
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, each) for each in ("a.npy", "b.npy", "y.npy")]
        write_npy(paths[0], a)
        write_npy(paths[1], b)
        subprocess.run([tally, "app", "recurrence", "--axis", "1", "-o", paths[2]] + paths[:2], check=True)
        own = read_npy(paths[2], (rows, steps))
    largest = {"tally": 0.0, name: 0.0, "plain loop": 0.0}
    exact, loop = fractions.Fraction(0), 0.0
    for k in range(min(steps, 1000)):
        exact = fractions.Fraction(a[0, k].item()) * exact + fractions.Fraction(b[0, k].item())
        loop = a[0, k].item() * loop + b[0, k].item()
        for each, value in (("tally", own[0, k].item()), (name, y[0, k].item()), ("plain loop", loop)):
            largest[each] = max(largest[each], abs(float(fractions.Fraction(value) - exact)))
    print("PyTorch %s, %d rows of %d doubles" % (torch.__version__, rows, steps))
    for each, error in largest.items():
        print("%-16s largest error %.1e" % (each, error))
    print("largest difference between Tally and PyTorch: %.1e" % (own - y).abs().max().item())
    print("PyTorch's %s: %.1f ns a step" % (name, seconds / (rows * steps) * 1e9))
    scale = own.abs().max().item()
    return 0 if (own - y).abs().max().item() <= 1e-12 * scale else 1


if __name__ == "__main__":
    sys.exit(main())
