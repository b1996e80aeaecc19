#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "../support/bits.hpp"
#include "../support/sizes.hpp"
#include "elements.hpp"
#include "scan_contracts.hpp"

/// Tests of the promises of every scan, on every backend and for every element type. The file of each contract
/// instantiates them.
namespace tally::test {

/// Checks that one call writes the bits of the reference to every element of the output and to nothing else, leaves its
/// input as it was, and returns the end of the output.
template <class Backend, class Contract, class T, class Op>
testing::AssertionResult scan_agrees(auto const& on, problem<T, Op> const& p, std::vector<T> const& x,
                                     placement const& at)
{
  typename Backend::template array<T> in(x, at.in_offset);
  typename Backend::template array<T> separate(at.in_place ? 0 : x.size(), at.out_offset);
  auto& out = at.in_place ? in : separate;
  auto const end = Contract::call(on, in.begin(), in.end(), out.begin(), p);
  if (end != out.end())
    return testing::AssertionFailure() << "returned another place than the end of the output, " << at.shown();
  if (auto right = same_bits<T>(out.values(), Contract::expected(p)); !right) return right << ", " << at.shown();
  if (!at.in_place) {
    if (auto kept = same_bits<T>(in.values(), x); !kept) return kept << ", of the input, " << at.shown();
  }
  if (auto intact = out.guards_intact(); !intact) return intact << " of the output, " << at.shown();
  return in.guards_intact();
}

template <class Case>
class scans : public testing::Test {
public:
  using backend = typename Case::backend;
  using contract = typename Case::contract;
  using element = typename Case::element;

  template <class Op>
  static void check(problem<element, Op> const& p, ways which, std::vector<placement> const& places,
                    std::string const& what)
  {
    std::vector<element> const x = input_for<contract>(p.x);
    backend::for_each_way(that_differ<Op, element>(which), [&](auto const& on, std::string const& way) {
      for (placement const& at : places) {
        ASSERT_TRUE((scan_agrees<backend, contract>(on, p, x, at))) << way << ", " << what << ", n = " << x.size();
      }
    });
  }
};
TYPED_TEST_SUITE_P(scans);

TYPED_TEST_P(scans, every_operator_at_every_size_of_a_tile)
{
  using T = typename TypeParam::element;
  for_each_operator<typename TypeParam::contract, T>([](auto op, std::string const& name) {
    for (std::size_t const n : tile_sizes<T>()) {
      problem<T, decltype(op)> const p(data::distinct, n, op);
      TestFixture::check(p, ways::instruction_sets, {{}, {.in_place = true}}, name);
      if (testing::Test::HasFatalFailure()) return;
    }
  });
}

TYPED_TEST_P(scans, hostile_values)
{
  using T = typename TypeParam::element;
  for_each_operator<typename TypeParam::contract, T>([](auto op, std::string const& operation) {
    for (data const kind : kinds_of_data<T>()) {
      for (std::size_t const n : hostile_sizes<T>()) {
        problem<T, decltype(op)> const p(kind, n, op);
        TestFixture::check(p, ways::instruction_sets, {{}}, operation + ", " + test::name(kind));
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  });
}

TYPED_TEST_P(scans, every_alignment_of_input_and_output)
{
  using T = typename TypeParam::element;
  for (std::size_t const n : alignment_sizes<T>()) {
    problem<T, plus> const p(hardest<T>, n, plus{});
    TestFixture::check(p, ways::instruction_sets, every_placement(), "plus");
    if (testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST_P(scans, every_instruction_set_across_spans)
{
  using T = typename TypeParam::element;
  problem<T, plus> const p(hardest<T>, span_sizes<T>().back(), plus{});
  TestFixture::check(p, ways::instruction_sets, {{}, {.in_offset = 3, .out_offset = 1}}, "plus");
}

TYPED_TEST_P(scans, every_number_of_threads)
{
  using T = typename TypeParam::element;
  constexpr bool briefly = requires { TypeParam::contract::like_another; };
  constexpr ways which =
      !briefly && (std::is_same_v<T, float> || std::is_same_v<T, double>) ? ways::threads : ways::few_threads;
  auto const check = [](auto op, std::string const& name) {
    for (std::size_t const n : briefly ? one_span_size<T>() : span_sizes<T>()) {
      problem<T, decltype(op)> const p(hardest<T>, n, op);
      TestFixture::check(p, which, {{}, {.in_offset = 1, .in_place = true}}, name);
      if (testing::Test::HasFatalFailure()) return;
    }
  };
  check(plus{}, "plus");
  if constexpr (binary_float<T>) check(halve_and_add{}, "halve_and_add");
}

REGISTER_TYPED_TEST_SUITE_P(scans, every_operator_at_every_size_of_a_tile, hostile_values,
                            every_alignment_of_input_and_output, every_instruction_set_across_spans,
                            every_number_of_threads);

}  // namespace tally::test
