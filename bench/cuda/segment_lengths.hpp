#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/cuda/data.hpp"

/// The segments that benchmarks work on.
namespace tally::bench {

/// Offsets of segments that have n elements in all. Their lengths are "all-100", "mean-100" (exponential), "1..2000"
/// (uniform), "few-of-200000" (1 to 20, and one in a hundred of 200,000), or all are one segment.
inline std::vector<std::uint32_t> offsets_of(std::string const& kind, std::size_t n)
{
  std::uint64_t turn = 0;
  auto const random = [&] { return random_element::bits(turn++) >> 11; };
  std::vector<std::uint32_t> offsets{0};
  double const mean =
      kind.starts_with("all") || kind.starts_with("mean") ? std::stod(kind.substr(kind.find('-') + 1)) : 0;
  for (std::size_t end = 0; end < n; offsets.push_back(static_cast<std::uint32_t>(end))) {
    std::size_t length = n;
    if (kind.starts_with("all")) length = static_cast<std::size_t>(mean);
    if (kind.starts_with("mean"))
      length = static_cast<std::size_t>(-std::log((static_cast<double>(random()) + 1) * 0x1p-53) * mean + 0.5);
    if (kind == "1..2000") length = 1 + random() % 2000;
    if (kind == "few-of-200000") length = random() % 100 == 0 ? 200'000 : 1 + random() % 20;
    end = std::min(n, end + length);
  }
  return offsets;
}

}  // namespace tally::bench
