#pragma once

namespace tally {

/// Runs a call on this machine's processors.
///
/// Tally uses as many threads as make the call quicker, the calling thread among them: one for small inputs, all that
/// the process may use for large ones. `threads = n` means at most n, `threads = 0` any number. The bits of the result
/// never depend on it.
///
/// A call without an execution argument uses all threads for Tally's own operators. With an operator, transformation or
/// iterator of the caller's it stays on the calling thread: a caller who names `tally::cpu` says that they may be
/// called from several threads at once.
struct cpu {
  int threads = 0;
};

template <class P>
inline constexpr bool is_execution = false;
template <>
inline constexpr bool is_execution<cpu> = true;

/// A type that says where a call runs.
template <class P>
concept execution = is_execution<P>;

}  // namespace tally
