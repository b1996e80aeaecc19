#pragma once

#include <optional>

#include "tally/counted.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/cuda/call.hpp"
#include "tally/detail/cuda/compiled.hpp"

/// The exact sums that are compiled into the library: of float, double, half and bfloat16 in memory.
namespace tally::cuda_backend::exact {

template <class T>
void run_compiled_sum(prepared_call& call, T const* in, detail::element_count size, T* out, beginning<T> const& from);
template <class T>
void run_compiled_sums(execution const& on, prepared_call& call, detail::batch::layout const& where, T const* in,
                       T* out, detail::batch::ends<T> const& ends);

template <class T>
void run_compiled_scan(execution const& on, prepared_call& call, T const* in, detail::element_count size, T* out,
                       std::optional<T> const& init, bool is_exclusive);
template <class T>
void run_compiled_scans(execution const& on, prepared_call& call, detail::batch::layout const& where, T const* in,
                        T* out, detail::batch::ends<T> const& ends, bool is_exclusive);

}  // namespace tally::cuda_backend::exact
