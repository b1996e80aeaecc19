#pragma once

#include <cstddef>

#include <hwy/cache_control.h>

#include "src/cpu/sequences/call.hpp"
#include "tally/detail/path.hpp"

/// Rows of any length.
namespace tally::cpu_backend {

/// Contiguous sequences, one after the other.
template <class T, class Op>
void scan_rows(sequences_call<T, Op> const& call, int members)
{
  detail::took("batch: rows one after the other");
  share_units(call.sequences, call.units_at_a_draw(call.sequences, call.size * sizeof(T), members), members, [&] {
    return [&](std::size_t first, std::size_t end) {
      cursor place(call.where, first);
      for (std::size_t s = first; s < end; ++s, place.next()) {
        distances const& at = place.at();
        order::carry<T, Op> before = call.begin(at);
        scan_row(call.kernels, call.op, call.in_at(at), call.out_at(at), call.size, before, call.shift,
                 call.around ? stores::streaming : stores::cached, call.around);
        call.put_last(at, *before.last());
      }
      if (call.around) hwy::FlushStream();
    };
  });
}

/// Few long sequences, each by all threads. `forward`: elements and results are contiguous.
template <class T, class Op>
void scan_rows_by_all_threads(sequences_call<T, Op> const& call, bool forward)
{
  detail::took(forward ? "batch: all threads on each row" : "batch: all threads on each strided sequence");
  cursor place(call.where, 0);
  for (std::size_t s = 0; s < call.sequences; ++s, place.next()) {
    distances const& at = place.at();
    order::carry<T, Op> before = call.begin(at);
    if (forward) {
      if (call.out == nullptr)
        reduce_by_kernels(call.kernels, call.in_at(at), call.size, before, call.op, call.threads);
      else
        scan_by_kernels(call.kernels, call.in_at(at), call.out_at(at), call.size, before, call.op, call.shift,
                        call.threads);
    } else {
      scan_strided(call.kernels, call.op, call.in_at(at), call.where.along.step.in, call.out_at(at),
                   call.where.along.step.out, call.size, before, call.shift, call.threads);
    }
    call.put_last(at, *before.last());
  }
}

}  // namespace tally::cpu_backend
