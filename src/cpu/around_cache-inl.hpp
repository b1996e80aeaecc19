// Results written around the cache.
#if defined(TALLY_CPU_AROUND_CACHE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_AROUND_CACHE_INL
#undef TALLY_CPU_AROUND_CACHE_INL
#else
#define TALLY_CPU_AROUND_CACHE_INL
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "src/cpu/vectors-inl.hpp"
#include "tally/detail/cpu/kernels.hpp"
#include "tally/detail/path.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

/// Copies around the cache: whole lines of `to`, and the parts of lines at both ends through it.
template <class T>
void copy_around_cache(T const* from, T* to, std::size_t size)
{
  hn::ScalableTag<std::uint8_t> d8;
  auto const* source = reinterpret_cast<std::uint8_t const*>(from);
  auto* target = reinterpret_cast<std::uint8_t*>(to);
  std::size_t bytes = size * sizeof(T);
  std::size_t const phase = reinterpret_cast<std::uintptr_t>(to) % line_bytes;
  std::size_t const head = phase == 0 ? 0 : std::min(bytes, line_bytes - phase);
  std::memcpy(target, source, head);
  source += head;
  target += head;
  bytes -= head;
  for (; bytes >= line_bytes; bytes -= line_bytes, source += line_bytes, target += line_bytes)
    for (std::size_t lane = 0; lane < line_bytes; lane += hn::MaxLanes(d8))
      hn::Stream(hn::LoadU(d8, source + lane), d8, target + lane);
  std::memcpy(target, source, bytes);
}

/// The cache level of prefetching, as an argument of __builtin_prefetch. A prefetch into the first level holds a buffer
/// for misses, which reading the tile itself from the second level needs: that gave 0.84 of the copy limit on Zen 4,
/// and this 0.97.
inline constexpr int to_second_level = 2;

// A writer of a tile's results is made of the place for them and their number. It has these functions:
//
//     row()                where the vectors of the next row go: put(v, k) writes vector `v`, which begins at element k
//                          of the row; vectors come in order
//     along(piece)         is called at each piece of the row, for work of the writer's own
//     next()               goes on to the next row
//     finish(rest, bytes)  writes the `bytes` at `rest`, less than a row, behind the last row

/// Writes the rows of a tile through the cache.
template <class T>
class cached_writer {
public:
  HWY_INLINE explicit cached_writer(T* out, std::size_t = 0) : out_(out) {}

  HWY_INLINE cached_writer& row() { return *this; }
  HWY_INLINE void put(vector<T> v, std::size_t k) { hn::StoreU(v, vector_tag<T>{}, out_ + k); }
  HWY_INLINE void along(std::size_t) {}
  HWY_INLINE void next() { out_ += row_bytes / sizeof(T); }
  HWY_INLINE void finish(T const* rest, std::size_t bytes) { std::memcpy(out_, rest, bytes); }

private:
  T* out_;
};

/// Writes the rows of a tile around the cache, from registers, where the output is `Late` blocks of 16 bytes behind the
/// beginning of a line. Each vector that is stored has the last `Late` blocks of one result and the first of the next.
/// The stores to a line then follow each other. With other work between them memory is slower than by way of a buffer,
/// so this is no way for vectors of 16 bytes, nor for other places.
///
/// The first line and the last one go through the cache, since another thread may be writing their other parts.
template <class T, std::size_t Late>
class row_writer {
  using vec = vector<T>;
  static constexpr vector_tag<T> d{};
  static constexpr std::size_t late = Late * lanes_per_block<T>;
  static constexpr std::size_t line = line_bytes / sizeof(T);
  static constexpr std::size_t row_size = row_bytes / sizeof(T);

public:
  /// Whether there is a row, and `out` is `Late` blocks behind the beginning of a line.
  static bool fits(T const* out, std::size_t size)
  {
    return size >= row_size && reinterpret_cast<std::uintptr_t>(out) % line_bytes == late * sizeof(T);
  }

  /// Requires  fits(out, size).
  HWY_INLINE row_writer(T* out, std::size_t) : place_(out - late), before_(hn::Zero(d)) {}

  HWY_INLINE row_writer& row() { return *this; }
  HWY_INLINE void put(vec v, std::size_t k)
  {
    vec const joined = shift_in_blocks<Late, T>(before_, v);
    before_ = v;
    if (late > 0 && k < line && in_first_row_)
      put_part(v, place_ + late + k, std::min(lanes<T>, line - late - k));
    else
      hn::Stream(joined, d, place_ + k);
  }
  HWY_INLINE void along(std::size_t) {}
  HWY_INLINE void next()
  {
    place_ += row_size;
    in_first_row_ = false;
  }
  HWY_INLINE void finish(T const* rest, std::size_t bytes)
  {
    HWY_ALIGN T last[lanes<T>];
    hn::Store(before_, d, last);
    std::memcpy(place_, last + lanes<T> - late, late * sizeof(T));
    std::memcpy(place_ + late, rest, bytes);
  }

private:
  // Writes the first `count` lanes, a multiple of 16 bytes of them.
  static HWY_INLINE void put_part(vec v, T* to, std::size_t count)
  {
    hn::Repartition<std::uint32_t, decltype(d)> const d32;
    hn::BlendedStore(hn::BitCast(d32, v), hn::FirstN(d32, count * sizeof(T) / 4), d32,
                     reinterpret_cast<std::uint32_t*>(to));
  }

  T* place_;    // the line in which the row begins
  vec before_;  // the vector before
  bool in_first_row_ = true;
};

/// Writes rows around the cache, a whole line of memory at a time, wherever in a line the tile begins.
///
/// A row is assembled in one half of a buffer that has the phase of the output; the first line of the half holds the
/// rest of the row before. It is written while the other half is filled.
class line_writer {
public:
  explicit line_writer(void* out, std::size_t = 0)
      : phase_(reinterpret_cast<std::uintptr_t>(out) % line_bytes),
        filling_(static_cast<char*>(out) - phase_),
        first_(phase_ != 0)
  {
  }

  /// Whether the output begins with a line.
  bool in_phase() const { return phase_ == 0; }
  /// The place for the next row.
  HWY_INLINE char* place() { return buffer_ + half_ + phase_; }
  struct row_in_buffer {
    char* out;
    template <class V>
    HWY_INLINE void put(V v, std::size_t k) const
    {
      hn::DFromV<V> d;
      hn::StoreU(v, d, reinterpret_cast<hn::TFromD<decltype(d)>*>(out) + k);
    }
  };
  HWY_INLINE row_in_buffer row() { return {place()}; }
  HWY_INLINE void along(std::size_t piece)
  {
    constexpr std::size_t count = piece_bytes / line_bytes;
    lines(piece * count, count);
  }

  /// Writes lines [first, first + count) of the row before, if there is one.
  HWY_INLINE void lines(std::size_t first, std::size_t count)
  {
    if (writing_ == nullptr) return;
    for (std::size_t line = first; line < first + count; ++line) {
      char const* const from = buffer_ + (half_ ^ row_bytes) + line * line_bytes;
      if (line == 0 && first_) {
        // The first line belongs in part to the tile before, which another thread may be writing.
        std::memcpy(writing_ + phase_, from + phase_, line_bytes - phase_);
        first_ = false;
        continue;
      }
      hn::ScalableTag<std::uint8_t> d8;
      for (std::size_t lane = 0; lane < line_bytes; lane += hn::MaxLanes(d8))
        hn::Stream(hn::Load(d8, reinterpret_cast<std::uint8_t const*>(from) + lane), d8,
                   reinterpret_cast<std::uint8_t*>(writing_) + line * line_bytes + lane);
    }
  }

  /// Writes all lines of the row before, if there is one. `finish` does not write them again.
  HWY_INLINE void all_lines()
  {
    constexpr std::size_t count = row_bytes / line_bytes;
    lines(0, count);
    writing_ = nullptr;
  }

  /// Goes on to the next row: the row at `place` is complete, and the lines of the row before it are written.
  HWY_INLINE void next()
  {
    writing_ = filling_;
    filling_ += row_bytes;
    half_ ^= row_bytes;
    if (half_ == 0 && phase_ != 0) std::memcpy(buffer_, buffer_ + 2 * row_bytes, line_bytes);
  }

  /// Writes the remaining lines, and then the `bytes` at `rest`, at most a row.
  HWY_INLINE void finish(void const* rest, std::size_t bytes)
  {
    // Before the copy: with the phase, `rest` may reach into the other half, where the row before waits.
    if (bytes > 0 && writing_ != nullptr)
      detail::took(half_ == 0 ? "tile: a short row before the waiting one" : "tile: a short row after the waiting one");
    lines(0, row_bytes / line_bytes);
    std::memcpy(place(), rest, bytes);
    std::size_t const from = first_ ? phase_ : 0;
    std::memcpy(filling_ + from, buffer_ + half_ + from, phase_ + bytes - from);
  }

private:
  // In one page. Where it lay across two, as on the stack of a quarter of all processes, scans took up to 2.5 times as
  // long: each second row had a store across both (docs/measurements/cpu_notes.md).
  alignas(2048) char buffer_[2 * row_bytes + line_bytes];
  std::size_t phase_;
  std::size_t half_ = 0;     // the offset in the buffer of the row that is being filled: 0 or row_bytes
  char* filling_;            // the first line of that row in memory
  char* writing_ = nullptr;  // the same of the row before
  bool first_;
};

/// Chunks of memory that are copied into the cache, changed there, and copied out around it. Each has `lines` whole
/// lines. While one is changed, the one before leaves and the one after arrives, line by line. The processor then sees
/// two plain sequences of lines, which its prefetching follows, and reads, writes and changes overlap.
///
/// A chunk lies in its buffer as its results lie in their lines of memory: `phase` elements behind the beginning. The
/// part of a line at its end moves to the beginning of the next chunk's buffer, and leaves with that.
template <class T>
class chunk_exchange {
public:
  /// Copies the first of `chunks` chunks into the cache. `buffers` has 2 * (lines + 1) lines.
  chunk_exchange(T const* in, T* out, std::size_t lines, std::size_t chunks, T* buffers)
      : in_(in),
        out_(out),
        phase_(reinterpret_cast<std::uintptr_t>(out) % line_bytes / sizeof(T)),
        size_(lines * line),
        arriving_(chunks - 1),
        next_(size_ - phase_),
        current_(buffers),
        other_(buffers + size_ + line)
  {
    std::memcpy(current_ + phase_, in, size_ * sizeof(T));
  }

  /// The chunk to be changed.
  T* chunk() const { return current_ + phase_; }

  /// Exchanges lines [first, last) of the other two chunks; not none.
  HWY_NOINLINE void lines(std::size_t first, std::size_t last)
  {
    std::size_t k = first * line;
    if (k == 0 && leaving_ == 1 && phase_ != 0) {
      first_line();
      k += line;
    }
    T* const buffer = other_;
    T const* const in = in_ + next_;
    T* const out = out_ + (next_ - 2 * size_);
    bool const leaves = leaving_ > 0, arrives = arriving_ > 0;
    for (; k < last * line; k += line) {
      for (std::size_t at = k; at < k + line; at += lanes<T>) {
        if (leaves) hn::Stream(hn::Load(d, buffer + at), d, out + at);
        if (arrives) hn::Store(hn::LoadU(d, in + at), d, buffer + at);
      }
      __builtin_prefetch(in + k + ahead, 0, 2);
    }
  }

  /// Goes on to the next chunk. All lines have been exchanged, and the chunk has been changed.
  void next()
  {
    if (arriving_ > 0) {
      std::memcpy(other_ + size_, in_ + next_ + size_, phase_ * sizeof(T));
      std::memcpy(other_, current_ + size_, phase_ * sizeof(T));
      --arriving_;
    }
    std::swap(current_, other_);
    next_ += size_;
    ++leaving_;
  }

  /// Copies the last chunk out, behind next().
  void finish()
  {
    lines(0, size_ / line);
    std::memcpy(out_ + (next_ - size_), other_ + size_, phase_ * sizeof(T));
  }

private:
  static constexpr vector_tag<T> d{};
  static constexpr std::size_t line = line_bytes / sizeof(T);
  static constexpr std::size_t ahead = 4096 / sizeof(T);  // elements by which the input is fetched ahead

  /// Exchanges the line in which the first chunk begins behind something else.
  void first_line()
  {
    std::memcpy(out_, other_ + phase_, (line - phase_) * sizeof(T));
    if (arriving_ > 0) std::memcpy(other_, in_ + next_, line_bytes);
  }

  T const* in_;
  T* out_;
  std::size_t phase_;
  std::size_t size_;         // elements of a chunk
  std::size_t arriving_;     // chunks that have not been copied in
  std::size_t leaving_ = 0;  // chunks that have been changed
  std::size_t next_;         // the place of the chunk that arrives, less the phase
  T* current_;
  T* other_;
};

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
