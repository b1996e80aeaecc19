// Maps x -> scale * x + offset in vectors: the steps of a recurrence, composed in the order of docs/order.md.
#if defined(TALLY_CPU_RECURRENCE_MAPS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_RECURRENCE_MAPS_INL
#undef TALLY_CPU_RECURRENCE_MAPS_INL
#else
#define TALLY_CPU_RECURRENCE_MAPS_INL
#endif

#include "src/cpu/vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

/// A map in each lane. Inner loops copy it by its two vectors: GCC copies the whole in pieces of 8 and 16 bytes, and
/// loads of vectors then wait for these stores.
template <class T>
struct maps {
  vector<T> scale;
  vector<T> offset;
};

/// `later` after `earlier`. The file is compiled without contraction.
template <class T>
HWY_INLINE maps<T> then(maps<T> const& earlier, maps<T> const& later)
{
  return {hn::Mul(later.scale, earlier.scale), hn::Add(hn::Mul(later.scale, earlier.offset), later.offset)};
}

/// The state after a map, whose product is rounded before the sum.
template <class T>
HWY_INLINE vector<T> applied(maps<T> const& map, vector<T> before)
{
  return hn::Add(hn::Mul(map.scale, before), map.offset);
}

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
