#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/detail/at_index.hpp"
#include "tally/detail/atomic.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/recurrence/filter_maps.hpp"
#include "tally/for_each.hpp"
#include "tally/operators/traits.hpp"
#include "tally/order.hpp"
#include "tally/temporary.hpp"

/// Recursive filters where many threads each do little: the blocks of all sequences at once, in phases. The maps of a
/// sequence's blocks are combined in the order of the scan on a CPU (filter.hpp), so the outputs have its bits.
namespace tally::detail::recurrence {

inline constexpr std::size_t filter_block = 4 * filter_quarter;

/// Blocks in a tile of the scan: those of 128 KiB, as tile_by_bytes says.
template <class T, std::size_t Order>
inline constexpr std::size_t filter_tile = [] {
  constexpr std::size_t bytes = filter_block * sizeof(T), most = order::tile<filter_map<T, Order>>;
  constexpr std::size_t count = (std::size_t{1} << 17) / bytes;
  return count < 1 ? std::size_t{1} : count < most ? count : most;
}();

/// A block of a sequence: its number among the blocks of all sequences, and within its own.
struct filter_block_place {
  std::size_t all, s, j;
};

/// A call. `All` says where the blocks and the elements of sequences lie.
template <class T, std::size_t Order, class All>
struct filter_call {
  using state = filter_state<T, Order>;
  using map = filter_map<T, Order>;

  All all;
  filter_constants<T, Order> of;
  state before;
  state const* befores;
  state* lasts;
  // Of blocks:
  state* quarters;    // what each leaves if it starts from zeros, four a block
  map* local;         // all blocks of the tile up to this one
  map* tiles;         // at the first block of a tile: the earlier tiles of its span
  map* spans;         // at the first block of a span: that span, then all before it
  state* firsts;      // the state before each
  state* ends;        // the state after each
  bool* deferred;     // the state before it overflows in the maps
  int* any_deferred;  // their number

  TALLY_HD state before_sequence(std::size_t s) const
  {
    return befores != nullptr ? befores[all.initial_of(s)] : before;
  }
  TALLY_HD std::size_t steps_in(filter_block_place const& at) const
  {
    std::size_t const rest = all.size(at.s) - at.j * filter_block;
    return rest < filter_block ? rest : filter_block;
  }
};

/// `steps` steps from step k of sequence s on, from the state `last`. Elements are read some at a time before their
/// outputs are written, so that the reads of one thread overlap.
TALLY_HD_AS_GIVEN
template <bool Writes, class Call>
TALLY_HD typename Call::state filter_steps(Call const& call, std::size_t s, std::size_t k, std::size_t steps,
                                           typename Call::state last)
{
  constexpr std::size_t at_once = 8;
  using T = std::remove_cvref_t<decltype(last[0])>;
  auto const in = call.all.elements_of(s);
  auto const out = call.all.outputs_of(s);
  using output = std::iter_value_t<std::remove_const_t<decltype(out)>>;
  auto const feedback = call.of.feedback;
  for (std::size_t const end = k + steps; k < end;) {
    std::size_t const count = end - k < at_once ? end - k : at_once;
    T x[at_once];
    if (count == at_once) {
      for (std::size_t i = 0; i < at_once; ++i) x[i] = static_cast<T>(at_index(in, k + i));
      for (std::size_t i = 0; i < at_once; ++i) x[i] = filter_step(feedback, last, x[i]);
      if constexpr (Writes)
        for (std::size_t i = 0; i < at_once; ++i) at_index(out, k + i) = static_cast<output>(x[i]);
    } else {
      for (std::size_t i = 0; i < count; ++i) {
        x[0] = filter_step(feedback, last, static_cast<T>(at_index(in, k + i)));
        if constexpr (Writes) at_index(out, k + i) = static_cast<output>(x[0]);
      }
    }
    k += count;
  }
  return last;
}

/// The state that each quarter of a whole block leaves if it starts from zeros.
template <class Call>
struct respond {
  Call const* call;

  TALLY_HD_AS_GIVEN
  TALLY_HD void operator()(std::size_t i) const
  {
    auto const [at, q] = call->all.quarter_at(i);
    if (!call->all.has(at) || call->steps_in(at) < filter_block) return;
    call->quarters[4 * at.all + q] = filter_steps<false>(*call, at.s, at.j * filter_block + q * filter_quarter,
                                                         filter_quarter, typename Call::state{});
  }
};

/// The values of a tile's blocks: groups from left to right, groups before by Kogge and Stone, and then the own group.
/// A tile is one row at most.
template <class T, std::size_t Order, class Call>
struct scan_tile_of_blocks {
  using map = filter_map<T, Order>;
  using state = filter_state<T, Order>;
  static constexpr std::size_t tile = filter_tile<T, Order>, group = order::group<map>;
  static_assert(tile <= order::row<map>);

  Call const* call;

  TALLY_HD map map_of(filter_block_place const& at) const
  {
    if (call->steps_in(at) < filter_block) return {call->of.of_block, {}};  // the last one, whose map is never used
    state all = call->quarters[4 * at.all];
    for (std::size_t q = 1; q < 4; ++q)
      all = applied<T, Order>(call->of.of_quarter, all, call->quarters[4 * at.all + q]);
    return {call->of.of_block, all};
  }
  TALLY_HD void operator()(std::size_t block) const
  {
    filter_block_place const at = call->all.block_at(block);
    if (!call->all.has(at) || at.j % tile != 0) return;
    std::size_t const rest = call->all.blocks_of(at.s) - at.j, count = rest < tile ? rest : tile;
    constexpr compose_filters op;
    map* const local = call->local + at.all;
    map groups[(tile + group - 1) / group];
    for (std::size_t k = 0; k < count; ++k) {
      map const own = map_of({at.all + k, at.s, at.j + k});
      local[k] = k % group == 0 ? own : op(local[k - 1], own);
      groups[k / group] = local[k];
    }
    std::size_t const all_groups = (count + group - 1) / group;
    for (std::size_t stride = 1; stride < all_groups; stride *= 2)
      for (std::size_t g = all_groups; g-- > stride;) groups[g] = op(groups[g - stride], groups[g]);
    for (std::size_t k = group; k < count; ++k) local[k] = op(groups[k / group - 1], local[k]);
  }
};

/// The fold of the tiles of a span, from left to right.
template <class T, std::size_t Order, class Call>
struct fold_span {
  static constexpr std::size_t tile = filter_tile<T, Order>, span = order::span_tiles * tile;

  Call const* call;

  TALLY_HD void operator()(std::size_t block) const
  {
    filter_block_place const at = call->all.block_at(block);
    if (!call->all.has(at) || at.j % span != 0) return;
    std::size_t const rest = call->all.blocks_of(at.s) - at.j, count = rest < span ? rest : span;
    constexpr compose_filters op;
    filter_map<T, Order> tiles{};
    for (std::size_t k = 0; k < count; k += tile) {
      call->tiles[at.all + k] = tiles;  // of the first tile it is meaningless
      if (count - k < tile) return;     // no result needs the total
      auto const& total = call->local[at.all + k + tile - 1];
      tiles = k == 0 ? total : op(tiles, total);
    }
    call->spans[at.all] = tiles;
  }
};

/// The fold of the spans of a sequence.
template <class T, std::size_t Order, class Call>
struct fold_spans {
  static constexpr std::size_t span = fold_span<T, Order, Call>::span;

  Call const* call;

  TALLY_HD void operator()(std::size_t s) const
  {
    constexpr compose_filters op;
    std::size_t const first = call->all.first_block(s), blocks = call->all.blocks_of(s);
    filter_map<T, Order> before{identity_matrix<T, Order>(), {}};
    for (std::size_t j = 0; j < blocks; j += span) {
      filter_map<T, Order>& at = call->spans[first + j];
      bool const is_last = blocks - j <= span;  // no result needs its total
      filter_map<T, Order> const next = is_last ? before : op(before, at);
      at = before;
      before = next;
    }
  }
};

/// The state before each block.
template <class T, std::size_t Order, class Call>
struct find_first_states {
  using map = filter_map<T, Order>;
  static constexpr std::size_t tile = filter_tile<T, Order>, span = order::span_tiles * tile;

  Call const* call;

  /// All blocks up to block j.
  TALLY_HD map up_to(std::size_t first, std::size_t j) const
  {
    constexpr compose_filters op;
    map const& spans = call->spans[first + j / span * span];
    map const& local = call->local[first + j];
    if (j % span < tile) return op(spans, local);
    return op(op(spans, call->tiles[first + j / tile * tile]), local);
  }
  TALLY_HD void operator()(std::size_t block) const
  {
    filter_block_place const at = call->all.block_at(block);
    if (!call->all.has(at)) return;
    map before{identity_matrix<T, Order>(), {}};
    if (at.j != 0) before = up_to(at.all - at.j, at.j - 1);
    auto const first = applied<T, Order>(before.matrix, call->before_sequence(at.s), before.offset);
    call->firsts[at.all] = first;
    call->deferred[at.all] = at.j != 0 && !all_finite<T, Order>(first);
    if (call->deferred[at.all]) add_atomically(call->any_deferred, 1);
  }
};

/// The outputs of quarter q of a block that starts from the state `a`, or of all quarters if one of them would start
/// from a state that is not finite, which quarter 0 does.
TALLY_HD_AS_GIVEN
template <class T, std::size_t Order, class Call>
TALLY_HD void run_quarter(Call const& call, filter_block_place const& at, std::size_t q, filter_state<T, Order> a)
{
  std::size_t const begin = at.j * filter_block, steps = call.steps_in(at);
  bool whole = steps == filter_block;
  if (whole) {
    auto own = a, from = a;
    for (std::size_t k = 1; k < 4; ++k) {
      from = applied<T, Order>(call.of.of_quarter, from, call.quarters[4 * at.all + k - 1]);
      whole = whole && all_finite<T, Order>(from);
      if (k == q) own = from;
    }
    if (whole) a = own;
  }
  if (whole) {
    auto const last = filter_steps<true>(call, at.s, begin + q * filter_quarter, filter_quarter, a);
    if (q == 3) call.ends[at.all] = last;
  } else if (q == 0) {
    call.ends[at.all] = filter_steps<true>(call, at.s, begin, steps, a);
  }
}

template <class T, std::size_t Order, class Call>
struct run_blocks {
  Call const* call;

  TALLY_HD_AS_GIVEN
  TALLY_HD void operator()(std::size_t i) const
  {
    auto const [at, q] = call->all.quarter_at(i);
    if (!call->all.has(at) || call->deferred[at.all]) return;
    run_quarter<T, Order>(*call, at, q, call->firsts[at.all]);
  }
};

/// The blocks that are deferred, from the state that the block before ended with; and the last state.
template <class T, std::size_t Order, class Call>
struct finish_filters {
  Call const* call;

  TALLY_HD_AS_GIVEN
  TALLY_HD void operator()(std::size_t s) const
  {
    if (s >= call->all.sequences()) return;
    std::size_t const first = call->all.first_block(s), blocks = call->all.blocks_of(s);
    if (blocks > 0 && *call->any_deferred != 0)
      for (std::size_t j = 1; j < blocks; ++j)
        if (call->deferred[first + j])
          for (std::size_t q = 0; q < 4; ++q)
            run_quarter<T, Order>(*call, {first + j, s, j}, q, call->ends[first + j - 1]);
    if (call->lasts == nullptr) return;
    auto& last = call->lasts[call->all.last_of(s)];
    auto const before = call->before_sequence(s);
    if (blocks == 0)
      last = before;
    else
      last = last_outputs<T, Order>(call->ends[first + blocks - 1], call->steps_in({0, s, blocks - 1}),
                                    blocks == 1 ? before : call->ends[first + blocks - 2]);
  }
};

template <class Value>
struct write_filter_call {
  Value value;
  Value* to;
  TALLY_HD void operator()(std::size_t) const
  {
    *to = value;
    *value.any_deferred = 0;
  }
};

/// Runs filters on `sequences` sequences at most, which have `blocks` blocks at most, and not one more than `longest`
/// each.
template <class P, class T, std::size_t Order, class All>
void filter_in_phases(P const& on, All const& all, filter_constants<T, Order> const& of, std::size_t sequences,
                      std::size_t blocks, std::size_t longest, filter_state<T, Order> const& before,
                      filter_state<T, Order> const* befores, filter_state<T, Order>* lasts)
{
  static_assert(std::is_same_v<T, working_type<T>>, "tally: on a GPU the outputs of a recursive filter are no halves");
  using state = filter_state<T, Order>;
  using map = filter_map<T, Order>;
  using call_type = filter_call<T, Order, All>;
  bool const several = longest > 1;
  if (several)
    took("recursive filters in phases");
  else
    took("recursive filters of one block each");
  temporary<state, P> const quarters(on, 4 * blocks), firsts(on, blocks), ends(on, blocks);
  temporary<map, P> const local(on, several ? blocks : 0), tiles(on, several ? blocks : 0),
      spans(on, several ? blocks : 0);
  temporary<bool, P> const deferred(on, blocks);
  temporary<int, P> const any(on, 1);
  temporary<call_type, P> const memory(on, 1);
  call_type* const call = memory.data();
  tally::for_each_index(
      on, 1,
      write_filter_call<call_type>{{all, of, before, befores, lasts, quarters.data(), local.data(), tiles.data(),
                                    spans.data(), firsts.data(), ends.data(), deferred.data(), any.data()},
                                   call});
  tally::for_each_index(on, 4 * blocks, respond<call_type>{call});
  if (several) {
    tally::for_each_index(on, blocks, scan_tile_of_blocks<T, Order, call_type>{call});
    tally::for_each_index(on, blocks, fold_span<T, Order, call_type>{call});
    tally::for_each_index(on, sequences, fold_spans<T, Order, call_type>{call});
  }
  tally::for_each_index(on, blocks, find_first_states<T, Order, call_type>{call});
  tally::for_each_index(on, 4 * blocks, run_blocks<T, Order, call_type>{call});
  tally::for_each_index(on, sequences, finish_filters<T, Order, call_type>{call});
}

}  // namespace tally::detail::recurrence
