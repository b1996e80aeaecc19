#include "io/axis/layout.hpp"

#include <algorithm>
#include <utility>

#include "io/errors.hpp"

namespace tally::io {

namespace {

std::string axes_text(std::size_t rank)
{
  return rank == 1 ? "1 axis" : std::to_string(rank) + " axes";
}

/// The product of the extents behind part p.
std::uint64_t distance(std::vector<axis_layout::part> const& parts, std::size_t p)
{
  std::uint64_t product = 1;
  for (++p; p < parts.size(); ++p) product *= parts[p].extent;
  return product;
}

}  // namespace

std::uint64_t axis_layout::lines() const
{
  std::uint64_t product = 1;
  for (part const& each : parts)
    if (!each.turn) product *= each.extent;
  return product;
}

std::uint64_t axis_layout::length() const
{
  std::uint64_t product = 1;
  for (part const& each : parts)
    if (each.turn) product *= each.extent;
  return product;
}

std::vector<std::uint64_t> axis_layout::reduced_shape() const
{
  std::vector<std::uint64_t> shape;
  for (std::size_t axis = 0; axis < header.shape.size(); ++axis)
    if (std::ranges::find(axes, axis) == axes.end()) shape.push_back(header.shape[axis]);
  return shape;
}

axis_layout lay_out(npy_header header, std::vector<int> const& axes, std::string const& source)
{
  axis_layout layout;
  std::size_t const rank = header.shape.size();
  for (int const axis : axes) {
    int const from_front = axis < 0 ? axis + static_cast<int>(rank) : axis;
    if (from_front < 0 || from_front >= static_cast<int>(rank))
      throw data_error({source}, "an array of " + axes_text(rank), "one that has an axis " + std::to_string(axis));
    auto const own = static_cast<std::size_t>(from_front);
    if (std::ranges::find(layout.axes, own) != layout.axes.end())
      throw data_error({source},
                       "an array of " + axes_text(rank) + ", of which axis " + std::to_string(own) + " is named twice",
                       "each axis at most once");
    layout.axes.push_back(own);
  }
  std::vector<axis_layout::part>& parts = layout.parts;
  for (std::size_t k = 0; k < rank; ++k) {
    std::size_t const axis = header.fortran_order ? rank - 1 - k : k;
    std::uint64_t const extent = header.shape[axis];
    auto const named = std::ranges::find(layout.axes, axis);
    axis_layout::part next{extent, {}};
    if (named != layout.axes.end()) next.turn = static_cast<std::size_t>(named - layout.axes.begin());
    if (extent == 1) continue;
    // The axes named between two that are neighbours in memory have one index, or the two are no neighbours in a line.
    bool together = !parts.empty() && parts.back().turn.has_value() == next.turn.has_value();
    if (together && next.turn) {
      together = *parts.back().turn < *next.turn;
      for (std::size_t turn = *parts.back().turn + 1; together && turn < *next.turn; ++turn)
        together = header.shape[layout.axes[turn]] == 1;
    }
    if (together) {
      parts.back().extent *= extent;
      parts.back().turn = next.turn;
    } else {
      parts.push_back(next);
    }
  }
  if (std::ranges::none_of(parts, [](auto const& each) { return each.turn.has_value(); })) parts.push_back({1, 0});
  // Turns become 0, 1, ... without gaps.
  std::vector<std::size_t> turns;
  for (auto const& each : parts)
    if (each.turn) turns.push_back(*each.turn);
  std::ranges::sort(turns);
  for (auto& each : parts)
    if (each.turn) each.turn = static_cast<std::size_t>(std::ranges::find(turns, *each.turn) - turns.begin());
  auto const across = std::ranges::count_if(parts, [](auto const& each) { return !each.turn; });
  if (across > 8)
    throw data_error({source}, std::to_string(across) + " axes besides the named ones that do not lie as one",
                     "at most 8");
  layout.header = std::move(header);
  return layout;
}

std::vector<element_rows> rows_of(axis_layout const& layout, axis_place const& place)
{
  std::vector<axis_layout::part> const& parts = layout.parts;
  std::size_t cut = parts.size();  // the fastest part of which the block has not all
  while (cut > 0 && place[cut - 1].count == parts[cut - 1].extent) --cut;
  element_rows rows;
  if (cut > 0) --cut;
  rows.length = place[cut].count * distance(parts, cut);
  for (std::size_t p = 0; p < parts.size(); ++p) rows.first += place[p].first * distance(parts, p);
  std::size_t row = cut;  // the part whose indices are the rows
  while (row > 0 && rows.rows == 1) {
    --row;
    rows.rows = place[row].count;
    rows.distance = distance(parts, row);
  }
  std::vector<element_rows> all = {rows};
  for (std::size_t p = row; p-- > 0;) {
    std::size_t const known = all.size();
    for (std::uint64_t index = 1; index < place[p].count; ++index) {
      for (std::size_t k = 0; k < known; ++k) {
        all.push_back(all[k]);
        all.back().first += index * distance(parts, p);
      }
    }
  }
  return all;
}

axis_plan::axis_plan(axis_layout const& layout, axis_limits const& limits)
    : parts_(layout.parts),
      at_(layout.parts.size(), 0),
      reversed_(limits.reversed),
      ended_(layout.header.count() == 0)
{
  for (auto const& part : parts_) counts_.push_back(part.extent);
  if (!ended_) choose_whole_lines(limits);
  // Blocks follow each other if they are consecutive indices of one part, one index of those before it; and stretches
  // of lines, if all their neighbours are in the block.
  std::size_t cut = parts_.size();
  while (cut > 0 && counts_[cut - 1] == parts_[cut - 1].extent) --cut;
  for (std::size_t p = 0; p + 1 < cut; ++p) in_order_ = in_order_ && counts_[p] == 1;
  if (!whole_ && (reversed_ || (cut == parts_.size() && !parts_.back().turn))) in_order_ = false;
}

void axis_plan::choose_whole_lines(axis_limits const& limits)
{
  std::uint64_t unit = limits.element;  // bytes of a block of one index of the parts that are cut
  for (auto const& part : parts_) unit *= part.extent;
  if (unit <= limits.block) return;
  std::size_t lines_parts = 0;  // parts of a line that are slower than the present part
  bool in_pieces = false;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    if (parts_[p].turn) {
      ++lines_parts;
      continue;
    }
    unit /= parts_[p].extent;
    in_pieces = lines_parts > 0;
    std::uint64_t count = std::clamp<std::uint64_t>(limits.block / unit, 1, parts_[p].extent);
    std::uint64_t const behind = distance(p) * limits.element;
    if (in_pieces) count = std::min(std::max(count, (limits.piece + behind - 1) / behind), parts_[p].extent);
    order_.push_back(p);
    counts_[p] = count;
    if (unit * count > (in_pieces ? limits.most : limits.block)) {
      counts_[p] = 1;
      continue;
    }
    return;
  }
  auto const along = std::ranges::count_if(parts_, [](auto const& each) { return each.turn.has_value(); });
  if (along == 1 && (in_pieces || unit > limits.most)) return choose_stretches(limits);
}

void axis_plan::choose_stretches(axis_limits const& limits)
{
  whole_ = false;
  std::size_t along = 0;
  while (!parts_[along].turn) ++along;
  bool const inner = along + 1 < parts_.size();
  std::uint64_t const extent = inner ? parts_[along + 1].extent : 1;
  std::uint64_t const lines = std::clamp<std::uint64_t>(
      std::min(limits.piece / limits.element, limits.most / limits.element / limits.stretch), 1, extent);
  std::uint64_t const room = lines == extent ? limits.block : limits.most;
  std::uint64_t const stretches = std::max<std::uint64_t>(1, room / limits.element / lines / limits.stretch);
  counts_[along] = std::min(parts_[along].extent, stretches * limits.stretch);
  if (inner) counts_[along + 1] = lines;
  order_.push_back(along);
}

std::uint64_t axis_plan::distance(std::size_t part) const
{
  return tally::io::distance(parts_, part);
}

std::uint64_t axis_plan::largest() const
{
  std::uint64_t product = 1;
  for (std::uint64_t const count : counts_) product *= count;
  return product;
}

bool axis_plan::next(axis_place& into)
{
  if (ended_) return false;
  into.resize(parts_.size());
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    into[p] = {at_[p], std::min(counts_[p], parts_[p].extent - at_[p])};
    if (reversed_ && !whole_ && parts_[p].turn) into[p].first = parts_[p].extent - at_[p] - into[p].count;
  }
  for (std::size_t k = order_.size(); k-- > 0;) {
    std::size_t const p = order_[k];
    at_[p] += counts_[p];
    if (at_[p] < parts_[p].extent) return true;
    at_[p] = 0;
  }
  ended_ = true;
  return true;
}

}  // namespace tally::io
