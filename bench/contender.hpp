#pragma once

#include <cstddef>
#include <cstdint>

namespace tally::bench {

enum class operation : std::uint8_t { inclusive_scan, exclusive_scan, reduce_sum, reduce_max };
enum class element : std::uint8_t { f32, f64, i32, i64, i16, i8 };

/// A limit is what the machine itself can do: a copy bounds every scan, a read bounds every reduction.
enum class role : std::uint8_t { tally, peer, copy_limit, read_limit };

inline constexpr int all_threads = 0;

/// One function to be timed: plain data, since most contenders live in modules that are loaded at run time.
struct contender {
  char const* name;
  role part;
  operation what;    ///< ignored for a limit
  element type;      ///< ignored for a limit
  int threads;       ///< 1, or all_threads
  bool memory_only;  ///< not timed on data that fits in cache, where it makes no sense (streaming stores)
  void (*run)(void const* in, void* out, std::size_t n);  ///< n counts elements, or bytes for a limit
  void (*begin)();  ///< called before a batch of runs, outside the time taken; may be null
  void (*end)();    ///< called after it; may be null
};

/// The type of the function that a module exports as `tally_bench_contenders`.
using contenders_of_module = contender const* (*)(std::size_t* count);

}  // namespace tally::bench
