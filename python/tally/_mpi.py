"""Ranks over a communicator of mpi4py."""

from ._ranks import ranks


class _OverMPI:
    """The transport of a communicator of mpi4py: a duplicate, so that messages of the caller's are apart."""

    def __init__(self, comm):
        from mpi4py import MPI

        if not isinstance(comm, MPI.Comm):
            raise TypeError(f"comm must be a communicator of mpi4py, not {type(comm).__name__}")
        if comm == MPI.COMM_NULL:
            raise ValueError("comm is MPI.COMM_NULL")
        if comm.Is_inter():
            raise ValueError("comm is between two groups; merge them (Intercomm.Merge)")
        self._mpi = MPI
        self._comm = comm.Dup()
        self._comm.Set_errhandler(MPI.ERRORS_RETURN)
        self.rank, self.size = self._comm.Get_rank(), self._comm.Get_size()
        self._pending, self._received = [], []

    def _bytes(self, data):
        return [data, self._mpi.BYTE]

    def allgather(self, mine, all):
        self._comm.Allgather(self._bytes(mine), self._bytes(all))

    def allgatherv(self, mine, all, counts):
        self._comm.Allgatherv(self._bytes(mine), [all, counts, self._mpi.BYTE])

    def broadcast(self, data, root):
        self._comm.Bcast(self._bytes(data), root)

    def add_up(self, numbers):
        self._comm.Allreduce(self._mpi.IN_PLACE, [numbers, self._mpi.UINT64_T], self._mpi.SUM)

    def send(self, to, data):
        self._pending.append(self._comm.Isend(self._bytes(data), to))

    def receive(self, source, data):
        self._received.append(len(self._pending))
        self._pending.append(self._comm.Irecv(self._bytes(data), source))

    def wait(self):
        statuses = [self._mpi.Status() for _ in self._pending]
        self._mpi.Request.Waitall(self._pending, statuses)
        came = all(statuses[k].Get_count(self._mpi.BYTE) != 0 for k in self._received)
        self._pending, self._received = [], []
        return came

    def close(self):
        self._comm.Free()


def mpi(comm):
    """Return the `ranks` of a communicator of mpi4py, each of which has a part of one sequence.

    A call of all ranks, as `Dup` is, which it calls; `close` frees the duplicate, and is one too.

    Parts may be arrays of CuPy, or tensors, on a GPU that each process has of its own.

    Parameters
    ----------
    comm : mpi4py.MPI.Intracomm
        Such as ``mpi4py.MPI.COMM_WORLD``.

    Returns
    -------
    ranks

    Examples
    --------
    >>> from mpi4py import MPI  # doctest: +SKIP
    >>> import tally
    >>> ranks = tally.mpi(MPI.COMM_WORLD)  # doctest: +SKIP
    >>> ranks.cumsum(part)  # this rank's part of the running sums of all  # doctest: +SKIP
    """
    return ranks(_OverMPI(comm))
