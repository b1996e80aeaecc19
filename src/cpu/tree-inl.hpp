// The balanced tree over the groups of a row, for rows side by side, with as few movements of lanes as it takes.
#if defined(TALLY_CPU_TREE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_TREE_INL
#undef TALLY_CPU_TREE_INL
#else
#define TALLY_CPU_TREE_INL
#endif

#include <cstddef>

#include "src/cpu/vectors-inl.hpp"
#include "tally/order.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

/// Where the groups of a vector are: in index order, or as the transposition of blocks leaves them, where the lowest
/// bits of a group's index are its block and the next ones its lane in the block.
enum class groups_in { index_order, transposed };

/// Whether a level of the tree combines blocks of a vector with their neighbours, or lanes of each block.
///
/// A level combines the totals whose indices differ in the lowest bit. The bit that it brings in, whether a total comes
/// from the level's first vector or its second, becomes the highest bit of the blocks or of the lanes in a block, and
/// those above the consumed one move down. So from index order log2(lanes_per_block) levels of lanes are followed by
/// log2(blocks) levels of blocks, and so on in turn; from transposed groups blocks come first. Nothing is brought into
/// index order on the way.
template <class T, groups_in Place>
constexpr bool combines_blocks(std::size_t level)
{
  std::size_t const turn = level % log2_of<lanes<T>>;
  return Place == groups_in::transposed ? turn < log2_of<blocks<T>> : turn >= log2_of<lanes_per_block<T>>;
}

/// The bit that a level brings in, where the last level has left it, as a distance between lanes.
template <class T, groups_in Place>
constexpr std::size_t final_distance(std::size_t level)
{
  std::size_t distance = combines_blocks<T, Place>(level) ? lanes<T> / 2 : lanes_per_block<T> / 2;
  for (std::size_t later = level + 1; later < log2_of<order::row_groups>; ++later)
    if (combines_blocks<T, Place>(later) == combines_blocks<T, Place>(level)) distance /= 2;
  return distance;
}

/// The left (`Right` = 0) or right operands of a level, from its two vectors.
template <class T, groups_in Place, std::size_t Level, std::size_t Right>
HWY_INLINE vector<T> tree_operand(vector<T> a, vector<T> b)
{
  if constexpr (combines_blocks<T, Place>(Level))
    return alternate_blocks<Right, T>(a, b);
  else
    return alternate_in_blocks<Right, T>(a, b);
}

/// The levels from `Level` on that combine the vectors of a row with their neighbours, to one. `Tree::level<L>(a, b)`
/// is one of them.
template <class Tree, std::size_t Level, std::size_t Count>
HWY_INLINE void combine_row(typename Tree::value* row)
{
  if constexpr (Count > 1) {
    HWY_UNROLL(8)
    for (std::size_t i = 0; i < Count / 2; ++i) row[i] = Tree::template level<Level>(row[2 * i], row[2 * i + 1]);
    combine_row<Tree, Level + 1, Count / 2>(row);
  }
}

/// The other levels, which combine as many rows as a vector has lanes, to one vector with a row's total in each lane.
/// They end in index order if each level combines rows whose distance is that of the lanes in which their totals end.
template <class Tree, std::size_t Level, std::size_t Rows>
HWY_INLINE void combine_rows(typename Tree::value (&row)[Rows], std::size_t combined = 0)
{
  if constexpr (Level < log2_of<order::row_groups>) {
    constexpr std::size_t distance = final_distance<typename Tree::element, Tree::place>(Level);
    combined |= distance;
    HWY_UNROLL(16)
    for (std::size_t r = 0; r < Rows; ++r)
      if ((r & combined) == 0) row[r] = Tree::template level<Level>(row[r], row[r + distance]);
    combine_rows<Tree, Level + 1>(row, combined);
  }
}

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
