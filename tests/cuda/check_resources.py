"""check_resources.py NVCC SOURCE INCLUDE TABLE [--write]: what each kernel of SOURCE takes of a multiprocessor.

Compiles it for the architectures in the committed TABLE: scans and reductions for sm_80 and sm_90, batches, segments and sorts for sm_90 alone, which
takes half of the time. Prints registers, spilled bytes and shared memory of each, beside those in TABLE. Fails if one spills more than in the table, or more
than MOST_SPILLED allows at all, takes 16 registers more than there (another compiler may take some more or less), or is not in it. --write makes the
table anew."""
import re
import subprocess
import sys

TYPES = {"affineIf": "affine_f32", "PKd": "f64", "PKh": "u8", "storage_float": "f16", "PKf": "f32", "problemIf": "f32"}

# Bytes stored and loaded. Reductions are quickest with three blocks a multiprocessor, which leaves the one block that folds too few registers; without
# that block's code they spill nothing. Kernels of batches, segments and sorts too have as many blocks as were quickest, and some spill for it.
MOST_SPILLED = 40
MOST_SPILLED_BY_REDUCTIONS = 260
MOST_SPILLED_BY_BATCHES = 360
MOST_SPILLED_BY_SORTS = 330


NUMBERS = {"h": "u8", "s": "i16", "j": "u32", "m": "u64", "f": "f32", "d": "f64"}


def sorted_types(symbol):
    """The keys, values and counts of a radix sort, or None."""
    found = re.search(r"sort_problemI([a-z])(.*?)St4lessIvE([jm])E", symbol)
    if not found:
        return None
    values = "" if "no_value" in found[2] else ", " + NUMBERS.get(found[2], "24 bytes")
    return f"{NUMBERS[found[1]]}{values}, counts {NUMBERS[found[3]]}"


def type_of(symbol):
    if types := sorted_types(symbol):
        return types
    return next(name for mark, name in TYPES.items() if mark in symbol)


def name_of(symbol):
    """The kernel, told apart from others of its name: of one tile by its warps and rows, of a batch by all of its constants that are numbers."""
    kernel = re.search(r"\d([a-z_]+)_kernel", symbol)[1]
    constants = [found[1] for found in re.finditer(r"L(?:[ib]|NS\w*_9span_callE)(\d+)E", symbol)]
    if sorted_types(symbol):
        return "_".join(["sort " + kernel, *constants])
    if "segment_problem" in symbol:
        work = ("reduce", "scan")[int(re.search(r"segment_workE(\d)", symbol)[1])]
        others = {"warp_segments": " by warps", "tree_segments": " by trees", "look_at_tickets": " by words, tickets", "segment_words": " by words", "list_tiles": ", tiles",
                  "total_listed_tiles": ", totals of tiles", "fold_listed_tiles": ", folds of tiles"}
        return f"segments {work}" + others.get(kernel, "")
    if "listed_tiles_problem" in symbol:
        return "segments scan by tiles"
    if kernel == "short_runs":
        return "segments scan by heads"
    if "batch_problem" in symbol or "columns_problem" in symbol:
        kind = next((kind + " " for kind in ("shifted", "forward") if kind + "_problem" in symbol), "")
        return "_".join(["batch " + kind + kernel, *constants])
    shown = "_".join([kernel, *constants[-2:]]) if kernel == "one_tile" else kernel
    return "counted " + shown if "counted_problem" in symbol else shown


def measured(nvcc, source, include, architectures):
    rows = {}
    for arch in architectures:
        printed = subprocess.run(
            [nvcc, "-std=c++20", "-O3", f"-arch=sm_{arch}", "-cubin", "-Xptxas", "-v", f"-I{include}", "-o", "/dev/null", source],
            capture_output=True, text=True, check=False)
        if printed.returncode != 0:
            sys.exit(printed.stdout + printed.stderr)
        name, spills = None, 0
        for line in printed.stderr.splitlines() + printed.stdout.splitlines():
            if found := re.search(r"Compiling entry function '(\S+)'", line):
                name = f"sm_{arch} {name_of(found[1])} {type_of(found[1])}"
                spills = 0  # of the kernel, and of functions that it calls
            elif found := re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line):
                spills += int(found[1]) + int(found[2])
            elif found := re.search(r"Used (\d+) registers", line):
                shared = re.search(r"(\d+) bytes smem", line)
                rows[name] = (int(found[1]), spills, int(shared[1]) if shared else 0)
    return rows


def main():
    nvcc, source, include, table = sys.argv[1:5]
    with open(table, encoding="utf-8") as lines:
        expected = {name: tuple(map(int, values.split()))
                    for name, values in (line.strip().split(": ") for line in lines if not line.startswith("#"))}
    rows = measured(nvcc, source, include, sorted({re.match(r"sm_(\d+) ", name)[1] for name in expected}))
    if "--write" in sys.argv:
        with open(table, "w", encoding="utf-8") as out:
            out.write("# kernel: registers, spilled bytes, shared memory in bytes (the ring's, 200 KiB, is given at launch)\n")
            for name in sorted(rows):
                out.write(f"{name}: {rows[name][0]} {rows[name][1]} {rows[name][2]}\n")
        return
    wrong = [f"{name} is in the table and was not compiled" for name in sorted(expected.keys() - rows.keys())]
    for name in sorted(rows):
        registers, spills, shared = rows[name]
        print(f"{name}: {registers} registers, {spills} bytes spilled, {shared} bytes of shared memory; expected {expected.get(name)}")
        is_batch = " batch " in name or " segments " in name
        most = (MOST_SPILLED_BY_BATCHES if is_batch else MOST_SPILLED_BY_SORTS if " sort " in name
                else MOST_SPILLED_BY_REDUCTIONS if " reduce " in name else MOST_SPILLED)
        if spills > most or spills > expected.get(name, (0, 0, 0))[1]:
            wrong.append(f"{name} spills {spills} bytes")
        if name not in expected:
            wrong.append(f"{name} is not in {table}")
        elif registers > expected[name][0] + 16:
            wrong.append(f"{name} takes {registers} registers, expected {expected[name][0]}")
    if wrong:
        sys.exit("\n".join(wrong))


main()
