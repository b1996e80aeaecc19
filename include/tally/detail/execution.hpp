#pragma once

#include "tally/execution.hpp"

namespace tally::detail {

/// The execution of a call that names none: Tally chooses.
struct automatic {};

/// Whether calls on P run on a device with memory of its own: an execution says so by a member of this name.
template <class P>
inline constexpr bool runs_on_device = requires { requires P::runs_on_device; };

/// Calls run on processors of this machine, in the memory of the caller. Few threads each do long stretches of work.
template <class P>
concept host = execution<P> && !runs_on_device<P>;

/// Calls run on a device, in its memory and in the order of a stream. Many threads each do little.
template <class P>
concept device = execution<P> && runs_on_device<P>;

}  // namespace tally::detail

template <>
inline constexpr bool tally::is_execution<tally::detail::automatic> = true;
