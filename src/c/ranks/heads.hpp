#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "src/c/arrays.hpp"
#include "tally/detail/ranks/session.hpp"

namespace tally::c {

/// The beginnings of runs of equal keys in a rank's part, as ranks_backend::with_segments takes heads. The first key is
/// no beginning if it equals the last one of the ranks before.
struct run_heads {
  static constexpr bool needs_round = true;
  using equality = bool (*)(void const*, void const*);

  array keys;                      ///< without gaps
  std::vector<std::int64_t> ends;  ///< where runs begin, and the number of keys
  equality equal = nullptr;
  std::size_t size = 0;
  std::byte own_last[8]{};
  std::vector<std::uint64_t> lasts;  ///< the last keys of all ranks, of which some have none
  bool begins_a_run = false;         ///< the first key

  struct is_head {
    std::span<std::int64_t const> begins;
    std::size_t from;
    bool operator()(std::size_t k) const
    {
      return std::binary_search(begins.begin(), begins.end(), static_cast<std::int64_t>(from + k));
    }
  };
  is_head from(std::size_t k) const { return {std::span(ends).first(ends.size() - 1), k}; }

  template <class Session>
  void prepare(Session& by)
  {
    lasts.resize(static_cast<std::size_t>(by.by().size()));
    if (size > 0) std::memcpy(own_last, keys.data + (size - 1) * keys.bytes, keys.bytes);
  }
  template <class Session>
  void share(Session& by)
  {
    by.by().allgather(own_last, reinterpret_cast<std::byte*>(lasts.data()), sizeof own_last);
  }
  template <class Session>
  bool first_is_head(Session& by)
  {
    if (size == 0) return false;
    begins_a_run = true;
    for (auto r = static_cast<std::size_t>(by.rank()); r-- > 0;)
      if (by.ranks().reports[r].elements > 0) {
        begins_a_run = !equal(&lasts[r], keys.data);
        break;
      }
    return begins_a_run;
  }
};

}  // namespace tally::c
