"""Gradients of calls on a GPU, and the calls in compiled code."""

import pytest

from gpu_arrays import torch
import tally
import tally.torch as tt


def test_gradients_are_pytorchs():
    x = torch.randn(3, 40, device="cuda", requires_grad=True)
    weights = torch.randn(3, 40, device="cuda")
    for ours, theirs in [(tally.cumsum, torch.cumsum), (tally.cumprod, torch.cumprod)]:
        (gradient,) = torch.autograd.grad((ours(x, axis=1) * weights).sum(), x)
        (expected,) = torch.autograd.grad((theirs(x, 1) * weights).sum(), x)
        torch.testing.assert_close(gradient, expected, rtol=1e-4, atol=1e-4)


def given(*shape):
    return torch.randn(shape, device="cuda", dtype=torch.float64, requires_grad=True)


GRADIENTS = {
    "cumsum": (lambda x: tt.cumsum(x, 1), lambda: [given(2, 5)]),
    "cumsum reverse": (lambda x: tt.cumsum(x, 0, reverse=True), lambda: [given(4, 2)]),
    "cumprod": (lambda x: tt.cumprod(x, -1), lambda: [given(2, 5)]),
    "logcumsumexp": (lambda x: tt.logcumsumexp(x, 1), lambda: [given(2, 5)]),
    "linear_recurrence": (lambda a, b, y: tt.linear_recurrence(a, b, 1, initial=y), lambda: [given(2, 5), given(2, 5), given(2)]),
    "linear_recurrence reverse": (lambda a, b: tt.linear_recurrence(a, b, 0, reverse=True), lambda: [given(5, 2), given(5, 2)]),
    "linear_recurrence of one factor": (lambda a, b: tt.linear_recurrence(a, b), lambda: [given(), given(6)]),
    "segment_sum": (lambda x: tt.segment_sum(x, torch.tensor([1, 3, 3, 6], device="cuda")), lambda: [given(8)]),
    "segment_sum, offsets on the CPU": (lambda x: tt.segment_sum(x, [1, 3, 3, 6]), lambda: [given(8)]),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name):
    call, inputs = GRADIENTS[name]
    tensors = inputs()
    assert torch.autograd.gradcheck(call, tensors)
    assert torch.autograd.gradgradcheck(call, tensors)


def test_compiled_graphs_keep_the_calls():
    x, rows = torch.randn(3, 4, device="cuda"), torch.rand(3, device="cuda")
    for operator, arguments in [
        (torch.ops.tally.cumsum, (x.clone().requires_grad_(), 1, False)),
        (torch.ops.tally.cumprod, (x.clone().requires_grad_(), 1)),
        (torch.ops.tally.recurrence, (x.clone().requires_grad_(), x.clone().requires_grad_(), rows, 1, False)),
    ]:
        torch.library.opcheck(operator.default, arguments)
    for backend in ["aot_eager", "inductor"]:
        compiled = torch.compile(lambda x: tt.cumsum(x * 2, 1) + 1, backend=backend, fullgraph=True)
        torch.testing.assert_close(compiled(x), torch.cumsum(x * 2, 1) + 1, rtol=1e-5, atol=1e-5)
    with torch._subclasses.FakeTensorMode():
        fake = torch.empty(7, 5, device="cuda", dtype=torch.int8)
        result = tt.cumsum(fake, 0)
        assert result.shape == (7, 5) and result.dtype == torch.int64 and result.device.type == "cuda"
