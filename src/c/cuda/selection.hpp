#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "src/c/cuda/elements.hpp"
#include "src/c/failure.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/selection/criteria.hpp"
#include "tally/detail/selection/device.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"
#include "tally/temporary.hpp"

/// Selection on a device: by flags, or where a run of equal elements begins. Bytes as flags, and words of 4 and 8 bytes
/// as elements, side by side, have kernels of their own. One more kernel has all others, whose type it learns when it
/// runs; it takes ten times as long.
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

/// Selects element k if its flag, a byte, is not 0.
struct is_set_byte {
  static constexpr bool always_first = false;
  std::uint8_t const* flags;

  TALLY_HD bool operator()(std::size_t k) const { return flags[k] != 0; }
};

/// The number of flags that are not 0 among eight.
struct set_bytes_of_word {
  std::uint8_t const* flags;  ///< at a multiple of 8
  std::size_t size;

  TALLY_HD std::uint32_t operator()(std::size_t w) const
  {
    std::uint32_t found = 0;
    if (w * 8 + 8 <= size) {
      std::uint64_t const word = reinterpret_cast<std::uint64_t const*>(flags)[w];
      for (int b = 0; b < 8; ++b) found += (word >> (8 * b) & 0xff) != 0 ? 1 : 0;
    } else {
      for (std::size_t k = w * 8; k < size; ++k) found += flags[k] != 0 ? 1 : 0;
    }
    return found;
  }
};

/// Copies the selected words, and writes their places. There is room for `room` of them.
template <class Word>
struct move_selected_words {
  Word const* in;
  Word* out;  ///< null: not wanted
  std::int64_t* places;
  std::size_t room;

  TALLY_HD Word take(std::size_t k) const { return in[k]; }
  TALLY_HD void one(std::size_t k, std::size_t before, bool is_selected, Word const& word) const
  {
    if (!is_selected || before >= room) return;
    if (places != nullptr) places[before] = static_cast<std::int64_t>(k);
    if (out != nullptr) out[before] = word;
  }
};

/// Throws    not_supported if a call has more elements than 32 bits count.
inline void check_counts(std::size_t size)
{
  if (size > std::numeric_limits<std::uint32_t>::max())
    throw not_supported("more than 2^32 - 1 elements in such a call on a GPU");
}

/// Moves the selected ones of `size` elements, and returns how many they are.
template <detail::device P, class Criterion, class Move>
std::size_t select(P const& on, std::size_t size, Criterion const& by, Move const& move)
{
  if (size == 0) return 0;
  check_counts(size);
  temporary<std::size_t, P> const total(on, 1);
  auto const elements = elements_from(detail::selection::selected_flag<Criterion>{by});
  tally::inclusive_scan<std::uint32_t>(on, elements, elements + static_cast<std::ptrdiff_t>(size),
                                       detail::steps_to(detail::selection::move_element<Move>{move, total.data()}));
  return value_at(on, total.data());
}

/// Returns how many of `size` elements are selected.
template <detail::device P, class Criterion>
std::size_t count(P const& on, std::size_t size, Criterion const& by)
{
  check_counts(size);
  auto const elements = elements_from(detail::selection::selected_flag<Criterion>{by});
  return tally::reduce<std::uint32_t>(on, elements, elements + static_cast<std::ptrdiff_t>(size));
}
template <detail::device P>
std::size_t count(P const& on, std::size_t size, is_set_byte const& by)
{
  check_counts(size);
  auto const words = elements_from(set_bytes_of_word{by.flags, size});
  return tally::reduce<std::uint32_t>(on, words, words + static_cast<std::ptrdiff_t>((size + 7) / 8));
}

/// Elements of `Word` that lie side by side.
template <class Word>
Word* side_by_side(row_on_gpu const& row)
{
  bool const fits = row.step == sizeof(Word) && reinterpret_cast<std::uintptr_t>(row.data) % sizeof(Word) == 0;
  return fits ? reinterpret_cast<Word*>(row.data) : nullptr;
}

/// Calls use(criterion, move) with those of the quickest kernel for a selection by flags.
template <class Use>
void with_flags(selection_call const& call, Use const& use)
{
  bool const bytes = call.type_of_flags.bits == 8 && call.flags.step == 1 &&
                     reinterpret_cast<std::uintptr_t>(call.flags.data) % 8 == 0;
  bool const writes = call.out.data != nullptr;
  auto const try_words = [&]<class Word>(Word) {
    Word* const in = side_by_side<Word>(call.in);
    Word* const out = side_by_side<Word>(call.out);
    if (!bytes || (writes && (call.words.count != 1 || in == nullptr || out == nullptr))) return false;
    use(is_set_byte{reinterpret_cast<std::uint8_t const*>(call.flags.data)},
        move_selected_words<Word>{in, out, nullptr, call.room});
    return true;
  };
  if (try_words(std::uint32_t()) || try_words(std::uint64_t())) return;
  use(criterion{call.flags, call.type_of_flags, false},
      move_selected_elements{call.in, call.out, call.words, nullptr, call.room});
}

/// Calls use(criterion, move) with those of the quickest kernel for a selection of the first elements of runs. `move`
/// has no places and no room yet.
template <class Use>
void with_keys(runs_call const& call, Use const& use)
{
  auto const try_type = [&]<class T>(T, std::int32_t code) {
    T* const keys = side_by_side<T>(call.keys);
    T* const out = side_by_side<T>(call.keys_out);
    if (call.type.code != code || call.type.bits != 8 * sizeof(T) || keys == nullptr ||
        (out == nullptr && call.keys_out.data != nullptr))
      return false;
    use(detail::selection::by_change<T const*, detail::selection::equal_values>{keys, {}},
        move_selected_words<T>{keys, out, nullptr, 0});
    return true;
  };
  if (try_type(float(), TALLY_FLOAT) || try_type(double(), TALLY_FLOAT) || try_type(std::int32_t(), TALLY_INT) ||
      try_type(std::int64_t(), TALLY_INT))
    return;
  use(criterion{call.keys, call.type, true}, move_selected_elements{call.keys, call.keys_out, call.words, nullptr, 0});
}

}  // namespace tally::c
