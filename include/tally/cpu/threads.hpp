#pragma once

#include <optional>

#include "tally/contract.hpp"
#include "tally/execution.hpp"

namespace tally::cpu_backend {

/// The threads of a call that runs the caller's own code: one, unless the caller named tally::cpu.
inline int threads_of(std::optional<cpu> const& on)
{
  return on ? on->threads : 1;
}

}  // namespace tally::cpu_backend

namespace tally::detail {

/// What the caller says of threads, and with it that a call runs on the CPU.
inline std::optional<cpu> threads_wish(automatic)
{
  return std::nullopt;
}
inline std::optional<cpu> threads_wish(cpu on)
{
  return on;
}

/// Whether calls run on the CPU, where an element of a scan does best to stand for a block of others, or on a GPU,
/// where it does not.
template <class P>
inline constexpr bool runs_on_cpu = requires(P on) { threads_wish(on); };

}  // namespace tally::detail
