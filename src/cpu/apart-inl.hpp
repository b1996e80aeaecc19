// Two to four columns without gaps: a tile of each is taken apart into a row, and scanned as such.
#if defined(TALLY_CPU_APART_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_APART_INL
#undef TALLY_CPU_APART_INL
#else
#define TALLY_CPU_APART_INL
#endif

#include <algorithm>
#include <cstddef>

#include "src/cpu/around_cache-inl.hpp"
#include "src/cpu/vectors-inl.hpp"
#include "tally/detail/cpu/kernels.hpp"
#include "tally/order.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

/// Copies `size` elements of each of `width` columns, 2 to 4, to rows that lie `apart_distance<T>` apart.
template <class T>
HWY_NOINLINE void take_apart(T const* in, std::size_t width, std::size_t size, T* rows)
{
  vector_tag<T> const d;
  constexpr std::size_t distance = apart_distance<T>;
  std::size_t k = 0;
  if (width == 2) {
    for (; k + lanes<T> <= size; k += lanes<T>) {
      vector<T> a, b;
      hn::LoadInterleaved2(d, in + k * 2, a, b);
      hn::StoreU(a, d, rows + k);
      hn::StoreU(b, d, rows + k + distance);
    }
  } else if (width == 3) {
    for (; k + lanes<T> <= size; k += lanes<T>) {
      vector<T> a, b, c;
      hn::LoadInterleaved3(d, in + k * 3, a, b, c);
      hn::StoreU(a, d, rows + k);
      hn::StoreU(b, d, rows + k + distance);
      hn::StoreU(c, d, rows + k + 2 * distance);
    }
  } else {
    for (; k + lanes<T> <= size; k += lanes<T>) {
      vector<T> a, b, c, e;
      hn::LoadInterleaved4(d, in + k * 4, a, b, c, e);
      hn::StoreU(a, d, rows + k);
      hn::StoreU(b, d, rows + k + distance);
      hn::StoreU(c, d, rows + k + 2 * distance);
      hn::StoreU(e, d, rows + k + 3 * distance);
    }
  }
  for (; k < size; ++k)
    for (std::size_t c = 0; c < width; ++c) rows[k + c * distance] = in[k * width + c];
}

/// Copies them back: elements [k, k + size) of the rows, to `out`.
template <class T>
HWY_NOINLINE void put_together(T const* rows, std::size_t width, std::size_t size, T* out)
{
  vector_tag<T> const d;
  constexpr std::size_t distance = apart_distance<T>;
  std::size_t k = 0;
  auto const row = [&](std::size_t c) HWY_ATTR { return hn::LoadU(d, rows + k + c * distance); };
  if (width == 2) {
    for (; k + lanes<T> <= size; k += lanes<T>) hn::StoreInterleaved2(row(0), row(1), d, out + k * 2);
  } else if (width == 3) {
    for (; k + lanes<T> <= size; k += lanes<T>) hn::StoreInterleaved3(row(0), row(1), row(2), d, out + k * 3);
  } else {
    for (; k + lanes<T> <= size; k += lanes<T>) hn::StoreInterleaved4(row(0), row(1), row(2), row(3), d, out + k * 4);
  }
  for (; k < size; ++k)
    for (std::size_t c = 0; c < width; ++c) out[k * width + c] = rows[k + c * distance];
}

/// Scans or totals the columns of a job, which is a tile of each, or a part of it if that is all.
template <class Op, class T>
class columns_apart {
  using dom = domain<Op, T>;

public:
  explicit columns_apart(column_job<T> const& job) : job_(job) {}

  /// `Total(in, size)` and `Scan(tile_job)` are those of a tile.
  template <class Total, class Scan>
  void run(Total const& total, Scan const& scan)
  {
    constexpr std::size_t tile = order::tile<T>;
    for (std::size_t k = 0; k < job_.size; k += tile) {
      std::size_t const size = std::min(tile, job_.size - k);
      take_apart(job_.in + k * job_.width, job_.width, size, job_.apart);
      for (std::size_t c = 0; c < job_.width; ++c) {
        T* const row = job_.apart + c * apart_distance<T>;
        T& previous = job_.state[lane_slot::previous * job_.stride + c];
        T const carry = exactly_associative<Op, T> ? previous : job_.state[lane_slot::carry * job_.stride + c];
        T local;
        if (job_.out == nullptr)
          local = total(row, size);
        else
          local = scan(tile_job<T>{row, row, size, carry, previous, job_.shift});
        if constexpr (exactly_associative<Op, T>) {
          previous = job_.out == nullptr ? combined(previous, local) : local;  // results have the carry
        } else {
          job_.state[lane_slot::total * job_.stride + c] = local;
          previous = combined(carry, local);
        }
      }
      if (job_.out != nullptr) write(k, size);
    }
  }

private:
  static T combined(T a, T b)
  {
    vector_tag<T> const d;
    return hn::GetLane(dom::leave(dom::op(dom::enter(hn::Set(d, a)), dom::enter(hn::Set(d, b)))));
  }

  void write(std::size_t k, std::size_t size)
  {
    T* const out = job_.out + k * job_.width;
    if (job_.to != stores::streaming) return put_together(job_.apart, job_.width, size, out);
    constexpr std::size_t piece = 1024 / sizeof(T);  // of each column: all stay in the first cache
    HWY_ALIGN T staged[4 * piece];
    for (std::size_t i = 0; i < size; i += piece) {
      std::size_t const count = std::min(piece, size - i);
      put_together(job_.apart + i, job_.width, count, staged);
      copy_around_cache(staged, out + i * job_.width, count * job_.width);
    }
  }

  column_job<T> const& job_;
};

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
