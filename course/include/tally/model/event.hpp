#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tally/model/report.hpp"

namespace tally::model {

enum class action : std::uint8_t { read, write, atomic, apply, shuffle };

/// One action of one thread.
struct event {
  action what;
  std::uint16_t thread;
  std::uint32_t where;  ///< in the place_table
  int array = -1;       ///< read, write, atomic: the number of the array
  int index = 0;        ///< read, write, atomic: the element; shuffle: the thread whose value is received
  int node = -2;        ///< the value read, written, made or received: a node of the dag, a leaf, or traced<>::constant
  int left = -2, right = -2;  ///< apply: the operands
};

/// An access of a warp: the accesses of all its lanes at the same place of the source at the same time.
struct request_counts {
  action what;
  int warp;
  std::uint32_t where;
  int array;
  int lanes;       ///< that take part
  int wavefronts;  ///< of shared memory; of global memory the sectors
  int degree;      ///< of shared memory: the most words in one bank
};

/// The actions of all threads of a block in one call of step, each or a shuffle.
struct phase {
  std::string kernel;
  int launch, block, number;      ///< of the phase in its block
  int barriers;                   ///< before it
  bool barrier;                   ///< at its end
  std::uint32_t where;            ///< the call
  std::span<event const> events;  ///< thread by thread
  int threads;                    ///< of the block
  phase_counts counts;
  std::span<request_counts const> requests;
};

/// An application of the operator, with its values as text.
struct application {
  int node, left, right;
  bool by_host;  ///< rather than a kernel
  std::string result, left_text, right_text;
};

class array_base;
class machine;

/// Is shown a run while it goes on.
class observer {
public:
  virtual ~observer() = default;
  /// Called with every phase when it has ended; the arrays are as the phase leaves them.
  virtual void see(machine const& on, phase const& ended) = 0;
  /// Whether `given` and `made` are called.
  virtual bool wants_values() const { return false; }
  /// The host has filled an array.
  virtual void given(machine const&, array_base const&) {}
  /// The operator has been applied.
  virtual void made(machine const&, application const&) {}
};

}  // namespace tally::model
