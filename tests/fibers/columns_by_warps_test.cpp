// Scans of columns by warps, on fibers: each column has the results of the order, by an implementation of its own,
// whatever its length, the columns beside it, and the places of its blocks' copies.
#include "fibers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../order/reference.hpp"
#include "../support/bits.hpp"
#include "../support/generator.hpp"
#include "../support/guarded.hpp"
#include "barriers.hpp"
#include "tally/detail/cuda/batch/columns_by_warps.cuh"
#include "tally/operators/arithmetic.hpp"

namespace {

using namespace tally::cuda_backend;
using tally::test::guarded;
using tally::test::random_bits;
using tally::test::same;

struct call {
  std::size_t matrices = 1,
              gap = 0;  ///< `gap` elements of no column behind each row of memory, and rows behind a matrix
  bool is_backward = false, is_exclusive = false, is_in_place = false, has_init = false, has_initials = false,
       has_lasts = false;
  unsigned blocks = 1, warps = 8;
  std::uint32_t copies = 4, panel = 1000;
  std::uint32_t epochs = 0;  ///< that are over
};

template <class T, class Op = tally::plus, class Value>
void check(std::size_t size, std::size_t columns, call const& how, Value const& value)
{
  SCOPED_TRACE(std::to_string(how.matrices) + " matrices of " + std::to_string(columns) + " columns of " +
               std::to_string(size) + (how.is_backward ? ", backward" : "") +
               (how.is_exclusive ? ", exclusive" : ", inclusive") + (how.is_in_place ? ", in place" : "") +
               (how.has_init ? ", with an initial value" : "") + (how.has_initials ? ", with initial values" : "") +
               (how.has_lasts ? ", with last values" : "") + ", gaps of " + std::to_string(how.gap) +
               ", blocks: " + std::to_string(how.blocks) + " of " + std::to_string(how.warps) +
               " warps, copies: " + std::to_string(how.copies) + ", panels of " + std::to_string(how.panel));
  // Rows of memory are multiples of 16 bytes.
  std::size_t const unit = 16 / sizeof(T);
  std::size_t const row = (columns + how.gap + unit - 1) / unit * unit;
  std::size_t const matrix = row * (size + how.gap);
  std::size_t const all = how.matrices * matrix;
  guarded<T> const in(all, unit), results(all, 2 * unit);
  T* const out = how.is_in_place ? in.data() : results.data();
  std::vector<T> expected(all), initials, lasts(how.matrices * columns), right_lasts(lasts);
  for (std::size_t k = 0; k < all; ++k) {
    in.data()[k] = value(k);
    results.data()[k] = value(k + 1'000'000'007);
    expected[k] = out[k];
  }
  T const init = value(77);
  for (std::size_t c = 0; c < how.matrices * columns; ++c) {
    initials.push_back(value(c + 2'000'000'011));
    std::size_t const first = c / columns * matrix + c % columns;
    auto const at = [&](std::size_t k) { return first + (how.is_backward ? size - 1 - k : k) * row; };
    std::vector<T> own;
    for (std::size_t k = 0; k < size; ++k) own.push_back(in.data()[at(k)]);
    std::optional<T> const from = how.has_initials ? std::optional<T>(initials[c])
                                  : how.has_init   ? std::optional<T>(init)
                                                   : std::nullopt;
    auto const right = tally::test::reference::scan(own, Op{}, from);
    for (std::size_t k = 0; k < size; ++k) expected[at(k)] = how.is_exclusive ? right.exclusive[k] : right.inclusive[k];
    right_lasts[c] = right.inclusive.back();
  }

  using P = columns_problem<T, Op, T, T>;
  auto const s = [](std::size_t n) { return static_cast<std::ptrdiff_t>(n); };
  std::ptrdiff_t const step = how.is_backward ? -s(row) : s(row);
  std::size_t const begin = how.is_backward ? (size - 1) * row : 0;
  auto const rows = static_cast<std::uint32_t>((size - 1) / tally::order::row<T> + 1);
  auto const groups_of_neighbours = static_cast<std::uint32_t>((columns - 1) / box_columns + 1);
  auto const groups = static_cast<std::uint32_t>(how.matrices) * groups_of_neighbours;
  column_piece const piece{box_columns, 1, 1};
  column_words<T, Op> const at(size, groups * box_columns, piece);
  std::vector<std::uint64_t> words(at.count());
  // Another call, with other elements, uses the same words before. In the last epoch they are cleared.
  control shared{};
  shared.next = std::uint64_t{how.epochs} << 32;
  auto const wide = [](T const& x) {
    return static_cast<tally::carry_type<Op, T>>(static_cast<tally::working_type<T>>(x));
  };
  P of{.in = in.data() + begin,
       .out = out + begin,
       .in_step = step,
       .out_step = step,
       .size = size,
       .sequences = how.matrices * columns,
       .places = {},
       .init = {how.has_init, static_cast<tally::working_type<T>>(init), wide(init)},
       .initials = how.has_initials ? initials.data() : nullptr,
       .lasts = how.has_lasts ? lasts.data() : nullptr,
       .op = {},
       .what = how.is_exclusive ? work::exclusive_scan : work::inclusive_scan,
       .piece = piece,
       .stretch_length = 0,
       .is_shared_out = true,
       .shared = &shared,
       .words = words.data(),
       .capacity = words.size(),
       .at = at,
       .rows = rows,
       .groups = groups,
       .neighbours = columns,
       .groups_of_neighbours = groups_of_neighbours,
       .panel = std::min(how.panel, groups)};
  of.places.across = {1, 1, 1, 1, 0};
  of.places.dimensions = how.matrices > 1 ? 2 : 1;
  of.places.extents[0] = how.matrices > 1 ? how.matrices : columns;
  of.places.extents[1] = columns;
  of.places.steps[0] = how.matrices > 1
                           ? tally::detail::batch::distances{s(matrix), s(matrix), s(columns), s(columns), 0}
                           : of.places.across;
  of.places.steps[1] = of.places.across;
  auto const boxes = [&](T* first) {
    return box_array{first,
                     sizeof(T),
                     columns,
                     size,
                     how.matrices,
                     row * sizeof(T),
                     matrix * sizeof(T),
                     box_columns,
                     static_cast<unsigned>(tally::order::row<T>)};
  };
  box_array const read = boxes(in.data()), written = boxes(out);
  columns_by_warps_problem<P> const problem{of, tally::test::map_of(read), tally::test::map_of(written), how.copies,
                                            static_cast<std::uint32_t>(size - 1)};
  using memory_type = columns_by_warps_memory<P>;
  unsigned const warps = std::min<unsigned>(how.warps, memory_type::warps);
  std::vector<T> const elements(in.data(), in.data() + all), before(out, out + all);
  for (bool is_first : {true, false}) {
    for (std::size_t k = 0; k < all; ++k) in.data()[k] = is_first ? value(k + 3'000'000'019) : elements[k];
    if (!how.is_in_place) std::copy(before.begin(), before.end(), out);
    tally::test::forget_barriers();
    tally::test::run_grid(how.blocks, warps * warp_lanes, sizeof(memory_type), [&] {
      auto& memory = *reinterpret_cast<memory_type*>(tally::test::grid::current()->memory());
      if (threadIdx.x == 0) memory.begin();
      __syncthreads();
      how.is_backward ? scan_columns_by_warps<true>(memory, problem) : scan_columns_by_warps<false>(memory, problem);
    });
  }
  EXPECT_TRUE(in.guards_intact());
  EXPECT_TRUE(results.guards_intact());
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < all; ++k)
    if (!same(out[k], expected[k]) && ++wrong == 1) ADD_FAILURE() << "the first wrong result is at " << k;
  EXPECT_EQ(wrong, 0u);
  for (std::size_t c = 0; c < lasts.size() && how.has_lasts; ++c)
    EXPECT_TRUE(same(lasts[c], right_lasts[c])) << "the value after column " << c;
}

template <class T>
T number(std::size_t k)
{
  return static_cast<T>(static_cast<double>(random_bits(1, k) >> 11) * 0x1p-52 - 1);
}

/// A map t -> a t + b modulo 2^32, where a is odd. Its composition does not commute, and is given no identity.
struct map_of_8_bytes {
  std::uint32_t a, b;
  friend bool operator==(map_of_8_bytes const&, map_of_8_bytes const&) = default;
};
std::size_t operands_that_are_no_maps = 0;
struct composing_maps {
  map_of_8_bytes operator()(map_of_8_bytes const& x, map_of_8_bytes const& y) const
  {
    operands_that_are_no_maps += (x.a & y.a & 1) == 0;
    return {x.a * y.a, x.b * y.a + y.b};
  }
};
map_of_8_bytes some_map(std::size_t k)
{
  return {static_cast<std::uint32_t>(random_bits(2, k)) | 1, static_cast<std::uint32_t>(random_bits(3, k))};
}

/// A call that is drawn: number k of its test.
call drawn(std::size_t k)
{
  call how;
  std::size_t draws = 0;
  auto const below = [&](std::size_t n) { return random_bits(4 + draws++, k) % n; };
  how.matrices = 1 + below(3);
  how.gap = below(2) * below(9);
  how.is_backward = below(2) == 0;
  how.is_exclusive = below(2) == 0;
  how.is_in_place = !how.is_exclusive && below(3) == 0;
  how.has_init = how.is_exclusive || below(2) == 0;
  how.has_initials = below(3) == 0;
  how.has_lasts = below(2) == 0;
  how.blocks = 1 + static_cast<unsigned>(below(3));
  how.warps = 1 + static_cast<unsigned>(below(12));
  how.copies = 1 + static_cast<std::uint32_t>(below(5));
  how.panel = 1 + static_cast<std::uint32_t>(below(3));
  if (below(2) == 0) how.epochs = last_epoch - 2;
  return how;
}

/// Columns in whole 16 bytes, as boxes must have them.
template <class T>
std::size_t whole_columns(std::size_t columns)
{
  std::size_t const whole = 16 / sizeof(T);
  return (columns + whole - 1) / whole * whole;
}

template <class T, class Op = tally::plus, class Value>
void check_sizes(Value const& value)
{
  std::size_t const row = tally::order::row<T>;
  std::vector<std::size_t> sizes;
  for (std::size_t const rows : {1, 2, 3, 7, 8, 9, 16, 63, 64, 65, 72, 129})
    for (std::size_t const more : {0, 1, 2}) sizes.push_back(rows * row + more - 1);
  for (std::size_t n = 2; n < row; n += 5) sizes.push_back(n);
  for (std::size_t k = 0; k < sizes.size() && !::testing::Test::HasFailure(); ++k) {
    std::size_t const most = sizes[k] > 3000 ? 34 : 100;
    check<T, Op>(sizes[k], whole_columns<T>(1 + random_bits(9, k) % most), drawn(k), value);
  }
}

TEST(columns_by_warps, have_the_results_of_the_order)
{
  check_sizes<float>(number<float>);
  check_sizes<double>(number<double>);
}

TEST(columns_by_warps, of_an_operator_that_does_not_commute_and_has_no_identity)
{
  check_sizes<map_of_8_bytes, composing_maps>(some_map);
  EXPECT_EQ(operands_that_are_no_maps, 0u) << "an operator meets elements alone";
}

TEST(columns_by_warps, longer_than_spans)
{
  std::size_t const span = tally::order::span<double>;
  call how = drawn(1);
  how.matrices = 1;
  check<double>(span + 5, 4, how, number<double>);
  how.is_backward = !how.is_backward;
  check<double>(2 * span + tally::order::tile<double> + 700, 2, how, number<double>);
}

}  // namespace
