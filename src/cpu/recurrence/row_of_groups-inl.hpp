// A row of a recurrence, a group in each lane.
#if defined(TALLY_CPU_RECURRENCE_ROW_OF_GROUPS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_RECURRENCE_ROW_OF_GROUPS_INL
#undef TALLY_CPU_RECURRENCE_ROW_OF_GROUPS_INL
#else
#define TALLY_CPU_RECURRENCE_ROW_OF_GROUPS_INL
#endif

#include <algorithm>
#include <cstddef>

#include "src/cpu/recurrence/maps-inl.hpp"
#include "src/cpu/recurrence/stored-inl.hpp"
#include "src/cpu/some_lanes-inl.hpp"
#include "src/cpu/vectors-inl.hpp"
#include "tally/order.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

/// In lanes with bit `Bit` of their number set the state after `map`, in the others `before`.
template <std::size_t Bit, class T>
HWY_INLINE vector<T> applied_where(maps<T> const& map, vector<T> before)
{
  vector_tag<T> d;
  auto const product = hn::Mul(map.scale, before);
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  (void)d;
  constexpr unsigned mask = [] {
    unsigned bits = 0;
    for (unsigned lane = 0; lane < lanes<T>; ++lane) bits |= (lane >> Bit & 1) << lane;
    return bits;
  }();
  if constexpr (sizeof(T) == 4)
    return vector<T>{_mm512_mask_add_ps(before.raw, static_cast<__mmask16>(mask), product.raw, map.offset.raw)};
  else
    return vector<T>{_mm512_mask_add_pd(before.raw, static_cast<__mmask8>(mask), product.raw, map.offset.raw)};
#else
  auto const after = hn::Add(product, map.offset);
  if constexpr (sizeof(T) << Bit == 16) {
    return hn::ConcatUpperLower(d, after, before);
  } else if constexpr (sizeof(T) << Bit == 8) {
    hn::Repartition<double, decltype(d)> pairs;
    return hn::BitCast(d, hn::OddEven(hn::BitCast(pairs, after), hn::BitCast(pairs, before)));
  } else {
    static_assert(Bit == 0 && sizeof(T) == 4);
    return hn::OddEven(after, before);
  }
#endif
}

/// For each tree of 2^(Level + 1) blocks the last block of its left half, in the blocks of its right half.
template <std::size_t Level, class T>
HWY_INLINE vector<T> left_block(vector<T> v)
{
  static_assert(std::size_t{1} << Level < blocks<T>);
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  constexpr int from = Level == 0 ? 0xA0 : 0x55;
  if constexpr (sizeof(T) == 4)
    return vector<T>{_mm512_shuffle_f32x4(v.raw, v.raw, from)};
  else
    return vector<T>{_mm512_shuffle_f64x2(v.raw, v.raw, from)};
#else
  return hn::ConcatLowerLower(vector_tag<T>{}, v, v);
#endif
}
/// The last block, in all blocks.
template <class T>
HWY_INLINE vector<T> last_block(vector<T> v)
{
  if constexpr (blocks<T> == 1) {
    return v;
  } else {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
    if constexpr (sizeof(T) == 4)
      return vector<T>{_mm512_shuffle_f32x4(v.raw, v.raw, 0xFF)};
    else
      return vector<T>{_mm512_shuffle_f64x2(v.raw, v.raw, 0xFF)};
#else
    return hn::ConcatUpperUpper(vector_tag<T>{}, v, v);
#endif
  }
}
/// The same for the lanes of each block.
template <std::size_t Level, class T>
HWY_INLINE vector<T> left_lane(vector<T> v)
{
  static_assert(std::size_t{1} << Level < lanes_per_block<T>);
  if constexpr (sizeof(T) == 8)
    return hn::InterleaveLower(vector_tag<T>{}, v, v);
  else if constexpr (Level == 0)
    return hn::DupEven(v);
  else
    return hn::Broadcast<1>(v);
}

/// A row of stored type S. The bits of a group's number say where the group is. The lowest ones are the number of its
/// block of 16 bytes in a vector, since neighbours in memory are so; the next ones the number of its vector, and the
/// highest ones that of its lane in the block. Once the trees of blocks and of vectors are built, one vector has all
/// totals that are still needed.
template <class S>
class row_of_groups {
  using T = state<S>;
  using vec = vector<T>;
  static constexpr vector_tag<T> d{};
  static constexpr std::size_t block_levels = log2_of<blocks<T>>;
  static constexpr std::size_t lane_levels = log2_of<lanes_per_block<T>>;
  static constexpr std::size_t levels = log2_of<order::recurrence::row_groups>;
  static constexpr std::size_t vectors = order::recurrence::row_groups / lanes<T>;
  static constexpr std::size_t steps = order::recurrence::group<S>;
  static constexpr std::size_t words = lanes_per_block<T>;  // of a group; each has the size of a state

public:
  static constexpr std::size_t size = order::recurrence::row<S>;

  /// The states of a row, as they are stored.
  struct results {
    vec word[vectors][words];

    HWY_INLINE void store(S* to) const
    {
      HWY_UNROLL(16)
      for (std::size_t v = 0; v < vectors; ++v) {
        HWY_UNROLL(4)
        for (std::size_t e = 0; e < words; ++e)
          hn::StoreU(hn::BitCast(elements, word[v][e]), elements, raw_at(to) + (e * vectors + v) * vector_elements);
      }
    }
  };

  /// Takes a row and builds its tree. Only the first `present` steps are there, unless all are; the others are zeros.
  template <bool Whole>
  HWY_INLINE void take(S const* a, S const* b, std::size_t present)
  {
    load<Whole>(a, b, present);
    up<0>();
    up<1>();
    up<2>();
    up<3>();
  }
  /// Computes the states. `before`: the state before the row, in all lanes. Returns whether all are finite when they
  /// are stored.
  HWY_INLINE bool states(vec before, results& all)
  {
    begin(before);
    down<3>();
    down<2>();
    down<1>();
    down<0>();
    watch<S> seen;
    run<0, vectors>(seen, all);
    return seen.all_finite();
  }
  /// The same, and takes the next row besides. Both are chains of operations that wait for one another, and the
  /// processor does not look so far ahead that it would overlap them by itself: with one after the other Zen 5 took 5
  /// to 15 % more time, and with the next row behind the states up to 30 %.
  HWY_INLINE bool states_and_take(vec before, results& all, row_of_groups& next, S const* a, S const* b)
  {
    next.template load<true>(a, b, size);
    begin(before);
    next.template up<0>();
    down<3>();
    down<2>();
    next.template up<1>();
    down<1>();
    down<0>();
    next.template up<2>();
    watch<S> seen;
    run<0, vectors / 2>(seen, all);
    next.template up<3>();
    run<vectors / 2, vectors>(seen, all);
    return seen.all_finite();
  }

  /// The total of the row, in all lanes.
  HWY_INLINE maps<T> total() const
  {
    return {broadcast_in_blocks<T>(last_.scale), broadcast_in_blocks<T>(last_.offset)};
  }

private:
  static constexpr hn::Repartition<raw<S>, vector_tag<T>> elements{};
  static constexpr std::size_t vector_elements = lanes<T> * sizeof(T) / sizeof(S);

  template <bool Whole>
  HWY_INLINE void load(S const* a, S const* b, std::size_t present)
  {
    load<Whole>(a, present, scale_);
    load<Whole>(b, present, offset_);
    HWY_UNROLL(16)
    for (std::size_t v = 0; v < vectors; ++v) {
      maps<T> total{scale_[v][0], offset_[v][0]};
      HWY_UNROLL(8)
      for (std::size_t m = 1; m < steps; ++m) total = then<T>(total, {scale_[v][m], offset_[v][m]});
      total_[v].scale = total.scale;
      total_[v].offset = total.offset;
    }
  }

  /// Builds the trees of 2^(Level + 1) groups.
  template <std::size_t Level>
  HWY_INLINE void up()
  {
    if constexpr (Level < block_levels) {
      HWY_UNROLL(16)
      for (std::size_t v = 0; v < vectors; ++v) {
        left_blocks_[v][Level] = {left_block<Level, T>(total_[v].scale), left_block<Level, T>(total_[v].offset)};
        total_[v] = then<T>(left_blocks_[v][Level], total_[v]);
      }
    } else if constexpr (Level < levels - lane_levels) {
      constexpr std::size_t half = std::size_t{1} << (Level - block_levels);
      HWY_UNROLL(8)
      for (std::size_t v = half; v < vectors; v += 2 * half) {
        left_vectors_[v] = {last_block<T>(total_[v - 1].scale), last_block<T>(total_[v - 1].offset)};
        total_[v + half - 1] = then<T>(left_vectors_[v], total_[v + half - 1]);
      }
    } else {
      constexpr std::size_t own = Level - (levels - lane_levels);
      if constexpr (own == 0)
        last_ = {last_block<T>(total_[vectors - 1].scale), last_block<T>(total_[vectors - 1].offset)};
      left_lanes_[own] = {left_lane<own, T>(last_.scale), left_lane<own, T>(last_.offset)};
      last_ = then<T>(left_lanes_[own], last_);
    }
  }

  HWY_INLINE void begin(vec before) { state_[0] = before; }
  /// Puts the states before the trees of 2^Level groups.
  template <std::size_t Level>
  HWY_INLINE void down()
  {
    if constexpr (Level < block_levels) {
      HWY_UNROLL(16)
      for (std::size_t v = 0; v < vectors; ++v)
        state_[v] = applied_where<lane_levels + Level, T>(left_blocks_[v][Level], state_[v]);
    } else if constexpr (Level < levels - lane_levels) {
      constexpr std::size_t half = std::size_t{1} << (Level - block_levels);
      HWY_UNROLL(8)
      for (std::size_t v = half; v < vectors; v += 2 * half) state_[v] = applied<T>(left_vectors_[v], state_[v - half]);
    } else {
      constexpr std::size_t own = Level - (levels - lane_levels);
      state_[0] = applied_where<own, T>(left_lanes_[own], state_[0]);
    }
  }

  /// Computes the states of vectors [First, Last).
  template <std::size_t First, std::size_t Last>
  HWY_INLINE void run(watch<S>& seen, results& all)
  {
    HWY_UNROLL(16)
    for (std::size_t v = First; v < Last; ++v) {
      vec result[steps];
      HWY_UNROLL(8)
      for (std::size_t m = 0; m < steps; ++m) {
        state_[v] = applied<T>({scale_[v][m], offset_[v][m]}, state_[v]);
        result[m] = state_[v];
        if constexpr (is_narrow<S>) seen.look(result[m]);
      }
      // No state behind one that is not finite is finite, unless it was so only when it was stored.
      if constexpr (!is_narrow<S>) seen.look(state_[v]);
      HWY_UNROLL(4)
      for (std::size_t w = 0; w < words; ++w) {
        if constexpr (is_narrow<S>)
          all.word[v][w] = hn::BitCast(d, narrow_lanes<S>::rounded(result[2 * w], result[2 * w + 1]));
        else
          all.word[v][w] = result[w];
      }
      transpose<T>(all.word[v]);
    }
  }

  /// Steps of groups: step m of the groups of vector v.
  template <bool Whole>
  static HWY_INLINE void load(S const* from, std::size_t present, vec (&value)[vectors][steps])
  {
    HWY_UNROLL(16)
    for (std::size_t v = 0; v < vectors; ++v) {
      vec word[words];
      HWY_UNROLL(4)
      for (std::size_t e = 0; e < words; ++e)
        word[e] = hn::BitCast(d, vector_at<Whole>(raw_at(from), (e * vectors + v) * vector_elements, present));
      transpose<T>(word);
      HWY_UNROLL(4)
      for (std::size_t w = 0; w < words; ++w) {
        if constexpr (is_narrow<S>) {
          auto const bits = hn::BitCast(hn::RebindToUnsigned<vector_tag<T>>{}, word[w]);
          value[v][2 * w] = narrow_lanes<S>::widened_low(bits);
          value[v][2 * w + 1] = narrow_lanes<S>::widened_high(bits);
        } else {
          value[v][w] = word[w];
        }
      }
    }
  }
  template <bool Whole>
  static HWY_INLINE auto vector_at(raw<S> const* from, std::size_t k, std::size_t present)
  {
    if constexpr (Whole) {
      return hn::LoadU(elements, from + k);
    } else {
      std::size_t const count = std::min(present > k ? present - k : 0, vector_elements);
      return some_lanes<hn::Repartition<raw<S>, vector_tag<T>>>(0, count).load(from + k, raw<S>(0));
    }
  }

  vec scale_[vectors][steps];
  vec offset_[vectors][steps];
  maps<T> total_[vectors];  // of trees that end in each
  maps<T> last_;            // of trees of blocks, in all blocks
  // The totals of left halves, in the lanes of the right ones.
  maps<T> left_blocks_[vectors][block_levels + 1];  // no array is empty
  maps<T> left_vectors_[vectors];                   // that before the vectors from v on
  maps<T> left_lanes_[lane_levels];
  vec state_[vectors];  // before trees, and then before steps
};

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
