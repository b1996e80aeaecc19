#pragma once

// The library's sources as one header, for a program of one source file that defines TALLY_HEADER_ONLY
// (docs/install.md). Kernels are compiled for one instruction set, that of the compiler's options, and only for the
// operators and types that the program uses.
#define HWY_COMPILE_ONLY_STATIC
#include <hwy/detect_targets.h>
#if HWY_STATIC_TARGET == HWY_SCALAR || HWY_STATIC_TARGET == HWY_EMU128
#error "TALLY_HEADER_ONLY needs vectors: on x86-64 compile with -msse4.2 -mpclmul -maes -ffp-contract=off"
#endif
// The sources are files of their own elsewhere, where their names do not meet.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#include "src/cpu/compress.cpp"
#include "src/cpu/contiguous.cpp"
#include "src/cpu/even_bins.cpp"
#include "src/cpu/exact/kernels.cpp"
#include "src/cpu/exact/products.cpp"
#include "src/cpu/exact/running_sum.cpp"
#include "src/cpu/memory.cpp"
#include "src/cpu/recurrence/columns.cpp"
#include "src/cpu/recurrence/gradient.cpp"
#include "src/cpu/recurrence/kernels.cpp"
#include "src/cpu/recurrence/rows.cpp"
#include "src/cpu/recurrence/sequence.cpp"
#include "src/cpu/segments.cpp"
#include "src/cpu/sequences.cpp"
#include "src/cpu/team.cpp"
#include "src/cpu/tile-inl.hpp"
#include "src/cpu/tuning.cpp"
#pragma GCC diagnostic pop

namespace tally::cpu_backend {

template <class Op, class T>
tile_kernels<T> const& kernels_of()
{
  static constexpr tile_kernels<T> all = HWY_NAMESPACE::make_kernels<Op, T>();
  return all;
}

}  // namespace tally::cpu_backend
