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

/// Runs a tile of the columns, one row of the order after the other. A row of all columns is copied to memory in which
/// the steps of a vector of columns are neighbours: at distances that are powers of two they would share few sets of
/// the cache. While the vectors of a row are computed, results of the row before are written and the row behind it is
/// copied, some steps with each vector.
template <class S>
class recurrence_columns {
  using T = state<S>;
  using vec = vector<T>;
  static constexpr vector_tag<T> d{};
  using rows = rows_in_lanes<S>;
  static constexpr std::size_t row = rows::row;
  // A line more than the steps of a row, so that equal steps of neighbouring vectors have their own sets of the cache.
  static constexpr std::size_t distance = row * lanes<T> + std::max(line_bytes / sizeof(T), lanes<T>);
  static constexpr std::size_t streamed_together = sizeof(T) / sizeof(S);
  static constexpr std::size_t most_vectors = most_recurrence_columns<S> / lanes<T>;

public:
  explicit recurrence_columns(recurrence_columns_job<S> const& job)
      : job_(job),
        vectors_((job.width + lanes<T> - 1) / lanes<T>),
        last_lanes_(job.width - (vectors_ - 1) * lanes<T>)
  {
  }

  void run()
  {
    unit now{0, size_at(0), 0}, before{};
    read(now, 0, now.size);
    for (; now.size != 0;) {
      unit const next{now.first + now.size, size_at(now.first + now.size), 1 - now.room};
      std::size_t done = 0, written = 0;
      for (std::size_t v = 0; v < vectors_; ++v) {
        std::size_t const upto = next.size * (v + 1) / vectors_, out = before.size * (v + 1) / vectors_;
        compute(now, v);
        write(before, written, out);
        read(next, done, upto);
        done = upto;
        written = out;
      }
      before = now;
      now = next;
    }
    write(before, 0, before.size);
  }

private:
  /// Steps that are computed together: a row of the order, or its beginning.
  struct unit {
    std::size_t first, size, room;
    bool odd = false;  // whether it has a result that is not finite
  };

  std::size_t size_at(std::size_t k) const { return std::min(row, job_.size - k); }
  template <class U>
  static HWY_INLINE U* at(U* first, std::ptrdiff_t step, std::size_t k)
  {
    return first + static_cast<std::ptrdiff_t>(k) * step;
  }
  T* room(std::size_t number, std::size_t v) { return room_ + (number * most_vectors + v) * distance; }
  T* room_of_a(unit const& of, std::size_t v) { return room(2 * of.room, v); }
  T* room_of_b(unit const& of, std::size_t v) { return room(2 * of.room + 1, v); }
  T* slot(std::size_t number, std::size_t c) const { return job_.state + number * job_.stride + c; }
  maps<T> load_map(std::size_t number, std::size_t c) const
  {
    return {hn::LoadU(d, slot(number, c)), hn::LoadU(d, slot(number + 1, c))};
  }
  void store_map(std::size_t number, std::size_t c, maps<T> const& m)
  {
    hn::StoreU(m.scale, d, slot(number, c));
    hn::StoreU(m.offset, d, slot(number + 1, c));
  }

  /// Fetches a step behind step k, which may lie behind the tile. Where nothing lies between steps it is two pages
  /// behind, since the processor's own prefetching begins anew at each page, and the place of its results is fetched
  /// too. Along with the copies, as memory stalls on bursts (docs/measurements/cpu_notes.md).
  HWY_INLINE void fetch_behind(std::size_t k) const
  {
    bool const dense = job_.b_step == static_cast<std::ptrdiff_t>(job_.width);
    k += dense ? std::max<std::size_t>(1, 8192 / (job_.width * sizeof(S))) : 8;
    fetch<0, 2>(at(job_.b, job_.b_step, k));
    if (job_.a_across && job_.a_step != 0) fetch<0, 2>(at(job_.a, job_.a_step, k));
    if (dense && job_.out != nullptr && job_.to != stores::streaming) fetch<1, 3>(at(job_.out, job_.out_step, k));
  }
  template <int ToWrite, int Level>
  HWY_INLINE void fetch(S const* from) const
  {
    for (std::size_t i = 0; i < job_.width; i += line_bytes / sizeof(S)) __builtin_prefetch(from + i, ToWrite, Level);
  }

  /// Copies steps [from, upto) of a unit.
  HWY_INLINE void read(unit const& of, std::size_t from, std::size_t upto)
  {
    for (std::size_t k = from; k < upto; ++k) {
      S const* const a = at(job_.a, job_.a_step, of.first + k);
      T* const to = room_of_a(of, 0) + k * lanes<T>;
      if (job_.a_across)
        read_step(a, to);
      else
        for (std::size_t v = 0; v < vectors_; ++v) hn::Store(hn::Set(d, static_cast<T>(*a)), d, to + v * distance);
      read_step(at(job_.b, job_.b_step, of.first + k), room_of_b(of, 0) + k * lanes<T>);
      if (job_.ahead) fetch_behind(of.first + k);
    }
  }
  HWY_INLINE void read_step(S const* from, T* to) const
  {
    std::size_t v = 0;
    for (; v + 1 < vectors_; ++v) hn::Store(load_states(from + v * lanes<T>), d, to + v * distance);
    hn::Store(last_lanes_.load(from + v * lanes<T>), d, to + v * distance);
  }

  /// Writes the results of steps [from, upto) of a unit.
  HWY_INLINE void write(unit const& of, std::size_t from, std::size_t upto)
  {
    if (job_.out == nullptr) return;
    if (HWY_UNLIKELY(of.odd)) {
      write_finite(of, from, upto);
      return;
    }
    for (std::size_t k = from; k < upto; ++k) {
      S* const to = at(job_.out, job_.out_step, of.first + k);
      T const* const results = room_of_b(of, 0) + k * lanes<T>;
      if (job_.to == stores::streaming) {
        for (std::size_t v = 0; v < vectors_; v += streamed_together)
          stream_states<S>(results + v * distance, distance, to + v * lanes<T>);
      } else {
        std::size_t v = 0;
        for (; v + 1 < vectors_; ++v) store_states<S>(hn::Load(d, results + v * distance), to + v * lanes<T>);
        last_lanes_.store(hn::Load(d, results + v * distance), to + v * lanes<T>);
      }
    }
  }
  HWY_NOINLINE void write_finite(unit const& of, std::size_t from, std::size_t upto)
  {
    for (std::size_t k = from; k < upto; ++k) {
      for (std::size_t c = 0; c < job_.width; ++c) {
        if (job_.first + of.first + k < job_.bad[c])
          at(job_.out, job_.out_step, of.first + k)[c] =
              static_cast<S>(room_of_b(of, c / lanes<T>)[k * lanes<T> + c % lanes<T>]);
      }
    }
  }

  /// Replaces the terms of vector v by its results.
  HWY_INLINE void compute(unit& of, std::size_t v)
  {
    std::size_t const r = (job_.begin + of.first) / row, c = v * lanes<T>;
    bool const ends_tile = job_.ends_tile && of.first + of.size == job_.size;
    T* const results = room_of_b(of, v);
    rows of_vector(room_of_a(of, v), results, prefixes_);
    of_vector.take(of.size);
    if (job_.out == nullptr) {  // a whole tile, whose last row has rows before it
      if (ends_tile)
        store_map(recurrence_slot::total, c, of_vector.last_without_results(load_map(recurrence_slot::base, c)));
      else
        end_row(of_vector.total(), r, c);
      return;
    }
    auto const put = [&](std::size_t k, vec y) HWY_ATTR { hn::Store(y, d, results + k * lanes<T>); };
    vec const carry = hn::LoadU(d, slot(recurrence_slot::carry, c));
    bool const finite = r == 0 ? of_vector.template results<nothing_before::all>({carry, carry}, carry, of.size, put)
                               : of_vector.template results<nothing_before::none>(load_map(recurrence_slot::base, c),
                                                                                  carry, of.size, put);
    if (HWY_UNLIKELY(!finite)) find_odd(of, v);
    if (ends_tile)
      store_map(recurrence_slot::total, c, of_vector.last());
    else
      end_row(of_vector.total(), r, c);
  }

  HWY_INLINE void end_row(maps<T> own, std::size_t r, std::size_t c)
  {
    if (r % order::strip_rows != 0) own = then<T>(load_map(recurrence_slot::rows, c), own);
    maps<T> base = own;
    if (r >= order::strip_rows) base = then<T>(load_map(recurrence_slot::strips, c), own);
    if (r % order::strip_rows + 1 == order::strip_rows)
      store_map(recurrence_slot::strips, c, base);
    else
      store_map(recurrence_slot::rows, c, own);
    store_map(recurrence_slot::base, c, base);
  }

  /// Notes the first results of recurrences of vector v that are not finite.
  HWY_NOINLINE void find_odd(unit& of, std::size_t v)
  {
    detail::took("recurrence: a column with a result that is not finite");
    T const* const results = room_of_b(of, v);
    for (std::size_t i = 0; i < std::min(lanes<T>, job_.width - v * lanes<T>); ++i) {
      std::size_t& bad = job_.bad[v * lanes<T> + i];
      for (std::size_t k = 0; k < of.size && job_.first + of.first + k < bad; ++k) {
        if (!detail::recurrence::is_finite(static_cast<S>(results[k * lanes<T> + i]))) bad = job_.first + of.first + k;
      }
    }
    of.odd = true;
  }

  recurrence_columns_job<S> const& job_;
  std::size_t vectors_;
  first_states<S> last_lanes_;
  HWY_ALIGN T prefixes_[rows::room];
  HWY_ALIGN T room_[4 * most_vectors * distance];  // of two units
};

template <class S>
void run_columns_of_recurrences(recurrence_columns_job<S> const& job)
{
  recurrence_columns<S>(job).run();
}

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
