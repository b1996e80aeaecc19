#include "draw/areas.hpp"

#include <algorithm>
#include <map>

namespace tally::draw {

namespace {

using areas = std::map<int, circuit::area>;  // by block

void widen(circuit::area& one, int column)
{
  one.first_column = std::min(one.first_column, column);
  one.last_column = std::max(one.last_column, column);
}

bool overlap(areas const& all)
{
  std::vector<circuit::area> sorted;
  for (auto const& [block, each] : all) sorted.push_back(each);
  std::sort(sorted.begin(), sorted.end(), [](auto const& a, auto const& b) { return a.first_column < b.first_column; });
  return std::adjacent_find(sorted.begin(), sorted.end(), [](auto const& a, auto const& b) {
           return a.last_column >= b.first_column;
         }) != sorted.end();
}

/// The areas of the launch whose rows are first .. last.
areas of_launch(circuit const& of, int first, int last)
{
  auto const within = [&](circuit::node const& node) {
    return node.row >= first && node.row <= last && node.block >= 0;
  };
  areas own;
  for (circuit::node const& node : of.nodes)
    if (within(node)) {
      int const launch = of.rows[static_cast<std::size_t>(first)].launch;
      auto const fresh = circuit::area{launch, node.block, first, last, node.column, node.column};
      widen(own.try_emplace(node.block, fresh).first->second, node.column);
    }
  areas with_inputs = own, with_operands = own;
  for (circuit::arrow const& arrow : of.arrows) {
    circuit::node const &from = of.nodes[static_cast<std::size_t>(arrow.from)],
                        &to = of.nodes[static_cast<std::size_t>(arrow.to)];
    if (!within(to) || arrow.as == circuit::role::index) continue;
    widen(with_operands.at(to.block), from.column);
    if (from.what == circuit::kind::input) widen(with_inputs.at(to.block), from.column);
  }
  for (areas const& all : {with_operands, with_inputs, own})
    if (!overlap(all)) return all;
  return {};
}

}  // namespace

std::vector<circuit::area> areas_of(circuit const& of)
{
  std::vector<circuit::area> all;
  bool several = false;
  auto const rows = static_cast<int>(of.rows.size());
  auto const launch = [&](int row) { return of.rows[static_cast<std::size_t>(row)].launch; };
  for (int first = 1, last = 1; first < rows; first = ++last) {
    while (last + 1 < rows && launch(last + 1) == launch(first)) ++last;
    if (launch(first) < 0) continue;
    areas const here = of_launch(of, first, last);
    several |= here.size() > 1;
    for (auto const& [block, each] : here) all.push_back(each);
  }
  return several ? all : std::vector<circuit::area>{};
}

}  // namespace tally::draw
