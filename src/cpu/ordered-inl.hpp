// The order of docs/order.md on vectors, for float and double: the scan of a tile row by row, and its total.
#if defined(TALLY_CPU_ORDERED_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_ORDERED_INL
#undef TALLY_CPU_ORDERED_INL
#else
#define TALLY_CPU_ORDERED_INL
#endif

#include <algorithm>
#include <cstddef>
#include <utility>

#include "src/cpu/around_cache-inl.hpp"
#include "src/cpu/sets-inl.hpp"
#include "src/cpu/tree-inl.hpp"
#include "src/cpu/vectors-inl.hpp"
#include "tally/detail/cpu/kernels.hpp"
#include "tally/order.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

/// The applications of the operator, by whole vectors, in Kogge and Stone's rounds over the totals of a row's first
/// `Sets` sets.
template <class T, std::size_t Sets>
inline constexpr std::size_t kogge_stone_steps = [] {
  std::size_t steps = 0;
  for (std::size_t stride = 1; stride < Sets * lanes<T>; stride *= 2) steps += Sets - stride / lanes<T>;
  return steps;
}();

/// One of these steps. They are counted round by round, from the last set to the first: `Step` from the round on in
/// which every total is combined with the one `Stride` groups before it.
template <class Op, class T, std::size_t Step, std::size_t Stride = 1, std::size_t Sets>
HWY_INLINE void kogge_stone_step(vector<T> (&total)[Sets], vector<T> identity)
{
  constexpr std::size_t whole = Stride / lanes<T>;
  constexpr std::size_t steps = Sets - whole;
  if constexpr (Step >= steps) {
    kogge_stone_step<Op, T, Step - steps, 2 * Stride>(total, identity);
  } else {
    constexpr std::size_t s = Sets - 1 - Step;
    if constexpr (whole > 0) {
      total[s] = apply_elsewhere<Op, T>(total[s - whole], total[s]);
    } else {
      vector<T> before = identity;
      if constexpr (s > 0) before = total[s - 1];
      total[s] = domain<Op, T>::op(shift_in_groups<Stride, T>(before, total[s]), total[s]);
    }
  }
}

/// Steps [First, Last).
template <class Op, class T, std::size_t First, std::size_t Last, std::size_t Sets>
HWY_INLINE void kogge_stone_part(vector<T> (&total)[Sets], vector<T> identity)
{
  if constexpr (First < Last) {
    kogge_stone_step<Op, T, First>(total, identity);
    kogge_stone_part<Op, T, First + 1, Last>(total, identity);
  }
}

template <class Op, class T, std::size_t Sets>
HWY_INLINE void kogge_stone(vector<T> (&total)[Sets], vector<T> identity)
{
  kogge_stone_part<Op, T, 0, kogge_stone_steps<T, Sets>>(total, identity);
}

/// The values of a row, groups left to right, transposed. They are in registers if a quarter of those has room for
/// them, as with AVX-512, and in memory else. Stores around the cache hold up those to memory behind them: with AVX-512
/// scans of large arrays lost a tenth by it.
template <class T, bool InRegisters = sets<T> * members<T> * 4 <= (HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86 ? 32 : 16)>
class kept_row {
public:
  /// The memory of a kept row lies outside of the objects that use it: the compiler would take each store to it for one
  /// to their members.
  struct memory {
    HWY_ALIGN T values[order::row<T>];
  };

  HWY_INLINE explicit kept_row(memory& place) : values_(place.values) {}

  HWY_INLINE void put(std::size_t s, set_values<T> const& value)
  {
    HWY_UNROLL(4)
    for (std::size_t m = 0; m < members<T>; ++m) hn::Store(value[m], d, values_ + (s * members<T> + m) * lanes<T>);
  }
  HWY_INLINE vector<T> get(std::size_t s, std::size_t m) const
  {
    return hn::Load(d, values_ + (s * members<T> + m) * lanes<T>);
  }
  /// Afterwards `next` has no values.
  HWY_INLINE void take(kept_row& next) { std::swap(values_, next.values_); }

private:
  static constexpr vector_tag<T> d{};
  T* values_;
};

template <class T>
class kept_row<T, true> {
public:
  struct memory {};

  HWY_INLINE explicit kept_row(memory&) {}

  HWY_INLINE void put(std::size_t s, set_values<T> const& value)
  {
    HWY_UNROLL(4)
    for (std::size_t m = 0; m < members<T>; ++m) values_[s][m] = value[m];
  }
  HWY_INLINE vector<T> get(std::size_t s, std::size_t m) const { return values_[s][m]; }
  HWY_INLINE void take(kept_row& next)
  {
    HWY_UNROLL(4)
    for (std::size_t s = 0; s < sets<T>; ++s) put(s, next.values_[s]);
  }

private:
  set_values<T> values_[sets<T>];
};

/// Scans a tile row by row. While a row's results are computed, set by set, the totals of the next row's groups are
/// scanned, some steps along with each set: these wait for one another, and the processor fills the time with the other
/// row's work.
template <class Op, class T, direction Shift>
class ordered_scan {
  using vec = vector<T>;
  using dom = domain<Op, T>;

public:
  /// The scan keeps two rows.
  struct memory {
    typename kept_row<T>::memory row;
    typename kept_row<T>::memory next;
  };

  HWY_INLINE ordered_scan(tile_job<T> const& job, memory& kept)
      : values_(kept.row),
        next_values_(kept.next),
        identity_(hn::Set(d, Op::template identity<T>())),
        carry_(hn::Set(d, job.carry)),
        previous_(hn::Set(d, job.previous)),
        strips_(identity_),
        rows_(identity_),
        local_(identity_)
  {
  }

  /// Takes a row.
  HWY_INLINE void begin(T const* in)
  {
    HWY_UNROLL(16)
    for (std::size_t s = 0; s < sets<T>; ++s) take_set(in, s, values_, total_[s]);
    kogge_stone<Op, T>(total_, identity_);
  }

  /// Gives the results of the row that was taken last to `writer`, and takes `next`. Calls `along(piece)` at each
  /// piece.
  template <class Writer, class Along>
  HWY_INLINE void row(T const* next, Writer&& writer, Along&& along)
  {
    vec total[sets<T>];
    HWY_UNROLL(16)
    for (std::size_t s = 0; s < sets<T>; ++s) {
      take_set(next, s, next_values_, total[s]);
      along_part(s, along);
    }
    give<true>(total, writer, along, nullptr);
    values_.take(next_values_);
    HWY_UNROLL(16)
    for (std::size_t s = 0; s < sets<T>; ++s) total_[s] = total[s];
  }

  /// Gives the results of the last row to `writer`, and its tile-local values to `locals` unless that is null.
  template <class Writer>
  HWY_INLINE void end(Writer&& writer, T* locals = nullptr)
  {
    vec none[sets<T>];
    give<false>(none, writer, [](std::size_t) {}, locals);
  }

  /// The tile-local value of the last element whose result was written.
  HWY_INLINE T last() const { return hn::ExtractLane(local_, lanes<T> - 1); }

private:
  /// Loads a set of the row `in` and combines its groups.
  static HWY_INLINE void take_set(T const* in, std::size_t s, kept_row<T>& values, vec& total)
  {
    set_values<T> value;
    load_set<Op>(in + s * set_size<T>, value, total);
    values.put(s, value);
  }

  /// The pieces are spread over the sets that are taken and those that are given, which are `2 * sets<T>` parts.
  template <class Along>
  static HWY_INLINE void along_part(std::size_t part, Along&& along)
  {
    constexpr std::size_t parts = 2 * sets<T>;
    for (std::size_t piece = part * pieces / parts; piece < (part + 1) * pieces / parts; ++piece) along(piece);
  }

  /// Gives the row's results, and scans `next` if that `Follows`.
  template <bool Follows, class Writer, class Along>
  HWY_INLINE void give(vec (&next)[sets<T>], Writer&& writer, Along&& along, T* locals)
  {
    vec const base = dom::op(strips_, rows_);
    rows_ = dom::op(rows_, broadcast_last<T>(total_[sets<T> - 1]));
    if (++count_ % order::strip_rows == 0) {
      strips_ = dom::op(strips_, rows_);
      rows_ = identity_;
    }
    give_sets<Follows, 0>(base, next, writer, along, locals);
  }

  /// Gives the sets from set `S` on.
  template <bool Follows, std::size_t S, class Writer, class Along>
  HWY_INLINE void give_sets(vec base, vec (&next)[sets<T>], Writer&& writer, Along&& along, T* locals)
  {
    vec set_before = identity_;
    if constexpr (S > 0) set_before = total_[S - 1];
    vec const before = dom::op(base, shift_in_groups<1, T>(set_before, total_[S]));
    set_values<T> value;
    HWY_UNROLL(4)
    for (std::size_t m = 0; m < members<T>; ++m) value[m] = apply_elsewhere<Op, T>(before, values_.get(S, m));
    if (locals != nullptr) store_set<T>(cached_writer<T>{locals}, S * set_size<T>, value);
    if constexpr (S + 1 == sets<T>) local_ = value[members<T> - 1];
    HWY_UNROLL(4)
    for (std::size_t m = 0; m < members<T>; ++m) value[m] = apply_elsewhere<Op, T>(carry_, value[m]);
    if constexpr (Shift == direction::exclusive) previous_ = shift_members<T>(value, previous_);
    // Before the store: `along` reads the next tile, at the same offset in a page, and would wait for the store.
    along_part(sets<T> + S, along);
    if constexpr (Follows) {
      constexpr std::size_t steps = kogge_stone_steps<T, sets<T>>;
      kogge_stone_part<Op, T, steps * S / sets<T>, steps*(S + 1) / sets<T>>(next, identity_);
    }
    store_set<T>(writer, S * set_size<T>, value);
    if constexpr (S + 1 < sets<T>) give_sets<Follows, S + 1>(base, next, writer, along, locals);
  }

  static constexpr vector_tag<T> d{};
  kept_row<T> values_;  // of the row that was taken last
  kept_row<T> next_values_;
  vec total_[sets<T>];  // the totals of its groups, scanned
  vec identity_;
  vec carry_;
  vec previous_;  // its last lane is the inclusive result before this row
  vec strips_;    // total of the strips before this one, in all lanes
  vec rows_;      // total of the rows before this one in the strip, in all lanes
  vec local_;     // its last lane is the last tile-local value
  std::size_t count_ = 0;
};

/// The tree over the totals of groups, as the transposition leaves them.
template <class Op, class T>
struct tree_of_totals {
  using element = T;
  using value = vector<T>;
  static constexpr groups_in place = groups_in::transposed;

  template <std::size_t Level>
  static HWY_INLINE value level(value a, value b)
  {
    return domain<Op, T>::op(tree_operand<T, place, Level, 0>(a, b), tree_operand<T, place, Level, 1>(a, b));
  }
};

/// Totals a tile row by row.
template <class Op, class T>
class ordered_total {
  using vec = vector<T>;
  using dom = domain<Op, T>;
  using tree = tree_of_totals<Op, T>;
  static constexpr std::size_t batch_rows = lanes<T>;

public:
  HWY_INLINE void row(T const* in)
  {
    vec set[sets<T>];
    HWY_UNROLL(16)
    for (std::size_t s = 0; s < sets<T>; ++s) set[s] = set_totals(in, s);
    end_row(set);
  }

  /// Adds one piece of a row. Pieces come in order.
  HWY_INLINE void piece(T const* row, std::size_t index)
  {
    for (std::size_t s = index * sets<T> / pieces; s < (index + 1) * sets<T> / pieces; ++s)
      set_[s] = set_totals(row, s);
    if (index + 1 == pieces) end_row(set_);
  }

  /// The tile's total, which is the tile-local value of the last of `size` elements of one more row, 1 <= size <= row.
  HWY_INLINE T finish(T const* in, std::size_t size)
  {
    constexpr T identity = Op::template identity<T>();
    Op op;

    // The last row comes first: its steps wait for one another, and the work that follows does not wait for them.
    HWY_ALIGN T padded[order::row<T>];
    if (size < order::row<T>) {
      std::fill(std::copy(in, in + size, padded), padded + order::row<T>, identity);
      in = padded;
    }
    vec total[sets<T>];
    HWY_ALIGN T groups[order::row_groups];
    HWY_ALIGN T scanned[order::row_groups];
    HWY_UNROLL(16)
    for (std::size_t s = 0; s < sets<T>; ++s) {
      total[s] = set_totals(in, s);
      hn::Store(total[s], d, groups + s * lanes<T>);
    }
    kogge_stone<Op, T>(total, hn::Set(d, identity));
    HWY_UNROLL(16)
    for (std::size_t s = 0; s < sets<T>; ++s) hn::Store(total[s], d, scanned + s * lanes<T>);

    merge_rest();
    T strips = identity;
    // The folds of the strips are independent: side by side they hide each other's latency.
    constexpr std::size_t rows = order::strip_rows;
    T strip[order::tile_strips];
    std::size_t const whole = count_ / rows;
    for (std::size_t s = 0; s < whole; ++s) strip[s] = rows_[s * rows];
    for (std::size_t r = 1; r < rows; ++r)
      for (std::size_t s = 0; s < whole; ++s) strip[s] = op(strip[s], rows_[s * rows + r]);
    for (std::size_t s = 0; s < whole; ++s) strips = op(strips, strip[s]);
    T last_rows = identity;
    for (std::size_t r = whole * rows; r < count_; ++r) last_rows = op(last_rows, rows_[r]);

    std::size_t const group = (size - 1) / order::group<T>;
    auto const place = [](std::size_t g) { return g / lanes<T> * lanes<T> + lane_of_group<T>(g % lanes<T>); };
    return op(op(op(strips, last_rows), group > 0 ? scanned[place(group - 1)] : identity), groups[place(group)]);
  }

private:
  // The totals of a set's groups, as the transposition leaves them.
  static HWY_INLINE vec set_totals(T const* row, std::size_t s)
  {
    vec value[members<T>];
    HWY_UNROLL(4)
    for (std::size_t m = 0; m < members<T>; ++m) value[m] = hn::LoadU(d, row + (s * members<T> + m) * lanes<T>);
    transpose<T>(value);
    vec sum = value[0];
    HWY_UNROLL(4)
    for (std::size_t m = 1; m < members<T>; ++m) sum = apply_elsewhere<Op, T>(sum, value[m]);
    return sum;
  }

  HWY_INLINE void end_row(vec (&set)[sets<T>])
  {
    combine_row<tree, 0, sets<T>>(set);
    batch_[count_ % batch_rows] = set[0];
    if (++count_ % batch_rows == 0) merge();
  }

  HWY_INLINE void merge()
  {
    vec row[batch_rows];
    HWY_UNROLL(16)
    for (std::size_t r = 0; r < batch_rows; ++r) row[r] = batch_[r];
    combine_rows<tree, log2_of<sets<T>>>(row);
    hn::StoreU(row[0], d, rows_ + (count_ - 1) / batch_rows * batch_rows);
  }

  // The same for fewer rows than a batch has.
  HWY_INLINE void merge_rest()
  {
    std::size_t const used = count_ % batch_rows;
    if (used == 0) return;
    for (std::size_t r = used; r < batch_rows; ++r) batch_[r] = hn::Set(d, Op::template identity<T>());
    merge();
  }

  static constexpr vector_tag<T> d{};
  vec set_[sets<T>];       // totals of the row whose pieces come
  vec batch_[batch_rows];  // rows, each combined to one vector
  HWY_ALIGN T rows_[order::tile<T> / order::row<T>];
  std::size_t count_ = 0;
};

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
