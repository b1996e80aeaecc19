// The kernels of recurrences of two-byte elements, compiled once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu/recurrence/narrow_kernels.cpp"
#include <hwy/foreach_target.h>
// Highway wants its own header after foreach_target.
#include <hwy/highway.h>

#include "src/cpu/recurrence/kernels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

recurrence_kernels<half> const& recurrence_kernels_on_f16()
{
  return recurrence_kernels_on<half>();
}
recurrence_kernels<bfloat16> const& recurrence_kernels_on_bf16()
{
  return recurrence_kernels_on<bfloat16>();
}

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tally::cpu_backend {

HWY_EXPORT(recurrence_kernels_on_f16);
HWY_EXPORT(recurrence_kernels_on_bf16);

template <>
recurrence_kernels<half> const& kernels_of_recurrences<half>()
{
  return HWY_DYNAMIC_DISPATCH(recurrence_kernels_on_f16)();
}
template <>
recurrence_kernels<bfloat16> const& kernels_of_recurrences<bfloat16>()
{
  return HWY_DYNAMIC_DISPATCH(recurrence_kernels_on_bf16)();
}

}  // namespace tally::cpu_backend
#endif
