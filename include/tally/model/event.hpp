#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace tally::model {

enum class action : std::uint8_t { read, write, atomic, apply, shuffle };

/// What one thread does once.
struct event {
  action what;
  std::uint16_t thread;
  std::uint32_t where;        ///< in the place_table
  int array = -1;             ///< read, write, atomic: its number
  int index = 0;              ///< and the element
  int node = -2;              ///< of the dag: what is read, written, made, or received; traced<>::constant if none
  int left = -2, right = -2;  ///< apply: what it is made of
};

/// What all threads of a block do between two looks: one call of step, each or a shuffle.
struct phase {
  std::string kernel;
  int launch, block, number;      ///< of the phase in its block
  int barriers;                   ///< before it
  bool barrier;                   ///< at its end
  std::uint32_t where;            ///< the call
  std::span<event const> events;  ///< thread by thread
};

class machine;

/// Sees every phase when it has ended, with the arrays as they then are.
class observer {
public:
  virtual ~observer() = default;
  virtual void see(machine const& on, phase const& ended) = 0;
};

}  // namespace tally::model
