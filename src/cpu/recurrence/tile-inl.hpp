// A tile of a recurrence, row by row. Rows are written in pairs, which have the size of a row of sums.
#if defined(TALLY_CPU_RECURRENCE_TILE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_RECURRENCE_TILE_INL
#undef TALLY_CPU_RECURRENCE_TILE_INL
#else
#define TALLY_CPU_RECURRENCE_TILE_INL
#endif

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "src/cpu/around_cache-inl.hpp"
#include "src/cpu/recurrence/maps-inl.hpp"
#include "src/cpu/recurrence/row_of_groups-inl.hpp"
#include "src/cpu/recurrence/rows_before-inl.hpp"
#include "src/cpu/recurrence/stored-inl.hpp"
#include "src/cpu/some_lanes-inl.hpp"
#include "tally/detail/cpu/recurrences.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/recurrence/steps.hpp"
#include "tally/half.hpp"
#include "tally/order.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

static_assert(2 * order::recurrence::row<float> * sizeof(float) == row_bytes &&
              2 * order::recurrence::row<double> * sizeof(double) == row_bytes &&
              2 * order::recurrence::row<half> * sizeof(half) == row_bytes);

/// Totals a tile, a row after the other.
template <class S>
class recurrence_total {
  using T = state<S>;

public:
  HWY_INLINE recurrence_total() : rows_(hn::Zero(vector_tag<T>{})) {}

  HWY_INLINE void row(S const* a, S const* b)
  {
    row_of_groups<S> own;
    own.template take<true>(a, b, own.size);
    rows_.push(own.total());
  }
  /// The tile's total; all rows have been taken.
  HWY_INLINE affine<T> finish() const
  {
    maps<T> const all = rows_.total();
    return {hn::GetLane(all.scale), hn::GetLane(all.offset)};
  }

private:
  rows_before<T> rows_;
};

template <class S>
affine<state<S>> total_of_recurrence(S const* a, std::size_t a_row, S const* b)
{
  recurrence_total<S> total;
  for (std::size_t r = 0; r < order::strip_rows * order::tile_strips; ++r)
    total.row(a + r * a_row, b + r * order::recurrence::row<S>);
  return total.finish();
}

/// Runs one tile.
template <class S>
class recurrence_tile {
  using T = state<S>;
  using row_of = row_of_groups<S>;
  using states = typename row_of::results;
  static constexpr std::size_t row = order::recurrence::row<S>;
  static constexpr std::size_t pair = 2 * row;
  static constexpr std::size_t line = line_bytes / sizeof(S);
  static constexpr std::size_t ahead = 4096 / sizeof(S);  // elements by which the input is fetched ahead

public:
  explicit recurrence_tile(recurrence_job<S> const& job) : job_(job) {}

  recurrence_totals<S> run()
  {
    HWY_ALIGN S results[pair];
    rows_before<T> before(hn::Set(vector_tag<T>{}, job_.carry));
    if (job_.out != nullptr && job_.to == stores::streaming) {
      line_writer writer(job_.out);
      detail::took(writer.in_phase() ? "recurrence: whole lines" : "recurrence: lines across rows");
      take_pairs<true>(before, &writer, results);
      std::size_t const count = rest(before, results);
      writer.finish(results, count * sizeof(S));
      finite_ += count;
    } else {
      detail::took("recurrence: rows through the cache");
      take_pairs<false>(before, nullptr, results);
      std::size_t const count = rest(before, results);
      if (count > 0 && job_.out != nullptr) std::memcpy(job_.out + finite_, results, count * sizeof(S));
      finite_ += count;
    }
    maps<T> const total = before.total();
    recurrence_totals<S> all{{hn::GetLane(total.scale), hn::GetLane(total.offset)}, {}, finite_};
    if (job_.next_b != nullptr && finite_ == job_.size) all.next = next_.finish();
    return all;
  }

private:
  /// Takes whole pairs of rows. Results go to `writer` if they stream. Those of the first pair with one that is not
  /// finite go to `odd`.
  template <bool Streams>
  HWY_INLINE void take_pairs(rows_before<T>& given, line_writer* writer, S* odd)
  {
    std::size_t const end = job_.size / pair * pair;
    if (end == 0) return;
    rows_before<T> before = given;  // in registers
    row_of first, second;
    first.template take<true>(job_.a, job_.b, row);
    for (std::size_t k = 0; k < end; k += pair) {
      S* to = odd;
      if constexpr (Streams) {
        writer->all_lines();
        to = reinterpret_cast<S*>(writer->place());
      } else {
        if (job_.out != nullptr) to = job_.out + k;
      }
      take_along(k);
      bool const first_finite = put_and_take(first, second, k + row, before, to, odd);
      take_along(k + row);
      bool const second_finite = put_and_take(second, first, k + pair < end ? k + pair : k, before,
                                              first_finite ? to + row : odd + row, odd + row);
      if (HWY_UNLIKELY(!(first_finite && second_finite))) {
        if (first_finite && to != odd) std::memcpy(odd, to, row * sizeof(S));
        stopped_ = true;
        break;
      }
      if constexpr (Streams) writer->next();
      finite_ = k + pair;
    }
    given = before;
  }

  /// Puts the states of a row at `to`, or at `odd` if one is not finite, and takes the next row, which begins at step
  /// k. Returns whether all are finite.
  HWY_INLINE bool put_and_take(row_of& of, row_of& next, std::size_t k, rows_before<T>& before, S* to, S* odd) const
  {
    states result;
    bool const finite = of.states_and_take(before.state(), result, next, job_.a + k / row * job_.a_row, job_.b + k);
    before.push(of.total());
    result.store(finite ? to : odd);
    return finite;
  }

  /// The work besides for the row at k.
  HWY_INLINE void take_along(std::size_t k)
  {
    if (job_.next_b != nullptr) {
      next_.row(job_.next_a + k / row * job_.a_row, job_.next_b + k);
      fetch(job_.next_a, job_.next_b, k);
    } else {
      fetch(job_.a, job_.b, k);
    }
  }
  /// Fetches a row ahead.
  HWY_INLINE void fetch(S const* a, S const* b, std::size_t k) const
  {
    if (!job_.ahead) return;
    for (std::size_t i = 0; i < row; i += line) __builtin_prefetch(b + k + ahead + i, 0, to_second_level);
    if (job_.a_row == 0) return;
    for (std::size_t i = 0; i < row; i += line) __builtin_prefetch(a + k + ahead + i, 0, to_second_level);
  }

  /// The number of results behind the whole pairs of rows, which are in `results`, before the first one that is not
  /// finite.
  HWY_INLINE std::size_t rest(rows_before<T>& before, S* results)
  {
    if (stopped_) return first_odd(results, pair);
    std::size_t const count = job_.size - finite_;
    if (count == 0) return 0;
    detail::took(count <= row ? "recurrence: a short row" : "recurrence: two rows, one of them short");
    S const* const a = job_.a + finite_ / row * job_.a_row;
    S const* const b = job_.b + finite_;
    bool all = true;
    std::size_t k = 0;
    if (count >= row) {
      row_of whole;
      whole.template take<true>(a, b, row);
      all = put(whole, before, results);
      k = row;
    }
    if (count > k) all = put_short_row(a + k / row * job_.a_row, b + k, count - k, before, results + k) && all;
    return all ? count : first_odd(results, count);
  }
  HWY_INLINE bool put_short_row(S const* a, S const* b, std::size_t count, rows_before<T>& before, S* results) const
  {
    row_of own;
    if constexpr (has_masks<raw<S>>) {
      own.template take<false>(a, b, count);
    } else {
      HWY_ALIGN S some[2][row] = {};
      std::memcpy(some[0], a, count * sizeof(S));
      std::memcpy(some[1], b, count * sizeof(S));
      own.template take<true>(some[0], some[1], row);
    }
    return put(own, before, results);
  }
  /// Puts the states of a row.
  static HWY_INLINE bool put(row_of& of, rows_before<T>& before, S* results)
  {
    states result;
    bool const finite = of.states(before.state(), result);
    before.push(of.total());
    result.store(results);
    return finite;
  }

  static HWY_NOINLINE std::size_t first_odd(S const* results, std::size_t count)
  {
    std::size_t k = 0;
    while (k < count && detail::recurrence::is_finite(results[k])) ++k;
    if (k < count) detail::took("recurrence: a result that is not finite");
    return k;
  }

  recurrence_job<S> const& job_;
  recurrence_total<S> next_;
  std::size_t finite_ = 0;
  bool stopped_ = false;
};

template <class S>
recurrence_totals<S> tile_of_recurrence(recurrence_job<S> const& job)
{
  return recurrence_tile<S>(job).run();
}

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
