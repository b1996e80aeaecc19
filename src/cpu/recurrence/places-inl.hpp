// Short recurrences of any lengths that lie one after the other in memory: each lane of a vector knows its place in its
// recurrence, and a vector has as many of them, or parts of them, as there is room for.
#if defined(TALLY_CPU_RECURRENCE_PLACES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_RECURRENCE_PLACES_INL
#undef TALLY_CPU_RECURRENCE_PLACES_INL
#else
#define TALLY_CPU_RECURRENCE_PLACES_INL
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "src/cpu/recurrence/maps-inl.hpp"
#include "src/cpu/recurrence/neighbours-inl.hpp"
#include "src/cpu/recurrence/stored-inl.hpp"
#include "tally/detail/cpu/recurrences.hpp"
#include "tally/detail/path.hpp"
#include "tally/order.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

/// Runs recurrences of at most a row of the order. No vector waits for the results of the one before.
template <class S>
class recurrences_by_places {
  using T = state<S>;
  using vec = vector<T>;
  using place_tag = hn::RebindToSigned<vector_tag<T>>;
  using places = hn::Vec<place_tag>;
  static constexpr vector_tag<T> d{};
  static constexpr place_tag di{};
  static constexpr std::size_t group = step_members<S>;
  static constexpr std::size_t row = order::row<affine<S>>;
  static constexpr std::size_t most = most_steps_by_places<S>;
  static constexpr std::size_t most_rounds = log2_of<order::row_groups>;

public:
  explicit recurrences_by_places(recurrence_places_job<S> const& job) : job_(job), size_(job.to[job.count] - job.to[0])
  {
  }

  /// Writes all states and returns true, or writes none and returns false if one is not finite.
  bool run()
  {
    detail::took("recurrence: short ones by places");
    find_places();
    return with_rounds<0>();
  }

private:
  /// Step k of all is element `size - 1 - k` where recurrences go backward.
  std::size_t place_of(std::size_t i) const
  {
    return job_.step > 0 ? job_.to[i] - job_.to[0] : job_.to[job_.count] - job_.to[job_.count - i];
  }

  void find_places()
  {
    std::size_t longest = 0;
    for (std::size_t i = 0; i < job_.count; ++i) longest = std::max(longest, job_.to[i + 1] - job_.to[i]);
    longest_ = longest;
    if (longest <= 8)
      number<8>();
    else if (longest <= 32)
      number<32>();
    else
      number<row>();
  }
  /// Writes the places of all steps. A recurrence overwrites what the one before it has written behind its end.
  template <std::size_t Count>
  void number()
  {
    static constexpr auto numbers = [] {
      struct table {
        alignas(64) std::uint8_t of[Count];
      } t{};
      for (std::size_t k = 0; k < Count; ++k) t.of[k] = static_cast<std::uint8_t>(k);
      return t;
    }();
    for (std::size_t i = 0; i < job_.count; ++i) std::memcpy(place_ + place_of(i), numbers.of, Count);
    std::memset(place_ + size_, 0, lanes<T>);
  }
  HWY_INLINE places places_at(std::size_t k) const
  {
    hn::Rebind<std::uint8_t, place_tag> narrow;
    if constexpr (sizeof(T) == 4)
      return hn::PromoteTo(di, hn::LoadU(narrow, place_ + k));
    else
      return hn::PromoteTo(di, hn::PromoteTo(hn::Rebind<std::int32_t, place_tag>{}, hn::LoadU(narrow, place_ + k)));
  }
  static HWY_INLINE auto at_least(places at, std::size_t least)
  {
    return hn::RebindMask(d, hn::Gt(at, hn::Set(di, static_cast<hn::TFromD<place_tag>>(least) - 1)));
  }
  static HWY_INLINE auto equal(places at, std::size_t to)
  {
    return hn::RebindMask(d, hn::Eq(at, hn::Set(di, static_cast<hn::TFromD<place_tag>>(to))));
  }
  static HWY_INLINE maps<T> choose(hn::Mask<vector_tag<T>> which, maps<T> const& yes, maps<T> const& no)
  {
    return {hn::IfThenElse(which, yes.scale, no.scale), hn::IfThenElse(which, yes.offset, no.offset)};
  }
  /// Elements from step k on.
  HWY_INLINE vec elements(S const* array, std::size_t k) const
  {
    if (HWY_UNLIKELY(k + lanes<T> > size_)) return last_elements(array, k);
    if (job_.step > 0) return load_states(array + k);
    return hn::Reverse(d, load_states(array + (size_ - lanes<T> - k)));
  }
  HWY_NOINLINE vec last_elements(S const* array, std::size_t k) const
  {
    S some[lanes<T>] = {};
    for (std::size_t i = 0; k + i < size_; ++i) some[i] = array[job_.step > 0 ? k + i : size_ - 1 - k - i];
    return load_states(some);
  }

  /// Runs as many rounds of Kogge and Stone as the longest one needs: groups before its last one are scanned.
  template <std::size_t Rounds>
  bool with_rounds()
  {
    if constexpr (Rounds < most_rounds)
      if ((std::size_t{1} << Rounds) + 1 < (longest_ - 1) / group + 1) return with_rounds<Rounds + 1>();
    return all<Rounds>();
  }

  /// The values of the vector before that a vector needs: behind each step of the fold of a group, and before each
  /// round that reaches less than a vector to the left.
  template <std::size_t Rounds>
  struct vector_before {
    maps<T> in_group[group];
    maps<T> round[Rounds + 1];
  };

  template <std::size_t Rounds>
  bool all()
  {
    vec const same_a = hn::Set(d, static_cast<T>(*job_.a)), same_before = hn::Set(d, static_cast<T>(*job_.befores));
    if (job_.own_befores) spread_befores();
    vector_before<Rounds> before;
    HWY_UNROLL(4)
    for (std::size_t j = 0; j < group; ++j) before.in_group[j] = {same_a, same_a};
    HWY_UNROLL(8)
    for (std::size_t r = 0; r <= Rounds; ++r) before.round[r] = {same_a, same_a};
    watch<S> seen;
    for (std::size_t k = 0; k < size_; k += lanes<T>) {
      places const at = places_at(k), in_group = hn::And(at, hn::Set(di, group - 1));
      // The fold of each step's group up to it.
      maps<T> value{job_.repeats_a ? same_a : elements(job_.a, k), elements(job_.b, k)};
      HWY_UNROLL(4)
      for (std::size_t j = 1; j < group; ++j) {
        maps<T> const left = shift_in<1, T>(before.in_group[j], value);
        before.in_group[j] = {value.scale, value.offset};
        value = choose(equal(in_group, j), then<T>(left, value), value);
      }
      // The totals of groups stand at their last steps. What stands at other steps means nothing.
      maps<T> upto{value.scale, value.offset};
      rounds<0, Rounds>(before, at, k, upto);
      maps<T> left = shift_in<1, T>(before.round[Rounds], upto);
      totals_left<1, Rounds>(before, in_group, upto, left);
      before.round[Rounds] = {upto.scale, upto.offset};
      maps<T> const local = choose(at_least(at, group), then<T>(left, value), value);
      vec const carry = job_.own_befores ? hn::LoadU(d, before_ + k) : same_before;
      vec const y = hn::Add(hn::Mul(local.scale, carry), local.offset);
      seen.look(HWY_LIKELY(k + lanes<T> <= size_) ? y : hn::IfThenElseZero(hn::FirstN(d, size_ - k), y));
      store_states<S>(y, results_ + k);
    }
    if (!seen.all_finite()) return false;
    write();
    return true;
  }
  /// Of steps that are the Place-th of their group or later: the totals stand that many places further left.
  template <std::size_t Place, std::size_t Rounds>
  static HWY_INLINE void totals_left(vector_before<Rounds> const& before, places in_group, maps<T> const& upto,
                                     maps<T>& left)
  {
    if constexpr (Place < group) {
      left = choose(equal(in_group, Place), shift_in<Place + 1, T>(before.round[Rounds], upto), left);
      totals_left<Place + 1, Rounds>(before, in_group, upto, left);
    }
  }
  /// Rounds of Kogge and Stone over the totals of groups, from round `Round` on.
  template <std::size_t Round, std::size_t Rounds>
  HWY_INLINE void rounds(vector_before<Rounds>& before, places at, std::size_t k, maps<T>& upto)
  {
    if constexpr (Round < Rounds) {
      constexpr std::size_t distance = group << Round;
      maps<T> left;
      if constexpr (distance < lanes<T>) {
        left = shift_in<distance, T>(before.round[Round], upto);
        before.round[Round] = {upto.scale, upto.offset};
      } else {
        // A vector further left, as it was before this round.
        T *const scales = far_[Round].scale + k % far_steps, *const offsets = far_[Round].offset + k % far_steps;
        std::size_t const there = (k + far_steps - distance) % far_steps;
        left = {hn::Load(d, far_[Round].scale + there), hn::Load(d, far_[Round].offset + there)};
        hn::Store(upto.scale, d, scales);
        hn::Store(upto.offset, d, offsets);
      }
      upto = choose(at_least(at, distance), then<T>(left, upto), upto);
      rounds<Round + 1, Rounds>(before, at, k, upto);
    }
  }

  void write() const
  {
    if (job_.step > 0) {
      std::memcpy(job_.out, results_, size_ * sizeof(S));
    } else {
      reverse_neighbours(results_, job_.out, size_);
    }
    if (job_.lasts == nullptr) return;
    for (std::size_t i = 0; i < job_.count; ++i) {
      std::size_t const begin = job_.to[i] - job_.to[0], end = job_.to[i + 1] - job_.to[0];
      job_.lasts[i] = job_.out[job_.step > 0 ? end - 1 : begin];
    }
  }
  void spread_befores()
  {
    for (std::size_t i = 0; i < job_.count; ++i) {
      std::size_t const of = job_.step > 0 ? i : job_.count - 1 - i;
      std::fill_n(before_ + place_of(i), job_.to[of + 1] - job_.to[of], static_cast<T>(job_.befores[of]));
    }
  }

  recurrence_places_job<S> const& job_;
  std::size_t size_, longest_ = 0;
  std::uint8_t place_[most + row + line_bytes];
  /// Values of the last vectors before a round.
  static constexpr std::size_t far_steps = row;
  struct far_vectors {
    HWY_ALIGN T scale[far_steps] = {};
    HWY_ALIGN T offset[far_steps] = {};
  };
  far_vectors far_[most_rounds];
  HWY_ALIGN T before_[most + lanes<T>];
  HWY_ALIGN S results_[most + lanes<T>];
};

template <class S>
bool run_recurrences_by_places(recurrence_places_job<S> const& job)
{
  return recurrences_by_places<S>(job).run();
}

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
