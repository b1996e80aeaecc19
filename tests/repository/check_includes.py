"""check_includes.py SOURCE_FOLDER: holds the includes to the floors of docs/architecture.md.

Every file of the library, the course and the tool belongs to one room, and includes files of its own room and of the rooms that
ROOMS allows it, and no others. No file includes itself by way of others.
"""

import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1]).resolve()

# Rooms from the ground up: name, the files that belong to it, and the rooms whose files they may include. The first pattern that
# matches a file counts.
LIBRARY = "include/tally/"
ROOMS = [
    ("base", LIBRARY + r"(config|error|rank_error|execution)\.hpp|" + LIBRARY + r"detail/(execution|path|atomic|at_index|count_type|fixed_vector|batch/layout|batch/ends|batch/gradients|batch/marked_heads)\.hpp", ""),
    ("operators", LIBRARY + r"(operators/.*|operators\.hpp|half\.hpp|detail/elementary/.*|exact_accumulator\.hpp|detail/exact/.*|detail/recurrence/steps\.hpp|detail/built_in\.hpp)", "base"),
    ("laws", LIBRARY + r"(laws\.hpp|law_report\.hpp|detail/laws/.*)", "base operators"),
    ("order", LIBRARY + r"(order|sequences|counted|detail/contract|detail/row_order|detail/zip_with|detail/function_iterator|detail/strided_iterator|detail/results|detail/optional_value|detail/recurrence/steps_in_order)\.hpp", "base operators"),
    ("cpu", LIBRARY + r"detail/(cpu/.*|batch/host(_neighbours|_recurrences)?\.hpp)", "base operators order"),
    # The check of CUDA's error codes, which all who call CUDA share; it has no more of the library than the error.
    ("check of CUDA", LIBRARY + r"(detail/cuda/check\.cuh|cuda_execution\.hpp)", "base operators order"),
    ("cuda", LIBRARY + r"detail/cuda/([^/]*|exact/.*)", "base operators order|check of CUDA"),
    ("cuda batches", LIBRARY + r"detail/cuda/(batch|recurrence)/.*", "base operators order cuda|check of CUDA"),
    # The order of the keys of a radix sort, and their digits.
    ("keys of sorts", LIBRARY + r"detail/(radix_sort/(ordered_bits|pass)|sorting/orders)\.hpp", "base operators"),
    ("cuda sorts", LIBRARY + r"detail/cuda/sort/.*", "base operators order contracts cuda|check of CUDA|keys of sorts"),
    # The one header that says where calls go.
    ("where calls go", LIBRARY + r"detail/backends\.hpp", "cpu"),
    # Parts of a sequence on ranks: which has what, and how they stay in step.
    ("parts on ranks", LIBRARY + r"detail/ranks/(division|lines|session|transport)\.hpp", "base"),
    # The calls of batches and applications on ranks, from the arguments on.
    ("contracts on ranks", LIBRARY + r"(ranks|detail/ranks/(batches|histogram|recurrences|segments|segments_between))\.hpp", "base operators order cpu contracts ranks applications|parts on ranks"),
    # Calls on these over any transport; the CPU does a rank's own part.
    ("ranks", LIBRARY + r"detail/ranks/.*", "base operators order cpu|parts on ranks"),
    ("transport over MPI", LIBRARY + r"detail/mpi/.*", "base"),
    ("contracts", LIBRARY + r"(reduce|scan|for_each|teams|temporary|running|array_view|along|segments|reversed|batches|prefix_sums|exact)\.hpp|" + LIBRARY + r"detail/batch/.*", "base operators order|where calls go"),
    ("GPU contracts", LIBRARY + r"cuda\.hpp", "base operators order contracts cuda|cuda batches|cuda sorts|check of CUDA"),
    ("MPI contracts", LIBRARY + r"mpi\.hpp", "base contracts ranks|contracts on ranks|transport over MPI"),
    # The same on several GPUs, and below them the calls on one sequence.
    ("contracts on several GPUs", LIBRARY + r"(nccl|detail/nccl/(batches|gpu|histogram|recurrences|refused|segments|segments_between))\.hpp",
     "base operators order cpu cuda contracts ranks applications|parts on ranks|contracts on ranks|several GPUs|GPU contracts|check of CUDA"),
    ("several GPUs", LIBRARY + r"detail/nccl/.*", "base operators order cuda|parts on ranks|check of CUDA"),
    ("applications", LIBRARY + r"(algorithms/.*|algorithms\.hpp|detail/[a-z_]+/.*|detail/block_cache\.hpp)",
     "base operators order contracts|where calls go|keys of sorts"),
    # With TALLY_HEADER_ONLY it includes the sources too.
    ("all", LIBRARY + r"tally\.hpp", "base operators laws order contracts|library's sources"),
    ("library's sources", r"src/cpu/.*", "base operators order cpu"),
    ("the C interface on ranks", r"src/c/ranks/.*",
     "base operators order cpu contracts ranks|contracts on ranks|parts on ranks|the C interface"),
    ("the C interface's GPU part on ranks", r"src/c/cuda/ranks.*",
     "base operators order contracts applications|the C interface|the C interface on ranks|the C interface's GPU part|parts on ranks"
     "|contracts on ranks|several GPUs|contracts on several GPUs|GPU contracts|check of CUDA"),
    ("the C interface's GPU part", r"src/c/cuda/.*",
     "base operators order contracts applications|the C interface|GPU contracts|check of CUDA|keys of sorts"),
    ("the C interface", r"src/c/.*", "base operators order contracts cpu applications|where calls go"),
    ("library's GPU sources", r"src/cuda/.*", "base operators order cuda|cuda batches|check of CUDA"),
    ("kernels", r"course/include/tally/textbook/(?!exhibits/).*", "base operators|check of CUDA"),
    ("model", r"course/(include/tally/model|model)/.*|course/include/tally/model\.hpp", "base operators kernels"),
    ("exhibits", r"course/include/tally/textbook/exhibits/.*", "kernels model"),
    ("catalogue", r"course/textbook/.*", "base operators kernels model exhibits|check of CUDA"),
    ("drawings", r"course/draw/.*", "model catalogue"),
    ("readers and writers", r"tool/io/.*", "base"),
    ("tool", r"tool/cli/.*",
     "base operators laws order contracts applications|GPU contracts|readers and writers|check of CUDA|kernels model catalogue drawings"),
    ("tool on ranks", r"tool/(ranks|mpi)/.*", "base operators order ranks tool|parts on ranks|readers and writers|transport over MPI"),
    ("machine of the site", r"site/machine/.*", "model catalogue drawings tool"),
]

rooms = [
    (name, re.compile(pattern), {other for part in allowed.split("|") for other in ([part] if part in {r[0] for r in ROOMS} else part.split())})
    for name, pattern, allowed in ROOMS
]
ROOTS = ("include", "course/include", "course", "tool", "tool/cli", "")
complaints = []


def room_of(path):
    for room in rooms:
        if room[1].fullmatch(path):
            return room
    return None


def included(path):
    """The files of this project that `path` includes, with their lines."""
    for number, line in enumerate((source / path).read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s+[<"]([^>"]+)[>"]', line)
        if not match:
            continue
        for root in (str(pathlib.PurePath(path).parent), *ROOTS):
            target = source / root / match[1]
            if target.is_file():
                yield number, str(target.resolve().relative_to(source))
                break


files = sorted(
    str(path.relative_to(source))
    for folder in ("include", "src", "course", "tool", "site/machine")
    for path in (source / folder).rglob("*")
    if path.name.endswith((".hpp", ".cpp", ".cuh", ".cu", ".cu.in"))
)
arrows = {}
for path in files:
    arrows[path] = []
    room = room_of(path)
    if not room:
        complaints.append(f"{path}: belongs to no room of tests/repository/check_includes.py")
        continue
    for line, target in included(path):
        if target == path:
            continue  # Highway compiles a file by including it again
        arrows[path].append(target)
        other = room_of(target)
        if other and other[0] != room[0] and other[0] not in room[2]:
            complaints.append(f"{path}:{line}: a file of '{room[0]}' includes {target}, which belongs to '{other[0]}'; "
                              f"allowed: {', '.join(sorted(room[2])) or 'nothing'}")

state = {}


def walk(path, way):
    state[path] = "open"
    for target in arrows.get(path, ()):
        if state.get(target) == "open":
            circle = [*way[way.index(target):], target] if target in way else [path, target]
            complaints.append("a circle of includes: " + " -> ".join(circle))
        elif target not in state:
            walk(target, [*way, target])
    state[path] = "done"


for path in files:
    if path not in state:
        walk(path, [path])

print("\n".join(complaints))
sys.exit(1 if complaints or not files else 0)
