#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "src/c/cuda/chosen_operator.hpp"
#include "src/c/cuda/ranks.hpp"
#include "src/c/cuda/ranks_along.hpp"
#include "src/c/cuda/ranks_segments.hpp"
#include "src/c/logarithm.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/operators/exact_plus.hpp"

/// The calls on elements of type E, by the numbers of operators in tally.h.
namespace tally::c {

/// Calls `use.operator()<T>(op)` with the operator, which combines values of type T.
template <class E, class Use>
void with_operator_on_ranks(std::size_t number, tally_type type, Use const& use)
{
  constexpr std::size_t plus_number = 1, log_sum_exp_number = 9;
  if constexpr (std::is_floating_point_v<E>) {
    if (number == plus_number) return use.template operator()<E>(plus{});
    if (number == log_sum_exp_number) return use.template operator()<logarithm<E>>(add_exponentials{});
  }
  use.template operator()<E>(chosen_operator<E>::of(number, type.code != TALLY_UINT));
}

template <class E>
void along_of(execution_of_rank const& on, along_on_gpus const& call, bool& has_met)
{
  if constexpr (std::is_floating_point_v<E>) {
    constexpr std::size_t exact_plus_number = 8;
    if (call.op == exact_plus_number) return run_along<E, E>(on, call, has_met, exact_plus{});
  }
  with_operator_on_ranks<E>(call.op, call.type,
                            [&]<class T>(auto const& op) { run_along<T, E>(on, call, has_met, op); });
}

template <class E>
void segments_of(execution_of_rank const& on, segments_on_gpus const& call)
{
  with_operator_on_ranks<E>(call.op, call.type, [&]<class T>(auto const& op) {
    run_between<T, E>(on, call, op, [&](std::uint64_t begin, std::size_t count) {
      segments_within(local_execution(on), call, begin, count);
    });
  });
}

template <class E>
std::size_t runs_of(execution_of_rank const& on, runs_on_gpus const& call)
{
  std::size_t found = 0;
  auto const local = [&](std::size_t begin, std::size_t end) {
    return runs_within(local_execution(on), call, begin, end);
  };
  with_operator_on_ranks<E>(call.values.op, call.values.type, [&]<class T>(auto const& op) {
    if (call.type_of_keys.code == TALLY_FLOAT)
      found = run_by_key<T, E, double>(on, call, op, local);
    else
      found = run_by_key<T, E, std::int64_t>(on, call, op, local);
  });
  return found;
}

}  // namespace tally::c
