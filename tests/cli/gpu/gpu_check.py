"""gpu_check.py TALLY: whether a GPU gives the tool's output to the last byte.

Runs TALLY, built with CUDA, with --on cpu and with --on gpu over operations, types, sizes and kinds of input, and compares what they
print. Fails where a GPU does not answer. Needs nothing but Python; takes a minute or two.
"""

import concurrent.futures
import os
import pathlib
import random
import subprocess
import sys
import tempfile

tally = str(pathlib.Path(sys.argv[1]).resolve())
sizes = (1, 2, 8193, 300001, 5000003)  # less and more than a tile; than 16 MiB, from where on other kernels scan
integers = [f"{sign}int{bits}" for bits in (8, 16, 32, 64) for sign in ("", "u")]
notes = {  # what the CPU does, and must say
    "wide": "sums of these integers may need more than 64 bits",
    "text": "an integer has more than 64 bits",
    "count": "the GPU does",
    "product": "exact in 128 bits",
}


def patterned(count, bits, keep, set_bits):
    """The bytes of `count` random words of `bits` bits, of which some are kept, others set."""
    every = lambda word: int.from_bytes(word.to_bytes(bits // 8, "little") * count, "little")
    words = int.from_bytes(random.Random(count * bits).randbytes(count * bits // 8), "little")
    return (words & every(keep) | every(set_bits)).to_bytes(count * bits // 8, "little")


def values_of(type_name, count):
    bits = int("".join(filter(str.isdigit, type_name)))
    everything = (1 << bits) - 1
    if type_name == "float32":
        return patterned(count, bits, 0xBFFFFFFF, 0x3C000000)  # magnitudes from 2^-7 to 2
    if type_name == "float64":
        return patterned(count, bits, 0xBFFF_FFFF_FFFF_FFFF, 0x3F80_0000_0000_0000)
    return patterned(count, bits, (1 << 40) - 1 if bits == 64 else everything, 0)


def commands(folder):
    """Yields (arguments, bytes for standard input, the note that is expected or nothing)."""

    def file(name, content):
        (folder / name).write_bytes(content)
        return name

    for type_name in (*integers, "float32", "float64"):
        is_float = type_name.startswith("float")
        for count in sizes:
            source = file(f"{type_name}_{count}.raw", values_of(type_name, count))
            given = ["--type", type_name, source]
            yield ["reduce", "--op", "sum,min,max,mean" if is_float else "sum,min,max,and,or,xor,mean", *given], b"", ""
            yield ["reduce", "--op", "product,max" if is_float else "max,xor,min", "--init", "3", *given], b"", ""
            for op in ("sum", "min", "product" if is_float else "or"):
                yield ["scan", "--op", op, "--format", "raw", *given], b"", ""
            yield ["scan", "--op", "mean", "--format", "raw", *given], b"", ""
            yield ["scan", "--exclusive", "--format", "raw", *given], b"", ""
            yield ["scan", "--exclusive", "--op", "max", "--init", "1", "--format", "npy", *given], b"", ""
            if count < 10000:
                yield ["scan", "--init", "7", *given], b"", ""
        # Standard input has no length: what has gathered moves.
        yield ["scan", "--input-format", "raw", "--format", "raw", "--type", type_name], values_of(type_name, 5000003), ""
    large = file("large.raw", values_of("float32", 1 << 25))
    yield ["scan", "--type", "float32", "--format", "raw", large], b"", ""
    yield ["reduce", "--op", "sum,mean", "--type", "float32", large], b"", ""

    # Along axes: whole lines, columns in stretches, from the end, several axes.
    for type_name, code in (("float32", "<f4"), ("float64", "<f8"), ("int32", "<i4"), ("uint8", "|u1")):
        for shape in ((3, 5), (1000, 33), (33, 1000), (7, 900, 5), (8200, 700)):
            count = 1
            for extent in shape:
                count *= extent
            header = f"{{'descr': '{code}', 'fortran_order': False, 'shape': {shape}}}".ljust(117) + "\n"
            source = file(f"{type_name}_{'x'.join(map(str, shape))}.npy", b"\x93NUMPY\x01\x00v\x00" + header.encode() + values_of(type_name, count))
            for axis in range(len(shape)):
                along = ["--axis", str(axis), "--format", "npy"]
                yield ["scan", *along, source], b"", ""
                yield ["scan", "--reverse", "--exclusive", "--init", "3", *along, source], b"", ""
                yield ["reduce", "--op", "mean", *along, source], b"", ""
                yield ["reduce", "--op", "max", *along, source], b"", ""
            yield ["reduce", "--axis", f"{len(shape) - 1},0", "--format", "npy", source], b"", ""
            yield ["scan", "--reverse", "--format", "npy", source], b"", ""

    hostile = "1 -0.0 5e-324 1e308 1e308 -inf 3 nan 4 inf\n".encode() * 3000
    small = "".join(f"{k * 7919 % 10007 - 5000}\n" for k in range(200000)).encode()
    for name, text in (("integers", small), ("mixed", small + b"0.5\n-0.0\n" + small), ("hostile", hostile)):
        source = file(f"{name}.txt", text)
        yield ["reduce", "--op", "sum,min,max,mean", source], b"", ""
        yield ["reduce", "--op", "sum", "--init", "0.1", "--json", source], b"", ""
        for options in ([], ["--exclusive"], ["--op", "max"], ["--op", "mean"], ["--init", "-1"]):
            yield ["scan", *options, source], b"", ""
            yield ["scan", *options], text, ""
    yield ["scan", "--type", "float32", "hostile.txt"], b"", ""
    yield ["reduce", "--op", "and,or,xor", "integers.txt"], b"", ""
    yield ["reduce", "--column", "b"], b"a,b\n1,2.5\n3,4\n", ""
    yield ["reduce", "--op", "count,sum", "integers.txt"], b"", notes["count"]
    yield ["reduce", "--op", "product,sum"], b"1 2 3", notes["product"]
    yield ["scan"], small + b"1000000000000000000000000 1\n", notes["text"]
    wide = file("wide.raw", random.Random(1).randbytes(8 * 300001))
    yield ["scan", "--type", "int64", wide], b"", notes["wide"]
    yield ["reduce", "--op", "sum,min", "--type", "uint64", wide], b"", notes["wide"]


def run(arguments, fed, where, folder, seconds=300):
    command = [tally, *arguments, "--on", where]
    ran = subprocess.run(command, input=fed, cwd=folder, capture_output=True, timeout=seconds)
    return ran.returncode, ran.stdout, ran.stderr.decode()


def difference(command, folder):
    """What is wrong with one command, or nothing."""
    arguments, fed, note = command
    cpu, gpu = (run(arguments, fed, where, folder) for where in ("cpu", "gpu"))
    shown = "tally " + " ".join(arguments)
    if gpu[:2] != cpu[:2]:
        return f"{shown}: exit status {cpu[0]} and {gpu[0]}, {len(cpu[1])} and {len(gpu[1])} bytes, which differ; {gpu[2]}"
    expected = gpu[2].count("\n") == 1 and note in gpu[2] if note else gpu[2] == cpu[2]
    return "" if expected else f"{shown}: says '{gpu[2]}'"


def too_large(folder):
    """What is wrong with the answer to a file that no GPU's memory holds, or nothing."""
    try:
        with open(folder / "huge.raw", "wb") as huge:
            huge.truncate(1 << 43)
    except OSError:
        return ""  # no such file here
    try:
        status, _, err = run(["reduce", "--type", "float64", "huge.raw"], b"", "gpu", folder, seconds=60)
    except subprocess.TimeoutExpired:
        return "a file of 8 TiB: is read"
    return "" if status == 1 and "of the GPU's memory" in err else f"a file of 8 TiB: status {status}, '{err}'"


def main():
    answer = subprocess.run([tally, "reduce", "--on", "gpu"], input=b"1", capture_output=True)
    if answer.returncode != 0 or answer.stderr:
        sys.exit(f"{tally} finds no GPU: {answer.stderr.decode()}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        with concurrent.futures.ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
            found = list(pool.map(lambda command: difference(command, folder), commands(folder)))
        found.append(too_large(folder))
    wrong = [each for each in found if each]
    print("\n".join([*wrong, f"{len(found)} comparisons of --on gpu with --on cpu, {len(wrong)} differ"]))
    sys.exit(1 if wrong else 0)


main()
