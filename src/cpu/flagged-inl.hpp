// Segments whose heads are bits, for an operator that is exactly associative. The work on a vector does not depend on
// how many segments begin in it.
#if defined(TALLY_CPU_FLAGGED_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_FLAGGED_INL
#undef TALLY_CPU_FLAGGED_INL
#else
#define TALLY_CPU_FLAGGED_INL
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/cpu/vectors-inl.hpp"
#include "tally/detail/cpu/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

/// A mask of a vector's lanes from the lowest bits of a word.
template <class T>
HWY_INLINE hn::Mask<vector_tag<T>> mask_of(std::uint64_t bits)
{
  std::uint8_t bytes[sizeof bits];
  std::memcpy(bytes, &bits, sizeof bits);
  return hn::LoadMaskBits(vector_tag<T>{}, bytes);
}

/// Log-steps within the vector, each in the lanes whose segment began so far before, and then the running value on top
/// of the lanes before the first head.
template <class Op, class T, direction Shift>
class flagged_scan {
  using vec = vector<T>;
  using dom = domain<Op, T>;

public:
  HWY_INLINE explicit flagged_scan(flagged_job<T> const& job)
      : identity_(dom::enter(hn::Set(d, Op::template identity<T>()))),
        initial_(dom::enter(hn::Set(d, job.initial))),
        running_(dom::enter(hn::Set(d, job.carry))),
        previous_(running_)
  {
  }

  /// The results of a vector, of whose lanes the bits in `heads` begin segments.
  HWY_INLINE vec take(vec in, std::uint64_t heads)
  {
    vec local = dom::enter(in);
    step<1>(~heads, local);
    // Lanes before the first head; all of them if there is none.
    vec const before = hn::IfThenElse(mask_of<T>(~heads & (heads - 1) & all), running_, initial_);
    vec const result = dom::op(before, local);
    running_ = dom::op(heads != 0 ? initial_ : running_, broadcast_last<T>(local));
    if constexpr (Shift == direction::exclusive) {
      vec const shifted = shift_in<1, T>(previous_, result);
      previous_ = result;
      return dom::leave(hn::IfThenElse(mask_of<T>(heads), initial_, shifted));
    } else {
      return dom::leave(result);
    }
  }

  /// The inclusive result of the last element, in whose segment identities may follow.
  T last() const { return hn::GetLane(dom::leave(running_)); }

  static constexpr std::uint64_t all = lanes<T> == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << lanes<T> % 64) - 1;

private:
  /// `open`: lanes in which no segment began within the last `Stride` lanes.
  template <std::size_t Stride>
  HWY_INLINE void step(std::uint64_t open, vec& value) const
  {
    if constexpr (Stride < lanes<T>) {
      value = hn::IfThenElse(mask_of<T>(open & all), dom::op(shift_in<Stride, T>(identity_, value), value), value);
      step<2 * Stride>(open & (open << Stride), value);
    }
  }

  static constexpr vector_tag<T> d{};
  vec identity_;
  vec initial_;
  vec running_;   // of the segment that the last vector ended in
  vec previous_;  // its last lane is the inclusive result before this vector
};

template <class Op, class T, direction Shift>
T scan_flagged_in(flagged_job<T> const& job)
{
  constexpr std::size_t in_word = 64;
  constexpr std::size_t line_bytes = 64;
  // Of prefetching: a block of 4 bytes each. Without it calls by key took a tenth longer.
  constexpr std::size_t bytes_ahead = std::size_t{16} << 10;
  vector_tag<T> const d;
  flagged_scan<Op, T, Shift> scan(job);
  std::size_t k = 0;
  for (; k + in_word <= job.size; k += in_word) {
    std::uint64_t const heads = heads_from(job.heads, job.first + k, in_word);
    for (std::size_t byte = 0; byte < in_word * sizeof(T); byte += line_bytes)
      __builtin_prefetch(reinterpret_cast<char const*>(job.in + k) + byte + bytes_ahead, 0, 2);
    HWY_UNROLL(4)
    for (std::size_t v = 0; v < in_word; v += lanes<T>)
      hn::StoreU(scan.take(hn::LoadU(d, job.in + k + v), heads >> v & scan.all), d, job.out + k + v);
  }
  if (k == job.size) return scan.last();
  // The rest by way of a copy: other threads may be writing behind it.
  HWY_ALIGN T rest[in_word];
  std::fill(std::copy(job.in + k, job.in + job.size, rest), rest + in_word, Op::template identity<T>());
  std::uint64_t const heads = heads_from(job.heads, job.first + k, job.size - k);
  for (std::size_t v = 0; v < in_word; v += lanes<T>)
    hn::Store(scan.take(hn::Load(d, rest + v), heads >> v & scan.all), d, rest + v);
  std::copy_n(rest, job.size - k, job.out + k);
  return scan.last();
}

template <class Op, class T>
T scan_flagged(flagged_job<T> const& job)
{
  if constexpr (exactly_associative<Op, T>)
    return job.shift == direction::exclusive ? scan_flagged_in<Op, T, direction::exclusive>(job)
                                             : scan_flagged_in<Op, T, direction::inclusive>(job);
  else
    return job.carry;
}

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
