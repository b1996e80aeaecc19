// error: tally: a grid stride takes operands out of order: the operator must be commutative
#include <vector>

#include "tally/model.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/textbook/grid_stride_reduction.hpp"
#include "tally/textbook/on_one_block.hpp"

struct second {
  static constexpr bool commutative = false;
  int operator()(int, int b) const { return b; }
};

int total(std::vector<int> const& x)
{
  using namespace tally;
  model::machine on;
  auto const out = on.allocate<model::traced<int>>(1, "out");
#ifdef RIGHT
  auto const op = on.watch<int>(plus{});
#else
  auto const op = on.watch<int>(second{});
#endif
  textbook::on_one_block<textbook::grid_stride_reduction<>>{}(on, on.input(x, "in"), out, static_cast<int>(x.size()),
                                                              op);
  return on.values(out)[0];
}
