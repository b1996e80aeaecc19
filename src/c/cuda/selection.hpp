#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "src/c/cuda/elements.hpp"
#include "src/c/failure.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/selection/criteria.hpp"
#include "tally/detail/selection/device.hpp"

/// Selection on a device of elements whose type is known when the kernel runs: by flags, or where a run of equal ones
/// begins. One kernel does both.
namespace tally::c {

/// Selects element k if its flag is not 0, or if it differs from the one before it.
struct criterion {
  static constexpr bool always_first = false;
  row_on_gpu of;
  tally_type type;
  bool begins_runs;

  TALLY_HD bool operator()(std::size_t k) const
  {
    if (begins_runs && k == 0) return true;
    return with_element_type(type, [&]<class T>(T) {
      auto const at = [&](std::size_t place) {
        return *reinterpret_cast<T const*>(of.data + static_cast<std::ptrdiff_t>(place) * of.step);
      };
      if (begins_runs) return !detail::selection::equal_values{}(at(k - 1), at(k));
      return !(at(k) == T(0));
    });
  }
};

/// Copies the selected elements, and writes their places. There is room for `room` of them.
struct move_selected_elements {
  row_on_gpu in, out;
  words_of_element words;
  std::int64_t* places;
  std::size_t room;

  TALLY_HD detail::nothing_taken take(std::size_t) const { return {}; }
  TALLY_HD void one(std::size_t k, std::size_t before, bool is_selected, detail::nothing_taken) const
  {
    if (!is_selected || before >= room) return;
    if (places != nullptr) places[before] = static_cast<std::int64_t>(k);
    if (out.data != nullptr)
      copy_element(out.data + static_cast<std::ptrdiff_t>(before) * out.step,
                   in.data + static_cast<std::ptrdiff_t>(k) * in.step, words);
  }
};

/// Throws    not_supported if a call has more elements than 32 bits count.
inline void check_counts(std::size_t size)
{
  if (size > std::numeric_limits<std::uint32_t>::max())
    throw not_supported("more than 2^32 - 1 elements in such a call on a GPU");
}

/// Returns how many of `size` elements are selected.
template <detail::device P>
std::size_t select(P const& on, std::size_t size, criterion const& by, move_selected_elements const& move)
{
  if (size == 0) return 0;
  check_counts(size);
  temporary<std::size_t, P> const total(on, 1);
  auto const elements = elements_from(detail::selection::selected_flag<criterion>{by});
  tally::inclusive_scan<std::uint32_t>(
      on, elements, elements + static_cast<std::ptrdiff_t>(size),
      detail::steps_to(detail::selection::move_element<move_selected_elements>{move, total.data()}));
  return value_at(on, total.data());
}

}  // namespace tally::c
