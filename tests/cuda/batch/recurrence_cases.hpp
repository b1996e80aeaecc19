#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "../../order/recurrence_reference.hpp"
#include "../../support/generator.hpp"

/// Recurrences and gradients for the tests of their kernels: where arrays lie, what is in them, and the states.
namespace tally::test {

/// Numbers that follow from a seed.
class dice {
public:
  explicit dice(std::uint64_t seed) : seed_(seed) {}
  std::size_t operator()(std::size_t n) { return static_cast<std::size_t>(random_bits(seed_, ++at_) >> 11) % n; }

private:
  std::uint64_t seed_, at_ = 0;
};

/// The states by docs/order.md.
template <class T>
std::vector<T> states(std::vector<T> const& a, std::vector<T> const& b, T before)
{
  return reference::recurrence<T>(a, b, before);
}

/// The values: ordinary ones, of which some thousand steps later nothing is left; products that overflow while states
/// stay finite; growth to infinity; NaNs and infinities; and those of which a part is left after many tiles.
enum class kind { ordinary, pulled_back, growth, odd, steady };
inline constexpr std::size_t other_kinds = 4;

inline float signed_unit(std::uint64_t random)
{
  return static_cast<float>(static_cast<double>(random >> 11) * 0x1p-52 - 1);
}
template <class T>
T coefficient(kind what, std::uint64_t random)
{
  float const x = signed_unit(random);
  switch (what) {
    case kind::pulled_back: return static_cast<T>(random % 97 == 0 ? 0.0f : 8 * x);
    case kind::growth: return static_cast<T>(1.2f + 0.9f * x);
    case kind::steady: return static_cast<T>(random % 1024 == 0 ? -0.99f : 1 - std::abs(x) * 0x1p-14f);
    default: return static_cast<T>(0.9f + 0.2f * x);
  }
}
template <class T>
T term(kind what, std::uint64_t random)
{
  float const x = signed_unit(random);
  if (what == kind::odd && random % 701 == 0) return static_cast<T>(std::numeric_limits<float>::infinity());
  if (what == kind::odd && random % 701 == 1) return static_cast<T>(std::numeric_limits<float>::quiet_NaN());
  if (what == kind::pulled_back && random % 5 != 0) return static_cast<T>(-0.0f);
  return static_cast<T>(x);
}

/// An array in memory: the distances of its axes, the sequence's own one last.
struct placed {
  std::vector<std::ptrdiff_t> strides;
  std::size_t first = 0, size = 0;
};

/// Places an array of these extents, with gaps and backwards axes by chance. The axis at `order.back()` has neighbours
/// in memory. Axes may be repeated if `repeats`.
inline placed place(dice& of, std::vector<std::size_t> const& extents, std::vector<std::size_t> const& order,
                    bool repeats)
{
  placed result{std::vector<std::ptrdiff_t>(extents.size()), 0, 1};
  std::ptrdiff_t distance = 1, lowest = 0, highest = 0;
  bool const has_gaps = of(3) == 0, turns = of(3) == 0;
  for (std::size_t d = order.size(); d-- > 0;) {
    std::size_t const axis = order[d];
    if (repeats && of(4) == 0) continue;
    auto const n = static_cast<std::ptrdiff_t>(extents[axis]);
    bool const backwards = turns && of(2) == 0;
    result.strides[axis] = backwards ? -distance : distance;
    (backwards ? lowest : highest) += (n - 1) * result.strides[axis];
    distance = distance * n + (has_gaps ? static_cast<std::ptrdiff_t>(of(9)) : 0);
  }
  std::size_t const margin = of(2) == 0 ? 16 : 16 + of(8);
  result.first = margin + static_cast<std::size_t>(-lowest);
  result.size = result.first + static_cast<std::size_t>(highest) + 1 + 16;
  return result;
}

/// Places an array of these extents in words of `word` elements, forward, its last axis in memory, with a gap of whole
/// words behind each sequence. It begins `into` elements behind a word of 16 bytes.
template <class T>
placed place_in_words(std::vector<std::size_t> const& extents, std::size_t gap, std::size_t word, std::size_t into)
{
  placed result{std::vector<std::ptrdiff_t>(extents.size()), 32 / sizeof(T) + into, 0};
  std::size_t distance = 1;
  for (std::size_t d = extents.size(); d-- > 0;) {
    result.strides[d] = static_cast<std::ptrdiff_t>(distance);
    distance = distance * extents[d] + (d + 1 == extents.size() ? gap * word : 0);
  }
  result.size = result.first + distance;
  return result;
}

}  // namespace tally::test
