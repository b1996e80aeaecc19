// Sets of vectors that hold one element of each group. Groups are then combined by whole vectors.
#if defined(TALLY_CPU_SETS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_SETS_INL
#undef TALLY_CPU_SETS_INL
#else
#define TALLY_CPU_SETS_INL
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "src/cpu/vectors-inl.hpp"
#include "tally/order.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

// A row is read as `sets` of `members` vectors. A set has `lanes` groups. It is transposed within its 16-byte blocks,
// so that member j holds the j-th element of each group. Groups are then combined left to right by whole vectors, and
// each lane of the last member holds the total of a group.
template <class T>
inline constexpr std::size_t members = order::group<T>;
template <class T>
inline constexpr std::size_t sets = order::row_groups / lanes<T>;
template <class T>
inline constexpr std::size_t set_size = members<T> * lanes<T>;

/// The values of a set, each member in a vector.
template <class T>
using set_values = vector<T>[members<T>];

// Groups stay where the transposition leaves them: block b of member i of the set as it was read is group
// i * blocks + b, and lane i of block b afterwards. To bring them into index order and back took two more movements
// for each vector of totals.
template <class T>
constexpr std::size_t lane_of_group(std::size_t group)
{
  return group % blocks<T> * members<T> + group / blocks<T>;
}
template <class T>
constexpr std::size_t group_of_lane(std::size_t lane)
{
  return lane % members<T> * blocks<T> + lane / members<T>;
}

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
/// For each lane the lane of the group `Count` before: of the set itself, or behind its lanes of the set before it.
template <class T, std::size_t Count>
struct lanes_of_groups_before {
  alignas(64) hwy::MakeUnsigned<T> of[lanes<T>];
  constexpr lanes_of_groups_before() : of{}
  {
    for (std::size_t lane = 0; lane < lanes<T>; ++lane) {
      std::size_t const group = group_of_lane<T>(lane);
      std::size_t const before = (group + lanes<T> - Count) % lanes<T>;
      of[lane] = static_cast<hwy::MakeUnsigned<T>>(lane_of_group<T>(before) + (group < Count ? lanes<T> : 0));
    }
  }
};
#endif

/// The totals of the groups `Count` before those of `current`: the first ones come from `previous`, the set before.
template <std::size_t Count, class T>
HWY_INLINE vector<T> shift_in_groups(vector<T> previous, vector<T> current)
{
  vector_tag<T> d;
  static_assert(Count < lanes<T>);
  constexpr std::size_t lanes_up = (Count + blocks<T> - 1) / blocks<T>;
  if constexpr (Count % blocks<T> == 0) {
    return shift_in_each_block<lanes_up, T>(previous, current);
  } else {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
    static constexpr lanes_of_groups_before<T, Count> lane;
    auto const from = _mm512_load_si512(lane.of);
    if constexpr (std::is_same_v<T, float>)
      return vector<T>{_mm512_permutex2var_ps(current.raw, from, previous.raw)};
    else if constexpr (std::is_same_v<T, double>)
      return vector<T>{_mm512_permutex2var_pd(current.raw, from, previous.raw)};
    else
      return vector<T>{_mm512_permutex2var_epi32(current.raw, from, previous.raw)};
#else
    // The lower block has the even groups, the upper one the odd ones, each of which follows an even one.
    static_assert(blocks<T> == 2 && Count == 1);
    auto const swapped = hn::SwapAdjacentBlocks(current);
    return hn::ConcatUpperLower(d, swapped,
                                shift_in_each_block<lanes_up, T>(hn::SwapAdjacentBlocks(previous), swapped));
#endif
  }
}

/// Loads a set and combines its groups left to right.
template <class Op, class T>
HWY_INLINE void load_set(T const* in, set_values<T>& value, vector<T>& total)
{
  vector_tag<T> d;
  HWY_UNROLL(4)
  for (std::size_t m = 0; m < members<T>; ++m) value[m] = domain<Op, T>::enter(hn::LoadU(d, in + m * lanes<T>));
  transpose<T>(value);
  HWY_UNROLL(4)
  for (std::size_t m = 1; m < members<T>; ++m) value[m] = domain<Op, T>::op(value[m - 1], value[m]);
  total = value[members<T> - 1];
}

/// Moves every element of a set up by one, across groups; the last one of `previous` becomes the first. Returns the
/// last member, which is `previous` for the next set.
template <class T>
HWY_INLINE vector<T> shift_members(set_values<T>& value, vector<T> previous)
{
  vector<T> const last = value[members<T> - 1];
  HWY_UNROLL(4)
  for (std::size_t m = members<T> - 1; m > 0; --m) value[m] = value[m - 1];
  value[0] = shift_in_groups<1, T>(previous, last);
  return last;
}

/// Gives a set, which begins at element k of its row, to `writer`.
template <class T, class Writer>
HWY_INLINE void store_set(Writer&& writer, std::size_t k, set_values<T> const& value)
{
  vector<T> result[members<T>];
  HWY_UNROLL(4)
  for (std::size_t m = 0; m < members<T>; ++m) result[m] = value[m];
  transpose<T>(result);
  HWY_UNROLL(4)
  for (std::size_t m = 0; m < members<T>; ++m) writer.put(result[m], k + m * lanes<T>);
}

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
