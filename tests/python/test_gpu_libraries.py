"""Arrays of other libraries on a GPU: CuPy, Numba, JAX, and those that show an interface alone."""

import numpy as np
import pytest

from gpu_arrays import drawn, rng, same_bits, torch
import tally


class Interface:
    """An array that shows `__cuda_array_interface__` alone."""

    def __init__(self, tensor):
        self.tensor = tensor
        self.__cuda_array_interface__ = tensor.__cuda_array_interface__


class Capsules:
    """An array that shows DLPack alone."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack__(self, **arguments):
        return self.tensor.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()


@pytest.mark.parametrize("kind", [Interface, Capsules])
def test_arrays_of_other_libraries(kind):
    x = drawn((40, 300), torch.float32)
    on = kind(x.cuda().t())
    running = tally.cumsum(on, axis=1)
    same_bits(torch.as_tensor(running, device="cuda"), tally.cumsum(x.t(), axis=1))
    same_bits(torch.as_tensor(tally.max(on, axis=0), device="cuda"), tally.max(x.t(), axis=0))
    same_bits(torch.as_tensor(tally.linear_recurrence(0.5, on, 0), device="cuda"), tally.linear_recurrence(0.5, x.t(), 0))
    same_bits(torch.as_tensor(tally.sort(on, 1), device="cuda"), tally.sort(x.t(), 1))
    distinct, counts = tally.unique(on, return_counts=True)
    assert torch.as_tensor(distinct, device="cuda").numel() == torch.as_tensor(counts, device="cuda").numel()


def test_numba():
    try:
        from numba import cuda
    except ImportError as error:  # not there, or not for this NumPy
        pytest.skip(str(error))
    if not cuda.is_available():
        pytest.skip("numba finds no GPU")
    x = rng.standard_normal((20, 300))
    running = tally.cumsum(cuda.to_device(x), axis=1)
    assert cuda.is_cuda_array(running)
    assert running.copy_to_host().tobytes() == tally.cumsum(x, axis=1).tobytes()


def test_cupy():
    cupy = pytest.importorskip("cupy")
    x = rng.standard_normal((200, 300)).astype(np.float32)
    on = cupy.asarray(x)
    with cupy.cuda.Stream():
        running = tally.cumsum(on[::-1], axis=0)
        assert type(running) is cupy.ndarray
        assert running.get().tobytes() == tally.cumsum(x[::-1], axis=0).tobytes()
    assert tally.sum(on).get().tobytes() == tally.sum(x).tobytes()
    assert tally.sum(on.astype(np.int8), axis=1).dtype == np.int64
    assert tally.linear_recurrence(0.25, on, 1).get().tobytes() == tally.linear_recurrence(np.float32(0.25), x, 1).tobytes()
    out = cupy.full((200, 300), 7, np.float32)
    assert tally.cumsum(on, axis=1, out=out) is out
    assert out.get().tobytes() == tally.cumsum(x, axis=1).tobytes()
    for dtype in [np.float16, np.float64, np.int64, np.uint8, bool]:
        y = (x > 0.3).astype(dtype)
        running, expected = tally.cumsum(cupy.asarray(y), axis=0), tally.cumsum(y, axis=0)
        assert running.dtype == expected.dtype and running.get().tobytes() == expected.tobytes()
    with pytest.raises(TypeError, match="cupy"):
        tally.cumsum(on, axis=0, out=np.empty((200, 300), np.float32))


def test_cupys_streams_and_graphs():
    cupy = pytest.importorskip("cupy")
    x = cupy.random.rand(1 << 20, dtype=np.float32)
    expected = tally.cumsum(x.get())
    late = cupy.zeros_like(x)
    cupy.cuda.Device().synchronize()
    side = cupy.cuda.Stream(non_blocking=True)
    with side:
        tally.cumsum(late)  # takes the workspace of the stream, and waits
        side.synchronize()
        torch_side = torch.cuda.ExternalStream(side.ptr)
        with torch.cuda.stream(torch_side):
            torch.cuda._sleep(2_000_000_000)
        cupy.copyto(late, x)  # written late in this stream; a call in another one would read it too early
        running = tally.cumsum(late)
        assert not side.done
    side.synchronize()
    assert running.get().tobytes() == expected.tobytes()
    with side:
        total, again = tally.sum(x), tally.cumsum(x)
        side.begin_capture(cupy.cuda.runtime.streamCaptureModeRelaxed)  # the memory pool may grow
        total, again = tally.sum(x), tally.cumsum(x)
        graph = side.end_capture()
        graph.launch(side)
        side.synchronize()
    assert again.get().tobytes() == expected.tobytes()
    assert total.get().tobytes() == tally.sum(x.get()).tobytes()


def test_jax():
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX finds no GPU")
    x = rng.standard_normal((20, 3000)).astype(np.float32)
    on = jax.numpy.asarray(x)
    running = tally.cumsum(on, axis=1)
    assert isinstance(running, jax.Array) and running.devices() == on.devices()
    assert np.asarray(running).tobytes() == tally.cumsum(x, axis=1).tobytes()
    assert np.asarray(tally.cumsum(on * 2, axis=0)).tobytes() == tally.cumsum(x * 2, axis=0).tobytes()
    assert np.asarray(tally.max(on, axis=0)).tobytes() == tally.max(x, axis=0).tobytes()
    assert np.asarray(tally.sum(on)).tobytes() == tally.sum(x).tobytes()
    ours, expected = tally.linear_recurrence(0.5, on, 1), tally.linear_recurrence(np.float32(0.5), x, 1)
    assert np.asarray(ours).tobytes() == expected.tobytes()
    half = on.astype(jax.numpy.bfloat16)
    ours = tally.cumsum(half, axis=1)
    assert ours.dtype == jax.numpy.bfloat16
    expected = tally.cumsum(torch.from_numpy(np.asarray(half.astype(np.float32))).bfloat16(), axis=1)
    assert np.asarray(ours.astype(np.float32)).tobytes() == expected.float().numpy().tobytes()
    with pytest.raises(TypeError, match="jax_enable_x64"):
        tally.cumsum(jax.numpy.ones(3, jax.numpy.int32))
    with pytest.raises(TypeError, match="do not change"):
        tally.cumsum(on, axis=0, out=on)
    with pytest.raises(Exception):  # inside jit, where arrays have no memory
        jax.jit(lambda x: tally.cumsum(x, axis=0))(on)
