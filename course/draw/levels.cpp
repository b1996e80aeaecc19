#include "draw/levels.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tally::draw {

namespace {

/// Whether no column has two areas of a launch.
bool are_apart(std::vector<circuit::area> const& areas)
{
  std::set<std::pair<int, int>> taken;  // launch and column
  for (circuit::area const& each : areas)
    for (int column = each.first_column; column <= each.last_column; ++column)
      if (!taken.insert({each.launch, column}).second) return false;
  return true;
}

/// Adds the rows of `of` to `to`, `height` of a launch in one; the inputs keep their own. Returns for each the one that
/// it goes to.
std::vector<int> joined_rows(circuit const& of, int height, circuit& to)
{
  std::vector<int> places;
  int in_row = 0;
  for (std::size_t r = 0; r < of.rows.size(); ++r) {
    circuit::row const& each = of.rows[r];
    bool const joins = r > 1 && in_row < height && each.launch == to.rows.back().launch;
    if (joins) {
      circuit::row& row = to.rows.back();
      if (each.step > 0) row.label = "to step " + std::to_string(each.step);
      row.detail.clear();
      ++in_row;
    } else {
      to.rows.push_back(each);
      in_row = 1;
    }
    places.push_back(static_cast<int>(to.rows.size()) - 1);
  }
  return places;
}

}  // namespace

circuit coarse(circuit const& of, int width, int height)
{
  using kind = circuit::kind;
  circuit made;
  made.columns = (of.columns + width - 1) / width;
  std::vector<int> const rows = joined_rows(of, height, made);
  std::map<std::pair<int, int>, int> cells;  // the node of a row and column
  std::vector<int> numbers, counts;          // for each node of `of` the one that it goes to; how many came together
  for (circuit::node const& each : of.nodes) {
    int const row = rows[static_cast<std::size_t>(each.row)], column = each.column / width;
    auto const [at, fresh] = cells.try_emplace({row, column}, static_cast<int>(made.nodes.size()));
    if (fresh) {
      made.nodes.push_back(each);
      made.nodes.back().row = row;
      made.nodes.back().column = column;
      counts.push_back(0);
    }
    circuit::node& together = made.nodes[static_cast<std::size_t>(at->second)];
    if (each.what == kind::combined || (each.what == kind::moved && together.what == kind::constant))
      together.what = each.what;
    together.is_result = together.is_result || each.is_result;
    ++counts[static_cast<std::size_t>(at->second)];
    numbers.push_back(at->second);
  }
  for (std::size_t k = 0; k < counts.size(); ++k) made.nodes[k].text = std::to_string(counts[k]);
  std::set<std::tuple<int, int, int>> known;
  for (circuit::arrow const& each : of.arrows) {
    int const from = numbers[static_cast<std::size_t>(each.from)], to = numbers[static_cast<std::size_t>(each.to)];
    bool const within = made.nodes[static_cast<std::size_t>(from)].row == made.nodes[static_cast<std::size_t>(to)].row;
    if (!within && known.insert({from, to, static_cast<int>(each.as)}).second)
      made.arrows.push_back({from, to, each.as});
  }
  made.blocks = of.blocks;
  for (circuit::area& each : made.blocks) {
    each.first_column /= width;
    each.last_column /= width;
    each.first_row = rows[static_cast<std::size_t>(each.first_row)];
    each.last_row = rows[static_cast<std::size_t>(each.last_row)];
  }
  if (!are_apart(made.blocks)) made.blocks.clear();
  return made;
}

circuit first_columns(circuit const& of, int columns)
{
  circuit made;
  made.columns = std::min(columns, of.columns);
  std::vector<int> rows(of.rows.size(), -1), numbers;
  for (circuit::node const& each : of.nodes)
    if (each.column < columns) rows[static_cast<std::size_t>(each.row)] = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r] < 0) continue;
    rows[r] = static_cast<int>(made.rows.size());
    made.rows.push_back(of.rows[r]);
  }
  for (circuit::node const& each : of.nodes) {
    numbers.push_back(each.column < columns ? static_cast<int>(made.nodes.size()) : -1);
    if (each.column >= columns) continue;
    made.nodes.push_back(each);
    made.nodes.back().row = rows[static_cast<std::size_t>(each.row)];
  }
  for (circuit::arrow const& each : of.arrows) {
    int const from = numbers[static_cast<std::size_t>(each.from)], to = numbers[static_cast<std::size_t>(each.to)];
    if (from >= 0 && to >= 0) made.arrows.push_back({from, to, each.as});
  }
  made.result = of.result;
  if (made.result.size() > static_cast<std::size_t>(columns)) made.result.resize(static_cast<std::size_t>(columns));
  return made;
}

}  // namespace tally::draw
