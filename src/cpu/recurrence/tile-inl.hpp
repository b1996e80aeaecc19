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
#include <optional>

#include "src/cpu/around_cache-inl.hpp"
#include "src/cpu/recurrence/maps-inl.hpp"
#include "src/cpu/recurrence/rows_before-inl.hpp"
#include "src/cpu/recurrence/rows_in_lanes-inl.hpp"
#include "src/cpu/recurrence/transposed-inl.hpp"
#include "src/cpu/tree-inl.hpp"
#include "tally/detail/cpu/recurrences.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/recurrence/steps.hpp"
#include "tally/half.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

template <class S>
inline constexpr std::size_t step_row = order::row<affine<S>>;
static_assert(2 * step_row<float> * sizeof(float) == row_bytes && 2 * step_row<double> * sizeof(double) == row_bytes &&
              2 * step_row<half> * sizeof(half) == row_bytes);

/// Runs a recurrence row by row.
template <class S>
class recurrence_rows {
  using T = state<S>;
  using vec = vector<T>;
  static constexpr vector_tag<T> d{};
  static constexpr std::size_t vectors = group_vectors<S>;
  static constexpr std::size_t members = step_members<S>;

public:
  HWY_INLINE explicit recurrence_rows(T carry) : carry_(hn::Set(d, carry)), base_(nothing_later<T>()), last_(base_) {}

  /// `Rows` rows, their groups combined and their totals scanned.
  template <std::size_t Rows>
  struct taken {
    maps<T> value[Rows][vectors][members];
    maps<T> total[Rows][vectors];

    /// Only the first `size` elements are there, unless all are; the others are zeros.
    template <bool Whole>
    HWY_INLINE void load(S const* a, std::size_t a_row, S const* b, std::size_t size)
    {
      HWY_UNROLL(2)
      for (std::size_t r = 0; r < Rows; ++r) {
        HWY_UNROLL(16)
        for (std::size_t v = 0; v < vectors; ++v) {
          std::size_t const k = r * step_row<S> + v * step_set<S>;
          load_maps<Whole, S>(a + r * a_row + v * step_set<S>, b + k, size > k ? size - k : 0, value[r][v]);
          total[r][v] = value[r][v][members - 1];
        }
      }
    }
  };

  /// Begins with the results of a row of these totals.
  HWY_INLINE void begin(maps<T> const (&total)[vectors])
  {
    first_ = before_.none();
    if (!first_) base_ = before_.base();
    before_.push(broadcast_last<T>(total[vectors - 1]));
  }

  /// Computes the results of vectors of groups v of a row, that of step j of each group in vector j. Returns whether
  /// all are finite when they are stored.
  HWY_INLINE bool results(maps<T> const (&value)[vectors][members], maps<T> const (&total)[vectors], std::size_t v,
                          vec (&result)[members])
  {
    maps<T> upto = shift_in<1, T>(v > 0 ? total[v - 1] : nothing_later<T>(), total[v]);  // the groups before each
    if (!first_) upto = then<T>(base_, upto);
    auto const absent = hn::FirstN(d, first_ ? 1 : 0);
    watch<S> seen;
    HWY_UNROLL(4)
    for (std::size_t m = 0; m < members; ++m) {
      last_ = v == 0 ? then_unless<T>(absent, upto, value[v][m]) : then<T>(upto, value[v][m]);
      result[m] = hn::Add(hn::Mul(last_.scale, carry_), last_.offset);
      seen.look(result[m]);
    }
    return seen.all_finite();
  }

  rows_before<T>& before() { return before_; }

  /// The tile-local map of the last element of the last row.
  HWY_INLINE affine<T> last() const
  {
    return {hn::ExtractLane(last_.scale, lanes<T> - 1), hn::ExtractLane(last_.offset, lanes<T> - 1)};
  }

private:
  vec carry_;
  rows_before<T> before_;
  maps<T> base_;  // the rows before the present one
  bool first_ = true;
  maps<T> last_;
};

/// The tree over the maps of groups, in index order.
template <class T>
struct tree_of_maps {
  using element = T;
  using value = maps<T>;
  static constexpr groups_in place = groups_in::index_order;

  template <std::size_t Level>
  static HWY_INLINE value level(value const& a, value const& b)
  {
    return then<T>(operand<Level, 0>(a, b), operand<Level, 1>(a, b));
  }

private:
  template <std::size_t Level, std::size_t Right>
  static HWY_INLINE value operand(value const& a, value const& b)
  {
    return {tree_operand<T, place, Level, Right>(a.scale, b.scale),
            tree_operand<T, place, Level, Right>(a.offset, b.offset)};
  }
};

/// Totals a tile, a row after the other.
template <class S>
class recurrence_total {
  using T = state<S>;
  using vec = vector<T>;
  static constexpr vector_tag<T> d{};
  static constexpr std::size_t vectors = group_vectors<S>;
  static constexpr std::size_t members = step_members<S>;
  using tree = tree_of_maps<T>;
  static constexpr std::size_t batch_rows = lanes<T>;
  static constexpr std::size_t rows = order::strip_rows * order::tile_strips;

public:
  HWY_INLINE void row(S const* a, S const* b)
  {
    maps<T> groups[vectors];
    HWY_UNROLL(16)
    for (std::size_t v = 0; v < vectors; ++v) groups[v] = total_of(a + v * step_set<S>, b + v * step_set<S>);
    combine_row<tree, 0, vectors>(groups);
    batch_[count_ % batch_rows] = groups[0];
    if (++count_ % batch_rows == 0) merge();
  }

  /// The tile's total, from its last row; all rows have been taken.
  HWY_INLINE affine<T> finish(S const* a, S const* b)
  {
    maps<T> total[1][vectors];
    HWY_UNROLL(16)
    for (std::size_t v = 0; v < vectors; ++v) total[0][v] = total_of(a + v * step_set<S>, b + v * step_set<S>);
    maps<T> const own = total[0][vectors - 1];
    kogge_stone_of_maps<T>(total, [](auto) {});
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
  static HWY_INLINE maps<T> total_of(S const* a, S const* b)
  {
    maps<T> value[members];
    load_maps<true, S>(a, b, step_set<S>, value);
    return value[members - 1];
  }
  static HWY_INLINE affine<T> one_then(affine<T> const& earlier, affine<T> const& later)
  {
    return {later.scale * earlier.scale, later.scale * earlier.offset + later.offset};
  }
  HWY_INLINE affine<T> row_at(std::size_t r) const { return {scales_[r], offsets_[r]}; }

  HWY_NOINLINE void merge()
  {
    maps<T> row[batch_rows];
    HWY_UNROLL(16)
    for (std::size_t r = 0; r < batch_rows; ++r) row[r] = batch_[r];
    combine_rows<tree, log2_of<vectors>>(row);
    hn::StoreU(row[0].scale, d, scales_ + count_ - batch_rows);
    hn::StoreU(row[0].offset, d, offsets_ + count_ - batch_rows);
  }

  maps<T> batch_[batch_rows];  // rows, each combined to one vector of maps
  HWY_ALIGN T scales_[rows];
  HWY_ALIGN T offsets_[rows];
  std::size_t count_ = 0;
};

template <class S>
affine<state<S>> total_of_recurrence(S const* a, std::size_t a_row, S const* b)
{
  constexpr std::size_t rows = order::strip_rows * order::tile_strips;
  recurrence_total<S> total;
  for (std::size_t r = 0; r < rows; ++r) total.row(a + r * a_row, b + r * step_row<S>);
  return total.finish(a + (rows - 1) * a_row, b + (rows - 1) * step_row<S>);
}

/// Runs one tile.
template <class S>
class recurrence_tile {
  using T = state<S>;
  using vec = vector<T>;
  static constexpr vector_tag<T> d{};
  static constexpr std::size_t vectors = group_vectors<S>;
  static constexpr std::size_t members = step_members<S>;
  static constexpr std::size_t row = step_row<S>;
  static constexpr std::size_t pair = 2 * row;
  static constexpr std::size_t line = line_bytes / sizeof(S);
  static constexpr std::size_t ahead = 4096 / sizeof(S);  // elements by which the input is fetched ahead
  // Rows of doubles are taken together, one in each lane, unless a vector is a whole line of memory: then a row has few
  // vectors, and moves of lanes are cheap. Rows of floats would be twice as many, of twice the steps: two threads that
  // share a core then have no room for them in its nearest cache.
  static constexpr bool in_lanes = sizeof(S) == 8 && lanes<T> * sizeof(T) < line_bytes;
  static constexpr std::size_t together = lanes<T> * row;  // elements

public:
  explicit recurrence_tile(recurrence_job<S> const& job) : job_(job) {}

  recurrence_totals<S> run()
  {
    HWY_ALIGN S results[in_lanes ? together : pair];
    recurrence_rows<S> rows(job_.carry);
    if (job_.out != nullptr && job_.to == stores::streaming) {
      line_writer writer(job_.out);
      detail::took(writer.in_phase() ? "recurrence: whole lines" : "recurrence: lines across rows");
      take_rows<true>(rows, &writer, results);
      std::size_t const count = rest(rows, results);
      writer.finish(results, count * sizeof(S));
      finite_ += count;
    } else {
      detail::took("recurrence: rows through the cache");
      take_rows<false>(rows, nullptr, results);
      std::size_t const count = rest(rows, results);
      if (count > 0 && job_.out != nullptr) std::memcpy(job_.out + finite_, results, count * sizeof(S));
      finite_ += count;
    }
    recurrence_totals<S> all{last_ ? *last_ : rows.last(), {}, finite_};
    if (job_.next_b != nullptr && finite_ == job_.size) {
      std::size_t const last = order::tile<affine<S>> / row - 1;
      all.next = next_.finish(job_.next_a + last * job_.a_row, job_.next_b + last * row);
    }
    return all;
  }

private:
  using one_row = typename recurrence_rows<S>::template taken<1>;

  using rows_together = rows_in_lanes<S>;

  template <bool Streams>
  HWY_INLINE void take_rows(recurrence_rows<S>& rows, line_writer* writer, S* odd)
  {
    // Two threads that total tiles from memory, and share a core, were no quicker with a row in each lane.
    if constexpr (in_lanes)
      if (job_.size >= together && (!Streams || job_.next_b == nullptr))
        take_together<Streams>(rows.before(), writer, odd);
    if (!stopped_) take_pairs<Streams>(rows, writer, odd);
  }

  /// Takes as many rows as a vector has lanes, as often as there are so many. Results go to `writer` if they stream.
  /// Those of the first pair with one that is not finite go to `odd`.
  template <bool Streams>
  HWY_INLINE void take_together(rows_before<T>& before, line_writer* writer, S* odd)
  {
    detail::took("recurrence: a row in each lane");
    HWY_ALIGN T a[2][together];
    HWY_ALIGN T b[2][together];
    HWY_ALIGN T prefixes[rows_together::room];
    vec const carry = hn::Set(d, job_.carry);
    std::size_t const end = job_.size / together * together;
    read_together(0, a[0], b[0]);
    for (std::size_t k = 0; k < end; k += together) {
      std::size_t const room = k / together % 2;
      rows_together now(a[room], b[room], prefixes);
      now.take(row);
      maps<T> const base = bases(before, now.total());
      for (std::size_t r = k / row; job_.next_b != nullptr && r < k / row + lanes<T>; ++r) {
        next_.row(job_.next_a + r * job_.a_row, job_.next_b + r * row);
        fetch(job_.next_a, job_.next_b, r * row);
      }
      // Before the results, which wait for the bases.
      if (k + together < end) read_together(k + together, a[1 - room], b[1 - room]);
      // The rows after those are fetched a little with each result: all at once they would hold up the results.
      S const* const later_a = job_.a + (k / row + 2 * lanes<T>)*job_.a_row;
      S const* const later_b = job_.b + k + 2 * together;
      S const* const later_out = !Streams && job_.out != nullptr ? job_.out + k + together : later_b;
      auto const put = [=, to = b[room]](std::size_t i, vec y) HWY_ATTR {
        hn::Store(y, d, to + i * lanes<T>);
        __builtin_prefetch(later_a + i * lanes<T>);
        __builtin_prefetch(later_b + i * lanes<T>);
        if constexpr (!Streams) __builtin_prefetch(later_out + i * lanes<T>);
      };
      bool const all = k == 0 ? now.template results<nothing_before::first_lane>(base, carry, row, put)
                              : now.template results<nothing_before::none>(base, carry, row, put);
      S* const to = Streams || !all || job_.out == nullptr ? odd : job_.out + k;
      write_equal<1>(regular_places<S>{to, static_cast<std::ptrdiff_t>(row)}, row, b[room]);
      if (HWY_UNLIKELY(!all)) {
        std::size_t good = 0;
        for (; first_odd(odd + good, pair) == pair; good += pair) put_pair<Streams>(writer, odd + good);
        std::memmove(odd, odd + good, pair * sizeof(S));
        stopped_ = true;
        return;
      }
      if constexpr (Streams)
        for (std::size_t i = 0; i < together; i += pair) put_pair<true>(writer, odd + i);
      finite_ = k + together;
      if (finite_ == order::tile<affine<S>>)
        last_ = affine<T>{hn::ExtractLane(now.last().scale, lanes<T> - 1),
                          hn::ExtractLane(now.last().offset, lanes<T> - 1)};
    }
  }
  /// Puts a pair of rows behind those before.
  template <bool Streams>
  HWY_INLINE void put_pair(line_writer* writer, S const* results)
  {
    if constexpr (Streams) {
      writer->all_lines();
      std::memcpy(writer->place(), results, pair * sizeof(S));
      writer->next();
    } else if (job_.out != nullptr) {
      std::memcpy(job_.out + finite_, results, pair * sizeof(S));
    }
    finite_ += pair;
  }
  HWY_INLINE void read_together(std::size_t k, T* a, T* b) const
  {
    auto const apart = static_cast<std::ptrdiff_t>(job_.a_row);
    read_equal<1>(regular_places<S const>{job_.a + k / row * job_.a_row, apart}, row, a);
    read_equal<1>(regular_places<S const>{job_.b + k, static_cast<std::ptrdiff_t>(row)}, row, b);
  }
  /// The rows before each of these, whose totals it adds to `before`. Scale 1 where there is none.
  static HWY_INLINE maps<T> bases(rows_before<T>& before, maps<T> const& totals)
  {
    HWY_ALIGN T scales[lanes<T>];
    HWY_ALIGN T offsets[lanes<T>];
    hn::Store(totals.scale, d, scales);
    hn::Store(totals.offset, d, offsets);
    vec scale = hn::Set(d, T(1)), offset = hn::Zero(d);
    HWY_UNROLL(16)
    for (std::size_t r = 0; r < lanes<T>; ++r) {
      if (r > 0 || !before.none()) {
        maps<T> const own = before.base();
        auto const earlier = hn::FirstN(d, r);
        scale = hn::IfThenElse(earlier, scale, own.scale);
        offset = hn::IfThenElse(earlier, offset, own.offset);
      }
      before.push({hn::Set(d, scales[r]), hn::Set(d, offsets[r])});
    }
    return {scale, offset};
  }

  /// Takes whole pairs of rows. Results go to `writer` if they stream. Those of the first pair with one that is not
  /// finite go to `odd`, as far as the vectors with it.
  ///
  /// A row is taken while the results of the one before are computed, step by step: the steps of Kogge and Stone wait
  /// for one another, and the processor does not look so far ahead by itself.
  template <bool Streams>
  HWY_INLINE void take_pairs(recurrence_rows<S>& given, line_writer* writer, S* odd)
  {
    std::size_t const end = finite_ + (job_.size - finite_) / pair * pair;
    if (end == finite_) return;
    recurrence_rows<S> rows = given;  // in registers
    one_row now;
    load(now, finite_);
    kogge_stone_of_maps<T>(now.total, [](auto) {});
    S* to = odd;  // of the pair
    for (std::size_t k = finite_; k < end; k += row) {
      std::size_t const in_pair = k % pair;
      if (job_.next_b != nullptr) {
        next_.row(job_.next_a + k / row * job_.a_row, job_.next_b + k);
        fetch(job_.next_a, job_.next_b, k);
      } else {
        fetch(job_.a, job_.b, k);
      }
      if constexpr (Streams) {
        if (in_pair == 0) {
          writer->all_lines();
          to = reinterpret_cast<S*>(writer->place());
        }
      } else {
        if (job_.out != nullptr) to = job_.out + (k - in_pair);
      }
      one_row next;
      load(next, k + row < end ? k + row : k);
      std::size_t good = vectors;  // of groups, before the first one with a result that is not finite
      kogge_stone_of_maps<T>(next.total, [&](auto step) HWY_ATTR {
        constexpr std::size_t s = decltype(step)::value;
        HWY_UNROLL(16)
        for (std::size_t v = s * vectors / 5; v < (s + 1) * vectors / 5; ++v) {
          if (v == 0) rows.begin(now.total[0]);
          vec result[members];
          bool const all = rows.results(now.value[0], now.total[0], v, result);
          S* place = to + in_pair + v * step_set<S>;
          if (HWY_UNLIKELY(!all || good < v)) {
            good = std::min(good, v);
            place = odd + in_pair + v * step_set<S>;
          }
          store_groups<S>(result, place);
        }
      });
      if (HWY_UNLIKELY(good < vectors)) {
        if (to != odd) std::memcpy(odd, to, (in_pair + good * step_set<S>)*sizeof(S));
        stopped_ = true;
        break;
      }
      if (in_pair + row == pair) {
        if constexpr (Streams) writer->next();
        finite_ = k - in_pair + pair;
      }
      now = next;
    }
    given = rows;
  }

  HWY_INLINE void load(one_row& to, std::size_t k) const
  {
    to.template load<true>(job_.a + k / row * job_.a_row, job_.a_row, job_.b + k, row);
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
  HWY_INLINE std::size_t rest(recurrence_rows<S>& rows, S* results)
  {
    if (stopped_) return first_odd(results, pair);
    std::size_t const count = job_.size - finite_;
    if (count == 0) return 0;
    bool const all = count <= row ? take_rest<1>(rows, count, results) : take_rest<2>(rows, count, results);
    return all ? count : first_odd(results, count);
  }

  template <std::size_t Rows>
  HWY_INLINE bool take_rest(recurrence_rows<S>& rows, std::size_t count, S* results)
  {
    detail::took(Rows == 1 ? "recurrence: a short row" : "recurrence: two rows, one of them short");
    S const* const a = job_.a + finite_ / row * job_.a_row;
    typename recurrence_rows<S>::template taken<Rows> those;
    those.template load<false>(a, job_.a_row, job_.b + finite_, count);
    kogge_stone_of_maps<T>(those.total, [](auto) {});
    bool all = true;
    HWY_UNROLL(2)
    for (std::size_t r = 0; r < Rows; ++r) {
      rows.begin(those.total[r]);
      HWY_UNROLL(16)
      for (std::size_t v = 0; v < vectors; ++v) {
        vec result[members];
        all = rows.results(those.value[r], those.total[r], v, result) && all;
        store_groups<S>(result, results + r * row + v * step_set<S>);
      }
    }
    return all;
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
  std::optional<affine<T>> last_;  // of rows taken together
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
