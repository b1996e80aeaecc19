#pragma once

/// The functions that a backend provides. The contracts (reduce.hpp, scan.hpp, batches.hpp, for_each.hpp, teams.hpp,
/// temporary.hpp) name these and nothing else of a backend. They are found by argument-dependent lookup on the
/// execution `on`; a backend overloads them for its own execution types.
///
///     backend_reduce<T>(on, first, last, init, op, transform)            the reduction; absent without any values
///     backend_scan<T>(on, first, last, out, init, op, transform, shift)  the end of the results
///     backend_for_each_index(on, n, f)                                   a map
///     backend_for_each_block(on, n, block, f)                            a map of blocks
///     backend_for_each_block_by_team(on, n, block, work)                 a map of blocks, a team for each
///     backend_radix_sort(on, keys, values, n, order, first_bit, end_bit)
///                                                                        a stable sort by some bits, of a device only
///     backend_allocate(on, bytes), backend_free(on, memory)              memory where calls run
///     backend_value(on, at)                                              a value in that memory
///     backend_scan_sequences<T>(on, where, in, out, ends, op, shift)     many sequences at regular distances: `where` is
///     backend_reduce_sequences<T>(on, where, in, out, ends, op)          a batch::layout; one result for each sequence
///     backend_scan_segments<T>(on, values, offsets, segments, out, ends, op, shift)
///     backend_reduce_segments<T>(on, values, offsets, segments, out, nothing, ends, op)
///                                                                        segment s is [offsets[s], offsets[s + 1])
///     backend_recur_sequences<T>(on, where, a, b, out, ends)             the recurrences y[k] = a[k]*y[k-1] + b[k]:
///     backend_recur_segments<T>(on, a, b, offsets, segments, out, ends)  `ends` has initial values
///     backend_gradients(on, where)                                       a batch::gradients<T>, of any T that the
///                                                                        backend has kernels for; false: not done
///
/// Sequences are not empty, and there is at least one. Segments may be empty: their reduction is their initial value,
/// or `nothing` without one; their last value is their initial value, and is not written without one. Segments from the
/// back have batch::from_back as one more argument. Results of a scan may have the places of their elements, and then
/// replace them. The coefficients `a` of recurrences lie at batch::distances::coefficients from each other, or are one
/// recurrence::constant<T>.
///
/// A number of elements or segments may lie in memory (counted.hpp). A CPU's functions get it as a number, for the
/// contract has read it; a device's get a counted_end as `last`, and an element_count for `segments`.
///
/// The CPU's functions are always here, since calls that name no execution run on it. Those of a GPU come with
/// tally/cuda.hpp.
#include "tally/detail/batch/host.hpp"
#include "tally/detail/batch/host_recurrences.hpp"
#include "tally/detail/cpu/backend.hpp"
#include "tally/detail/cpu/compress.hpp"
#include "tally/detail/cpu/even_bins.hpp"
#include "tally/detail/cpu/maps.hpp"
#include "tally/detail/cpu/memory.hpp"
#include "tally/detail/cpu/running.hpp"
