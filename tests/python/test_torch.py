"""PyTorch's tensors: gradients of every order against finite differences, results against PyTorch's."""

import pytest

torch = pytest.importorskip("torch")

import tally  # noqa: E402
import tally.torch as tt  # noqa: E402

torch.manual_seed(3)


def drawn(*shape):
    return torch.randn(shape, dtype=torch.float64, requires_grad=True)


CALLS = {
    "cumsum": (lambda x: tt.cumsum(x, 1), lambda: [drawn(2, 5)]),
    "cumsum reverse": (lambda x: tt.cumsum(x, 0, reverse=True), lambda: [drawn(4, 2)]),
    "cumprod": (lambda x: tt.cumprod(x, -1), lambda: [drawn(2, 5)]),
    "cumprod with zeros": (
        lambda x: tt.cumprod(x, 0),
        lambda: [torch.tensor([2.0, 0.0, 3.0, 0.0, -1.5], dtype=torch.float64, requires_grad=True)],
    ),
    "logcumsumexp": (lambda x: tt.logcumsumexp(x, 1), lambda: [drawn(3, 4)]),
    "linear_recurrence": (lambda a, b, y: tt.linear_recurrence(a, b, 1, initial=y), lambda: [drawn(2, 5), drawn(2, 5), drawn(2)]),
    "linear_recurrence reverse": (
        lambda a, b, y: tt.linear_recurrence(a, b, 0, initial=y, reverse=True),
        lambda: [drawn(5, 2), drawn(5, 2), drawn(2)],
    ),
    "linear_recurrence of one factor": (lambda a, b: tt.linear_recurrence(a, b), lambda: [drawn(), drawn(6)]),
    "segment_sum": (lambda x: tt.segment_sum(x, torch.tensor([1, 3, 3, 6])), lambda: [drawn(8)]),
}


@pytest.mark.parametrize("name", CALLS)
def test_gradients(name):
    call, inputs = CALLS[name]
    given = inputs()
    assert torch.autograd.gradcheck(call, given)
    assert torch.autograd.gradgradcheck(call, given)


def test_results_and_gradients_are_pytorchs():
    for call, theirs in [
        (tally.cumsum, torch.cumsum),
        (tally.cumprod, torch.cumprod),
        (tally.logcumsumexp, torch.logcumsumexp),
    ]:
        x = drawn(3, 40)
        y = x.detach().clone().requires_grad_()
        weights = torch.randn(3, 40, dtype=torch.float64)
        (call(x, axis=1) * weights).sum().backward()
        (theirs(y, 1) * weights).sum().backward()
        torch.testing.assert_close(call(x.detach(), axis=1), theirs(y.detach(), 1))
        torch.testing.assert_close(x.grad, y.grad)
    x = drawn(4)
    tally.segment_sum(x, torch.tensor([0, 1, 4])).sum().backward()
    assert x.grad.tolist() == [1, 1, 1, 1]
    x = drawn(5)
    assert tally.linear_recurrence(0.5, x).requires_grad and tally.cumsum(x, dtype=torch.float32).dtype == torch.float32
    with torch.no_grad():
        assert not tally.cumsum(x).requires_grad
        torch.testing.assert_close(tally.sum(x), x.sum())
    with pytest.raises(RuntimeError, match="detach"):
        tally.max(x)
    with pytest.raises(RuntimeError, match="out="):
        tally.cumsum(x, out=torch.empty(5))


def test_minus_infinity_has_no_gradient():
    x = torch.tensor([-torch.inf, 0.0, -torch.inf, 1.0], dtype=torch.float64, requires_grad=True)
    tt.logcumsumexp(x)[1:].sum().backward()
    assert torch.isfinite(x.grad).all() and x.grad[0] == 0 and x.grad[2] == 0
    for call in [tt.cumsum, tt.cumprod, tt.logcumsumexp]:
        empty = torch.empty(2, 0, requires_grad=True)
        call(empty, 1).sum().backward()
        assert empty.grad.shape == (2, 0)


def test_types():
    assert tt.cumsum(torch.ones(3, dtype=torch.uint8)).dtype == torch.int64
    assert tt.cumsum(torch.ones(3, dtype=torch.bfloat16)).dtype == torch.bfloat16
    assert tt.linear_recurrence(0.5, torch.ones(3, dtype=torch.float16)).dtype == torch.float16
    x = torch.ones(5, 3).t()
    assert torch.equal(tt.cumsum(x, 1), torch.cumsum(x, 1))


@pytest.mark.skipif(not tt._has_custom_ops, reason="this PyTorch has no torch.library.custom_op")
def test_compiled_graphs_keep_the_calls():
    for operator, given in [
        (torch.ops.tally.cumsum, (torch.randn(3, 4, requires_grad=True), 1, False)),
        (torch.ops.tally.cumprod, (torch.randn(3, 4, requires_grad=True), 1)),
        (torch.ops.tally.logcumsumexp, (torch.randn(3, 4, requires_grad=True), 1)),
        (torch.ops.tally.segment_sum, (torch.randn(4, requires_grad=True), torch.tensor([0, 1, 4]))),
        (torch.ops.tally.recurrence, (torch.rand(3, 4, requires_grad=True), torch.rand(3, 4, requires_grad=True), torch.rand(3), 1, False)),
    ]:
        torch.library.opcheck(operator.default, given)
    seen = []

    def backend(graph, inputs):
        seen.extend(str(node.target) for node in graph.graph.nodes if node.op == "call_function")
        return graph.forward

    x = torch.randn(3, 4)
    compiled = torch.compile(lambda x: tt.cumsum(x * 2, 1) + 1, backend=backend, fullgraph=True)
    torch.testing.assert_close(compiled(x), torch.cumsum(x * 2, 1) + 1)
    assert any("tally" in each for each in seen)
