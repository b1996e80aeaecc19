// Recurrences whose elements of one step are neighbours in memory.
#if defined(TALLY_CPU_RECURRENCE_COLUMNS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_RECURRENCE_COLUMNS_INL
#undef TALLY_CPU_RECURRENCE_COLUMNS_INL
#else
#define TALLY_CPU_RECURRENCE_COLUMNS_INL
#endif

#include <algorithm>
#include <cstddef>

#include "src/cpu/recurrence/rows_in_lanes-inl.hpp"
#include "src/cpu/recurrence/stored-inl.hpp"
#include "tally/detail/cpu/recurrences.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/recurrence/steps.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

/// Runs a tile of the columns, some groups of the order of all of them after the other: each step is read once, along
/// with its neighbours, and its states are written at once. Packed: by four vectors side by side.
template <class S, bool Packed>
class recurrence_columns {
  using T = state<S>;
  using vec = vector<T>;
  static constexpr vector_tag<T> d{};
  using group = group_in_lanes<S>;
  static constexpr std::size_t row = order::recurrence::row<S>;
  static constexpr std::size_t tile_rows = order::strip_rows * order::tile_strips;
  // Groups of a leaf: their part of the row's tree is in registers. The states of a pack's leaf take 16 of these.
  static constexpr std::size_t pack = 4;
  static constexpr std::size_t leaf_levels = Packed && group::size >= 4 ? 0 : 1, leaf = group::size << leaf_levels;
  /// Whether a vector of states is less than a line: those that go around the cache are held until a leaf is whole.
  static constexpr bool holds = lanes<T> * sizeof(S) < line_bytes;
  using rows = rows_in_lanes<T, log2_of<order::recurrence::row_groups> - leaf_levels>;
  static constexpr std::size_t most_vectors = (most_recurrence_columns<S> + lanes<T> - 1) / lanes<T>;

public:
  explicit recurrence_columns(recurrence_columns_job<S> const& job)
      : job_(job),
        vectors_((job.width + lanes<T> - 1) / lanes<T>),
        whole_vectors_(job.width / lanes<T>),
        last_lanes_(job.width - (vectors_ - 1) * lanes<T>),
        streams_(job.to == stores::streaming),
        has_odd_(job.has_bad)
  {
  }

  bool run()
  {
    for (std::size_t v = 0; v < vectors_; ++v) of_[v].row.begin(hn::LoadU(d, slot(recurrence_slot::carry, v)));
    if (job_.a_across)
      run_leaves<true>();
    else
      run_leaves<false>();
    return has_odd_;
  }

private:
  /// Leaves that are run, of which nothing follows the last one, or totalled only.
  enum class kind { inner, last, totalled };

  /// A vector of recurrences.
  struct vector_of_columns {
    rows row;
    HWY_ALIGN T rows_upto[2][lanes<T>];    // the total of the strip's rows so far
    HWY_ALIGN T strips_upto[2][lanes<T>];  // of the tile's strips so far
  };

  /// Some steps of columns: a local copy, which stores of states cannot change.
  struct steps_at {
    S const* a;
    std::ptrdiff_t a_step;
    S const* b;
    std::ptrdiff_t b_step;
    S* out;
    std::ptrdiff_t out_step;
    std::size_t first;    // the first one in the tile
    std::size_t present;  // how many they are
  };

  template <class U>
  static HWY_INLINE U* at(U* first, std::ptrdiff_t step, std::size_t k)
  {
    return first + static_cast<std::ptrdiff_t>(k) * step;
  }
  T* slot(std::size_t number, std::size_t v) const { return job_.state + number * job_.stride + v * lanes<T>; }

  template <bool Across>
  void run_leaves()
  {
    for (std::size_t k = 0; k < job_.size; k += leaf) {
      if (job_.out == nullptr)
        run_leaf<kind::totalled, Across>(k);
      else if (job_.size != tile_rows * row && k + leaf >= job_.size)
        run_leaf<kind::last, Across>(k);
      else
        run_leaf<kind::inner, Across>(k);
    }
  }

  template <kind Kind, bool Across>
  HWY_NOINLINE void run_leaf(std::size_t k)
  {
    typename rows::leaf const in_row(k % row / leaf);
    steps_at const first{at(job_.a, job_.a_step, k),
                         job_.a_step,
                         at(job_.b, job_.b_step, k),
                         job_.b_step,
                         Kind == kind::totalled ? nullptr : at(job_.out, job_.out_step, k),
                         job_.out_step,
                         k,
                         std::min(leaf, job_.size - k)};
    if (job_.ahead) fetch_ahead<Kind>(first);
    std::size_t const whole = whole_vectors_;
    bool const streams = streams_ && Kind != kind::totalled;
    std::size_t v = 0;
    if constexpr (Packed && Kind != kind::last)
      for (; v + pack <= whole; v += pack) run_pack<Kind, Across>(first, in_row, v, streams);
    for (; v < whole; ++v) run_vector<Kind, Across, true>(first, in_row, v, streams);
    if constexpr (holds && Kind != kind::totalled)
      if (streams_) stream_held(first);
    if (whole < vectors_) run_vector<Kind, Across, false>(first, in_row, whole, false);
  }

  /// Runs a pack: vectors side by side, whose steps of one index are read together. The totals are put before the
  /// branch on the states: GCC would else compose behind it, and keep all steps until then.
  template <kind Kind, bool Across>
  HWY_INLINE void run_pack(steps_at const& all, typename rows::leaf const& in_row, std::size_t v, bool streams)
  {
    steps_at const at = in_vector<Across>(all, v);
    vec scale[pack], offset[pack], states[leaf][pack];
    vec before[pack];
    HWY_UNROLL(8)
    for (std::size_t i = 0; i < pack; ++i) before[i] = of_[v + i].row.before(in_row);
    group_of_pack<Kind, Across, 0>(at, before, scale, offset, states);
    if constexpr (leaf_levels == 1) {
      vec right_scale[pack], right_offset[pack];
      HWY_UNROLL(8)
      for (std::size_t i = 0; i < pack; ++i) before[i] = applied<T>({scale[i], offset[i]}, before[i]);
      group_of_pack<Kind, Across, group::size>(at, before, right_scale, right_offset, states);
      HWY_UNROLL(8)
      for (std::size_t i = 0; i < pack; ++i) {
        offset[i] = hn::Add(hn::Mul(right_scale[i], offset[i]), right_offset[i]);
        scale[i] = hn::Mul(right_scale[i], scale[i]);
      }
    }
    HWY_UNROLL(8)
    for (std::size_t i = 0; i < pack; ++i) end_leaf(of_[v + i], all.first, in_row, v + i, {scale[i], offset[i]});
    if constexpr (Kind != kind::totalled) {
      watch<S> seen;
      HWY_UNROLL(16)
      for (std::size_t m = group::size - 1; m < leaf; m += group::size) {
        HWY_UNROLL(8)
        for (std::size_t i = 0; i < pack; ++i) seen.look(states[m][i]);
      }
      if (HWY_UNLIKELY(has_odd_ || !seen.all_finite())) {
        for (std::size_t i = 0; i < pack; ++i) run_odd<Kind, Across, true>(all, in_row, v + i);
        return;
      }
      HWY_UNROLL(16)
      for (std::size_t m = 0; m < leaf; ++m) {
        S* const at_step = this->at(at.out, at.out_step, m);
        HWY_UNROLL(8)
        for (std::size_t i = 0; i < pack; ++i) {
          if (streams)
            hn::Stream(states[m][i], d, at_step + i * lanes<T>);
          else
            hn::StoreU(states[m][i], d, at_step + i * lanes<T>);
        }
      }
    }
  }
  template <kind Kind, bool Across, std::size_t First>
  HWY_INLINE void group_of_pack(steps_at const& at, vec (&y)[pack], vec (&scale)[pack], vec (&offset)[pack],
                                vec (&states)[leaf][pack])
  {
    HWY_UNROLL(8)
    for (std::size_t m = 0; m < group::size; ++m) {
      S const* const a_at = this->at(at.a, at.a_step, First + m);
      S const* const b_at = this->at(at.b, at.b_step, First + m);
      HWY_UNROLL(8)
      for (std::size_t i = 0; i < pack; ++i) {
        vec const a = load_a<Across, true>(a_at + (Across ? i * lanes<T> : 0)), b = load<true>(b_at + i * lanes<T>);
        if (m == 0) {
          scale[i] = a;
          offset[i] = b;
        } else {
          scale[i] = hn::Mul(a, scale[i]);
          offset[i] = hn::Add(hn::Mul(a, offset[i]), b);
        }
        if constexpr (Kind != kind::totalled) {
          vec const last = m == 0 ? y[i] : states[First + m - 1][i];
          states[First + m][i] = hn::Add(hn::Mul(a, last), b);
        }
      }
    }
  }

  template <kind Kind, bool Across, bool AllLanes>
  HWY_INLINE void run_vector(steps_at const& all, typename rows::leaf const& in_row, std::size_t v, bool streams)
  {
    steps_at const at = in_vector<Across>(all, v);
    vector_of_columns& of = of_[v];
    vec const before = of.row.before(in_row);
    vec states[leaf];
    maps<T> const total = run_steps<Kind, Across, AllLanes>(at, before, states);
    if constexpr (Kind != kind::last) end_leaf(of, all.first, in_row, v, total);
    if constexpr (Kind != kind::totalled) {
      if (HWY_UNLIKELY(has_odd_ || !all_finite<Kind>(states, at.present)))
        run_odd<Kind, Across, AllLanes>(all, in_row, v);
      else
        put<Kind, AllLanes>(states, at, v, streams);
    }
  }
  /// The same where a state is not finite, or was. Apart from it: a call keeps no vector in its register.
  template <kind Kind, bool Across, bool AllLanes>
  HWY_NOINLINE void run_odd(steps_at const& all, typename rows::leaf const& in_row, std::size_t v)
  {
    steps_at const at = in_vector<Across>(all, v);
    vector_of_columns& of = of_[v];
    vec states[leaf];
    run_steps<Kind, Across, AllLanes>(at, of.row.before(in_row), states);
    put_finite(states, at.first, at.present, v);
  }

  template <bool Across>
  static HWY_INLINE steps_at in_vector(steps_at at, std::size_t v)
  {
    if (Across) at.a += v * lanes<T>;
    at.b += v * lanes<T>;
    if (at.out != nullptr) at.out += v * lanes<T>;
    return at;
  }

  /// Runs a leaf, and returns its total.
  template <kind Kind, bool Across, bool AllLanes>
  HWY_INLINE maps<T> run_steps(steps_at const& at, vec before, vec (&states)[leaf])
  {
    if constexpr (Kind == kind::last) {
      run_last<Across, AllLanes, leaf_levels, 0>(at, before, states);
      return {before, before};
    } else {
      return run_tree<Kind, Across, AllLanes, leaf_levels, 0>(at, before, states);
    }
  }
  /// Runs the subtree of 2^Level groups that begins with step First of a leaf, and returns its total.
  template <kind Kind, bool Across, bool AllLanes, std::size_t Level, std::size_t First>
  HWY_INLINE maps<T> run_tree(steps_at const& at, vec before, vec (&states)[leaf])
  {
    if constexpr (Level == 0) {
      return run_group<Kind, Across, AllLanes, First>(at, before, states);
    } else {
      constexpr std::size_t middle = First + (group::size << (Level - 1));
      maps<T> const left = run_tree<Kind, Across, AllLanes, Level - 1, First>(at, before, states);
      vec const between = Kind == kind::totalled ? before : applied<T>(left, before);
      return then<T>(left, run_tree<Kind, Across, AllLanes, Level - 1, middle>(at, between, states));
    }
  }
  /// Runs the first steps of one, behind which there are none.
  template <bool Across, bool AllLanes, std::size_t Level, std::size_t First>
  HWY_INLINE void run_last(steps_at const& at, vec before, vec (&states)[leaf])
  {
    if constexpr (Level == 0) {
      run_group<kind::last, Across, AllLanes, First>(at, before, states);
    } else {
      constexpr std::size_t middle = First + (group::size << (Level - 1));
      if (at.present > middle) {
        maps<T> const left = run_tree<kind::inner, Across, AllLanes, Level - 1, First>(at, before, states);
        run_last<Across, AllLanes, Level - 1, middle>(at, applied<T>(left, before), states);
      } else {
        run_last<Across, AllLanes, Level - 1, First>(at, before, states);
      }
    }
  }

  template <kind Kind, bool Across, bool AllLanes, std::size_t First>
  HWY_INLINE maps<T> run_group(steps_at const& at, vec before, vec (&states)[leaf])
  {
    group steps(before);
    HWY_UNROLL(8)
    for (std::size_t m = 0; m < group::size; ++m) {
      if (Kind == kind::last && First + m >= at.present) break;
      vec const scale = load_a<Across, AllLanes>(this->at(at.a, at.a_step, First + m));
      vec const offset = load<AllLanes>(this->at(at.b, at.b_step, First + m));
      if constexpr (Kind != kind::last) steps.compose(m, scale, offset);
      if constexpr (Kind != kind::totalled) states[First + m] = steps.apply(scale, offset);
    }
    return steps.total();
  }

  /// Whether all states are finite when they are stored. In one type a state that is not finite stays so to the end of
  /// its group.
  template <kind Kind>
  static HWY_INLINE bool all_finite(vec const (&states)[leaf], std::size_t present)
  {
    watch<S> seen;
    HWY_UNROLL(16)
    for (std::size_t m = 0; m < leaf; ++m) {
      bool const is_there = Kind != kind::last || m < present;
      bool const ends_group = m % group::size == group::size - 1 || (Kind == kind::last && m + 1 == present);
      if (is_there && (is_narrow<S> || ends_group)) seen.look(states[m]);
    }
    return seen.all_finite();
  }

  HWY_INLINE void end_leaf(vector_of_columns& of, std::size_t k, typename rows::leaf const& in_row, std::size_t v,
                           maps<T> const& total)
  {
    maps<T> const upto = of.row.end(in_row, total);
    if (in_row.ends_row()) end_row(of, k / row, v, upto);
  }

  template <bool Across, bool AllLanes>
  HWY_INLINE vec load_a(S const* from) const
  {
    if constexpr (Across)
      return load<AllLanes>(from);
    else
      return hn::Set(d, static_cast<T>(*from));
  }
  template <bool AllLanes>
  HWY_INLINE vec load(S const* from) const
  {
    if constexpr (AllLanes)
      return load_states(from);
    else
      return last_lanes_.load(from);
  }

  /// Writes the states of a leaf. Those that go around the cache by vectors that are no lines are held.
  template <kind Kind, bool AllLanes>
  HWY_INLINE void put(vec const (&states)[leaf], steps_at const& to, std::size_t v, bool streams)
  {
    HWY_UNROLL(16)
    for (std::size_t m = 0; m < leaf; ++m) {
      if (Kind == kind::last && m >= to.present) break;
      S* const at_step = at(to.out, to.out_step, m);
      if (AllLanes && streams) {
        if constexpr (!holds)
          hn::Stream(states[m], d, at_step);
        else
          store_states<S>(states[m], streams_ ? held_[m] + v * lanes<T> : at_step);
      } else if constexpr (AllLanes) {
        store_states<S>(states[m], at_step);
      } else {
        last_lanes_.store(states[m], at_step);
      }
    }
  }

  /// Writes the states of a leaf that are held, step by step: a processor reads lines that it writes in parts.
  HWY_NOINLINE void stream_held(steps_at const& to) const
  {
    static constexpr vector_tag<raw<S>> whole{};
    for (std::size_t m = 0; m < to.present; ++m) {
      S* const out = at(to.out, to.out_step, m);
      for (std::size_t c = 0; c < job_.width; c += lanes<raw<S>>)
        hn::Stream(hn::Load(whole, raw_at(held_[m] + c)), whole, raw_at(out + c));
    }
  }

  /// Writes the states of vector v before each recurrence's first one that is not finite, and notes that one.
  HWY_NOINLINE void put_finite(vec const (&states)[leaf], std::size_t k, std::size_t present, std::size_t v)
  {
    detail::took("recurrence: a column with a result that is not finite");
    if (holds && streams_)  // the vectors before
      for (std::size_t m = 0; m < present; ++m) std::copy_n(held_[m], v * lanes<T>, at(job_.out, job_.out_step, k + m));
    streams_ = false;
    has_odd_ = true;
    HWY_ALIGN T each[leaf][lanes<T>];
    for (std::size_t m = 0; m < present; ++m) hn::Store(states[m], d, each[m]);
    for (std::size_t i = 0; i < std::min(lanes<T>, job_.width - v * lanes<T>); ++i) {
      std::size_t const c = v * lanes<T> + i;
      for (std::size_t m = 0; m < present && job_.first + k + m < job_.bad[c]; ++m) {
        auto const y = static_cast<S>(each[m][i]);
        if (detail::recurrence::is_finite(y))
          at(job_.out, job_.out_step, k + m)[c] = y;
        else
          job_.bad[c] = job_.first + k + m;
      }
    }
  }

  /// Puts the states before the next row; behind the last one, the totals of the tile.
  HWY_INLINE void end_row(vector_of_columns& of, std::size_t r, std::size_t v, maps<T> const& total)
  {
    bool const begins_strip = r % order::strip_rows == 0, ends_strip = (r + 1) % order::strip_rows == 0;
    maps<T> of_strip{total.scale, total.offset};
    if (!begins_strip) of_strip = then<T>({hn::Load(d, of.rows_upto[0]), hn::Load(d, of.rows_upto[1])}, of_strip);
    if (!ends_strip) {
      hn::Store(of_strip.scale, d, of.rows_upto[0]);
      hn::Store(of_strip.offset, d, of.rows_upto[1]);
      of.row.begin(applied<T>(total, of.row.before()));
      return;
    }
    if (r >= order::strip_rows)
      of_strip = then<T>({hn::Load(d, of.strips_upto[0]), hn::Load(d, of.strips_upto[1])}, of_strip);
    if (r + 1 == tile_rows) {
      hn::StoreU(of_strip.scale, d, slot(recurrence_slot::total, v));
      hn::StoreU(of_strip.offset, d, slot(recurrence_slot::total + 1, v));
      return;
    }
    hn::Store(of_strip.scale, d, of.strips_upto[0]);
    hn::Store(of_strip.offset, d, of.strips_upto[1]);
    of.row.begin(applied<T>(of_strip, hn::LoadU(d, slot(recurrence_slot::carry, v))));
  }

  /// Fetches a leaf some steps ahead, which may lie behind the tile, and where nothing lies between steps the place of
  /// its results.
  template <kind Kind>
  HWY_INLINE void fetch_ahead(steps_at const& of) const
  {
    bool const is_dense = job_.b_step == static_cast<std::ptrdiff_t>(job_.width);
    bool const writes = is_dense && !streams_ && Kind != kind::totalled;
    // Where nothing lies between steps: the processor's own prefetching begins anew at each page.
    std::size_t const ahead = is_dense ? std::max(leaf, 8192 / (job_.width * sizeof(S))) : leaf;
    for (std::size_t m = ahead; m < ahead + leaf; ++m) {
      for (std::size_t c = 0; c < job_.width; c += line_bytes / sizeof(S)) {
        __builtin_prefetch(at(of.b, of.b_step, m) + c, 0, 2);
        if (job_.a_across) __builtin_prefetch(at(of.a, of.a_step, m) + c, 0, 2);
        if (writes) __builtin_prefetch(at(of.out, of.out_step, m) + c, 1, 3);
      }
    }
  }

  recurrence_columns_job<S> const& job_;
  std::size_t vectors_, whole_vectors_;
  first_states<S> last_lanes_;
  bool streams_, has_odd_;
  HWY_ALIGN S held_[holds ? leaf : 1][holds ? most_recurrence_columns<S> : 1];
  vector_of_columns of_[most_vectors];
};

template <class S>
bool run_columns_of_recurrences(recurrence_columns_job<S> const& job)
{
  // With 32 registers, and states as they are stored.
  if constexpr (!is_narrow<S> && lanes<S> * sizeof(S) == 64)
    if (job.width >= 4 * lanes<S>) return recurrence_columns<S, true>(job).run();
  return recurrence_columns<S, false>(job).run();
}

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
