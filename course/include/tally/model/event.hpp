#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tally/model/report.hpp"

namespace tally::model {

enum class action : std::uint8_t { read, write, atomic, apply, shuffle };

/// What one thread does once.
struct event {
  action what;
  std::uint16_t thread;
  std::uint32_t where;  ///< in the place_table
  int array = -1;       ///< read, write, atomic: its number
  int index = 0;        ///< and the element; shuffle: the thread whose value it is
  int node = -2;        ///< of the dag: what is read, written, made, or received; a leaf; traced<>::constant if none
  int left = -2, right = -2;  ///< apply: what it is made of
};

/// An access of a warp: what all its lanes that stand at the same place do at the same time.
struct request_counts {
  action what;
  int warp;
  std::uint32_t where;
  int array;
  int lanes;       ///< that take part
  int wavefronts;  ///< of shared memory; of global memory the sectors
  int degree;      ///< of shared memory: the most words in one bank
};

/// What all threads of a block do between two looks: one call of step, each or a shuffle.
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

/// Sees a run while it goes on.
class observer {
public:
  virtual ~observer() = default;
  /// Every phase when it has ended, with the arrays as they then are.
  virtual void see(machine const& on, phase const& ended) = 0;
  /// Whether it is told what follows.
  virtual bool wants_values() const { return false; }
  /// An array that the host has filled.
  virtual void given(machine const&, array_base const&) {}
  virtual void made(machine const&, application const&) {}
};

}  // namespace tally::model
