// The kernels of recurrences of two-byte elements, compiled once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu/recurrence/narrow_kernels.cpp"
#include <hwy/foreach_target.h>
// Highway wants its own header after foreach_target.
#include <hwy/highway.h>

#include "src/cpu/recurrence/narrow-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

template <class S>
narrow_recurrence_kernels<S> const& narrow_recurrence_kernels_on()
{
  static constexpr narrow_recurrence_kernels<S> all{&widen_lanes<S>, &narrow_lanes_again<S>, &are_finite_when_narrow<S>,
                                                    &run_columns_of_narrow};
  return all;
}
#ifndef TALLY_HEADER_ONLY
narrow_recurrence_kernels<half> const& narrow_recurrence_kernels_on_f16()
{
  return narrow_recurrence_kernels_on<half>();
}
narrow_recurrence_kernels<bfloat16> const& narrow_recurrence_kernels_on_bf16()
{
  return narrow_recurrence_kernels_on<bfloat16>();
}
#endif

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tally::cpu_backend {

#ifdef TALLY_HEADER_ONLY
template <class S>
narrow_recurrence_kernels<S> const& kernels_of_narrow_recurrences()
{
  return HWY_NAMESPACE::narrow_recurrence_kernels_on<S>();
}
#else
HWY_EXPORT(narrow_recurrence_kernels_on_f16);
HWY_EXPORT(narrow_recurrence_kernels_on_bf16);

template <>
narrow_recurrence_kernels<half> const& kernels_of_narrow_recurrences<half>()
{
  return HWY_DYNAMIC_DISPATCH(narrow_recurrence_kernels_on_f16)();
}
template <>
narrow_recurrence_kernels<bfloat16> const& kernels_of_narrow_recurrences<bfloat16>()
{
  return HWY_DYNAMIC_DISPATCH(narrow_recurrence_kernels_on_bf16)();
}
#endif

}  // namespace tally::cpu_backend
#endif
