// All kernels of recurrences of a type.
#if defined(TALLY_CPU_RECURRENCE_KERNELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_RECURRENCE_KERNELS_INL
#undef TALLY_CPU_RECURRENCE_KERNELS_INL
#else
#define TALLY_CPU_RECURRENCE_KERNELS_INL
#endif

#include "src/cpu/recurrence/columns-inl.hpp"
#include "src/cpu/recurrence/neighbours-inl.hpp"
#include "src/cpu/recurrence/several-inl.hpp"
#include "src/cpu/recurrence/tile-inl.hpp"
#include "tally/detail/cpu/recurrences.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

template <class T>
recurrence_kernels<T> const& recurrence_kernels_on()
{
  static constexpr recurrence_kernels<T> all{&total_of_recurrence<T>,        &tile_of_recurrence<T>,
                                             &run_columns_of_recurrences<T>, &run_rows_of_recurrences<T>,
                                             &run_lanes_of_recurrences<T>,   &multiply_neighbours<T>,
                                             &reverse_neighbours<T>,         lanes<state<T>>};
  return all;
}

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
