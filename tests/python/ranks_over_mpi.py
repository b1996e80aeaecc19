"""Run by mpirun: `tally.mpi` on communicators of one rank to all."""

import traceback

import pytest
from mpi4py import MPI

import ranks_checks
import tally

world = MPI.COMM_WORLD
try:
    for size in range(1, world.size + 1):
        part = world.Split(0 if world.rank < size else MPI.UNDEFINED, world.rank)
        if part != MPI.COMM_NULL:
            with tally.mpi(part) as ranks:
                assert (ranks.rank, ranks.size) == (part.rank, size)
                ranks_checks.check_all(ranks)
            part.Free()
    with pytest.raises(TypeError, match="communicator of mpi4py"):
        tally.mpi(3)
    with pytest.raises(ValueError, match="COMM_NULL"):
        tally.mpi(MPI.COMM_NULL)
except BaseException:
    traceback.print_exc()
    world.Abort(1)
