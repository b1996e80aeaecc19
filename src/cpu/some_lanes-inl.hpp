// Loads and stores of some lanes of a vector.
#if defined(TALLY_CPU_SOME_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_SOME_LANES_INL
#undef TALLY_CPU_SOME_LANES_INL
#else
#define TALLY_CPU_SOME_LANES_INL
#endif

#include <cstddef>
#include <type_traits>

#include "src/cpu/vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

// Masks keep loads and stores within the elements that a call may touch, where the instruction set has them.
template <class T>
inline constexpr bool has_masks =
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
    true;
#elif HWY_TARGET == HWY_AVX2
    sizeof(T) >= 4;
#else
    false;
#endif

/// Lanes [first, last) of a vector, where the others' memory must not be touched.
template <class D, class T = hn::TFromD<D>>
class some_lanes {
  static constexpr D d{};

public:
  HWY_INLINE some_lanes(std::size_t first, std::size_t last) : first_(first), last_(last)
  {
    if constexpr (has_masks<T>) {
      mask_ = hn::FirstN(d, last);
      if (first != 0) mask_ = hn::AndNot(hn::FirstN(d, first), mask_);
    }
  }

  /// The other lanes are `other`.
  HWY_INLINE hn::Vec<D> load(T const* from, T other) const
  {
    if constexpr (has_masks<T>) {
      return hn::IfThenElse(mask_, hn::MaskedLoad(mask_, d, from), hn::Set(d, other));
    } else {
      HWY_ALIGN T buffer[hn::MaxLanes(D{})];
      hn::Store(hn::Set(d, other), d, buffer);
      for (std::size_t k = first_; k < last_; ++k) buffer[k] = from[k];
      return hn::Load(d, buffer);
    }
  }
  HWY_INLINE void store(hn::Vec<D> v, T* to) const
  {
    if constexpr (has_masks<T>) {
      hn::BlendedStore(v, mask_, d, to);
    } else {
      HWY_ALIGN T buffer[hn::MaxLanes(D{})];
      hn::Store(v, d, buffer);
      for (std::size_t k = first_; k < last_; ++k) to[k] = buffer[k];
    }
  }

private:
  std::size_t first_;
  std::size_t last_;
  std::conditional_t<has_masks<T>, hn::Mask<D>, char> mask_;
};

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
