// The kernels of every operator on TALLY_KERNELS_TYPE, as the function TALLY_KERNELS_NAME.
#if defined(TALLY_CPU_KERNELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_KERNELS_INL
#undef TALLY_CPU_KERNELS_INL
#else
#define TALLY_CPU_KERNELS_INL
#endif

#include "src/cpu/tile-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

template <class Op>
constexpr tile_kernels<TALLY_KERNELS_TYPE> kernels_for()
{
  if constexpr (has_kernels<Op, TALLY_KERNELS_TYPE>)
    if constexpr (std::is_same_v<typename kernel_element<Op, TALLY_KERNELS_TYPE>::type, TALLY_KERNELS_TYPE>)
      return make_kernels<Op, TALLY_KERNELS_TYPE>();
  return {};
}

std::array<tile_kernels<TALLY_KERNELS_TYPE>, detail::built_in::count> const& TALLY_KERNELS_NAME()
{
#define TALLY_KERNELS_FOR(op, standard, types) kernels_for<op>(),
  static constexpr std::array<tile_kernels<TALLY_KERNELS_TYPE>, detail::built_in::count> all{
      TALLY_BUILT_IN_OPERATORS(TALLY_KERNELS_FOR)};
#undef TALLY_KERNELS_FOR
  return all;
}

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tally::cpu_backend {

HWY_EXPORT(TALLY_KERNELS_NAME);

template <>
std::array<tile_kernels<TALLY_KERNELS_TYPE>, detail::built_in::count> const& all_kernels<TALLY_KERNELS_TYPE>()
{
  return HWY_DYNAMIC_DISPATCH(TALLY_KERNELS_NAME)();
}

}  // namespace tally::cpu_backend
#endif

#endif
