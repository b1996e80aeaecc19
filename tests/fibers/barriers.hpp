#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "fibers.hpp"
#include "tally/detail/cuda/asynchronous.cuh"

/// The barriers and copies that kernels have by PTX, for fibers. A copy arrives when it is waited for; until then its
/// place is poisoned. One source of a test includes this file.
namespace tally::test {

/// A bulk copy, a box, or the words of a thread on their way.
struct bulk_copy {
  std::function<void()> arrive;
  std::uint32_t bytes;
  int threads = 0;  ///< that arrive with it
};
/// The state of an `arrival`.
struct phases {
  int count = 0, missing = 0;
  long bytes = 0;  ///< announced, less those that have arrived
  std::uint32_t parity = 0;
  std::vector<bulk_copy> copies;
};
inline std::map<void const*, phases> all_phases;

/// A copy of some bytes of a word, and zeros for the others.
struct word_copy {
  unsigned char* to;
  void const* from;
  int bytes, word_bytes;
};
inline std::map<std::pair<unsigned, unsigned>, std::vector<word_copy>> word_copies;  ///< of a block's thread
inline std::map<std::pair<unsigned, unsigned>, std::deque<std::vector<word_copy>>> groups_of_word_copies;

/// A box map that names its array. The array outlives the grid.
inline cuda_backend::box_map map_of(cuda_backend::box_array const& array)
{
  cuda_backend::box_map made{};
  cuda_backend::box_array const* const place = &array;
  std::memcpy(&made, &place, sizeof place);
  return made;
}
/// A box of an array, and its image in shared memory.
struct box {
  cuda_backend::box_array const* array = nullptr;
  unsigned char* image;
  std::ptrdiff_t column, row, matrix;

  box(cuda_backend::box_map const& map, void const* in_shared, int first_column, int first_row, int of_matrix)
      : image(static_cast<unsigned char*>(const_cast<void*>(in_shared))),
        column(first_column),
        row(first_row),
        matrix(of_matrix)
  {
    std::memcpy(&array, &map, sizeof array);
    if (reinterpret_cast<std::uintptr_t>(in_shared) % 128 != 0 ||
        reinterpret_cast<std::uintptr_t>(array->first) % 16 != 0 || !cuda_backend::fits_box_map(array->row_bytes) ||
        !cuda_backend::fits_box_map(array->matrix_bytes) || array->box_columns > 256 || array->box_rows > 256)
      throw std::runtime_error("a box is not as a device asks");
  }
  std::size_t row_bytes() const { return array->box_columns * array->element_bytes; }
  std::size_t bytes() const { return array->box_rows * row_bytes(); }
  /// Calls visit(element in the array or null, element of the image).
  template <class Visit>
  void for_each_element(Visit const& visit) const
  {
    auto const is_in = [](std::ptrdiff_t at, std::size_t extent) {
      return at >= 0 && at < static_cast<std::ptrdiff_t>(extent);
    };
    for (std::ptrdiff_t r = 0; r < static_cast<std::ptrdiff_t>(array->box_rows); ++r)
      for (std::ptrdiff_t c = 0; c < static_cast<std::ptrdiff_t>(array->box_columns); ++c) {
        bool const is_there =
            is_in(row + r, array->rows) && is_in(column + c, array->columns) && is_in(matrix, array->matrices);
        auto const at = [&](std::ptrdiff_t index, std::size_t bytes) {
          return index * static_cast<std::ptrdiff_t>(bytes);
        };
        unsigned char* const element = static_cast<unsigned char*>(array->first) + at(matrix, array->matrix_bytes) +
                                       at(row + r, array->row_bytes) + at(column + c, array->element_bytes);
        visit(is_there ? element : nullptr, image + at(r, row_bytes()) + at(c, array->element_bytes));
      }
  }
};
/// A box that is copied back, and its image as it was then.
struct stored_box {
  box copied;
  std::vector<unsigned char> image;
};
inline std::map<std::pair<unsigned, unsigned>, std::vector<stored_box>> stored_boxes;  ///< of a block's thread

/// Before each grid.
inline void forget_barriers()
{
  all_phases.clear();
  word_copies.clear();
  groups_of_word_copies.clear();
  stored_boxes.clear();
}

inline void start_word_copy(word_copy const& copy)
{
  auto const is_aligned = [&](void const* at) {
    return reinterpret_cast<std::uintptr_t>(at) % static_cast<unsigned>(copy.word_bytes) == 0;
  };
  if (!is_aligned(copy.to) || (copy.bytes != 0 && !is_aligned(copy.from)))
    throw std::runtime_error("a copy is not of a word");
  std::memset(copy.to, 0xA5, static_cast<std::size_t>(copy.word_bytes));
  word_copies[{blockIdx.x, threadIdx.x}].push_back(copy);
}

inline void end_word_copy(word_copy const& copy)
{
  std::memset(copy.to, 0, static_cast<std::size_t>(copy.word_bytes));
  if (copy.bytes != 0) std::memcpy(copy.to, copy.from, static_cast<std::size_t>(copy.bytes));
}

inline void perhaps_end_phase(void const* place)
{
  phases& own = all_phases.at(place);
  if (own.missing != 0 || own.bytes != 0) return;
  own.parity ^= 1;
  own.missing = own.count;
  grid::current()->tell(place);
}

}  // namespace tally::test

namespace tally::cuda_backend {

inline void arrival::begin(int count)
{
  state_ = 0;
  test::phases own;
  own.count = own.missing = count;
  test::all_phases[this] = own;
}
inline void arrival::arrive()
{
  arrive_and_expect(0);
}
inline void arrival::arrive_and_expect(std::uint32_t bytes)
{
  test::phases& own = test::all_phases.at(this);
  if (own.missing == 0) throw std::runtime_error("more threads arrive than a barrier waits for");
  --own.missing;
  own.bytes += bytes;
  test::perhaps_end_phase(this);
  test::grid::current()->perhaps_wait();
}
inline void arrival::wait(std::uint32_t parity)
{
  while (test::all_phases.at(this).parity == parity) {
    test::phases& own = test::all_phases.at(this);
    if (own.copies.empty()) {
      test::grid::current()->wait_for(this);
      continue;
    }
    for (test::bulk_copy const& each : own.copies) {
      each.arrive();
      own.bytes -= each.bytes;
      own.missing -= each.threads;
    }
    own.copies.clear();
    test::perhaps_end_phase(this);
  }
  test::grid::current()->perhaps_wait();
}
inline void arrival::bulk_load(void* to, void const* from, std::uint32_t bytes)
{
  auto const is_word = [](void const* at) { return reinterpret_cast<std::uintptr_t>(at) % 16 == 0; };
  if (!is_word(to) || !is_word(from) || bytes % 16 != 0) throw std::runtime_error("a bulk copy is not of whole words");
  std::memset(to, 0xA5, bytes);
  test::all_phases.at(this).copies.push_back({[=] { std::memcpy(to, from, bytes); }, bytes});
  test::grid::current()->tell(this);  // those that wait already let it arrive
}
inline void arrival::box_load(void* to, box_map const& from, int column, int row, int matrix)
{
  test::box const copied(from, to, column, row, matrix);
  std::memset(to, 0xA5, copied.bytes());
  auto const arrive = [copied] {
    copied.for_each_element([&](unsigned char const* element, unsigned char* image) {
      if (element != nullptr)
        std::memcpy(image, element, copied.array->element_bytes);
      else
        std::memset(image, 0, copied.array->element_bytes);
    });
  };
  test::all_phases.at(this).copies.push_back({arrive, static_cast<std::uint32_t>(copied.bytes())});
  test::grid::current()->tell(this);
}
inline void box_store(box_map const& to, void const* from, int column, int row, int matrix)
{
  test::box const copied(to, from, column, row, matrix);
  if (copied.array->columns * copied.array->element_bytes % 16 != 0)
    throw std::runtime_error("a device writes whole 16 bytes, behind the last column too");
  if (column < 0 || row < 0 || matrix < 0)
    throw std::runtime_error("a device does not write a box that begins before its array");
  test::stored_boxes[{blockIdx.x, threadIdx.x}].push_back({copied, {copied.image, copied.image + copied.bytes()}});
  test::grid::current()->perhaps_wait();
}
inline void await_box_reads()
{
  auto& own = test::stored_boxes[{blockIdx.x, threadIdx.x}];
  for (test::stored_box const& each : own) {
    if (std::memcmp(each.image.data(), each.copied.image, each.image.size()) != 0)
      throw std::runtime_error("a box has changed before it was read");
    each.copied.for_each_element([&](unsigned char* element, unsigned char const* image) {
      if (element != nullptr) std::memcpy(element, image, each.copied.array->element_bytes);
    });
  }
  own.clear();
}
inline shared_location shared_address(void* p)
{
  return static_cast<shared_location>(p);
}
template <int Bytes>
void copy_or_clear(shared_location to, void const* from, bool copies)
{
  test::start_word_copy({to, from, copies ? Bytes : 0, Bytes});
}
inline void copy_some_of_16(shared_location to, void const* from, int bytes)
{
  test::start_word_copy({to, from, bytes, 16});
}
inline void end_copy_group()
{
  auto& own = test::word_copies[{blockIdx.x, threadIdx.x}];
  test::groups_of_word_copies[{blockIdx.x, threadIdx.x}].push_back(std::exchange(own, {}));
}
template <int Later>
void await_copy_groups()
{
  auto& groups = test::groups_of_word_copies[{blockIdx.x, threadIdx.x}];
  for (; groups.size() > Later; groups.pop_front())
    for (test::word_copy const& each : groups.front()) test::end_word_copy(each);
}
inline void await_copies()
{
  end_copy_group();
  await_copy_groups<0>();
}
template <class Word>
void copy_asynchronously(Word* to, Word const* from)
{
  if constexpr (sizeof(Word) == 16 || ((sizeof(Word) == 4 || sizeof(Word) == 8) && alignof(Word) == sizeof(Word)))
    test::start_word_copy(
        {reinterpret_cast<unsigned char*>(to), from, static_cast<int>(sizeof(Word)), static_cast<int>(sizeof(Word))});
  else
    *to = *from;
}
inline void arrive_after_copies(arrival& at)
{
  auto& own = test::word_copies[{blockIdx.x, threadIdx.x}];
  test::all_phases.at(&at).copies.push_back({[words = own] {
                                               for (test::word_copy const& each : words) test::end_word_copy(each);
                                             },
                                             0, 1});
  own.clear();
  test::grid::current()->tell(&at);
  test::grid::current()->perhaps_wait();
}
inline void prefetch(void const*) {}
inline void fence_asynchronous() {}

}  // namespace tally::cuda_backend
