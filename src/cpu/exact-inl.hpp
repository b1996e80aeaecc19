// Exactly associative operators on vectors. Any bracketing gives the same bits, so these kernels use the quickest.
#if defined(TALLY_CPU_EXACT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_EXACT_INL
#undef TALLY_CPU_EXACT_INL
#else
#define TALLY_CPU_EXACT_INL
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/cpu/around_cache-inl.hpp"
#include "src/cpu/sets-inl.hpp"
#include "src/cpu/vectors-inl.hpp"
#include "tally/detail/cpu/kernels.hpp"
#include "tally/order.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

/// Scans the lanes of a vector by log-steps, in the operator's domain.
template <class Op, class T>
class log_steps {
  using vec = vector<T>;
  using dom = domain<Op, T>;

public:
  HWY_INLINE explicit log_steps(vec identity) : identity_(identity) {}

  HWY_INLINE vec operator()(vec v) const
  {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
    // One instruction moves all lanes of 4 bytes and more.
    if constexpr (sizeof(T) >= 4) return step<1>(v);
#endif
    return block_steps<1>(step_in_blocks<1>(v));
  }

private:
  template <std::size_t Stride>
  HWY_INLINE vec step(vec v) const
  {
    if constexpr (Stride < lanes<T>)
      return step<2 * Stride>(dom::op(shift_in<Stride, T>(identity_, v), v));
    else
      return v;
  }

  template <std::size_t Stride>
  HWY_INLINE vec step_in_blocks(vec v) const
  {
    if constexpr (Stride < lanes_per_block<T>) {
      return step_in_blocks<2 * Stride>(dom::op(shift_in_each_block<Stride, T>(identity_, v), v));
    } else {
      return v;
    }
  }

  template <std::size_t Stride>
  HWY_INLINE vec block_steps(vec v) const
  {
    if constexpr (Stride < blocks<T>)
      return block_steps<2 * Stride>(dom::op(totals_of_blocks_before<Stride>(v), v));
    else
      return v;
  }

  /// In each block the last lane of the block `Stride` before; the identity if there is none.
  template <std::size_t Stride>
  HWY_INLINE vec totals_of_blocks_before(vec v) const
  {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
    if constexpr (sizeof(T) == 2) {
      // One instruction in place of two: scans of int16 take a fifth less time on Zen 4.
      struct table {
        alignas(64) std::uint16_t of[lanes<T>];
      };
      static constexpr table lane = [] {
        table t{};
        for (std::size_t i = 0; i < lanes<T>; ++i)
          t.of[i] = static_cast<std::uint16_t>(
              (i / lanes_per_block<T> + blocks<T> - Stride) % blocks<T> * lanes_per_block<T> + lanes_per_block<T> - 1);
        return t;
      }();
      constexpr auto there = static_cast<__mmask32>(~std::uint32_t{0} << (Stride * lanes_per_block<T>));
      return vec{_mm512_mask_permutexvar_epi16(identity_.raw, there, _mm512_load_si512(lane.of), v.raw)};
    } else
#endif
      return shift_in_blocks<Stride, T>(identity_, broadcast_in_blocks<T>(v));
  }

  static constexpr vector_tag<T> d{};
  vec identity_;
};

// Sets pay where a transposition is short beside the log-steps of its vectors, and where two fit in the registers. With
// AVX2 they took a tenth longer for sums of int32, with AVX-512 a twentieth longer for 8 bytes and twice as long for 2.
template <class T>
inline constexpr bool scans_by_sets = HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86 && sizeof(T) == 4;

/// Scans a tile row by row: each vector by log-steps, then the running value on top. Or by sets of vectors, with
/// log-steps over the totals of groups alone: for four vectors of 16 lanes 35 instructions in place of 44, of which
/// `Op` is 13 in place of 24.
template <class Op, class T, direction Shift>
class exact_scan {
  using vec = vector<T>;
  using dom = domain<Op, T>;
  static constexpr std::size_t at_once = 2;  // sets, whose steps fill each other's waiting time

public:
  /// The scan keeps nothing in memory.
  struct memory {};

  HWY_INLINE exact_scan(tile_job<T> const& job, memory&)
      : identity_(dom::enter(hn::Set(d, Op::template identity<T>()))),
        running_(dom::enter(hn::Set(d, job.carry))),
        previous_(dom::enter(hn::Set(d, job.previous)))
  {
  }

  /// Takes a row.
  HWY_INLINE void begin(T const* in) { row_ = in; }

  /// Gives the results of the row that was taken last to `writer`, and takes `next`. Calls `along(piece)` at each
  /// piece.
  template <class Writer, class Along>
  HWY_INLINE void row(T const* next, Writer&& writer, Along&& along)
  {
    T const* const in = row_;
    row_ = next;
    if constexpr (scans_by_sets<T>) {
      static_assert(sets<T> % at_once == 0);
      HWY_UNROLL(8)
      for (std::size_t s = 0; s < sets<T>; s += at_once) {
        for (std::size_t piece = s * pieces / sets<T>; piece < (s + at_once) * pieces / sets<T>; ++piece) along(piece);
        give_sets(in, s, writer);
      }
    } else {
      constexpr std::size_t piece = piece_bytes / sizeof(T);
      HWY_UNROLL(4)
      for (std::size_t p = 0; p < pieces; ++p) {
        along(p);
        HWY_UNROLL(8)
        for (std::size_t k = p * piece; k < (p + 1) * piece; k += lanes<T>) give_vector(in, k, writer);
      }
    }
  }

  /// Gives the results of the last row to `writer`.
  template <class Writer>
  HWY_INLINE void end(Writer&& writer)
  {
    row(nullptr, writer, [](std::size_t) {});
  }

  /// The inclusive result, with the carry, of the last element so far. Identities after it do not change it.
  HWY_INLINE T last() const { return hn::GetLane(dom::leave(running_)); }

private:
  template <class Writer>
  HWY_INLINE void give_vector(T const* in, std::size_t k, Writer&& writer)
  {
    vec const local = log_steps<Op, T>(identity_)(dom::enter(hn::LoadU(d, in + k)));
    vec result = dom::op(running_, local);
    // The chain from vector to vector is this one application; the broadcast of the local total is off it.
    running_ = dom::op(running_, broadcast_last<T>(local));
    if constexpr (Shift == direction::exclusive) {
      vec const shifted = shift_in<1, T>(previous_, result);
      previous_ = result;
      result = shifted;
    }
    writer.put(dom::leave(result), k);
  }

  /// Gives `at_once` sets, from set `first` of the row on.
  template <class Writer>
  HWY_INLINE void give_sets(T const* in, std::size_t first, Writer&& writer)
  {
    set_values<T> value[at_once];
    vec total[at_once];
    HWY_UNROLL(2)
    for (std::size_t s = 0; s < at_once; ++s) load_set<Op>(in + (first + s) * set_size<T>, value[s], total[s]);
    log_step<1>(total);
    HWY_UNROLL(2)
    for (std::size_t s = 0; s < at_once; ++s) {
      vec const before = dom::op(running_, shift_in_groups<1, T>(identity_, total[s]));
      running_ = dom::op(running_, broadcast_last<T>(total[s]));
      HWY_UNROLL(4)
      for (std::size_t m = 0; m < members<T>; ++m) value[s][m] = dom::op(before, value[s][m]);
      if constexpr (Shift == direction::exclusive) previous_ = shift_members<T>(value[s], previous_);
      HWY_UNROLL(4)
      for (std::size_t m = 0; m < members<T>; ++m) value[s][m] = dom::leave(value[s][m]);
      store_set<T>(writer, (first + s) * set_size<T>, value[s]);
    }
  }

  template <std::size_t Stride>
  HWY_INLINE void log_step(vec (&total)[at_once]) const
  {
    if constexpr (Stride < lanes<T>) {
      HWY_UNROLL(2)
      for (std::size_t s = 0; s < at_once; ++s)
        total[s] = dom::op(shift_in_groups<Stride, T>(identity_, total[s]), total[s]);
      log_step<2 * Stride>(total);
    }
  }

  static constexpr vector_tag<T> d{};
  vec identity_;
  vec running_;   // the inclusive result so far, in all lanes
  vec previous_;  // its last lane is the inclusive result before this vector or set
  T const* row_ = nullptr;
};

/// Totals a tile row by row, in several accumulators.
template <class Op, class T>
class exact_total {
  using vec = vector<T>;
  using dom = domain<Op, T>;
  static constexpr std::size_t accumulators = 4;

public:
  HWY_INLINE exact_total()
  {
    for (vec& v : total_) v = dom::enter(hn::Set(d, Op::template identity<T>()));
  }

  HWY_INLINE void row(T const* in)
  {
    HWY_UNROLL(8)
    for (std::size_t k = 0; k < order::row<T>; k += accumulators * lanes<T>) {
      HWY_UNROLL(4)
      for (std::size_t a = 0; a < accumulators; ++a)
        total_[a] = dom::op(total_[a], dom::enter(hn::LoadU(d, in + k + a * lanes<T>)));
    }
  }

  /// Adds one piece of a row.
  HWY_INLINE void piece(T const* row, std::size_t index)
  {
    constexpr std::size_t vectors = piece_bytes / sizeof(T) / lanes<T>;
    HWY_UNROLL(8)
    for (std::size_t v = 0; v < vectors; ++v)
      total_[v % accumulators] =
          dom::op(total_[v % accumulators], dom::enter(hn::LoadU(d, row + (index * vectors + v) * lanes<T>)));
  }

  /// The tile's total, including `size` elements of one more row, 1 <= size <= row.
  HWY_INLINE T finish(T const* in, std::size_t size)
  {
    constexpr T identity = Op::template identity<T>();
    if (size == order::row<T>) {
      row(in);
    } else {
      HWY_ALIGN T padded[order::row<T>];
      std::fill(std::copy(in, in + size, padded), padded + order::row<T>, identity);
      row(padded);
    }
    vec const total = dom::op(dom::op(total_[0], total_[1]), dom::op(total_[2], total_[3]));
    log_steps<Op, T> const scan_vector(dom::enter(hn::Set(d, identity)));
    return hn::GetLane(dom::leave(broadcast_last<T>(scan_vector(total))));
  }

private:
  static constexpr vector_tag<T> d{};
  vec total_[accumulators];
};

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
