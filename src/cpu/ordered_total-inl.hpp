// The total of a tile in the order of docs/order.md, for float and double.
#if defined(TALLY_CPU_ORDERED_TOTAL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_ORDERED_TOTAL_INL
#undef TALLY_CPU_ORDERED_TOTAL_INL
#else
#define TALLY_CPU_ORDERED_TOTAL_INL
#endif

#include <algorithm>
#include <cstddef>

#include "src/cpu/ordered-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

/// Totals a tile row by row.
template <class Op, class T>
class ordered_total {
  using vec = vector<T>;
  using dom = domain<Op, T>;
  static constexpr std::size_t batch_rows = lanes<T>;  // so that a batch has 32 vectors, whatever their length

public:
  HWY_INLINE void row(T const* in)
  {
    HWY_UNROLL(16)
    for (std::size_t s = 0; s < sets<T>; ++s) set(in, s);
    end_row();
  }

  /// A row by pieces, in order.
  HWY_INLINE void piece(T const* row, std::size_t index)
  {
    for (std::size_t s = index * sets<T> / pieces; s < (index + 1) * sets<T> / pieces; ++s) set(row, s);
    if (index + 1 == pieces) end_row();
  }

  /// The tile's total, which is the tile-local value of the last of `size` elements of one more row, 1 <= size <= row.
  HWY_INLINE T finish(T const* in, std::size_t size)
  {
    constexpr T identity = Op::template identity<T>();
    Op op;

    // The last row first: its steps wait for one another, and what follows does not wait for them.
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
    // The folds of the strips do not depend on one another: side by side they hide each other's latency.
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
    return op(op(op(strips, last_rows), group > 0 ? scanned[group - 1] : identity), groups[group]);
  }

private:
  // The totals of a set's groups, in index order.
  static HWY_INLINE vec set_totals(T const* row, std::size_t s)
  {
    vec value[members<T>];
    HWY_UNROLL(4)
    for (std::size_t m = 0; m < members<T>; ++m) value[m] = hn::LoadU(d, row + (s * members<T> + m) * lanes<T>);
    transpose<T>(value);
    vec sum = value[0];
    HWY_UNROLL(4)
    for (std::size_t m = 1; m < members<T>; ++m) sum = dom::op(sum, value[m]);
    return natural<T>(sum);
  }

  HWY_INLINE void set(T const* row, std::size_t s) { batch_[(count_ % batch_rows) * sets<T> + s] = set_totals(row, s); }

  HWY_INLINE void end_row()
  {
    if (++count_ % batch_rows == 0) merge<order::row_groups>();
  }

  // Five levels of the balanced tree over the 32 groups of each row, whose totals are in the first `Vectors` of the
  // batch: neighbours are combined, left operand first.
  template <std::size_t Vectors>
  HWY_INLINE void merge()
  {
    std::size_t width = Vectors / 2;
    HWY_UNROLL(5)
    for (std::size_t level = 1; level < order::row_groups; level *= 2) {
      for (std::size_t i = 0; i < width; ++i) batch_[i] = neighbours(i);
      width = width > 1 ? width / 2 : 1;
    }
    hn::StoreU(batch_[0], d, rows_ + (count_ - 1) / batch_rows * batch_rows);
  }

  // The same for fewer rows than a batch has.
  HWY_INLINE void merge_rest()
  {
    std::size_t const used = (count_ % batch_rows) * sets<T>;
    if (used == 0) return;
    constexpr std::size_t half = order::row_groups / 2;
    bool const few = used <= half;
    for (std::size_t i = used; i < (few ? half : 2 * half); ++i) batch_[i] = hn::Set(d, Op::template identity<T>());
    few ? merge<half>() : merge<2 * half>();
  }

  HWY_INLINE vec neighbours(std::size_t i) const
  {
    auto const even = hn::ConcatEven(d, batch_[2 * i + 1], batch_[2 * i]);
    auto const odd = hn::ConcatOdd(d, batch_[2 * i + 1], batch_[2 * i]);
    return dom::op(even, odd);
  }

  static constexpr vector_tag<T> d{};
  vec batch_[order::row_groups];
  HWY_ALIGN T rows_[order::tile<T> / order::row<T>];
  std::size_t count_ = 0;
};

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
