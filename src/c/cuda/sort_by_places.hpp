#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "src/c/cuda/elements.hpp"
#include "src/c/gpu.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/radix_sort/ordered_bits.hpp"
#include "tally/detail/radix_sort/sort.hpp"
#include "tally/for_each.hpp"
#include "tally/temporary.hpp"

/// A sort of keys whose type is known when the kernel runs. Keys become unsigned integers of the same order,
/// which are sorted with the places where they stood, and then all that is moved goes by the places. So one sort of 32
/// bits and one of 64 serve all types, either order, and any number of sequences: those are sorted as one, and then
/// by their numbers, which keeps the order within each.
namespace tally::c {

/// Elements of all sequences, numbered one sequence after the other.
struct numbered_elements {
  sorts_call call;

  TALLY_HD std::size_t length() const { return call.where.along.extent; }
  /// The distances of element k of sequence s from the first one.
  TALLY_HD detail::batch::distances place(std::size_t s, std::size_t k) const
  {
    detail::batch::distances at = call.where.place(s);
    at.move(call.where.along.step, static_cast<std::ptrdiff_t>(k));
    return at;
  }
};

/// Reads element k: its key as an unsigned integer, its number, and copies of what is moved later, as the output may be
/// the input.
template <class Bits>
struct read_elements : numbered_elements {
  Bits* keys;
  std::uint32_t* numbers;
  std::byte* copies;
  std::byte* copies_of_values;

  TALLY_HD void operator()(std::size_t k) const
  {
    auto const at = place(k / length(), k % length());
    std::byte const* const key = call.in + at.in;
    keys[k] = with_element_type(call.type, [&]<class T>(T) {
      namespace sort = detail::radix_sort;
      T const value = *reinterpret_cast<T const*>(key);
      return static_cast<Bits>(call.descends ? sort::ordered_bits<T, std::greater<>>{}(value)
                                             : sort::ordered_bits<T, std::less<>>{}(value));
    });
    numbers[k] = static_cast<std::uint32_t>(k);
    if (copies != nullptr) copy_element(copies + k * bytes(call.words), key, call.words);
    if (copies_of_values != nullptr)
      copy_element(copies_of_values + k * bytes(call.words_of_value), call.values + at.coefficients,
                   call.words_of_value);
  }
  TALLY_HD static std::size_t bytes(words_of_element const& words) { return words.bytes * words.count; }
};

/// The number of the sequence of each element.
struct number_of_sequence {
  std::uint32_t const* numbers;
  std::uint32_t* sequences;
  std::size_t length;

  TALLY_HD void operator()(std::size_t k) const { sequences[k] = static_cast<std::uint32_t>(numbers[k] / length); }
};

/// Writes what comes to place k.
template <class Bits>
struct write_elements : read_elements<Bits> {
  TALLY_HD void operator()(std::size_t k) const
  {
    sorts_call const& to = this->call;
    std::size_t const number = this->numbers[k];
    auto const at = this->place(k / this->length(), k % this->length());
    if (to.out != nullptr) copy_element(to.out + at.out, this->copies + number * this->bytes(to.words), to.words);
    if (to.places != nullptr)
      *reinterpret_cast<std::int64_t*>(to.places + at.initial) = static_cast<std::int64_t>(number % this->length());
    if (to.values != nullptr)
      copy_element(to.values_out + at.last, this->copies_of_values + number * this->bytes(to.words_of_value),
                   to.words_of_value);
  }
};

/// Sorts by the lowest `bits` bits.
template <class P, class Bits>
void sort_numbers(P const& on, Bits* keys, std::uint32_t* numbers, std::size_t size, int bits)
{
  if (size >= 2) detail::radix_sort::sort_by_bits<std::less<>>(on, keys, numbers, size, 0, bits);
}

/// Requires  fewer than 2^32 elements, whose type has no more bits than `Bits`.
template <class Bits, execution P>
void sort_by_places(P const& on, sorts_call const& call)
{
  using step = read_elements<Bits>;
  std::size_t const sequences = call.where.sequences(), size = sequences * call.where.along.extent;
  if (size == 0) return;
  temporary<Bits, P> const keys(on, size);
  temporary<std::uint32_t, P> const numbers(on, size);
  temporary<std::byte, P> const copies(on, call.out == nullptr ? 0 : size * step::bytes(call.words)),
      copies_of_values(on, call.values == nullptr ? 0 : size * step::bytes(call.words_of_value));
  step const read{{call}, keys.data(), numbers.data(), copies.data(), copies_of_values.data()};
  tally::for_each_index(on, size, read);
  sort_numbers(on, keys.data(), numbers.data(), size, call.type.bits);
  if (sequences > 1) {
    temporary<std::uint32_t, P> const numbers_of_sequences(on, size);
    tally::for_each_index(on, size,
                          number_of_sequence{numbers.data(), numbers_of_sequences.data(), call.where.along.extent});
    sort_numbers(on, numbers_of_sequences.data(), numbers.data(), size,
                 static_cast<int>(std::bit_width(sequences - 1)));
  }
  tally::for_each_index(on, size, write_elements<Bits>{read});
}

}  // namespace tally::c
