"""check_tool.py TALLY TALLY_MPI MPIRUN...: the tool on ranks of a real MPI writes what the tool on one machine writes.

All cases are also run on virtual ranks (tests/ranks/tool_test.cpp); here are some of each way in and out.
"""

import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

tally, tally_mpi, launch = sys.argv[1], sys.argv[2], sys.argv[3:]
folder = tempfile.TemporaryDirectory()
at = pathlib.Path(folder.name)
random.seed(1)
floats = [random.uniform(-1, 1) * 10 ** random.randrange(6) for _ in range(100000)]
(at / "x.bin").write_bytes(struct.pack(f"{len(floats)}f", *floats))
(at / "few.bin").write_bytes(struct.pack("5f", *floats[:5]))
(at / "x.txt").write_text("".join(f"{int(x)}\n" for x in floats[:9000]) + "".join(f"{x}\n" for x in floats[:9000]))
(at / "x.csv").write_text("name,value\n" + "".join(f"n{k},{x:.3f}\n" for k, x in enumerate(floats[:20000])))
subprocess.run([tally, "scan", "--type", "f32", "x.bin", "-o", "x.npy"], cwd=at, check=True)


def on_ranks(ranks, words, **how):
    return subprocess.run([*launch, "-n", str(ranks), tally_mpi, *words], cwd=at, capture_output=True, timeout=100, **how)


cases = [
    (8, ["scan", "x.npy", "-o", "OUT.npy"]),
    (3, ["scan", "--type", "f32", "--exclusive", "x.bin", "-o", "OUT.bin"]),
    (8, ["scan", "--type", "f32", "few.bin", "-o", "OUT.bin"]),
    (5, ["scan", "x.txt", "-o", "OUT.txt"]),
    (2, ["scan", "x.txt"]),
    (4, ["scan", "--column", "value", "x.csv", "-o", "OUT.csv"]),
    (8, ["reduce", "--op", "sum,max,count", "x.npy"]),
    (1, ["reduce", "x.txt", "-o", "OUT.npy"]),
    (2, ["scan", "--op", "mean", "x.txt", "-o", "OUT.txt"]),  # rank 0 does it alone
    (2, ["reduce", "none.txt"]),
]
wrong = 0
for ranks, words in cases:
    of_one = subprocess.run([tally, *(word.replace("OUT", "one") for word in words)], cwd=at, capture_output=True)
    of_many = on_ranks(ranks, [word.replace("OUT", "many") for word in words])
    files = [word for word in words if word.startswith("OUT")]
    same = (of_one.returncode != 0) == (of_many.returncode != 0) and of_one.stdout == of_many.stdout
    for file in files:
        same = same and (at / file.replace("OUT", "one")).read_bytes() == (at / file.replace("OUT", "many")).read_bytes()
    if of_one.returncode != 0:
        same = same and of_one.stderr in of_many.stderr
    if not same:
        wrong += 1
        print("differs on", ranks, "ranks:", *words, of_many.returncode, of_many.stderr.decode())

unfinished = [name for name in os.listdir(at) if name.startswith(".")]
if unfinished:
    wrong += 1
    print("left behind:", unfinished)
print(f"{len(cases)} cases, {wrong} wrong")
sys.exit(wrong > 0)
