#pragma once

#include <concepts>
#include <optional>

#include "tally/detail/execution.hpp"

namespace tally::cpu_backend {

/// The executions of this backend: tally::cpu, and that of calls that name none.
template <class P>
concept cpu_execution = std::same_as<P, cpu> || std::same_as<P, detail::automatic>;

/// The execution that the caller names; absent if the call names none.
inline std::optional<cpu> requested(detail::automatic)
{
  return std::nullopt;
}
inline std::optional<cpu> requested(cpu on)
{
  return on;
}

/// The threads of a call that runs the caller's own code: one, unless the caller named tally::cpu.
inline int requested_threads(std::optional<cpu> const& on)
{
  return on ? on->threads : 1;
}

}  // namespace tally::cpu_backend
