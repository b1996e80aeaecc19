#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

/// The search for a small counterexample to any predicate.
namespace tally::detail::laws {

/// Calls visit(indices) for N-tuples of indices below `size` until it returns true. Tuples with a smaller largest index
/// come first. Returns false if it gave up after `limit` tuples.
template <std::size_t N, class Visit>
bool for_each_tuple(std::size_t size, std::size_t limit, Visit const& visit)
{
  std::size_t visited = 0;
  std::array<std::size_t, N> index{};
  // The largest index is `top`. Its first place is `first`: the places before it hold less, those after it no more.
  for (std::size_t top = 0; top < size; ++top) {
    for (std::size_t first = 0; first < N && (top > 0 || first == 0); ++first) {
      index.fill(0);
      index[first] = top;
      for (bool more = true; more;) {
        if (visited++ == limit) return false;
        if (visit(index)) return true;
        more = false;
        for (std::size_t place = N; place-- > 0 && !more;) {  // an odometer over the other places
          if (place == first) continue;
          more = index[place] < (place < first ? top - 1 : top);
          index[place] = more ? index[place] + 1 : 0;
        }
      }
    }
  }
  return true;
}

/// The first N samples in the list for which `breaks` is true. Their largest index is the smallest possible, and no
/// sample can be replaced by an earlier one. It tries up to `limit` tuples in order; if there are more, as many again
/// at random.
template <std::size_t N, class T, class Breaks>
std::optional<std::array<T, N>> smallest(std::vector<T> const& samples, std::size_t limit, std::uint64_t seed,
                                         Breaks const& breaks)
{
  using indices = std::array<std::size_t, N>;
  auto const pick = [&]<std::size_t... I>(indices const& index, std::index_sequence<I...>) {
    return std::array<T, N>{samples[index[I]]...};
  };
  auto const breaks_at = [&](indices const& index) { return breaks(pick(index, std::make_index_sequence<N>{})); };

  std::optional<indices> found;
  auto const visit = [&](indices const& index) {
    if (breaks_at(index)) found = index;
    return found.has_value();
  };
  if (!for_each_tuple<N>(samples.size(), limit, visit)) {
    std::mt19937_64 random(seed);
    for (std::size_t k = 0; k < limit && !found; ++k) {
      indices index;
      for (std::size_t& i : index) i = random() % samples.size();
      visit(index);
    }
  }
  if (!found) return std::nullopt;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t place = 0; place < N; ++place) {
      indices candidate = *found;
      for (std::size_t i = 0; i < (*found)[place] && !changed; ++i) {
        candidate[place] = i;
        changed = breaks_at(candidate);
      }
      if (changed) {
        found = candidate;
        break;
      }
    }
  }
  return pick(*found, std::make_index_sequence<N>{});
}

/// Replaces operands by simpler ones while `breaks` stays true. `shrink(x)` lists values simpler than x.
template <std::size_t N, class T, class Shrink, class Breaks>
std::array<T, N> shrunk(std::array<T, N> operands, Shrink const& shrink, Breaks const& breaks)
{
  for (bool changed = true; changed;) {
    changed = false;
    for (T& operand : operands) {
      T const before = operand;
      for (T const& candidate : shrink(before)) {
        operand = candidate;
        changed = breaks(operands);
        if (changed) break;
        operand = before;
      }
      if (changed) break;
    }
  }
  return operands;
}

}  // namespace tally::detail::laws
