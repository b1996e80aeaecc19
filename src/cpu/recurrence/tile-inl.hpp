// A tile of a recurrence, a pair of rows at a time.
#if defined(TALLY_CPU_RECURRENCE_TILE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_RECURRENCE_TILE_INL
#undef TALLY_CPU_RECURRENCE_TILE_INL
#else
#define TALLY_CPU_RECURRENCE_TILE_INL
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "src/cpu/around_cache-inl.hpp"
#include "src/cpu/recurrence/maps-inl.hpp"
#include "tally/detail/cpu/recurrences.hpp"
#include "tally/detail/path.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

template <class T>
inline constexpr std::size_t step_row = order::row<affine<T>>;
/// Elements of the groups in `members` vectors.
template <class T>
inline constexpr std::size_t step_set = step_members<T> * lanes<T>;
static_assert(2 * step_row<float> * sizeof(float) == row_bytes && 2 * step_row<double> * sizeof(double) == row_bytes);

/// The maps of the rows of a tile before the present one.
template <class T>
class rows_before {
public:
  // Not a default one: GCC would compile it for another instruction set.
  HWY_INLINE rows_before() : rows_(nothing_later<T>()), strips_(rows_) {}

  /// Whether there is none.
  bool none() const { return count_ == 0; }
  /// Requires  !none().
  HWY_INLINE maps<T> base() const
  {
    if (count_ < order::strip_rows) return rows_;
    return count_ % order::strip_rows == 0 ? strips_ : then<T>(strips_, rows_);
  }
  /// `total` in all lanes.
  HWY_INLINE void push(maps<T> const& total)
  {
    rows_ = count_ % order::strip_rows == 0 ? total : then<T>(rows_, total);
    ++count_;
    if (count_ % order::strip_rows == 0) strips_ = count_ == order::strip_rows ? rows_ : then<T>(strips_, rows_);
  }

private:
  maps<T> rows_;    // of this strip
  maps<T> strips_;  // before this one
  std::size_t count_ = 0;
};

/// Runs a recurrence row by row.
template <class T>
class recurrence_rows {
  using vec = vector<T>;
  static constexpr vector_tag<T> d{};
  static constexpr std::size_t vectors = group_vectors<T>;
  static constexpr std::size_t members = step_members<T>;

public:
  HWY_INLINE explicit recurrence_rows(T carry) : carry_(hn::Set(d, carry)), last_(nothing_later<T>()) {}

  /// `Rows` rows, their groups combined and their totals scanned. Only the first `size` elements are there, unless all
  /// are; the others are zeros.
  template <std::size_t Rows, bool Whole = true>
  struct taken {
    maps<T> value[Rows][vectors][members];
    maps<T> total[Rows][vectors];

    HWY_INLINE taken(T const* a, std::size_t a_row, T const* b, std::size_t size = Rows * step_row<T>)
    {
      HWY_UNROLL(2)
      for (std::size_t r = 0; r < Rows; ++r) {
        HWY_UNROLL(16)
        for (std::size_t v = 0; v < vectors; ++v) {
          std::size_t const k = r * step_row<T> + v * step_set<T>;
          load_maps<Whole, T>(a + r * a_row + v * step_set<T>, b + k, size > k ? size - k : 0, value[r][v]);
          total[r][v] = value[r][v][members - 1];
        }
      }
      kogge_stone_of_maps<T>(total);
    }
  };

  /// Computes the results of row r of those. Whether all are finite.
  template <class Taken>
  HWY_INLINE bool results(Taken const& those, std::size_t r, vec (&result)[vectors][members])
  {
    bool const first = before_.none();
    auto const absent = hn::FirstN(d, first ? 1 : 0);
    maps<T> upto[vectors];  // the groups before each
    HWY_UNROLL(16)
    for (std::size_t v = 0; v < vectors; ++v)
      upto[v] = shift_in<1, T>(v > 0 ? those.total[r][v - 1] : nothing_later<T>(), those.total[r][v]);
    if (!first) {
      maps<T> const base = before_.base();
      HWY_UNROLL(16)
      for (std::size_t v = 0; v < vectors; ++v) upto[v] = then<T>(base, upto[v]);
    }
    before_.push(broadcast_last<T>(those.total[r][vectors - 1]));
    vec odd = hn::Zero(d);  // becomes NaN by an infinity or a NaN
    HWY_UNROLL(16)
    for (std::size_t v = 0; v < vectors; ++v) {
      HWY_UNROLL(2)
      for (std::size_t m = 0; m < members; ++m) {
        maps<T> const local =
            v == 0 ? then_unless<T>(absent, upto[v], those.value[r][v][m]) : then<T>(upto[v], those.value[r][v][m]);
        result[v][m] = hn::Add(hn::Mul(local.scale, carry_), local.offset);
        odd = hn::MulAdd(result[v][m], hn::Zero(d), odd);
        last_ = local;
      }
      interleave<T>(result[v]);
    }
    return hn::AllFalse(d, hn::IsNaN(odd));
  }

  /// The tile-local map of the last element of the last row.
  HWY_INLINE affine<T> last() const
  {
    return {hn::ExtractLane(last_.scale, lanes<T> - 1), hn::ExtractLane(last_.offset, lanes<T> - 1)};
  }

private:
  vec carry_;
  rows_before<T> before_;
  maps<T> last_;
};

/// Totals a tile, a pair of rows after the other.
template <class T>
class recurrence_total {
  using vec = vector<T>;
  static constexpr vector_tag<T> d{};
  static constexpr std::size_t vectors = group_vectors<T>;
  static constexpr std::size_t members = step_members<T>;
  static constexpr std::size_t batch_rows = lanes<T>;  // a batch then has 32 vectors of maps
  static constexpr std::size_t rows = order::strip_rows * order::tile_strips;

public:
  HWY_INLINE void row(T const* a, T const* b)
  {
    HWY_UNROLL(16)
    for (std::size_t v = 0; v < vectors; ++v)
      batch_[count_ % batch_rows * vectors + v] = total_of(a + v * step_set<T>, b + v * step_set<T>);
    if (++count_ % batch_rows == 0) merge();
  }

  /// The tile's total, from its last row; all rows have been taken.
  HWY_INLINE affine<T> finish(T const* a, T const* b)
  {
    maps<T> total[1][vectors];
    HWY_UNROLL(16)
    for (std::size_t v = 0; v < vectors; ++v) total[0][v] = total_of(a + v * step_set<T>, b + v * step_set<T>);
    maps<T> const own = total[0][vectors - 1];
    kogge_stone_of_maps<T>(total);
    affine<T> const last{hn::ExtractLane(own.scale, lanes<T> - 1), hn::ExtractLane(own.offset, lanes<T> - 1)};
    maps<T> const scanned = total[0][vectors - 1];
    affine<T> const upto{hn::ExtractLane(scanned.scale, lanes<T> - 2), hn::ExtractLane(scanned.offset, lanes<T> - 2)};
    // The folds of the strips are independent.
    affine<T> strip[order::tile_strips];
    for (std::size_t s = 0; s < order::tile_strips; ++s) strip[s] = row_at(s * order::strip_rows);
    for (std::size_t r = 1; r + 1 < order::strip_rows; ++r)
      for (std::size_t s = 0; s < order::tile_strips; ++s)
        strip[s] = one_then(strip[s], row_at(s * order::strip_rows + r));
    affine<T> strips{};
    for (std::size_t s = 0; s + 1 < order::tile_strips; ++s) {
      strip[s] = one_then(strip[s], row_at(s * order::strip_rows + order::strip_rows - 1));
      strips = s == 0 ? strip[0] : one_then(strips, strip[s]);
    }
    affine<T> const base = one_then(strips, strip[order::tile_strips - 1]);
    return one_then(one_then(base, upto), last);
  }

private:
  static HWY_INLINE maps<T> total_of(T const* a, T const* b)
  {
    maps<T> value[members];
    load_maps<true, T>(a, b, step_set<T>, value);
    return value[members - 1];
  }
  static HWY_INLINE affine<T> one_then(affine<T> const& earlier, affine<T> const& later)
  {
    return {later.scale * earlier.scale, later.scale * earlier.offset + later.offset};
  }
  HWY_INLINE affine<T> row_at(std::size_t r) const { return {scales_[r], offsets_[r]}; }

  // The five levels of the balanced tree over the groups of each row.
  HWY_NOINLINE void merge()
  {
    for (std::size_t width = order::row_groups / 2, level = 1; level < order::row_groups; level *= 2) {
      for (std::size_t i = 0; i < width; ++i) {
        maps<T> const &low = batch_[2 * i], &high = batch_[2 * i + 1];
        batch_[i] = then<T>({hn::ConcatEven(d, high.scale, low.scale), hn::ConcatEven(d, high.offset, low.offset)},
                            {hn::ConcatOdd(d, high.scale, low.scale), hn::ConcatOdd(d, high.offset, low.offset)});
      }
      width = width > 1 ? width / 2 : 1;
    }
    hn::StoreU(batch_[0].scale, d, scales_ + count_ - batch_rows);
    hn::StoreU(batch_[0].offset, d, offsets_ + count_ - batch_rows);
  }

  maps<T> batch_[order::row_groups];
  HWY_ALIGN T scales_[rows];
  HWY_ALIGN T offsets_[rows];
  std::size_t count_ = 0;
};

template <class T>
affine<T> total_of_recurrence(T const* a, std::size_t a_row, T const* b)
{
  constexpr std::size_t rows = order::strip_rows * order::tile_strips;
  recurrence_total<T> total;
  for (std::size_t r = 0; r < rows; ++r) total.row(a + r * a_row, b + r * step_row<T>);
  return total.finish(a + (rows - 1) * a_row, b + (rows - 1) * step_row<T>);
}

/// Runs one tile.
template <class T>
class recurrence_tile {
  using vec = vector<T>;
  static constexpr vector_tag<T> d{};
  static constexpr std::size_t vectors = group_vectors<T>;
  static constexpr std::size_t members = step_members<T>;
  static constexpr std::size_t row = step_row<T>;
  static constexpr std::size_t pair = 2 * row;
  static constexpr std::size_t line = line_bytes / sizeof(T);
  static constexpr std::size_t ahead = 4096 / sizeof(T);  // elements by which the input is fetched ahead

public:
  explicit recurrence_tile(recurrence_job<T> const& job) : job_(job), rows_(job.carry) {}

  recurrence_totals<T> run()
  {
    HWY_ALIGN T results[pair];
    if (job_.out == nullptr) {
      take_pairs([&](std::size_t) HWY_ATTR { return results; }, [] {}, results);
      finite_ += rest(results);
    } else if (job_.to == stores::streaming) {
      line_writer writer(job_.out);
      detail::took(writer.in_phase() ? "recurrence: whole lines" : "recurrence: lines across rows");
      take_pairs(
          [&](std::size_t) HWY_ATTR {
            writer.lines(0, row_bytes / line_bytes);
            return reinterpret_cast<T*>(writer.place());
          },
          [&] { writer.next(); }, results);
      std::size_t const count = rest(results);
      writer.finish(results, count * sizeof(T));
      finite_ += count;
    } else {
      detail::took("recurrence: rows through the cache");
      take_pairs([&](std::size_t k) HWY_ATTR { return job_.out + k; }, [] {}, results);
      std::size_t const count = rest(results);
      if (count > 0) std::memcpy(job_.out + finite_, results, count * sizeof(T));
      finite_ += count;
    }
    recurrence_totals<T> all{rows_.last(), {}, finite_};
    if (job_.next_b != nullptr && finite_ == job_.size) {
      std::size_t const last = order::tile<affine<T>> / row - 1;
      all.next = next_.finish(job_.next_a + last * job_.a_row, job_.next_b + last * row);
    }
    return all;
  }

private:
  /// Takes whole pairs of rows. Results go to place(k), of element k, and to `odd` of the first pair with one that is
  /// not finite.
  template <class Place, class Done>
  HWY_INLINE void take_pairs(Place&& place, Done&& done, T* odd)
  {
    for (std::size_t k = 0; k + pair <= job_.size; k += pair) {
      std::size_t const r = k / row;
      bool const totals = job_.next_b != nullptr;
      if (job_.ahead) {
        T const* const b = (totals ? job_.next_b : job_.b) + k;
        for (std::size_t i = 0; i < pair; i += line) __builtin_prefetch(b + ahead + i, 0, to_second_level);
        if (job_.a_row != 0) {
          T const* const a = (totals ? job_.next_a : job_.a) + k;
          for (std::size_t i = 0; i < pair; i += line) __builtin_prefetch(a + ahead + i, 0, to_second_level);
        }
      }
      typename recurrence_rows<T>::template taken<2> const those(job_.a + r * job_.a_row, job_.a_row, job_.b + k);
      if (totals) {
        next_.row(job_.next_a + r * job_.a_row, job_.next_b + k);
        next_.row(job_.next_a + (r + 1) * job_.a_row, job_.next_b + k + row);
      }
      vec result[2][vectors][members];
      bool const first = rows_.results(those, 0, result[0]);
      bool const second = rows_.results(those, 1, result[1]);
      bool const all = first && second;
      T* const to = HWY_LIKELY(all) ? place(k) : odd;
      store(result[0], to);
      store(result[1], to + row);
      if (HWY_UNLIKELY(!all)) {
        stopped_ = true;
        return;
      }
      done();
      finite_ = k + pair;
    }
  }

  static HWY_INLINE void store(vec const (&result)[vectors][members], T* to)
  {
    HWY_UNROLL(16)
    for (std::size_t v = 0; v < vectors; ++v) {
      HWY_UNROLL(2)
      for (std::size_t m = 0; m < members; ++m) hn::StoreU(result[v][m], d, to + v * step_set<T> + m * lanes<T>);
    }
  }

  /// The number of results behind the whole pairs of rows, which are in `results`, before the first one that is not
  /// finite.
  HWY_INLINE std::size_t rest(T* results)
  {
    if (stopped_) return first_odd(results, pair);
    std::size_t const count = job_.size - finite_;
    if (count == 0) return 0;
    bool const all = count <= row ? take_rest<1>(count, results) : take_rest<2>(count, results);
    return all ? count : first_odd(results, count);
  }

  template <std::size_t Rows>
  HWY_INLINE bool take_rest(std::size_t count, T* results)
  {
    detail::took(Rows == 1 ? "recurrence: a short row" : "recurrence: two rows, one of them short");
    T const* const a = job_.a + finite_ / row * job_.a_row;
    typename recurrence_rows<T>::template taken<Rows, false> const those(a, job_.a_row, job_.b + finite_, count);
    bool all = true;
    for (std::size_t r = 0; r < Rows; ++r) {
      vec result[vectors][members];
      all = rows_.results(those, r, result) && all;
      store(result, results + r * row);
    }
    return all;
  }

  static HWY_NOINLINE std::size_t first_odd(T const* results, std::size_t count)
  {
    std::size_t k = 0;
    while (k < count && std::isfinite(results[k])) ++k;
    if (k < count) detail::took("recurrence: a result that is not finite");
    return k;
  }

  recurrence_job<T> const& job_;
  recurrence_rows<T> rows_;
  recurrence_total<T> next_;
  std::size_t finite_ = 0;
  bool stopped_ = false;
};

template <class T>
recurrence_totals<T> tile_of_recurrence(recurrence_job<T> const& job)
{
  return recurrence_tile<T>(job).run();
}

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
