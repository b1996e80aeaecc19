"""Ranks over a process group of PyTorch."""

import numpy as np

from ._ranks import ranks


class _OverTorch:
    """The transport of a process group of PyTorch. Over NCCL, bytes go through tensors on this process's GPU."""

    def __init__(self, group):
        import torch
        import torch.distributed as dist

        if not dist.is_available() or not dist.is_initialized():
            raise ValueError("torch.distributed is not initialised: call init_process_group first")
        self._torch, self._dist, self._group = torch, dist, group
        self.rank, self.size = dist.get_rank(group), dist.get_world_size(group)
        if self.rank < 0:
            raise ValueError("this process is not in the group")
        global_rank = getattr(dist, "get_global_rank", None) or dist.distributed_c10d._get_global_rank
        self._global = [r if group is None else global_rank(group, r) for r in range(self.size)]
        on_gpu = dist.get_backend(group) == "nccl"
        self._device = torch.device("cuda", torch.cuda.current_device()) if on_gpu else torch.device("cpu")
        self._sends, self._receives = [], []

    def _tensor(self, array):
        """A tensor of bytes on the group's device: the array's own memory on the CPU."""
        return self._torch.from_numpy(array).to(self._device)

    def _take(self, array, tensor):
        """Copies a tensor's bytes to an array, unless it is the array's memory."""
        if self._device.type != "cpu":
            array[:] = tensor.cpu().numpy()

    def check_gpu(self, device):
        if self._device.type == "cuda" and self._device.index != device:
            raise ValueError(
                f"the array lies on GPU {device}, and the process group is that of GPU {self._device.index}: call "
                f"torch.cuda.set_device({device}) before tally.distributed"
            )

    def allgather(self, mine, all):
        if self._device.type == "cuda" and hasattr(self._dist, "all_gather_into_tensor"):
            into = self._torch.empty(all.size, dtype=self._torch.uint8, device=self._device)
            self._dist.all_gather_into_tensor(into, self._tensor(mine), group=self._group)
            self._take(all, into)
            return
        into = self._tensor(all)
        self._dist.all_gather(list(into.chunk(self.size)), self._tensor(mine), group=self._group)
        self._take(all, into)

    def allgatherv(self, mine, all, counts):
        # Not every backend gathers parts of different sizes.
        most = max(counts)
        if most == 0:
            return
        padded = np.zeros(most, np.uint8)
        padded[: mine.size] = mine
        parts = np.empty(most * self.size, np.uint8)
        self.allgather(padded, parts)
        place = 0
        for r, count in enumerate(counts):
            all[place : place + count] = parts[r * most : r * most + count]
            place += count

    def broadcast(self, data, root):
        tensor = self._tensor(data)
        self._dist.broadcast(tensor, self._global[root], group=self._group)
        self._take(data, tensor)

    def add_up(self, numbers):
        tensor = self._tensor(numbers.view(np.int64))  # whose sums wrap
        self._dist.all_reduce(tensor, group=self._group)
        self._take(numbers.view(np.int64), tensor)

    def send(self, to, data):
        self._sends.append((to, data))

    def receive(self, source, data):
        self._receives.append((source, data))

    def _exchange(self, sends, receives):
        """Messages, all of whose sizes both sides know."""
        send, receive = self._dist.isend, self._dist.irecv
        into = [self._tensor(data) for _, data in receives]

        def operation(way, tensor, r):
            return self._dist.P2POp(way, tensor, self._global[r], self._group)

        operations = [operation(receive, tensor, r) for (r, _), tensor in zip(receives, into)]
        operations += [operation(send, self._tensor(data), r) for r, data in sends]
        if operations:
            for work in self._dist.batch_isend_irecv(operations):
                work.wait()
        for (_, data), tensor in zip(receives, into):
            self._take(data, tensor)

    def wait(self):
        # Sizes first: a message has no bytes if its sender has failed, and PyTorch's have as many as are expected.
        sizes = [np.zeros(1, np.int64) for _ in self._receives]
        own = [(r, np.array([data.size])) for r, data in self._sends]
        self._exchange(own, [(r, size) for (r, _), size in zip(self._receives, sizes)])
        coming = [each for each, size in zip(self._receives, sizes) if size[0]]
        self._exchange([each for each in self._sends if each[1].size], coming)
        came = len(coming) == len(self._receives)
        self._sends, self._receives = [], []
        return came


def distributed(group=None):
    """Return the `ranks` of a process group of `torch.distributed`, each of which has a part of one sequence.

    Parts are arrays, or tensors in the CPU's memory or on the process's GPU, which may not require grad. Over NCCL the
    bytes that cross go through tensors on that GPU, the current device of `torch.cuda`, also where parts are the CPU's.
    Calls use the group, and are in step with its other collective calls. Keep the ranks: those that have computed on
    GPUs have a communicator of their own, until `close`.

    Parameters
    ----------
    group : ProcessGroup, optional
        One of gloo, NCCL or MPI; the default group if None.

    Returns
    -------
    ranks

    Examples
    --------
    >>> import torch.distributed, tally  # doctest: +SKIP
    >>> torch.distributed.init_process_group("gloo")  # doctest: +SKIP
    >>> ranks = tally.distributed()  # doctest: +SKIP
    >>> ranks.sum(part)  # the same on every rank  # doctest: +SKIP
    >>> torch.cuda.set_device(local_rank)  # doctest: +SKIP
    >>> torch.distributed.init_process_group("nccl")  # doctest: +SKIP
    >>> tally.distributed().cumsum(torch.ones(3, device="cuda"))  # on the same GPU  # doctest: +SKIP
    """
    return ranks(_OverTorch(group))
