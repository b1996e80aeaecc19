/// A user-defined kernel on the model machine: the race in its first draft, and the cost of the right one.
#include <cstdio>
#include <vector>

#include <tally/model.hpp>
#include <tally/operators.hpp>
#include <tally/textbook/block.hpp>

namespace model = tally::model;
using tally::textbook::element_of;

/// Adds to each x[t] its right neighbour, which may have changed by then. The result is right on the model machine,
/// which runs one thread after the other; but the machine detects that nothing guarantees this order.
struct add_neighbour_draft {
  static constexpr char const* name = "add_neighbour_draft";
  template <tally::textbook::block Block, class Array, class Op>
  void operator()(Block const& block, Array x, int n, Op op) const
  {
    block.step([&](int t) {
      if (t + 1 < n) x[t] = op(x[t], x[t + 1]);
    });
  }
};

/// The same with a barrier between the last read and the first write.
struct add_neighbour {
  static constexpr char const* name = "add_neighbour";
  template <tally::textbook::block Block, class Array, class Op>
  void operator()(Block const& block, Array x, int n, Op op) const
  {
    auto sum = block.template registers<element_of<Array>>();
    block.step([&](int t) {
      if (t + 1 < n) sum[t] = op(x[t], x[t + 1]);
    });
    block.step([&](int t) {
      if (t + 1 < n) x[t] = sum[t];
    });
  }
};

/// Runs a kernel on 3 1 7 0 4 1 6 3, and prints the counts and findings of the machine.
template <class Kernel>
void look_at(Kernel const& kernel)
{
  model::machine machine;
  auto const x = machine.input(std::vector{3, 1, 7, 0, 4, 1, 6, 3}, "x");
  machine.launch(1, 8, kernel, x, 8, machine.watch<int>(tally::plus{}));

  std::printf("%s:", Kernel::name);
  for (int const value : machine.values(x)) std::printf(" %d", value);
  std::printf("\n  %zu operations, depth %zu, %zu barriers\n", machine.operations().work(),
              machine.operations().depth(), machine.counts().barriers);
  for (model::finding const& each : machine.counts().findings) std::printf("  %s\n", each.text().c_str());
}

int main()
{
  look_at(add_neighbour_draft{});
  look_at(add_neighbour{});
}
