#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <ranges>
#include <string>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/error.hpp"

/// Ranges whose number of elements lies in memory. On a GPU that is its own memory: an earlier kernel finds how many
/// elements there are, and the next call takes so many, without the host.
namespace tally {

namespace detail {

/// An integer in memory where a call runs, or none.
struct count_in_memory {
  void const* place = nullptr;
  bool is_long = true;  ///< 64 bits, not 32
  bool is_signed = false;

  /// The integer, or `most` if that is less. On a host it throws usage_error if the integer is negative.
  TALLY_HD std::size_t up_to(std::size_t most) const
  {
#ifdef __CUDA_ARCH__
    std::uint64_t const count =
        is_long ? *static_cast<std::uint64_t const*>(place) : *static_cast<std::uint32_t const*>(place);
#else
    std::uint64_t count = 0;
    std::uint32_t half = 0;
    if (is_long)
      std::memcpy(&count, place, sizeof count);
    else
      std::memcpy(&half, place, sizeof half), count = half;
    if (is_signed && count >> (is_long ? 63 : 31) != 0)
      throw usage_error("tally: the count in memory is " +
                        std::to_string(is_long ? static_cast<std::int64_t>(count) : static_cast<std::int32_t>(half)) +
                        ", and must not be negative");
#endif
    return count < most ? static_cast<std::size_t>(count) : most;
  }
};

/// The number of elements of a call: `most`, or fewer if an integer in memory says so.
struct element_count {
  std::size_t most = 0;
  count_in_memory fewer{};

  TALLY_HD std::size_t value() const { return fewer.place != nullptr ? fewer.up_to(most) : most; }
};

}  // namespace detail

/// A count that lies in memory where the call runs: `*place`, read when the call has its turn there, and `at_most`,
/// which the host knows. A greater count counts as `at_most`.
///
/// Requires  `place` points to an integer of 32 or 64 bits that is not negative and that the call does not overwrite.
/// On
///           a GPU a negative one counts as `at_most`.
/// Throws    usage_error, from a call on a CPU: the count is negative.
class count_at {
public:
  template <class N>
  count_at(N const* place, std::size_t at_most) : count_{at_most, {place, sizeof(N) == 8, std::is_signed_v<N>}}
  {
    static_assert(std::is_integral_v<N> && (sizeof(N) == 4 || sizeof(N) == 8),
                  "tally: a count in memory is an integer of 32 or 64 bits");
  }
  operator detail::element_count() const { return count_; }

private:
  detail::element_count count_;
};

namespace detail {

/// The end of a range whose number of elements lies in memory. It is no sized sentinel: of a device's memory only the
/// call itself reads the count.
template <class I>
struct counted_end {
  I first{};
  element_count count{};

  friend bool operator==(I const& at, counted_end const& end)
  {
    return static_cast<std::size_t>(at - end.first) == end.count.value();
  }
};
template <class S>
inline constexpr bool is_counted_end = false;
template <class I>
inline constexpr bool is_counted_end<counted_end<I>> = true;

template <class I>
struct counted_range {
  I first;
  element_count count;

  I begin() const { return first; }
  counted_end<I> end() const { return {first, count}; }
};
template <class R>
inline constexpr bool is_counted_range = false;
template <class I>
inline constexpr bool is_counted_range<counted_range<I>> = true;

}  // namespace detail

/// The first `*place` elements of a sequence, as the range of reduce and the scans.
///
///     counted(first, count_at(place, at_most))    counted(range, count_at(place, at_most))
///
///     tally::inclusive_scan(gpu, tally::counted(in, tally::count_at(count, capacity)), out);
///
/// The count is read where the call runs, at the call's turn: on a GPU in the order of the stream, so that a CUDA graph
/// replays with another count each time, and the host need not know it. On a CPU the call reads it.
///
/// Requires  iterators with random access. `at_most` elements fit the output, and a GPU's workspace.
/// Result    the bits of the call with that many elements. Elements from the count on are neither read nor written. A
///           scan on a GPU returns nothing, since its end is not known.
/// Cost      on a GPU the launch is that of `at_most` elements, and the read of the count takes 0.2 us.
/// Memory    on a GPU the workspace of `at_most` elements.
/// Blocks    as the call does; the count is read without a wait of the host.
/// Throws    usage_error, as the call: the output range has fewer than `at_most` elements; on a CPU also: the count is
///           negative.
template <class First>
auto counted(First&& first, count_at count)
{
  if constexpr (std::ranges::range<First>) {
    return tally::counted(std::ranges::begin(first), count);
  } else {
    using iterator = std::remove_cvref_t<First>;
    static_assert(std::random_access_iterator<iterator>,
                  "tally: counted elements are reached by index: give a range or an iterator with random access");
    return detail::counted_range<iterator>{first, count};
  }
}

}  // namespace tally
