// The order of docs/order.md on vectors, for float and double: what a row of 32 groups does to the state of a tile.
#if defined(TALLY_CPU_ORDERED_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_ORDERED_INL
#undef TALLY_CPU_ORDERED_INL
#else
#define TALLY_CPU_ORDERED_INL
#endif

#include <cstddef>

#include "src/cpu/vectors-inl.hpp"
#include "tally/cpu/kernels.hpp"
#include "tally/order.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

// A row is read as `sets` of `members` vectors. A set is transposed within its 16-byte blocks, so that member j holds the j-th
// element of each group: then a group is combined left to right by whole vectors, and the last member holds one total a
// lane. `lanes` groups make a set.
template <class T>
inline constexpr std::size_t members = order::group<T>;
template <class T>
inline constexpr std::size_t sets = order::row_groups / lanes<T>;

// After the transposition lane b * members + i belongs to group i * blocks + b.
template <class T>
struct pick_natural {
  static constexpr std::size_t lane(std::size_t group) { return (group % blocks<T>)*members<T> + group / blocks<T>; }
};
template <class T>
struct pick_transposed {
  static constexpr std::size_t lane(std::size_t k) { return (k % members<T>)*blocks<T> + k / members<T>; }
};
/// Groups in index order from the order of the transposition, and back.
template <class T>
HWY_INLINE vector<T> natural(vector<T> v)
{
  return blocks<T> == 1 ? v : permute<T, pick_natural<T>>(v);
}
template <class T>
HWY_INLINE vector<T> transposed(vector<T> v)
{
  return blocks<T> == 1 ? v : permute<T, pick_transposed<T>>(v);
}

/// Transposes the blocks of a set; its own inverse.
template <class T>
HWY_INLINE void transpose(vector<T> (&v)[members<T>])
{
  vector_tag<T> d;
  if constexpr (members<T> == 2) {
    auto const low = hn::InterleaveLower(d, v[0], v[1]);
    v[1] = hn::InterleaveUpper(d, v[0], v[1]);
    v[0] = low;
  } else {
    static_assert(members<T> == 4);
    hn::Repartition<double, decltype(d)> pairs;
    auto const a = hn::BitCast(pairs, hn::InterleaveLower(d, v[0], v[1]));
    auto const b = hn::BitCast(pairs, hn::InterleaveLower(d, v[2], v[3]));
    auto const c = hn::BitCast(pairs, hn::InterleaveUpper(d, v[0], v[1]));
    auto const e = hn::BitCast(pairs, hn::InterleaveUpper(d, v[2], v[3]));
    v[0] = hn::BitCast(d, hn::InterleaveLower(pairs, a, b));
    v[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, a, b));
    v[2] = hn::BitCast(d, hn::InterleaveLower(pairs, c, e));
    v[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, c, e));
  }
}

/// One Kogge-Stone step over the totals of a row, in index order: every total gets the one `Stride` groups before it.
template <class Op, class T, std::size_t Stride>
HWY_INLINE void kogge_stone_step(vector<T> (&total)[sets<T>], vector<T> identity)
{
  using dom = domain<Op, T>;
  if constexpr (Stride < lanes<T>) {
    HWY_UNROLL(32)
    for (std::size_t i = 0; i < sets<T>; ++i) {
      std::size_t const s = sets<T> - 1 - i;
      total[s] = dom::op(shift_in<Stride, T>(s > 0 ? total[s - 1] : identity, total[s]), total[s]);
    }
  } else {
    constexpr std::size_t whole = Stride / lanes<T>;
    HWY_UNROLL(32)
    for (std::size_t i = 0; i < sets<T> - whole; ++i) {
      std::size_t const s = sets<T> - 1 - i;
      total[s] = dom::op(total[s - whole], total[s]);
    }
  }
}

template <class Op, class T, std::size_t Stride = 1>
HWY_INLINE void kogge_stone(vector<T> (&total)[sets<T>], vector<T> identity)
{
  if constexpr (Stride < order::row_groups) {
    kogge_stone_step<Op, T, Stride>(total, identity);
    kogge_stone<Op, T, 2 * Stride>(total, identity);
  }
}

/// Scans a tile row by row.
template <class Op, class T, direction Shift>
class ordered_scan {
  using vec = vector<T>;
  using dom = domain<Op, T>;

public:
  HWY_INLINE explicit ordered_scan(tile_job<T> const& job)
      : identity_(hn::Set(d, Op::template identity<T>())),
        carry_(hn::Set(d, job.carry)),
        previous_(hn::Set(d, job.previous)),
        strips_(identity_),
        rows_(identity_),
        local_(identity_)
  {
  }

  /// The next `Count` rows, all of one strip, side by side: one hides the other's latency; `along(piece)` at each piece of them.
  /// Tile-local values of one row also to `locals` unless that is null.
  template <std::size_t Count, class Along>
  HWY_INLINE void rows(T const* in, T* out, Along&& along, T* locals = nullptr)
  {
    // The first half of the pieces goes with loading, the other with storing.
    constexpr std::size_t units = Count * sets<T>;
    constexpr std::size_t half = Count * pieces / 2;
    auto const along_unit = [&](std::size_t unit, std::size_t first) HWY_ATTR {
      for (std::size_t piece = unit * half / units; piece < (unit + 1) * half / units; ++piece) along(first + piece);
    };
    vec value[Count][sets<T>][members<T>];
    vec total[Count][sets<T>];
    HWY_UNROLL(2)
    for (std::size_t r = 0; r < Count; ++r) {
      HWY_UNROLL(16)
      for (std::size_t s = 0; s < sets<T>; ++s) {
        load(in + r * order::row<T> + s * set_size, value[r][s], total[r][s]);
        along_unit(r * sets<T> + s, 0);
      }
    }
    steps<Count, 1>(total);
    HWY_UNROLL(2)
    for (std::size_t r = 0; r < Count; ++r) {
      add_base(value[r], total[r]);
      if (locals != nullptr)
        for (std::size_t s = 0; s < sets<T>; ++s) store(locals + s * set_size, value[r][s]);
    }
    local_ = value[Count - 1][sets<T> - 1][members<T> - 1];
    HWY_UNROLL(2)
    for (std::size_t r = 0; r < Count; ++r) {
      add_carry(value[r]);
      HWY_UNROLL(16)
      for (std::size_t s = 0; s < sets<T>; ++s) {
        store(out + r * order::row<T> + s * set_size, value[r][s]);
        along_unit(r * sets<T> + s, half);
      }
    }
  }

  /// The tile-local value of the last element so far, if the last row was whole.
  HWY_INLINE T last() const { return hn::ExtractLane(local_, lanes<T> - 1); }

private:
  using set_values = vec[members<T>];
  using row_values = set_values[sets<T>];
  using row_totals = vec[sets<T>];
  static constexpr std::size_t set_size = members<T> * lanes<T>;

  // Groups left to right; their totals in index order.
  static HWY_INLINE void load(T const* in, set_values& value, vec& total)
  {
    HWY_UNROLL(4)
    for (std::size_t m = 0; m < members<T>; ++m) value[m] = hn::LoadU(d, in + m * lanes<T>);
    transpose<T>(value);
    HWY_UNROLL(4)
    for (std::size_t m = 1; m < members<T>; ++m) value[m] = dom::op(value[m - 1], value[m]);
    total = natural<T>(value[members<T> - 1]);
  }

  // Kogge-Stone from stride `Stride` on.
  template <std::size_t Count, std::size_t Stride>
  HWY_INLINE void steps(row_totals (&total)[Count])
  {
    if constexpr (Stride < order::row_groups) {
      HWY_UNROLL(2)
      for (std::size_t r = 0; r < Count; ++r) kogge_stone_step<Op, T, Stride>(total[r], identity_);
      steps<Count, 2 * Stride>(total);
    }
  }

  // Tile-local values; takes the row's total into what is before the next one.
  HWY_INLINE void add_base(row_values& value, row_totals const& total)
  {
    vec const base = dom::op(strips_, rows_);
    HWY_UNROLL(16)
    for (std::size_t s = 0; s < sets<T>; ++s) {
      vec const before = transposed<T>(dom::op(base, shift_in<1, T>(s > 0 ? total[s - 1] : identity_, total[s])));
      HWY_UNROLL(4)
      for (std::size_t m = 0; m < members<T>; ++m) value[s][m] = dom::op(before, value[s][m]);
    }
    rows_ = dom::op(rows_, broadcast_last<T>(total[sets<T> - 1]));
    if (++count_ % order::strip_rows == 0) {
      strips_ = dom::op(strips_, rows_);
      rows_ = identity_;
    }
  }

  HWY_INLINE void add_carry(row_values& value)
  {
    HWY_UNROLL(16)
    for (std::size_t s = 0; s < sets<T>; ++s) {
      HWY_UNROLL(4)
      for (std::size_t m = 0; m < members<T>; ++m) value[s][m] = dom::op(carry_, value[s][m]);
      if constexpr (Shift == direction::exclusive) {
        // The first of a group is the last of the group before it; within a group the members move up by one.
        vec const last = natural<T>(value[s][members<T> - 1]);
        HWY_UNROLL(4)
        for (std::size_t m = members<T> - 1; m > 0; --m) value[s][m] = value[s][m - 1];
        value[s][0] = transposed<T>(shift_in<1, T>(previous_, last));
        previous_ = last;
      }
    }
  }

  static HWY_INLINE void store(T* out, set_values const& value)
  {
    vec result[members<T>];
    HWY_UNROLL(4)
    for (std::size_t m = 0; m < members<T>; ++m) result[m] = value[m];
    transpose<T>(result);
    HWY_UNROLL(4)
    for (std::size_t m = 0; m < members<T>; ++m) hn::StoreU(result[m], d, out + m * lanes<T>);
  }

  static constexpr vector_tag<T> d{};
  vec identity_;
  vec carry_;
  vec previous_;  // its last lane is the inclusive result before this row
  vec strips_;    // total of the strips before this one, in all lanes
  vec rows_;      // total of the rows before this one in the strip, in all lanes
  vec local_;     // its last lane is the last tile-local value
  std::size_t count_ = 0;
};

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
