#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>

#include "tally/detail/batch/layout.hpp"
#include "tally/detail/cpu/tuning.hpp"
#include "tally/order.hpp"

/// Sequences whose elements lie far apart, but next to those of other sequences, as columns do: neighbours share lines
/// of memory. Some neighbours at a time are copied, a tile of each, to memory where each is contiguous.
namespace tally::cpu_backend {

/// The neighbours that are gathered at a time; 0 if values of the type are not gathered.
template <class T>
inline constexpr std::size_t most_gathered = [] {
  if (!std::is_trivially_copyable_v<T> || !std::is_default_constructible_v<T> || sizeof(T) > 64) return std::size_t{0};
  std::size_t const count = (std::size_t{512} << 10) / (order::tile<T> * sizeof(T));  // 512 KiB of tiles
  return count > 16 ? std::size_t{16} : count;
}();

/// The shortest sequences that are gathered. Of 64 floats and more, in columns, scans took 0.15 to 0.4 of the time
/// (Xeon, GCC 12); of 16 they took about the same, and reductions of 16 longer.
inline constexpr std::size_t least_gathered = 32;

/// The neighbours that are worth gathering: 1 if sequences are short, or nearer in themselves than to each other, or if
/// not even `tuning::gathered_distance` lies between their elements. `writes`: there are results along the sequences.
template <class T>
std::size_t neighbours_to_gather(detail::batch::layout const& where, bool writes)
{
  if (most_gathered<T> == 0 || where.dimensions == 0 || where.along.extent < least_gathered) return 1;
  auto const apart = [](std::ptrdiff_t step) { return static_cast<std::size_t>(step < 0 ? -step : step); };
  auto const pays = [&](std::ptrdiff_t own, std::ptrdiff_t next) {
    return apart(next) < apart(own) && apart(own) * sizeof(T) >= tuning_in_use().gathered_distance;
  };
  detail::batch::distances const& along = where.along.step;
  detail::batch::distances const& next = where.across[static_cast<std::size_t>(where.dimensions) - 1].step;
  return pays(along.in, next.in) || (writes && pays(along.out, next.out)) ? most_gathered<T> : 1;
}

/// A tile of each of some neighbours. One thread uses it.
template <class T>
class gathered_tiles {
public:
  /// Copies elements [begin, begin + size) of `count` sequences, of which the first one's first element is `in`.
  template <class In>
  void read(detail::batch::layout const& where, In const* in, std::size_t count, std::size_t begin, std::size_t size)
  {
    if (memory_ == nullptr) {
      // With a distance that is a power of two all tiles would share one set of the cache.
      distance_ = std::min(where.along.extent, order::tile<T>) + 64 / sizeof(T) + 1;
      memory_ = std::make_unique_for_overwrite<T[]>(most_gathered<T> * distance_);
    }
    std::ptrdiff_t const step = next(where).in;
    for (std::size_t k = 0; k < size; ++k) {
      In const* const from = in + static_cast<std::ptrdiff_t>(begin + k) * where.along.step.in;
      T* const to = memory_.get() + k;
      for (std::size_t s = 0; s < count; ++s)
        to[s * distance_] = static_cast<T>(from[static_cast<std::ptrdiff_t>(s) * step]);
    }
  }
  /// Copies the results that have replaced them.
  template <class Out>
  void write(detail::batch::layout const& where, Out* out, std::size_t count, std::size_t begin, std::size_t size) const
  {
    std::ptrdiff_t const step = next(where).out;
    for (std::size_t k = 0; k < size; ++k) {
      Out* const to = out + static_cast<std::ptrdiff_t>(begin + k) * where.along.step.out;
      T const* const from = memory_.get() + k;
      for (std::size_t s = 0; s < count; ++s) to[static_cast<std::ptrdiff_t>(s) * step] = from[s * distance_];
    }
  }

  /// The tile of sequence s.
  T* operator[](std::size_t s) const { return memory_.get() + s * distance_; }

private:
  static detail::batch::distances const& next(detail::batch::layout const& where)
  {
    return where.across[static_cast<std::size_t>(where.dimensions) - 1].step;
  }

  std::unique_ptr<T[]> memory_;
  std::size_t distance_ = 0;
};

}  // namespace tally::cpu_backend
