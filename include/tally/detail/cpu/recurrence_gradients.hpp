#pragma once

#include "tally/detail/batch/gradients.hpp"

/// The compiled gradients of linear recurrences of the types that have kernels.
namespace tally::cpu_backend {

/// Writes the gradients of all sequences on at most so many threads (0: any number).
///
/// Memory    that of recur_columns_by_kernels, and a tile's coefficients of each thread's columns.
/// Blocks    until done. Throws usage_error if `threads` is negative, std::bad_alloc.
template <class T>
void gradients_by_kernels(detail::batch::gradients<T> const& given, int threads);

}  // namespace tally::cpu_backend
