#include <ranges>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "../order/golden_files.hpp"
#include "../support/sizes.hpp"
#include "backends.hpp"
#include "tally/tally.hpp"

/// Every backend gives the bits of the golden files, in every way that it can run.
namespace tally::test {
namespace {

/// A backend's answers, computed on one execution.
template <class Backend, class Execution>
struct by_backend {
  Execution on;

  template <class T, class Op>
  golden::answers<T> operator()(std::vector<T> const& x, Op op, T const& init) const
  {
    using array = typename Backend::template array<T>;
    array const in(x, 0);
    array inclusive(x.size());
    array exclusive(x.size());
    tally::inclusive_scan(on, in.begin(), in.end(), inclusive.begin(), op);
    tally::exclusive_scan(on, in.begin(), in.end(), exclusive.begin(), init, op);
    golden::answers<T> a;
    auto const scanned = inclusive.values();
    auto const shifted = exclusive.values();
    a.inclusive.assign(scanned.begin(), scanned.end());
    a.exclusive.assign(shifted.begin(), shifted.end());
    if (!x.empty()) {
      // Without an identity there is no reduction without an initial value. The expected result is then the one that
      // the contract defines.
      if constexpr (has_identity<Op, T>)
        a.reduced = tally::reduce(on, std::ranges::subrange(in.begin(), in.end()), op);
      else
        a.reduced = a.inclusive.back();
    }
    a.reduced_from_init = tally::reduce(on, in.begin(), in.end(), init, op);
    return a;
  }
};

template <class Case>
class golden_bits : public testing::Test {};
struct all_contracts {};
using golden_cases = contract_cases<all_contracts, list<float, double, half, bfloat16>>;
TYPED_TEST_SUITE(golden_bits, golden_cases, case_names);

template <class Backend, class Operation, class T>
void expect_golden(ways which)
{
  std::string const expected = golden::rows_in<Operation, T>(golden::folder(TALLY_GOLDEN_FOLDER), largest_size());
  Backend::for_each_way(which, [&](auto const& on, std::string const& way) {
    by_backend<Backend, std::remove_cvref_t<decltype(on)>> const compute{on};
    EXPECT_EQ((golden::rows<Operation, T>(compute, largest_size())), expected) << way;
  });
}

TYPED_TEST(golden_bits, sums)
{
  for (ways const which : {ways::instruction_sets, ways::few_threads})
    expect_golden<typename TypeParam::backend, golden::sums, typename TypeParam::element>(which);
}

TYPED_TEST(golden_bits, products)
{
  for (ways const which : {ways::instruction_sets, ways::few_threads})
    expect_golden<typename TypeParam::backend, golden::products, typename TypeParam::element>(which);
}

TYPED_TEST(golden_bits, an_operator_of_the_callers)
{
  expect_golden<typename TypeParam::backend, golden::halvings, typename TypeParam::element>(ways::few_threads);
}

}  // namespace
}  // namespace tally::test
