#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tally/model/place.hpp"

namespace tally::model {

/// Accesses to memory, counted by warps: one request is the accesses of all lanes of a warp at the same place of the
/// source at the same time.
struct shared_counts {
  std::size_t reads = 0, writes = 0;  ///< of elements, atomic ones as both
  std::size_t requests = 0;           ///< of warps
  std::size_t wavefronts = 0;         ///< passes over the 32 banks of four bytes that the requests take
  std::size_t ideal = 0;              ///< passes if no two words were in one bank
  int worst_degree = 0;               ///< the most words in one bank of one request; if it is atomic, the most lanes

  shared_counts& operator+=(shared_counts const& other);
};

struct global_counts {
  std::size_t reads = 0, writes = 0;                  ///< of elements
  std::size_t sectors_read = 0, sectors_written = 0;  ///< of 32 bytes, for each request of a warp

  global_counts& operator+=(global_counts const& other);
};

/// Atomic changes, in either memory. Lanes of a warp that change the same word take turns.
struct atomic_counts {
  std::size_t changes = 0;   ///< of elements
  std::size_t requests = 0;  ///< of warps
  std::size_t turns = 0;     ///< of each request as many as the lanes that change one word, at the word with the most

  atomic_counts& operator+=(atomic_counts const& other);
};

struct warp_counts {
  std::size_t steps = 0;         ///< of warps in which at least one lane works
  std::size_t divergent = 0;     ///< those whose lanes do not all do the same
  std::size_t active_lanes = 0;  ///< in all steps together

  warp_counts& operator+=(warp_counts const& other);
};

/// The counts of one phase of a block.
struct phase_counts {
  std::size_t steps = 0;   ///< applications of the operator by the thread that has most
  bool transfers = false;  ///< global memory is touched
  shared_counts shared;
  warp_counts warps;
  global_counts global;
  atomic_counts atomics;
};

/// A kind of mistake of a kernel.
enum class fault {
  race,               ///< two threads, one word, no barrier between them, at least one writes
  unset_read,         ///< of a word, or a register, that has not been written
  out_of_range,       ///< of an array
  divergent_barrier,  ///< not all threads of a block reach it
  absent_lane,        ///< a shuffle names lanes that are not there
  foreign_register,   ///< a thread names the register of another
  no_progress,        ///< every block that runs waits for one that does not
  endless,            ///< the threads of a block meet at barriers without end
  // Faults of what comes out, found by machine::expect:
  unwritten,      ///< a result that no thread writes
  lacks_element,  ///< a result that is not made of all elements that it should be
  extra_element,  ///< a result that takes an element twice, or one that does not belong to it
  out_of_order,   ///< a result whose elements are not in their order
  not_identity,   ///< a result with a constant among its elements that is not the operator's identity
  changes_input,  ///< an input that the kernel writes to
  not_a_number,   ///< a NaN that a thread has made without the operator, such as the root of a negative number
};

struct finding {
  fault what;
  std::string kernel;
  int launch = 0, block = 0;
  int step = 0;                ///< how many barriers of the block came before
  int thread = 0, other = -1;  ///< the threads; `other` of a race, in block `other_block`
  int other_block = -1;
  std::string array;  ///< empty for registers and barriers
  int index = 0;
  std::size_t size = 0;                       ///< of the array, where the index is out of range
  bool writes = false, other_writes = false;  ///< rather than reads
  std::string other_array;                    ///< of the element that a result lacks, or should not have
  int other_index = 0;
  std::string constant;  ///< the one that is not the identity, and the identity
  std::string identity;
  place where, other_where;  ///< `other_where` is empty if a barrier waits for a thread that has ended
  std::size_t times = 1;     ///< how often it was found at these places
  /// "race: threads 0 and 1 of block 0 ... x[1] ..."
  std::string text() const;
};

std::string name(fault what);

/// The counts of all launches.
struct report {
  int launches = 0;
  std::size_t blocks = 0;  ///< of all launches
  /// On the longest path: of each launch those of the block that has most.
  std::size_t steps = 0;  ///< applications of the operator that a thread does
  std::size_t barriers = 0;
  /// In steps that touch no global memory, which are the algorithm; and in the others, which load and store.
  shared_counts shared, shared_in_transfers;
  warp_counts warps, warps_in_transfers;
  global_counts global;
  atomic_counts atomics;
  std::vector<finding> findings;  ///< one for each fault and place

  bool clean() const { return findings.empty(); }
};

}  // namespace tally::model
