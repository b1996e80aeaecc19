#pragma once

#include <cstdint>
#include <new>
#include <string>

#include "src/c/arguments.hpp"
#include "src/c/arrays.hpp"
#include "src/c/failure.hpp"
#include "src/c/ranks/on_gpus.hpp"
#include "src/c/ranks/transport.hpp"
#include "tally/rank_error.hpp"

/// A call on ranks with GPUs in this library: its arguments, and the other library's part of it.
namespace tally::c {

inline gpu_functions_of_ranks const& functions_of_ranks()
{
  static auto const* const found =
      static_cast<gpu_functions_of_ranks const*>(functions_of_gpu_library(name_of_gpu_functions_of_ranks));
  return *found;
}

/// Runs `call(outcome)`, a function of the other library, and throws what it reports.
template <class Call>
void run(session& by, Call const& call)
{
  outcome_on_gpus outcome;
  std::int32_t const status = call(outcome);
  if (status == TALLY_OK) return;
  if (status == TALLY_RANK_FAILED) throw rank_error(outcome.failed_rank, outcome.message);
  auto const fail = [&] {
    if (status == TALLY_NO_MEMORY) throw std::bad_alloc();
    throw error(outcome.message);
  };
  if (outcome.has_met) fail();
  by.attempt(fail);
  by.meet({});
}

/// Runs prepare(), which checks this rank's arguments. A failure is told to the others, in whatever call they are.
template <class Prepare>
void attempt(session& by, Prepare const& prepare)
{
  by.attempt(prepare);
  if (by.failed()) by.meet({});
}

inline void check_gpu(tally_ranks const& all, array const& given, char const* name)
{
  if (all.gpu == nullptr)
    throw usage_error(std::string(name) + " lies on a GPU, and these ranks have none: call tally_ranks_use_gpu before");
  if (given.device.number != all.device)
    throw usage_error(std::string(name) + " lies on GPU " + std::to_string(given.device.number) +
                      ", and this rank's GPU is " + std::to_string(all.device));
}

/// Throws    not_supported if ranks do not combine this type on GPUs.
inline void check_type_on_gpus(tally_type type)
{
  bool const is_number = type.code == TALLY_INT || type.code == TALLY_UINT || type.code == TALLY_FLOAT;
  if (!is_number || type.lanes != 1 || (type.bits != 64 && !(type.code == TALLY_FLOAT && type.bits == 32)))
    throw not_supported("elements of type " + shown(type) +
                        ", on ranks with GPUs: these combine float32, float64, int64 and uint64");
}

/// Throws    not_supported unless the elements along an axis lie side by side. An array without elements may have any
///           steps.
inline void check_rows(array const& given, std::size_t axis, char const* name)
{
  if (!is_empty(given) && given.shape[axis] > 1 && given.strides[axis] != 1)
    throw not_supported(std::string(name) +
                        " has gaps between the elements along its axis; on ranks with GPUs they lie side by side");
}

}  // namespace tally::c
