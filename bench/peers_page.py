#!/usr/bin/env python3
"""The results of tally_bench by each instruction set side by side, from the files that it wrote with --json.

Usage: peers_page.py FILE...            the page of all cells
       peers_page.py --summary FILE...  a document with README.md's table, of the two widest sets
       peers_page.py --narrower FILE    the instruction sets that are narrower than that of FILE, one a line

Each file is of one instruction set, the widest one first, all of one machine.
"""
import json
import os
import statistics
import sys

SETS = {"avx512": "AVX-512", "avx2": "AVX2", "sse4": "SSE4"}
OPERATIONS = {"scan/plus": "inclusive scan", "exclusive_scan/plus": "exclusive scan", "reduce/plus": "sum",
              "reduce/maximum": "maximum"}
TYPES = {"f32": "float", "f64": "double", "i32": "int32", "i64": "int64", "i16": "int16", "i8": "int8"}
THREADS = {"one_thread": "one thread", "all_threads": "all threads"}
SUMMARY = [("scan/plus/f32/2^14", "one_thread"), ("scan/plus/f32/2^20", "all_threads"),
           ("scan/plus/f32/2^28", "one_thread"), ("scan/plus/f32/2^28", "all_threads"),
           ("exclusive_scan/plus/f64/2^28", "all_threads"), ("scan/plus/i32/2^28", "all_threads"),
           ("scan/plus/i8/2^28", "all_threads"), ("reduce/plus/f32/2^20", "all_threads"),
           ("reduce/plus/f32/2^28", "all_threads")]


class run:
    """The results of one instruction set."""

    def __init__(self, file):
        with open(file, encoding="utf-8") as text:
            everything = json.load(text)
        self.context = everything["context"]
        self.cells = {cell["name"]: cell for cell in everything["cells"]}
        self.set = self.context["instructions_of_peers"]

    def standing(self, name, threads):
        """Tally's GB/s, its parts of the limit's and the best peer's speed, and that peer; or none."""
        cell = self.cells.get(name, {})
        of = cell.get(threads, {})
        if "tally_gigabytes_per_second" not in of:
            return None
        peer = of.get("best_peer", "")[len(name) + 1:].rpartition("/")[0]
        return of["tally_gigabytes_per_second"], of.get("of_limit", 0), of.get("of_best_peer", 0), peer


def parts(name):
    """The operation, the type and the size in a cell's name."""
    operation, kind, size = name.rsplit("/", 2)
    return operation, kind, size


def page(runs):
    """The lines of the page."""
    where = runs[0].context
    yield "Tally and its peers by each instruction set: " + ", ".join(SETS[each.set] for each in runs) + "."
    yield ""
    yield (f"{where['processor']}, {where['threads']} threads, {where['compiler']}, {where['date'][:10]}, "
           f"commit {where['commit']}: scripts/bench --every-set")
    yield "Each set has a run of its own, which restricts Tally, its peers and the limits to it. GB/s count each element"
    yield "read once and, in a scan, written once. `limit` is the part of the quickest copy or read, and `peer` the speed of"
    yield "Tally over that of the best peer, which is named."
    group = None
    for name in runs[0].cells:
        operation, kind, size = parts(name)
        if (operation, kind) != group:
            group = operation, kind
            yield ""
            yield f"{OPERATIONS.get(operation, operation)}, {TYPES.get(kind, kind)}"
            yield (f"{'n':<5}{'data in':<8}{'thr.':<5}" +
                   "".join(f"{SETS[each.set]:<8}{'limit':<7}{'peer':<6}{'':<28}" for each in runs)).rstrip()
        for threads in THREADS:
            all_of_them = [each.standing(name, threads) for each in runs]
            if not any(all_of_them):
                continue
            line = f"{size:<5}{runs[0].cells[name]['data_in']:<8}{'1' if threads == 'one_thread' else 'all':<5}"
            for of in all_of_them:
                line += f"{of[0]:<8.1f}{of[1]:<7.2f}{of[2]:<6.2f}{of[3]:<28}" if of else " " * 49
            yield line.rstrip()
    yield from medians(runs)


def medians(runs):
    """The medians over sizes of Tally's speed over the best peer's, and the least, as lines."""
    yield ""
    yield "Tally's speed over that of the best peer: the median over sizes, and the least"
    yield f"{'':<20}{'data in':<8}{'thr.':<5}" + "".join(f"{SETS[each.set]:<12}" for each in runs).rstrip()
    rows = {}
    for each in runs:
        for name, cell in each.cells.items():
            operation, kind, _ = parts(name)
            what = "scans" if "scan" in operation else "reductions"
            for threads in THREADS:
                of = each.standing(name, threads)
                if of:
                    row = rows.setdefault((what, kind, cell["data_in"], threads), {})
                    row.setdefault(each.set, []).append(of[2])
    for (what, kind, data_in, threads), row in sorted(rows.items()):
        line = f"{what + ', ' + TYPES.get(kind, kind):<20}{data_in:<8}{'1' if threads == 'one_thread' else 'all':<5}"
        for each in runs:
            all_sizes = row.get(each.set)
            line += f"{statistics.median(all_sizes):.2f}, {min(all_sizes):<6.2f}" if all_sizes else " " * 12
        yield line.rstrip()


def summary(runs):
    """A document with README.md's table."""
    runs = runs[:2]
    where = runs[0].context
    yield f"# Tally beside its best peers: {where['processor']}, {where['date'][:10]}"
    yield ""
    yield "| | " + " | ".join(f"{SETS[each.set]}, GB/s | of the limit | of the best peer" for each in runs) + " |"
    yield "|---|" + "---:|---:|---|" * len(runs)
    for name, threads in SUMMARY:
        operation, kind, size = parts(name)
        row = f"| {OPERATIONS[operation]}, {TYPES[kind]}, {size}, {THREADS[threads]} |"
        for each in runs:
            of = each.standing(name, threads)
            row += f" {of[0]:.1f} | {of[1]:.2f} | {of[2]:.2f}, {of[3]} |" if of else " | | |"
        yield row


def main(arguments):
    """Prints what is asked for."""
    ways = {"--summary": summary, "--narrower": None}
    way = arguments.pop(0) if arguments and arguments[0] in ways else None
    if not arguments or arguments[0].startswith("-"):
        sys.exit(__doc__.strip())
    runs = [run(file) for file in arguments]
    if way == "--narrower":
        sets = list(SETS)
        lines = sets[sets.index(runs[0].set) + 1:]
    else:
        lines = (ways[way] if way else page)(runs)
    for line in lines:
        print(line)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except BrokenPipeError:
        os._exit(1)
