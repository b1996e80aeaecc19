#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "tally/detail/at_index.hpp"
#include "tally/detail/backends.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/segments/heads.hpp"
#include "tally/detail/segments/host_heads.hpp"
#include "tally/detail/segments/host_segments.hpp"
#include "tally/detail/segments/host_single_segment.hpp"

/// Reductions and scans of segments on a CPU.
namespace tally::detail::segments {

/// Reduces segments: each by itself, or those of a block by the compiled kernels where there are any.
template <class T, class Values, class Out, class Head, class Op>
struct segment_reduction {
  Values values;
  Out out;
  Head const& head;
  Op& op;

  template <class P>
  void operator()(P const& where, std::size_t ordinal, std::size_t begin, std::size_t end) const
  {
    head(ordinal, begin);
    at_index(out, ordinal) = reduce_single_segment<T>(where, values, begin, end, op);
  }
  void block(std::size_t ordinal, cpu_backend::segments_of_block const& those) const
    requires cpu_backend::has_segment_kernels<Op, T, Values, Out>
  {
    take_heads(head, ordinal, those);
    cpu_backend::segments_job<T> job{};
    job.values = std::to_address(values);
    job.given.lasts = std::to_address(out) + ordinal;
    cpu_backend::scan_segments_of_block<Op>(job, those);
  }
};

/// Scans segments, in one of the same ways.
template <direction Shift, class T, class Values, class Out, class Op>
struct segment_scan {
  Values values;
  Out out;
  std::optional<T> const& init;
  Op& op;

  template <class P>
  void operator()(P const& where, std::size_t, std::size_t begin, std::size_t end) const
  {
    scan_single_segment<Shift, T>(where, values, begin, end, out, init, op);
  }
  void block(std::size_t, cpu_backend::segments_of_block const& those) const
    requires cpu_backend::has_segment_kernels<Op, T, Values, Out>
  {
    cpu_backend::segments_job<T> job{};
    job.values = std::to_address(values);
    job.out = std::to_address(out);
    job.given.initial = init;
    job.shift = Shift;
    cpu_backend::scan_segments_of_block<Op>(job, those);
  }
};

template <class T, host P, class Criterion, class Values, class Out, class Head, class Op>
std::size_t reduce(P const& on, std::size_t n, std::size_t bytes, Criterion const& criterion, Values values, Out out,
                   Head const& head, Op op)
{
  return for_each_numbered_segment(on, n, bytes, criterion,
                                   segment_reduction<T, Values, Out, Head, Op>{values, out, head, op});
}

template <direction Shift, class T, host P, class Criterion, class Values, class Out, class Op>
void scan(P const& on, std::size_t n, Criterion const& criterion, Values values, Out out, std::optional<T> const& init,
          Op op)
{
  for_each_segment(on, n, criterion, segment_scan<Shift, T, Values, Out, Op>{values, out, init, op});
}

}  // namespace tally::detail::segments
