#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <cuda_runtime.h>

#include "tally/detail/cuda/call.hpp"
#include "tally/detail/cuda/check.cuh"
#include "tally/detail/cuda/launch.cuh"
#include "tally/detail/cuda/sort/digit_counts.cuh"
#include "tally/detail/cuda/sort/problem.cuh"
#include "tally/detail/cuda/sort/tile_pass.cuh"
#include "tally/detail/cuda/tuning.hpp"
#include "tally/detail/path.hpp"
#include "tally/temporary.hpp"

/// The launches of a radix sort: the counts of all digits, a pass for every 8 bits, and a copy back.
///
/// The host knows neither the keys nor which passes they need, and waits for nothing. Each kernel finds in the state
/// whether it has anything to do. A kernel begins after the one before has ended: early starts made a sort of 2^16 keys
/// 5 us faster of 53, and one of 2^20 keys 11 us slower of 75 (an H100).
namespace tally::cuda_backend::sorting {

/// The copies of each counter in the first kernel, on a device that gives a block 128 KiB of shared memory; else 8.
template <class Key>
inline constexpr int many_copies = sizeof(Key) <= 4 ? 32 : 16;

template <class P, int Copies>
void launch_counts(prepared_call const& call, P const& problem)
{
  using counting = digit_counting<P, Copies>;
  static known_kernels known{};
  auto const entry = count_digits_kernel<P, Copies>;
  auto const at_a_time =
      static_cast<std::size_t>(blocks_at_a_time(call, entry, counting::threads, counting::shared_bytes, known));
  auto const blocks = static_cast<unsigned>(std::min(problem.n / counting::tile + 1, at_a_time));
  launch(call, entry, problem, blocks, counting::threads, counting::shared_bytes, 1, turn::at_the_end);
}

template <class P>
void launch_pass(prepared_call const& call, P const& problem)
{
  using pass = tile_pass<P>;
  constexpr std::size_t shared_bytes = sizeof(typename pass::memory);
  static known_kernels known{};
  auto const entry = move_by_digit_kernel<P>;
  (void)blocks_at_a_time(call, entry, pass::threads, shared_bytes, known);  // asks for the shared memory
  launch(call, entry, problem, static_cast<unsigned>(pass::tiles(problem.n)), pass::threads, shared_bytes, 1,
         turn::at_the_end);
}

/// Sorts by the bits [first_bit, end_bit), which are not none. Requires at least two keys. `Word` holds the number of
/// keys and a tile's more in all but two of its bits.
template <class Order, class Word, class Key, class Value>
void sort_by_hand_over(execution const& on, prepared_call const& call, Key* keys, Value* values, std::size_t n,
                       int first_bit, int end_bit)
{
  using P = sort_problem<Key, Value, Order, Word>;
  using pass = tile_pass<P>;
  std::size_t const bytes = sizeof(sort_state<Word>) + pass::tiles(n) * digits * sizeof(Word);
  temporary<Key, execution> const other_keys(on, n);
  temporary<Value, execution> const other_values(on, pass::with_values ? n : 0);
  temporary<unsigned char, execution> const state(on, bytes);
  check_cuda(cudaMemsetAsync(state.data(), 0, bytes, call.stream()), "clearing the state of a sort");

  P problem{{keys, other_keys.data()},
            {values, other_values.data()},
            reinterpret_cast<sort_state<Word>*>(state.data()),
            reinterpret_cast<Word*>(state.data() + sizeof(sort_state<Word>)),
            n,
            first_bit,
            end_bit,
            0};
  int const capability = call.facts().compute_capability;
  if (capability >= 90 && capability < 120)
    launch_counts<P, many_copies<Key>>(call, problem);
  else
    launch_counts<P, 8>(call, problem);
  for (; problem.this_pass < problem.passes(); ++problem.this_pass) launch_pass(call, problem);

  constexpr int threads = copy_back_threads;
  std::size_t const most = static_cast<std::size_t>(call.processors()) * 8, all = (n + threads - 1) / threads;
  launch(call, copy_back_kernel<P>, problem, static_cast<unsigned>(std::min(all, most)), threads, 0, 1,
         turn::at_the_end);
}

/// The radix sort of a GPU. Requires at least two keys, and bits.
template <class Order, class Key, class Value>
void sort_on_device(execution const& on, Key* keys, Value* values, std::size_t n, int first_bit, int end_bit)
{
  prepared_call const call(on, "tally::radix_sort");
  call.check_pointer(keys, "keys");
  using narrow = sort_problem<Key, Value, Order, std::uint32_t>;
  using pass = tile_pass<narrow>;
  if constexpr (pass::with_values) call.check_pointer(values, "values");
  detail::took(!pass::with_values       ? "cuda: radix sort, keys alone"
               : pass::values_in_memory ? "cuda: radix sort, with values in shared memory"
                                        : "cuda: radix sort, with wide values");
  constexpr std::size_t most_narrow = handed_over<std::uint32_t>::most - pass::tile;
  if (n <= std::min(tuning_in_use().keys_counted_narrowly, most_narrow)) {
    detail::took("cuda: radix sort, counts of 32 bits");
    sort_by_hand_over<Order, std::uint32_t>(on, call, keys, values, n, first_bit, end_bit);
  } else {
    detail::took("cuda: radix sort, counts of 64 bits");
    sort_by_hand_over<Order, std::uint64_t>(on, call, keys, values, n, first_bit, end_bit);
  }
}

}  // namespace tally::cuda_backend::sorting
