#include "draw/row_names.hpp"

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

namespace tally::draw {

void name_rows(circuit& of)
{
  struct found {
    bool combines = false, moves = false;
    std::set<int> strides;  // how far to the right
  };
  std::vector<found> all(of.rows.size());
  auto const node_of = [&](int number) -> circuit::node const& { return of.nodes[static_cast<std::size_t>(number)]; };
  for (circuit::node const& each : of.nodes)
    all[static_cast<std::size_t>(each.row)].combines |= each.what == circuit::kind::combined;
  for (circuit::arrow const& each : of.arrows) {
    found& row = all[static_cast<std::size_t>(node_of(each.to).row)];
    if (each.as == circuit::role::index) continue;
    bool const moves = each.as == circuit::role::moved;
    row.moves |= moves;
    int const stride = node_of(each.to).column - node_of(each.from).column;
    if (stride != 0 && !(moves && row.combines)) row.strides.insert(stride);
  }
  int step = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    circuit::row& row = of.rows[k];
    auto const same_phase = [&](std::size_t other) { return other < all.size() && of.rows[other].phase == row.phase; };
    bool const chain =
        k > 0 && ((k > 1 && same_phase(k - 1)) || same_phase(k + 1));  // nodes of one thread, one after the other
    bool const alike = all[k].strides.size() == 1;
    if (all[k].combines) {
      row.step = ++step;
      row.label = "step " + std::to_string(step);
      if (alike && !chain) row.stride = std::abs(*all[k].strides.begin());
      if (row.stride > 0) row.detail = "stride " + std::to_string(row.stride);
    } else {
      row.label = k == 0 ? "input" : !all[k].moves ? "identity" : alike ? "shift" : "copy";
    }
  }
}

}  // namespace tally::draw
