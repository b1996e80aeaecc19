# mpirun -n 3 python3 ranks_in_python.py: sums of a sequence whose parts lie on ranks, with the bits of one machine.
import numpy
from mpi4py import MPI

import tally

ranks = tally.mpi(MPI.COMM_WORLD)

# Rank r has 1000 + r numbers: parts may have any length.
part = numpy.arange(1000 + ranks.rank) % 7 * 0.1

sums = ranks.cumsum(part)  # this rank's part of the running sums of all
total = ranks.sum(part)    # the same value on every rank

# The same on one machine, with all that the ranks have.
whole = numpy.concatenate([numpy.arange(1000 + rank) % 7 * 0.1 for rank in range(ranks.size)])
begin = sum(1000 + rank for rank in range(ranks.rank))
same = numpy.array_equal(sums, tally.cumsum(whole)[begin : begin + part.size])
if ranks.rank == 0:
    print(f"{total:.9g}; the bits of one machine: {total == tally.sum(whole)}")
if ranks.all([same]) and ranks.rank == 0:
    print("so have the running sums of all ranks")

# Rank r has 3 + r columns of a matrix of 4 rows.
matrix = numpy.full((4, 3 + ranks.rank), 0.1)
sums_of_rows = ranks.sum(matrix, axis=1)  # on every rank
if ranks.rank == 0:
    print(sums_of_rows)

# Keys 0 0 0 1 on rank 0, 1 1 1 2 on rank 1, and so on: a run goes on where the next part begins.
keys, totals = ranks.sum_by_key([ranks.rank] * 3 + [ranks.rank + 1], [0.1] * 4)
if ranks.rank == 0:
    print(keys, totals)

# A rank that fails ends the call on all ranks, and says why.
try:
    ranks.sum(part if ranks.rank != 1 else "no numbers")
except tally.rank_error as failure:
    if ranks.rank == 0:
        print(failure)
