#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/cuda/exact/pair_carries.cuh"
#include "tally/detail/cuda/exact/pair_kernel.cuh"
#include "tally/detail/cuda/exact/pair_repair.cuh"
#include "tally/detail/cuda/launch.cuh"
#include "tally/detail/path.hpp"

/// The launch of exact scans and sums by pairs.
namespace tally::cuda_backend::exact {

/// The choice of exact sums by pairs. Tests change it.
struct pairs_tuning {
  bool scans = true;
  /// Sums of rows and segments of up to so many terms on average, and of a quarter of them for doubles. Longer ones are
  /// sooner added up by levels (an H200, 1 GiB, us by pairs and by levels: rows of 1024 floats 410 and 522, of 4096 390
  /// and 351; segments of mean 2000 365 and 521; rows of 256 doubles 437 and 485, of 1024 425 and 320).
  std::size_t most_terms = 2048;
  /// Sums of sequences side by side from so many terms in all. Fewer are sooner added up by levels, in two kernels.
  std::size_t least_in_columns = std::size_t{1} << 22;
  /// Whether the kernels behind do again what pairs do not tell. Without them a test sees what pairs tell.
  bool falls_back = true;
};
inline pairs_tuning& pairs_tuning_in_use()
{
  static pairs_tuning all;
  return all;
}

/// The blocks of a kernel that run at a time, and no more than a test asks for.
template <class P>
std::size_t blocks_of(prepared_call const& call, void (*kernel)(P const), int threads, known_kernels& known,
                      std::size_t shared_bytes = 0)
{
  int const resident = blocks_at_a_time(call, kernel, threads, shared_bytes, known);
  return static_cast<std::size_t>(call.most_blocks() > 0 ? std::min(resident, call.most_blocks()) : resident);
}

/// Memory from the workspace's pool.
class pool_bytes {
public:
  pool_bytes(execution const& on, std::size_t size)
      : on_(on),
        size_(size),
        begin_(static_cast<std::byte*>(backend_allocate(on, size)))
  {
  }
  ~pool_bytes() { backend_free(on_, begin_); }
  pool_bytes(pool_bytes const&) = delete;
  pool_bytes& operator=(pool_bytes const&) = delete;

  std::byte* begin() const { return begin_; }
  std::size_t size() const { return size_; }

private:
  execution const& on_;
  std::size_t size_;
  std::byte* begin_;
};

/// Memory of a call by pairs: the words of its groups of tiles and, of segments, which end in each tile, all of which
/// begin as zeros; the sums of its tiles, of sums those up to the first end too; and, in scans of segments, a bit for
/// each element.
class pairs_memory {
  static constexpr std::size_t header = 128;

public:
  pairs_memory(execution const& on, prepared_call const& call, std::size_t tiles, bool has_offsets, bool reduces)
      : ended_begin_(header + (groups_of_tiles(tiles) * pair_states::words * sizeof(std::uint64_t) + header - 1) /
                                  header * header),
        sums_begin_(ended_begin_ + (has_offsets ? tiles * sizeof(sequences_of_tile) : 0)),
        memory_(on, sums_begin_ + tiles * (reduces ? 2 : 1) * sizeof(tile_sum) +
                        (has_offsets && !reduces ? tiles * warp_lanes * sizeof(std::uint16_t) : 0))
  {
    check_cuda(cudaMemsetAsync(memory_.begin(), 0, sums_begin_, call.stream()), "clearing memory");
    states_ = {reinterpret_cast<pair_counters*>(memory_.begin()),
               reinterpret_cast<std::uint64_t*>(memory_.begin() + header),
               reinterpret_cast<tile_sum*>(memory_.begin() + sums_begin_), nullptr};
    if (reduces) states_.up_to_ends = states_.of_tiles + tiles;
    if (has_offsets) {
      ended_ = reinterpret_cast<sequences_of_tile*>(memory_.begin() + ended_begin_);
      bits_ = reinterpret_cast<std::uint16_t*>(states_.of_tiles + tiles);
    }
  }
  pair_states const& states() const { return states_; }
  sequences_of_tile* ended() const { return ended_; }
  std::uint16_t* bits() const { return bits_; }

private:
  std::size_t ended_begin_, sums_begin_;
  pool_bytes memory_;
  pair_states states_{};
  sequences_of_tile* ended_ = nullptr;
  std::uint16_t* bits_ = nullptr;
};

/// Launches a call of up to `most` elements, whose results may replace what it reads. Returns the word that is not 0
/// behind it if pairs have not told all results.
template <class P>
unsigned const* launch_pairs(execution const& on, prepared_call& call, std::optional<pairs_memory>& memory, P problem,
                             std::size_t most, bool replaces)
{
  using ends_type = typename P::ends_type;
  static std::array<void (*)(P const), 2> entry{sums_before_tiles_kernel<P>, pairs_kernel<P>};
  static known_kernels known{};
  std::size_t const tiles = std::max((most + pair_tile - 1) / pair_tile, std::size_t{1});
  auto const blocks_for = [&](std::size_t of_warp) {
    std::size_t const in_block = of_warp * pair_warps;
    return static_cast<unsigned>((tiles + in_block - 1) / in_block);
  };
  memory.emplace(on, call, tiles, ends_type::has_bits, P::reduces);
  problem.states = memory->states();
  if constexpr (ends_type::has_bits) {
    problem.ends.ended = memory->ended();
    problem.ends.bits = memory->bits();
    static std::array<void (*)(ends_type const), 2> kernels{ends_of_tiles_kernel<ends_type>,
                                                            mark_ends_kernel<ends_type>};
    std::size_t const sequences = problem.ends.segments.most;
    problem.ends.ends_of_thread = ends_for_thread(sequences, tiles);
    std::size_t const ends_of_block = std::size_t{pair_threads} * problem.ends.ends_of_thread;
    std::size_t const blocks = std::max((sequences + ends_of_block - 1) / ends_of_block, std::size_t{1});
    launch(call, kernels[0], problem.ends, static_cast<unsigned>(blocks), pair_threads);
    if (!P::reduces)
      launch(call, kernels[1], problem.ends, blocks_for(tiles_of_warp), pair_threads, pair_warps * elements_of_warp);
  }
  auto const add_up_tiles = [&] {
    launch(call, entry[0], problem, static_cast<unsigned>(groups_of_tiles(tiles)), carries_threads);
  };
  if constexpr (!P::reduces) {
    static std::array<void (*)(P const), 1> sums{tile_sums_kernel<P>};
    launch(call, sums[0], problem, blocks_for(tiles_of_warp), pair_threads);
    add_up_tiles();
  }
  constexpr std::size_t shared_bytes = pair_warps * sizeof(warp_memory<P>);
  auto const blocks =
      std::min(static_cast<unsigned>(blocks_of(call, entry[1], pair_threads, known, shared_bytes)), blocks_for(1));
  problem.results = replaces ? pair_results::look_at : pair_results::write;
  launch(call, entry[1], problem, blocks, pair_threads, shared_bytes);
  if constexpr (P::reduces) {
    add_up_tiles();
  } else if (replaces) {
    static std::array<void (*)(P const), 1> repair{repair_tiles_kernel<P>};
    problem.results = pair_results::replace;
    launch(call, entry[1], problem, blocks, pair_threads, shared_bytes);
    launch(call, repair[0], problem, blocks, pair_threads);
  }
  return &problem.states.counters->failed;
}

/// Whether a call ends with its pairs: for tests.
inline bool ends_with_pairs(unsigned const* failed)
{
  return failed != nullptr && !pairs_tuning_in_use().falls_back;
}

/// Whether all sequences lie one behind the other in memory.
template <class StepOf>
bool are_neighbours(detail::batch::layout const& where, StepOf step_of)
{
  if (where.dimensions == 0) return step_of(where.along.step) == 1;
  return where.dimensions == 1 && step_of(where.along.step) == 1 &&
         step_of(where.across[0].step) == static_cast<std::ptrdiff_t>(where.along.extent);
}

template <class T>
bool can_scan_pairs(detail::batch::ends<T> const& ends, bool is_exclusive)
{
  return pairs_tuning_in_use().scans && ends.initials == nullptr && ends.lasts == nullptr &&
         (!is_exclusive || ends.initial.has_value());
}
template <class T>
bool can_sum_pairs(detail::batch::ends<T> const& ends, std::size_t mean)
{
  return ends.initials == nullptr && mean <= pairs_tuning_in_use().most_terms / (sizeof(T) == 8 ? 4 : 1);
}

template <class T>
double initial_term(detail::batch::ends<T> const& ends)
{
  return ends.initial ? static_cast<double>(static_cast<working_type<T>>(*ends.initial)) : -0.0;
}

/// Scans of up to `most` elements. Results may replace the elements that they begin with.
template <class T, class In, class Out, class Transform, class Ends>
unsigned const* scan_pairs(execution const& on, prepared_call& call, std::optional<pairs_memory>& memory, In in,
                           std::size_t most, Out out, Transform const& transform, Ends const& ends,
                           detail::batch::ends<T> const& values, bool is_exclusive)
{
  using problem = pairs_problem<T, In, Out, Transform, Ends, false>;
  bool is_apart = false;
  if constexpr (is_plain<In> && is_plain<Out>) is_apart = apart(in, out, most);
  detail::took(is_apart ? "cuda: exact scans by pairs" : "cuda: exact scans by pairs, in place");
  return launch_pairs(on, call, memory,
                      problem{in, out, transform, ends, initial_term(values), T{}, is_exclusive, {}, {}}, most,
                      !is_apart);
}

/// Sums of sequences that have up to `most` elements in all.
template <class T, class In, class Out, class Ends>
unsigned const* sum_pairs(execution const& on, prepared_call& call, std::optional<pairs_memory>& memory, In in,
                          std::size_t most, Out out, Ends const& ends, detail::batch::ends<T> const& values, T nothing)
{
  using problem = pairs_problem<T, In, Out, std::identity, Ends, true>;
  detail::took("cuda: exact sums by pairs");
  return launch_pairs(
      on, call, memory,
      problem{in, out, {}, ends, initial_term(values), values.initial ? *values.initial : nothing, false, {}, {}}, most,
      false);
}

}  // namespace tally::cuda_backend::exact
