#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "../support/bits.hpp"
#include "../support/generator.hpp"
#include "../support/guarded.hpp"
#include "../support/virtual_ranks.hpp"
#include "cpu_backend.hpp"
#include "tally/detail/contract.hpp"

/// Ranks as a backend under test: a call is cut into parts, and each part is the call of one virtual rank.
namespace divided_backend {

struct divided {
  int ranks = 1;
  int threads = 1;
  std::uint64_t seed = 0;
};

/// Places at which [0, n) is cut into parts, at random; about half of them near the boundaries of tiles.
inline std::vector<std::size_t> cuts(divided const& on, std::size_t n, std::size_t tile)
{
  std::vector<std::size_t> at{0, n};
  for (int r = 1; r < on.ranks; ++r) {
    std::uint64_t const random = tally::test::random_bits(on.seed, static_cast<std::uint64_t>(r));
    std::size_t place = static_cast<std::size_t>(random >> 8) % (n + 1);
    if (random % 2 == 0) place = place / tile * tile + random / 2 % 3;
    at.push_back(std::min(place, n));
  }
  std::sort(at.begin(), at.end());
  return at;
}

template <class T, class I, class S, class Op, class Transform>
std::optional<T> backend_reduce(divided on, I first, S last, std::optional<T> init, Op& op, Transform& transform)
{
  using distance = std::iter_difference_t<I>;
  auto const at = cuts(on, static_cast<std::size_t>(last - first), tally::order::tile<T>);
  std::vector<std::optional<T>> results(static_cast<std::size_t>(on.ranks));
  tally::test::on_virtual_ranks(
      on.ranks,
      [&](auto const& ranks, int rank) {
        auto const r = static_cast<std::size_t>(rank);
        results[r] = backend_reduce<T>(ranks, first + static_cast<distance>(at[r]),
                                       first + static_cast<distance>(at[r + 1]), init, op, transform);
      },
      tally::cpu{on.threads});
  for (auto const& result : results)
    if (result.has_value() != results[0].has_value() || (result && !tally::test::same(*result, *results[0])))
      throw tally::error("ranks: the results of ranks differ");
  return results[0];
}

template <class T, class I, class S, class Out, class Op, class Transform>
Out backend_scan(divided on, I first, S last, Out out, std::optional<T> init, Op& op, Transform& transform,
                 tally::detail::direction shift)
{
  using distance = std::iter_difference_t<I>;
  auto const at = cuts(on, static_cast<std::size_t>(last - first), tally::order::tile<T>);
  tally::test::on_virtual_ranks(
      on.ranks,
      [&](auto const& ranks, int rank) {
        auto const r = static_cast<std::size_t>(rank);
        Out const end =
            backend_scan<T>(ranks, first + static_cast<distance>(at[r]), first + static_cast<distance>(at[r + 1]),
                            out + static_cast<distance>(at[r]), init, op, transform, shift);
        if (end != out + static_cast<distance>(at[r + 1])) throw tally::error("ranks: another end of the results");
      },
      tally::cpu{on.threads});
  return out + (last - first);
}

}  // namespace divided_backend

template <>
inline constexpr bool tally::is_execution<divided_backend::divided> = true;

namespace tally::test {

struct divided_ranks {
  static constexpr char const* name = "ranks";

  template <class T>
  using array = guarded<T>;

  /// Other divisions at each call.
  template <class F>
  static void for_each_way(ways which, F const& f)
  {
    static std::uint64_t seed = 0;
    for (int const ranks : {1, 2, 3, 7}) {
      int const threads = which == ways::threads || which == ways::few_threads ? 2 : 1;
      f(divided_backend::divided{ranks, threads, ++seed},
        std::to_string(ranks) + " ranks, seed " + std::to_string(seed));
    }
  }
};

}  // namespace tally::test
