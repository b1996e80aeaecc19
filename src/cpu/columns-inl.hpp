// Scans and reductions of columns: the order with a sequence in each lane, and the ways in which their memory is read
// and written.
#if defined(TALLY_CPU_COLUMNS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_COLUMNS_INL
#undef TALLY_CPU_COLUMNS_INL
#else
#define TALLY_CPU_COLUMNS_INL
#endif

#include <algorithm>
#include <cstddef>

#include "src/cpu/around_cache-inl.hpp"
#include "src/cpu/lanes-inl.hpp"
#include "src/cpu/some_lanes-inl.hpp"
#include "tally/detail/cpu/kernels.hpp"
#include "tally/order.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

/// Sequences whose elements of one index are neighbours in memory: groups of elements of all sequences, in the order
/// of memory.
template <class Op, class T>
class column_scan {
  using vec = vector<T>;
  static constexpr vector_tag<T> d{};
  static constexpr std::size_t group = order::group<T>;

public:
  explicit column_scan(column_job<T> const& job) : job_(job) {}

  void run()
  {
    if (job_.first == 0) for_each_vector([&](auto lanes) HWY_ATTR { lanes.begin_tile(); });
    if (job_.out == nullptr)
      take_all<false>();
    else
      take_all<true>();
  }

private:
  // The groups of a chunk, and those that are taken at once. Operators without an order have no state that would be
  // read less often so, and groups of small types fill the registers.
  static constexpr std::size_t in_chunk = groups_at_once;
  static constexpr std::size_t several = sizeof(T) < 4 || exactly_associative<Op, T> ? 1 : groups_at_once;

  /// Rows of elements: where they are, where their results go, and how that memory is treated.
  struct rows {
    T const* in;
    std::ptrdiff_t in_step;
    T* out;
    std::ptrdiff_t out_step;
    std::size_t ahead = 0;      // rows by which `in` is fetched ahead
    std::size_t out_ahead = 0;  // the same of `out`
    bool streams = false;       // whether whole vectors are written around the cache
  };

  template <bool Results>
  void take_all()
  {
    std::size_t const end = job_.first + job_.size;
    std::size_t k = job_.first;
    if (Results && job_.chunks != nullptr && end - k >= in_chunk * group) k = take_chunks(k, end);
    while (k < end) {
      bool const many = job_.several_groups && end - k >= several * group;
      std::size_t const present = std::min(end - k, many ? several * group : group);
      rows const at = rows_at(k - job_.first);
      if (many)
        take_groups<Results, several>(at, k, present);
      else
        take_groups<Results, 1>(at, k, present);
      if (job_.stage != nullptr) write_stage(k - job_.first, present, k + present == end);
      k += present;
    }
  }

  /// The rows from the job's element k on.
  HWY_INLINE rows rows_at(std::size_t k) const
  {
    auto const distance = static_cast<std::ptrdiff_t>(k);
    rows at{job_.in + distance * job_.in_step, job_.in_step, nullptr, job_.out_step, job_.ahead};
    if (job_.out == nullptr) return at;
    if (job_.stage != nullptr) {
      at.out = job_.stage + staged_;
      at.out_step = static_cast<std::ptrdiff_t>(job_.width);
    } else {
      at.out = job_.out + distance * job_.out_step;
      at.out_ahead = job_.out_ahead;
      at.streams = job_.to == stores::streaming;
    }
    return at;
  }

  /// Takes as many whole chunks as there are from element k on, in the cache, and returns the element behind them.
  std::size_t take_chunks(std::size_t k, std::size_t end)
  {
    static_assert(in_chunk * group * sizeof(T) == line_bytes, "a chunk has a line for each column");
    auto const step = static_cast<std::ptrdiff_t>(job_.width);
    std::size_t const chunks = (end - k) / (in_chunk * group);
    chunk_exchange<T> exchange(job_.in, job_.out, job_.width, chunks, job_.chunks);
    for (std::size_t i = 0; i < chunks; ++i) {
      for (std::size_t g = 0; g < in_chunk; g += several, k += several * group) {
        T* const at = exchange.chunk() + g * group * job_.width;
        // Lines are exchanged along with the last groups.
        take_groups<true, several>({at, step, at, step}, k, several * group,
                                   g + several == in_chunk ? &exchange : nullptr);
      }
      exchange.next();
    }
    exchange.finish();
    return k;
  }

  template <class Call>
  HWY_INLINE void for_each_vector(Call&& call)
  {
    for (std::size_t c = 0; c < job_.width; c += lanes<T>) call(lane_order<Op, T>(job_.state + c, job_.stride));
  }

  /// Takes `Groups` groups from element k on, which begin at `at`; a single one may have fewer elements, `present`.
  /// Exchanges the lines of other chunks on the way.
  template <bool Results, std::size_t Groups>
  HWY_INLINE void take_groups(rows const at, std::size_t k, std::size_t present, chunk_exchange<T>* exchange = nullptr)
  {
    std::size_t c = 0;
    for (; c + lanes<T> <= job_.width; c += lanes<T>) {
      take<Results, Groups, true>(at, k, present, c);
      if (exchange != nullptr) exchange->lines(c, c + lanes<T>);
    }
    if (c < job_.width) {
      take<Results, Groups, false>(at, k, present, c);
      if (exchange != nullptr) exchange->lines(c, job_.width);
    }
    if constexpr (!exactly_associative<Op, T>)
      if ((k + present) % order::row<T> == 0)
        for_each_vector([&](auto lanes) HWY_ATTR { lanes.end_row(k / order::row<T>); });
  }

  /// The same of a vector of sequences from c on. `WholeLanes`: all of them are there.
  template <bool Results, std::size_t Groups, bool WholeLanes>
  HWY_INLINE void take(rows const at, std::size_t k, std::size_t present, std::size_t c)
  {
    constexpr std::size_t size = Groups * group;
    some_lanes<vector_tag<T>> const there(0, WholeLanes ? lanes<T> : job_.width - c);
    vec value[size];
    // Places are computed one from the other: all of them at once are more than there are registers.
    T const* from = at.in + c;
    HWY_UNROLL(64)
    for (std::size_t m = 0; m < size; ++m, from += at.in_step) {
      if (Groups == 1 && m >= present)
        value[m] = hn::Set(d, Op::template identity<T>());
      else if constexpr (WholeLanes)
        value[m] = hn::LoadU(d, from);
      else
        value[m] = there.load(from, Op::template identity<T>());
    }
    fetch<size, 0, 2>(at.in + c, at.in_step, at.ahead);
    T* const previous = job_.state + lane_slot::previous * job_.stride + c;
    vec const before = hn::LoadU(d, previous);
    lane_order<Op, T> order(job_.state + c, job_.stride);
    vec const local = order.template take<Results, Groups>(k / group % order::row_groups, value);
    if (k + present == job_.first + job_.size) order.end_tile(local);
    if constexpr (Results) {
      if (job_.shift == direction::exclusive) shift_results<Groups>(previous, before, value);
      fetch<size, 1, 3>(at.out + c, at.out_step, at.out_ahead);
      T* to = at.out + c;
      HWY_UNROLL(64)
      for (std::size_t m = 0; m < size; ++m, to += at.out_step) {
        if (Groups == 1 && m >= present) break;
        if constexpr (!WholeLanes)
          there.store(value[m], to);
        else if (at.streams)
          hn::Stream(value[m], d, to);
        else
          hn::StoreU(value[m], d, to);
      }
    }
  }

  /// Fetches `Size` rows, `ahead` behind those at `from`, unless that is 0; to write to them, or into a level of the
  /// cache.
  template <std::size_t Size, int ToWrite, int Level>
  static HWY_INLINE void fetch(T const* from, std::ptrdiff_t step, std::size_t ahead)
  {
    if (ahead == 0) return;
    from += static_cast<std::ptrdiff_t>(ahead) * step;
    HWY_UNROLL(64)
    for (std::size_t m = 0; m < Size; ++m, from += step) __builtin_prefetch(from, ToWrite, Level);
  }

  /// Writes the results of a group from the stage around the cache. Where nothing lies between the rows of the output
  /// they are collected first, so that few lines are written in parts.
  void write_stage(std::size_t k, std::size_t present, bool last)
  {
    if (job_.out_step != static_cast<std::ptrdiff_t>(job_.width)) {
      for (std::size_t m = 0; m < present; ++m)
        copy_around_cache(job_.stage + m * job_.width, job_.out + static_cast<std::ptrdiff_t>(k + m) * job_.out_step,
                          job_.width);
      return;
    }
    staged_ += present * job_.width;
    if (!last && staged_ + group * job_.width <= job_.stage_size) return;
    copy_around_cache(job_.stage, job_.out + (k + present) * job_.width - staged_, staged_);
    staged_ = 0;
  }

  column_job<T> const& job_;
  std::size_t staged_ = 0;  // elements in the stage
};

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
