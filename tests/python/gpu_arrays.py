"""Arrays for tests on a GPU, and their comparison in bits. A file of tests that imports this is skipped where there is no GPU."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("PyTorch finds no GPU", allow_module_level=True)

rng = np.random.default_rng(4)
SHAPES = [((1,), 0), ((1000,), 0), ((300_000,), 0), ((3, 5), 0), ((3, 5), 1), ((700, 33), 0), ((700, 33), 1), ((4, 2000, 3), 1), ((2, 3, 4), 0)]


def drawn(shape, dtype):
    if dtype.is_floating_point:
        return torch.from_numpy(rng.standard_normal(shape)).to(dtype)
    if dtype is torch.bool:
        return torch.from_numpy(rng.random(shape) < 0.3)
    return torch.from_numpy(rng.integers(0, 5, shape)).to(dtype)


def same_bits(on_gpu, on_cpu):
    assert on_gpu.is_cuda and on_gpu.dtype == on_cpu.dtype and on_gpu.shape == on_cpu.shape
    ours, theirs = on_gpu.cpu().contiguous(), on_cpu.contiguous()
    if theirs.dim() == 0:
        ours, theirs = ours.reshape(1), theirs.reshape(1)
    assert torch.equal(ours.view(torch.uint8), theirs.view(torch.uint8))
