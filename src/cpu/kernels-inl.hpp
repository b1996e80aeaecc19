// The kernels of every operator on TALLY_KERNELS_TYPE, as the function TALLY_KERNELS_NAME.
#if defined(TALLY_CPU_KERNELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_KERNELS_INL
#undef TALLY_CPU_KERNELS_INL
#else
#define TALLY_CPU_KERNELS_INL
#endif

#include "src/cpu/operator_kernels.hpp"
#include "src/cpu/tile-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

template <class Op>
constexpr tile_kernels<TALLY_KERNELS_TYPE> kernels_for()
{
  if constexpr (is_kernel_element<Op, TALLY_KERNELS_TYPE>)
    return make_kernels<Op, TALLY_KERNELS_TYPE>();
  else
    return {};
}

operator_kernels<TALLY_KERNELS_TYPE> const& TALLY_KERNELS_NAME()
{
  static constexpr operator_kernels<TALLY_KERNELS_TYPE> all{
      kernels_for<plus>(),    kernels_for<multiplies>(), kernels_for<minimum>(), kernels_for<maximum>(),
      kernels_for<bit_and>(), kernels_for<bit_or>(),     kernels_for<bit_xor>()};
  return all;
}

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tally::cpu_backend {

HWY_EXPORT(TALLY_KERNELS_NAME);

template <>
operator_kernels<TALLY_KERNELS_TYPE> const& all_kernels<TALLY_KERNELS_TYPE>()
{
  return HWY_DYNAMIC_DISPATCH(TALLY_KERNELS_NAME)();
}

}  // namespace tally::cpu_backend
#endif

#endif
