#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "../support/bits.hpp"
#include "../support/sizes.hpp"
#include "elements.hpp"
#include "reduce_contracts.hpp"

/// Tests of the promises of every reduction, on every backend and for every element type. The file of each contract
/// instantiates them.
namespace tally::test {

/// Checks that one call returns the bits of the reference and writes nothing.
template <class Backend, class Contract, class T, class Op>
testing::AssertionResult reduction_agrees(auto const& on, problem<T, Op> const& p, std::vector<T> const& x,
                                          std::size_t offset)
{
  typename Backend::template array<T> const in(x, offset);
  auto const result = Contract::call(on, in.begin(), in.end(), p);
  static_assert(std::is_same_v<decltype(result), T const>);
  if (auto right = same_value<T>(result, Contract::expected(p)); !right) return right << ", input at offset " << offset;
  if (auto kept = same_bits<T>(in.values(), x); !kept) return kept << ", of the input, at offset " << offset;
  return in.guards_intact();
}

template <class Case>
class reductions : public testing::Test {
public:
  using backend = typename Case::backend;
  using contract = typename Case::contract;
  using element = typename Case::element;

  template <class Op>
  static void check(problem<element, Op> const& p, ways which, std::vector<std::size_t> const& offsets,
                    std::string const& what)
  {
    if constexpr (contract::template takes<problem<element, Op>>) {
      std::vector<element> const x = input_for<contract>(p.x);
      backend::for_each_way(that_differ<Op, element>(which), [&](auto const& on, std::string const& way) {
        for (std::size_t const offset : offsets) {
          ASSERT_TRUE((reduction_agrees<backend, contract>(on, p, x, offset)))
              << way << ", " << what << ", n = " << x.size();
        }
      });
    }
  }
};
TYPED_TEST_SUITE_P(reductions);

TYPED_TEST_P(reductions, every_operator_at_every_size_of_a_tile)
{
  using T = typename TypeParam::element;
  for_each_operator<typename TypeParam::contract, T>([](auto op, std::string const& name) {
    for (std::size_t const n : tile_sizes<T>()) {
      problem<T, decltype(op)> const p(data::distinct, n, op);
      TestFixture::check(p, ways::instruction_sets, {0, 1}, name);
      if (testing::Test::HasFatalFailure()) return;
    }
  });
}

TYPED_TEST_P(reductions, hostile_values)
{
  using T = typename TypeParam::element;
  for_each_operator<typename TypeParam::contract, T>([](auto op, std::string const& operation) {
    for (data const kind : kinds_of_data<T>()) {
      for (std::size_t const n : hostile_sizes<T>()) {
        problem<T, decltype(op)> const p(kind, n, op);
        TestFixture::check(p, ways::instruction_sets, {0}, operation + ", " + test::name(kind));
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  });
}

TYPED_TEST_P(reductions, every_alignment_of_the_input)
{
  using T = typename TypeParam::element;
  for (std::size_t const n : alignment_sizes<T>()) {
    problem<T, plus> const p(hardest<T>, n, plus{});
    TestFixture::check(p, ways::instruction_sets, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, "plus");
    if (testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST_P(reductions, every_instruction_set_across_spans)
{
  using T = typename TypeParam::element;
  problem<T, plus> const p(hardest<T>, span_sizes<T>().back(), plus{});
  TestFixture::check(p, ways::instruction_sets, {0, 3}, "plus");
}

TYPED_TEST_P(reductions, every_number_of_threads)
{
  using T = typename TypeParam::element;
  constexpr bool briefly = requires { TypeParam::contract::like_another; };
  constexpr ways which =
      !briefly && (std::is_same_v<T, float> || std::is_same_v<T, double>) ? ways::threads : ways::few_threads;
  auto const check = [](auto op, std::string const& name) {
    for (std::size_t const n : briefly ? one_span_size<T>() : span_sizes<T>()) {
      problem<T, decltype(op)> const p(hardest<T>, n, op);
      TestFixture::check(p, which, {0, 1}, name);
      if (testing::Test::HasFatalFailure()) return;
    }
  };
  check(plus{}, "plus");
  if constexpr (binary_float<T>) check(halve_and_add{}, "halve_and_add");
}

REGISTER_TYPED_TEST_SUITE_P(reductions, every_operator_at_every_size_of_a_tile, hostile_values,
                            every_alignment_of_the_input, every_instruction_set_across_spans, every_number_of_threads);

}  // namespace tally::test
