// Loops over neighbours in memory: products of gradients, and elements from the end.
#if defined(TALLY_CPU_RECURRENCE_NEIGHBOURS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_RECURRENCE_NEIGHBOURS_INL
#undef TALLY_CPU_RECURRENCE_NEIGHBOURS_INL
#else
#define TALLY_CPU_RECURRENCE_NEIGHBOURS_INL
#endif

#include <cstddef>

#include "src/cpu/recurrence/stored-inl.hpp"
#include "src/cpu/vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

/// out[k] = a[k] * b[k], or a[size - 1 - k] * b[k], rounded.
template <class S>
void multiply_neighbours(S const* a, bool reverses_a, S const* b, S* out, std::size_t size)
{
  using T = state<S>;
  constexpr std::size_t step = lanes<T>;
  std::size_t k = 0;
  if (reverses_a) {
    vector_tag<T> d;
    for (; k + step <= size; k += step)
      store_states<S>(hn::Mul(hn::Reverse(d, load_states(a + (size - step - k))), load_states(b + k)), out + k);
  } else {
    for (; k + step <= size; k += step) store_states<S>(hn::Mul(load_states(a + k), load_states(b + k)), out + k);
  }
  for (; k < size; ++k) out[k] = a[reverses_a ? size - 1 - k : k] * b[k];
}

/// out[k] = in[size - 1 - k].
template <class S>
void reverse_neighbours(S const* in, S* out, std::size_t size)
{
  vector_tag<raw<S>> d;
  constexpr std::size_t step = lanes<raw<S>>;
  std::size_t k = 0;
  for (; k + step <= size; k += step)
    hn::StoreU(hn::Reverse(d, hn::LoadU(d, raw_at(in + (size - step - k)))), d, raw_at(out + k));
  for (; k < size; ++k) out[k] = in[size - 1 - k];
}

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
