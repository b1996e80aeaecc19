// Very short sequences of any lengths that lie one after the other: each lane of a vector knows its place in its
// sequence, and a vector has as many sequences, or parts of them, as there is room for.
#if defined(TALLY_CPU_PLACES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_PLACES_INL
#undef TALLY_CPU_PLACES_INL
#else
#define TALLY_CPU_PLACES_INL
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "src/cpu/exact-inl.hpp"
#include "src/cpu/ordered-inl.hpp"
#include "tally/detail/cpu/kernels.hpp"
#include "tally/order.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

/// The places of elements in their sequences, as numbers of the width of T.
template <class T>
using place_tag = hn::Rebind<std::conditional_t<sizeof(T) == 1, std::uint8_t, hwy::MakeSigned<T>>, vector_tag<T>>;
template <class T>
using places = hn::Vec<place_tag<T>>;

template <class T>
HWY_INLINE places<T> load_places(std::uint8_t const* from)
{
  place_tag<T> d;
  hn::Rebind<std::uint8_t, place_tag<T>> narrow;
  if constexpr (sizeof(T) == 1) {
    return hn::LoadU(d, from);
  } else if constexpr (sizeof(T) <= 4) {
    return hn::PromoteTo(d, hn::LoadU(narrow, from));
  } else {
    hn::Rebind<std::int32_t, place_tag<T>> half;
    return hn::PromoteTo(d, hn::PromoteTo(half, hn::LoadU(narrow, from)));
  }
}

/// Whether places are at least `Least`, which is not 0.
template <std::size_t Least, class T>
HWY_INLINE auto from_place(places<T> at)
{
  place_tag<T> const d;
  return hn::RebindMask(vector_tag<T>{}, hn::Gt(at, hn::Set(d, static_cast<hn::TFromD<place_tag<T>>>(Least - 1))));
}

/// An operator that is exactly associative: log-steps within the vector, then the running value on top of the sequence
/// that began before.
template <class Op, class T>
class exact_places {
  using vec = vector<T>;
  using dom = domain<Op, T>;

public:
  /// Places of elements farther from the beginning of their sequence are not written, but great.
  static constexpr std::size_t numbered = std::max<std::size_t>(lanes<T>, 16);

  HWY_INLINE explicit exact_places(T initial)
      : identity_(dom::enter(hn::Set(d, Op::template identity<T>()))),
        initial_(dom::enter(hn::Set(d, initial))),
        running_(initial_)
  {
  }

  HWY_INLINE void take(T const* in, T* out, std::uint8_t const* place)
  {
    auto const at = load_places<T>(place);
    vec value = dom::enter(hn::LoadU(d, in));
    step<1>(at, value);
    auto const began_before = hn::RebindMask(d, hn::Gt(at, hn::Iota(place_tag<T>{}, 0)));
    value = dom::op(hn::IfThenElse(began_before, running_, initial_), value);
    running_ = broadcast_last<T>(value);
    hn::StoreU(dom::leave(value), d, out);
  }

private:
  template <std::size_t Stride>
  HWY_INLINE void step(places<T> at, vec& value)
  {
    if constexpr (Stride < lanes<T>) {
      vec const left = shift_in<Stride, T>(identity_, value);
      value = hn::IfThenElse(from_place<Stride, T>(at), dom::op(left, value), value);
      step<2 * Stride>(at, value);
    }
  }

  static constexpr vector_tag<T> d{};
  vec identity_;
  vec initial_;
  vec running_;
};

/// The same for sequences of at most `Longest` elements, a power of two: no vector waits for the results of the one
/// before.
template <class Op, class T, std::size_t Longest>
class exact_places_to {
  using vec = vector<T>;
  using dom = domain<Op, T>;
  static_assert(Longest <= lanes<T>);

public:
  static constexpr std::size_t numbered = std::max<std::size_t>(Longest, 4);

  HWY_INLINE explicit exact_places_to(T initial) : initial_(dom::enter(hn::Set(d, initial)))
  {
    for (vec& before : before_) before = initial_;  // the first sequence takes nothing from it
  }

  HWY_INLINE void take(T const* in, T* out, std::uint8_t const* place)
  {
    vec const value = step<0>(load_places<T>(place), dom::enter(hn::LoadU(d, in)));
    hn::StoreU(dom::leave(dom::op(initial_, value)), d, out);
  }

private:
  static constexpr std::size_t steps = log2_of<Longest>;

  template <std::size_t Step>
  HWY_INLINE vec step(places<T> at, vec value)
  {
    if constexpr (Step < steps) {
      constexpr std::size_t stride = std::size_t{1} << Step;
      vec const left = shift_in<stride, T>(before_[Step], value);
      before_[Step] = value;
      return step<Step + 1>(at, hn::IfThenElse(from_place<stride, T>(at), dom::op(left, value), value));
    } else {
      return value;
    }
  }

  static constexpr vector_tag<T> d{};
  vec initial_;
  vec before_[steps];  // the vector before, as it was before each step
};

/// The order for sequences of at most `Groups` groups of it, 1 or 2.
template <class Op, class T, std::size_t Groups>
class ordered_places {
  using vec = vector<T>;
  using dom = domain<Op, T>;
  static_assert(Groups <= 2);

public:
  static constexpr std::size_t numbered = std::max<std::size_t>(Groups * order::group<T>, 4);

  HWY_INLINE explicit ordered_places(T initial)
      : identity_(hn::Set(d, Op::template identity<T>())),
        initial_(hn::Set(d, initial)),
        values_before_(identity_),
        sums_before_(identity_)
  {
  }

  HWY_INLINE void take(T const* in, T* out, std::uint8_t const* place)
  {
    auto const at = load_places<T>(place);
    auto const member = hn::And(at, hn::Set(di, members<T> - 1));
    vec const values = hn::LoadU(d, in);
    vec sum = in_group(member, values);
    if constexpr (Groups > 1) {
      vec const group = group_before(at, member, sum);
      sums_before_ = sum;
      sum = dom::op(group, sum);
    }
    values_before_ = values;
    hn::StoreU(dom::op(initial_, sum), d, out);
  }

private:
  /// Elements where places are at least `Least`, the identity elsewhere.
  template <std::size_t Least>
  HWY_INLINE vec where(places<T> at, vec v) const
  {
    return hn::IfThenElse(from_place<Least, T>(at), v, identity_);
  }

  /// A group up to each element, left to right.
  HWY_INLINE vec in_group(places<T> member, vec values) const
  {
    vec sum = where<members<T> - 1>(member, shift_in<members<T> - 1, T>(values_before_, values));
    if constexpr (members<T> == 4) {
      sum = dom::op(sum, where<2>(member, shift_in<2, T>(values_before_, values)));
      sum = dom::op(sum, where<1>(member, shift_in<1, T>(values_before_, values)));
    }
    return dom::op(sum, values);
  }

  /// The total of the group before that of each element: the sum at the last element of it.
  HWY_INLINE vec group_before(places<T> at, places<T> member, vec sum) const
  {
    auto const last = hn::Iota(di, -1);  // lane - 1
    auto const lane = hn::IndicesFromVec(d, hn::And(hn::Sub(last, member), hn::Set(di, lanes<T> - 1)));
    auto const in_vector_before = hn::RebindMask(d, hn::Gt(member, last));
    return where<members<T>>(at, hn::IfThenElse(in_vector_before, hn::TableLookupLanes(sums_before_, lane),
                                                hn::TableLookupLanes(sum, lane)));
  }

  static constexpr vector_tag<T> d{};
  static constexpr place_tag<T> di{};
  vec identity_;
  vec initial_;
  vec values_before_;  // of the vector before
  vec sums_before_;
};

/// Scans sequences without gaps by the places of their elements, if that is the quickest way.
template <class Op, class T>
class scan_by_places {
public:
  explicit scan_by_places(short_sequences_job<T> const& job) : job_(job) {}

  /// Returns whether it has scanned them.
  bool run()
  {
    std::size_t const mean = exactly_associative<Op, T> ? 4 * lanes<T> : longest_ordered;
    if (begin(job_.count) > job_.count * mean) return false;
    std::size_t const longest = longest_sequence();
    if constexpr (exactly_associative<Op, T>) {
      if (longest <= 2)
        all<exact_places_to<Op, T, 2>>();
      else if (longest <= 4 && lanes<T> >= 4)
        all<exact_places_to<Op, T, std::min<std::size_t>(4, lanes<T>)>>();
      else if (longest <= 8 && lanes<T> >= 8)
        all<exact_places_to<Op, T, std::min<std::size_t>(8, lanes<T>)>>();
      else
        all<exact_places<Op, T>>();
    } else {
      if (longest > longest_ordered) return false;
      if (longest <= members<T>)
        all<ordered_places<Op, T, 1>>();
      else
        all<ordered_places<Op, T, 2>>();
    }
    return true;
  }

private:
  static constexpr std::size_t most = 2 * most_short_bytes / sizeof(T);  // elements at a time
  /// Longer ones go quicker side by side: segments of 0 to 16 floats took 0.88 ns an element by places, 0.69 so.
  static constexpr std::size_t longest_ordered = 2 * order::group<T>;

  HWY_INLINE std::size_t begin(std::size_t i) const { return job_.to[i] - job_.to[0]; }

  std::size_t longest_sequence() const
  {
    std::int64_t longest = 0;  // a comparison of numbers without a sign takes more
    for (std::size_t i = 0; i < job_.count; ++i)
      longest = std::max(longest, static_cast<std::int64_t>(job_.to[i + 1] - job_.to[i]));
    return static_cast<std::size_t>(longest);
  }

  template <class Kernel>
  void all()
  {
    HWY_ALIGN std::uint8_t place[most + line_bytes + Kernel::numbered];
    static constexpr auto numbers = [] {
      struct table {
        alignas(64) std::uint8_t of[Kernel::numbered];
      } t{};
      for (std::size_t k = 0; k < Kernel::numbered; ++k) t.of[k] = static_cast<std::uint8_t>(k);
      return t;
    }();
    std::size_t const* const to = job_.to;
    std::size_t const count = job_.count;
    for (std::size_t i = 0; i < count;) {
      std::size_t const first = i, start = to[first];
      i = count;
      if (to[i] - start > most)
        i = static_cast<std::size_t>(std::upper_bound(to + first, to + i, start + most) - to) - 1;
      std::size_t const size = to[i] - start;
      // The first places of each sequence. The next one overwrites what lies behind its end; places that are far from
      // any beginning stay great.
      std::memset(place, 0xFF, size + line_bytes);
      HWY_UNROLL(4)
      for (std::size_t s = first; s < i; ++s) std::memcpy(place + (to[s] - start), numbers.of, Kernel::numbered);
      T const* const in = job_.in + static_cast<std::ptrdiff_t>(job_.from[first]);
      T* const out = job_.out + begin(first);
      Kernel kernel(job_.initial);
      for (std::size_t k = 0; k < size; k += lanes<T>) kernel.take(in + k, out + k, place + k);
    }
  }

  short_sequences_job<T> const& job_;
};

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
