// The kernels of recurrences, compiled once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu/recurrence/kernels.cpp"
#include <hwy/foreach_target.h>
// Highway wants its own header after foreach_target.
#include <hwy/highway.h>

#include "src/cpu/recurrence/kernels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

#ifndef TALLY_HEADER_ONLY
recurrence_kernels<float> const& recurrence_kernels_on_f32()
{
  return recurrence_kernels_on<float>();
}
recurrence_kernels<double> const& recurrence_kernels_on_f64()
{
  return recurrence_kernels_on<double>();
}
#endif

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tally::cpu_backend {

#ifdef TALLY_HEADER_ONLY
template <class T>
recurrence_kernels<T> const& kernels_of_recurrences()
{
  return HWY_NAMESPACE::recurrence_kernels_on<T>();
}
#else
HWY_EXPORT(recurrence_kernels_on_f32);
HWY_EXPORT(recurrence_kernels_on_f64);

template <>
recurrence_kernels<float> const& kernels_of_recurrences<float>()
{
  return HWY_DYNAMIC_DISPATCH(recurrence_kernels_on_f32)();
}
template <>
recurrence_kernels<double> const& kernels_of_recurrences<double>()
{
  return HWY_DYNAMIC_DISPATCH(recurrence_kernels_on_f64)();
}
#endif

}  // namespace tally::cpu_backend
#endif
