// The kernel of recurrences across memory, on fibers: its results are those of the order, by an implementation of its
// own.
#include "fibers.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "barriers.hpp"
#include "recurrence_call.hpp"
#include "tally/detail/cuda/recurrence/columns_kernel.cuh"
#include "tally/detail/cuda/recurrence/repair_kernel.cuh"

namespace {

using namespace tally::cuda_backend;
using tally::test::kind;
using call = tally::test::recurrence_kind;

/// In blocks of `Columns` columns each.
template <class T, int Columns>
void check(std::size_t matrices, std::size_t columns, std::size_t n, call how)
{
  how.are_columns = true;
  how.neighbours = columns;
  SCOPED_TRACE(std::to_string(matrices) + " times " + std::to_string(columns) + " columns of " + std::to_string(n) +
               " in blocks of " + std::to_string(Columns) + ": " + how.text());
  using P = recurrence_columns_problem<T, Columns>;
  tally::test::recurrence_call<T> own(matrices * columns, n, how);
  auto const each = static_cast<std::uint32_t>((columns - 1) / Columns + 1);
  P given{own.problem(), each, static_cast<std::uint32_t>(matrices) * each};
  using memory_type = recurrence_columns_memory<P>;
  auto const run = [&](results_stored which) {
    given.stores = which;
    tally::test::forget_barriers();
    tally::test::run_grid(how.blocks, recurrence_columns<T, Columns>::threads, sizeof(memory_type), [&] {
      auto& memory = *reinterpret_cast<memory_type*>(tally::test::grid::current()->memory());
      if (threadIdx.x == 0) memory.begin();
      __syncthreads();
      recur_columns(memory, given);
    });
  };
  // As calls do: in place, a first run looks for the results that are not finite.
  if (how.is_in_place) run(results_stored::none);
  run(how.is_in_place ? results_stored::before_the_first_bad : results_stored::all);
  tally::test::run_grid(static_cast<unsigned>((given.sequences - 1) / repair_threads + 1), repair_threads, 0,
                        [&] { repair_sequences_kernel(given); });
  own.check(true);
}

template <class T>
class recurrence_columns_on_fibers : public tally::test::recurrence_sizes<T> {
protected:
  /// Half of all lie in whole words. Long columns have states that stay finite: the plain loops would take most of the
  /// time.
  call of_columns(std::size_t n)
  {
    call how = this->anyhow(this->draw(2) * this->draw(5));
    if (this->draw(2) == 0) how.a = how.b = how.out = how.gap = 0;
    if (n >= 500) how.what = this->draw(2) == 0 ? kind::ordinary : kind::steady;
    return how;
  }
};
TYPED_TEST_SUITE(recurrence_columns_on_fibers, tally::test::recurrence_types);

TYPED_TEST(recurrence_columns_on_fibers, that_lie_anyhow)
{
  using T = TypeParam;
  constexpr std::size_t row = this->row, tile = this->tile;
  for (std::size_t n : {std::size_t{1}, std::size_t{3}, row - 1, row, row + 1, 2 * row, 2 * row + 5, 7 * row - 2,
                        8 * row, 8 * row + 1, 17 * row + 3, tile - row, tile - 1, tile, tile + 1, tile + 9 * row + 7}) {
    std::size_t const most = n > tile / 2 ? 40 : 100;
    check<T, 32>(1 + this->draw(2), 1 + this->draw(most), n, this->of_columns(n));
    check<T, 16>(1 + this->draw(2), 1 + this->draw(most), n, this->of_columns(n));
    if constexpr (sizeof(T) == 2) check<T, 64>(1 + this->draw(2), 1 + this->draw(2 * most), n, this->of_columns(n));
  }
}

/// Whole words of 16 bytes, as most matrices have.
TYPED_TEST(recurrence_columns_on_fibers, that_are_aligned)
{
  using T = TypeParam;
  for (std::size_t columns : {16, 32, 64, 96}) {
    check<T, 32>(1, columns, 9 * this->row + 1, {.blocks = 2, .what = kind::steady});
    check<T, 16>(1, columns, 9 * this->row + 1, {.blocks = 2, .what = kind::steady});
    if constexpr (sizeof(T) == 2) check<T, 64>(1, columns, 9 * this->row + 1, {.blocks = 2, .what = kind::steady});
  }
}

TYPED_TEST(recurrence_columns_on_fibers, longer_than_a_span)
{
  using T = TypeParam;
  std::size_t const n = 33 * this->tile + 3 * this->row + 1;
  check<T, 32>(1, 2, n, {.what = kind::steady});
  check<T, 16>(1, 3, n, {.what = kind::steady});
}

/// Results replace the terms.
TYPED_TEST(recurrence_columns_on_fibers, in_place)
{
  using T = TypeParam;
  for (std::size_t place = 0; place < 2; ++place) {
    check<T, 32>(1, 33 + place, this->tile + place, {.b = place, .is_in_place = true});
    check<T, 16>(2, 20, 3 * this->row + 2, {.b = place, .is_in_place = true, .blocks = 2});
  }
}

/// The kernel tells the step, and a kernel behind does the plain loop.
TYPED_TEST(recurrence_columns_on_fibers, behind_a_state_that_is_not_finite)
{
  using T = TypeParam;
  constexpr std::size_t row = this->row, tile = this->tile;
  for (std::size_t k : {std::size_t{0}, row - 1, row, 5 * row + 3, tile + 2})
    for (bool is_in_place : {false, true}) {
      check<T, 32>(1, 5, tile + row, {.is_in_place = is_in_place, .infinite = k});
      check<T, 16>(1, 17, tile + row, {.is_in_place = is_in_place, .infinite = k});
    }
}

}  // namespace
