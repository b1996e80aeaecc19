#include "group_results.hpp"

#include <cstring>
#include <span>

namespace tally::cli {

group_results::group_results(command_settings const& settings, std::optional<io::element_type> type)
    : settings_(settings),
      type_(type)
{
  // A value that an operation cannot take is an error at its place, while that is known.
  for (operation const op : settings.operations) {
    if (op == operation::product) holds_integers_ = false;
    if (kind_of(op) == operation_kind::bitwise) holds_floating_ = false;
  }
  int128 const* const init = settings.init ? std::get_if<int128>(&*settings.init) : nullptr;
  constexpr int128 safe = int128{1} << 126;  // far from where a few integers of 64 bits end
  if (init != nullptr && (*init <= -safe || *init >= safe)) holds_integers_ = false;
}

bool group_results::can_hold(group const& here, io::values_view const& values) const
{
  io::element_type const given = io::type_of(values);
  if (given == io::element_type::int128 || !(io::is_integer(given) ? holds_integers_ : holds_floating_)) return false;
  return here.all.empty() && here.words.size() + io::size_of(values) <= most_held;
}

void group_results::reduce(std::uint32_t number, io::values_view const& values)
{
  if (number >= groups_.size()) groups_.resize(number + std::size_t{1});
  group& here = groups_[number];
  if (can_hold(here, values)) {
    std::visit(
        [&]<class T>(std::span<T const> in) {
          if constexpr (sizeof(T) <= sizeof(std::uint64_t)) {
            for (T const value : in) std::memcpy(&here.words.emplace_back(0), &value, sizeof value);
            if (!std::is_floating_point_v<T>) here.integers = here.words.size();
          }
        },
        values);
    return;
  }
  if (here.all.empty()) {
    here.all = make_accumulators(settings_, type_);
    hand_over(here, here.all);
    here.words = {};
  }
  for (auto const& one : here.all) one->reduce(values);
}

/// Gives the values of a group to accumulators.
void group_results::hand_over(group const& from, accumulators const& to)
{
  auto const give = [&](std::size_t first, std::size_t count, io::element_type type) {
    if (count == 0) return;
    auto* place = static_cast<std::byte*>(room_.resize(type, count));
    std::size_t const size = io::byte_size(type);
    for (std::size_t k = 0; k < count; ++k, place += size) std::memcpy(place, &from.words[first + k], size);
    for (auto const& one : to) one->reduce(room_.view());
  };
  if (type_) return give(0, from.words.size(), *type_);
  give(0, from.integers, io::element_type::int64);
  give(from.integers, from.words.size() - from.integers, io::element_type::float64);
}

std::vector<result> group_results::take(std::size_t groups)
{
  groups_.resize(groups);
  std::vector<result> results;
  results.reserve(groups_.size() * settings_.operations.size());
  accumulators const again = make_accumulators(settings_, type_);
  for (group& each : groups_) {
    if (each.all.empty()) {
      for (auto const& one : again) one->restart();
      hand_over(each, again);
    }
    for (auto const& one : each.all.empty() ? again : each.all) results.push_back(one->value());
    each = {};
  }
  return results;
}

}  // namespace tally::cli
