#include "axis/block_lines.hpp"

#include <algorithm>
#include <span>

namespace tally::cli {

block_lines::block_lines(io::axis_layout const& layout, io::axis_place const& place, bool reversed)
    : whole_length_(layout.length()),
      reversed_(reversed)
{
  std::size_t const n = layout.parts.size();
  std::vector<std::ptrdiff_t> strides(n, 1);
  for (std::size_t p = n - 1; p-- > 0;) strides[p] = strides[p + 1] * static_cast<std::ptrdiff_t>(place[p + 1].count);
  along_.resize(static_cast<std::size_t>(
      std::ranges::count_if(layout.parts, [](auto const& each) { return each.turn.has_value(); })));
  for (std::size_t p = 0; p < n; ++p) {
    auto const& [extent, turn] = layout.parts[p];
    auto const [first, count] = place[p];
    part const here{static_cast<std::size_t>(count), strides[p]};
    if (!turn) {
      first_ = first_ * extent + first;
      count_ *= here.extent;
      across_.push_back(here);
      continue;
    }
    along_[*turn] = here;
    length_ *= here.extent;
    // Only lines along one part come in stretches.
    if (count < extent) before_ = reversed ? extent - first - count : first;
  }
}

sequences block_lines::whole() const
{
  sequences all;
  all.size = count_ * length_;
  for (part const& each : across_) {
    all.shape.append(static_cast<std::ptrdiff_t>(each.extent));
    all.strides.append(each.stride);
  }
  for (part const& each : along_) {
    auto const extent = static_cast<std::ptrdiff_t>(each.extent);
    all.axes.append(static_cast<std::ptrdiff_t>(all.shape.size()));
    all.shape.append(extent);
    all.strides.append(reversed_ ? -each.stride : each.stride);
    if (reversed_) all.first += (extent - 1) * each.stride;
  }
  return all;
}

std::vector<stretches> block_lines::stretches_of(std::size_t n) const
{
  std::vector<stretches> all;
  auto const add = [&](std::size_t before, std::size_t number, std::size_t each) {
    if (number == 0 || each == 0) return;
    auto const lines = static_cast<std::ptrdiff_t>(count_), length = static_cast<std::ptrdiff_t>(each);
    std::ptrdiff_t const sign = reversed_ ? -1 : 1;
    stretches next;
    next.begin = (reversed_ ? length_ - before - number * each : before) * count_;
    next.of.size = number * each * count_;
    next.of.shape = {number, each, count_};
    next.of.strides = {sign * length * lines, sign * lines, std::ptrdiff_t{1}};
    next.of.axes = {1};
    if (reversed_) next.of.first = (static_cast<std::ptrdiff_t>(number) * length - 1) * lines;
    all.push_back(next);
  };
  add(0, length_ / n, n);
  add(length_ / n * n, 1, length_ % n);
  return all;
}

std::pair<std::uint64_t, std::uint64_t> block_lines::at(std::size_t place) const
{
  auto const index = [&](part const& of) { return place / static_cast<std::size_t>(of.stride) % of.extent; };
  std::uint64_t line = 0, element = 0;
  for (part const& each : across_) line = line * each.extent + index(each);
  for (part const& each : along_) element = element * each.extent + index(each);
  return {first_ + line, reversed_ ? position(length_ - 1 - static_cast<std::size_t>(element)) : before_ + element};
}

/// Calls use(place, stride, m) for each run of m elements of line k that are evenly spaced in the block.
template <class Use>
void block_lines::for_runs(std::size_t k, std::size_t begin, std::size_t n, Use use) const
{
  std::ptrdiff_t line = 0;
  for (std::size_t p = across_.size(); p-- > 0; k /= across_[p].extent)
    line += static_cast<std::ptrdiff_t>(k % across_[p].extent) * across_[p].stride;
  part const& fastest = along_.back();
  while (n > 0) {
    std::size_t element = begin, run = std::min(n, fastest.extent - begin % fastest.extent);
    if (reversed_) element = length_ - 1 - begin;
    if (reversed_) run = std::min(n, element % fastest.extent + 1);
    std::ptrdiff_t at = line;
    for (std::size_t p = along_.size(); p-- > 0; element /= along_[p].extent)
      at += static_cast<std::ptrdiff_t>(element % along_[p].extent) * along_[p].stride;
    use(at, reversed_ ? -fastest.stride : fastest.stride, run);
    begin += run;
    n -= run;
  }
}

io::values_view block_lines::gathered(io::values_view const& block, std::size_t k, std::size_t begin, std::size_t n,
                                      value_buffer& room) const
{
  std::visit(
      [&]<class T>(std::span<T const> from) {
        T* to = room.resize<T>(n);
        for_runs(k, begin, n, [&](std::ptrdiff_t at, std::ptrdiff_t stride, std::size_t m) {
          T const* const values = from.data() + at;
          for (std::size_t i = 0; i < m; ++i) to[i] = values[static_cast<std::ptrdiff_t>(i) * stride];
          to += m;
        });
      },
      block);
  return room.view();
}

void block_lines::scatter(io::values_view const& values, std::size_t k, std::size_t begin, value_buffer& block) const
{
  std::visit(
      [&]<class T>(std::span<T const> from) {
        T* const to = const_cast<T*>(std::get<std::span<T const>>(block.view()).data());
        T const* next = from.data();
        for_runs(k, begin, from.size(), [&](std::ptrdiff_t at, std::ptrdiff_t stride, std::size_t m) {
          for (std::size_t i = 0; i < m; ++i) to[at + static_cast<std::ptrdiff_t>(i) * stride] = *next++;
        });
      },
      values);
}

}  // namespace tally::cli
