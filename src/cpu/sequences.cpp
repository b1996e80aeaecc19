#include "tally/detail/cpu/sequences.hpp"

#include <algorithm>
#include <cstddef>

#include "src/cpu/instantiations.hpp"
#include "src/cpu/sequences/columns.hpp"
#include "src/cpu/sequences/gathered.hpp"
#include "src/cpu/sequences/rows.hpp"
#include "src/cpu/sequences/short_rows.hpp"
#include "tally/detail/cpu/team.hpp"
#include "tally/detail/cpu/tuning.hpp"

/// The choice of the way for a batch of sequences; src/cpu/sequences has a file for each.
namespace tally::cpu_backend {

template <class T, class Op>
void scan_sequences_by_kernels(tile_kernels<T> const& kernels, layout const& where, T const* in, T* out,
                               ends<T> const& given, Op op, direction shift, int threads)
{
  sequences_call<T, Op> const call(kernels, where, in, out, given, op, shift, threads);
  tuning const& sizes = tuning_in_use();
  distances const& step = where.along.step;
  bool const forward = step.in == 1 && (out == nullptr || step.out == 1);
  bool const contiguous = (step.in == 1 || step.in == -1) && (out == nullptr || step.out == 1 || step.out == -1);
  int const members = team_size(threads, call.bytes, std::size_t{1} << 20);
  auto const across = call.size == 1 || !contiguous ? dimension_of_columns(call) : std::nullopt;
  if (across && call.sequences > 1) {
    scan_by_columns(call, *across, members);
  } else if (call.sequences < 4 * static_cast<std::size_t>(members) && call.size >= sizes.long_sequence) {
    scan_rows_by_all_threads(call, forward);
  } else if (contiguous && call.size * sizeof(T) <= std::min(sizes.short_bytes, most_short_bytes)) {
    scan_short_rows(call, members);
  } else if (forward) {
    scan_rows(call, members);
  } else {
    scan_gathered(call, members);
  }
}

#ifndef TALLY_HEADER_ONLY  // which instantiates what the program uses
#define TALLY_INSTANTIATE(T, Wide, Exact)                                                                              \
  template void scan_sequences_by_kernels(tile_kernels<T> const&, layout const&, T const*, T*, ends<T> const&,         \
                                          operator_by_pointer<T, Wide, Exact>, direction, int);
TALLY_FOR_EACH_OPERATOR_BY_POINTER(TALLY_INSTANTIATE)
#endif

}  // namespace tally::cpu_backend
