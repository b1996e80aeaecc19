#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tally/model/machine.hpp"

/// Drawings of a run of the model machine: in the terminal, as SVG, as JSON, as a page.
namespace tally::draw {

/// The place of a value: element `index` of array number `array`, or a register of thread `index` of the block.
struct element {
  static constexpr int registers = -1;
  int array = registers;
  int index = 0;
  friend bool operator==(element const&, element const&) = default;
};

/// One action of one thread. Values are numbers; the recording has their text and origin.
struct act {
  model::action what;
  int thread;
  model::place where;
  /// Read, write, atomic: the element. Shuffle: the register that the value comes from. Apply: the element that the
  /// thread writes the result to in this phase, or changes atomically; else its own register.
  element at;
  int value;
  int left = 0, right = 0;  ///< apply: its operands,
  element left_at,
      right_at;  ///< and where the thread has them from: the element it read last with that value, maybe in an earlier phase; the lane's
  ///< register it was shuffled from; or its own register
};

/// An access of a warp (tally/model/event.hpp, request_counts).
struct request {
  model::action what;
  int warp;
  model::place where;
  int array;
  int lanes;       ///< that take part
  int wavefronts;  ///< of shared memory; of global memory the sectors
  int degree;      ///< of shared memory: the most words in one bank
};

/// An element that has been written.
struct change {
  int array;
  int index;
  int value;
  std::string text;
};

/// One phase of a block: a call of step, each or a shuffle. Or the applications of the host between two launches:
/// launch and block are -1 then.
struct phase {
  std::string kernel;
  int launch, block;
  int number;    ///< of the phase in its block
  int barriers;  ///< of the block, before it
  bool barrier;  ///< at its end
  int threads;   ///< of the block
  int active;    ///< the threads that do anything
  model::place where;
  std::size_t operations;  ///< applications of the operator, by all threads
  int listed;              ///< `acts` has those of the threads [0, listed)
  std::vector<act> acts;   ///< thread by thread
  model::phase_counts counts;
  std::vector<request> requests;
  std::vector<change> changes;  ///< by array and index

  bool by_host() const { return launch < 0; }
};

/// An array that a kernel has accessed, or the host has filled.
struct array {
  int number;
  std::string name;
  model::memory space;
  int launch = -1, block = -1;  ///< the owner of shared memory
  std::size_t element_bytes;
  std::vector<std::string>
      before;  ///< what is in its elements at first; empty where nothing is. Its size is the array's
  std::vector<int> values_before;  ///< and the numbers of these values: `plain` where there is none
};

/// Records a whole run, to be drawn. Call `machine.watch_with(&recording)` before any other member of the machine.
///
/// Cost  time and about 100 bytes of memory for each action of a thread; of a run of more than `most` actions only the
///       first ones are kept (`complete`).
class recording final : public model::observer {
public:
  enum class origin {
    operation,  ///< made by the operator; its number is that of its node of the dag
    input,      ///< given by the host
    constant,   ///< of the kernel, such as an identity
    plain       ///< no operand of the operator: a flag, a count, or no value
  };
  static constexpr int plain = -2;

  explicit recording(std::size_t most = 2'000'000) : most_(most) {}

  /// In the order in which they ended.
  std::vector<phase> const& phases() const { return phases_; }
  /// By number.
  std::map<int, array> const& arrays() const { return arrays_; }
  array const& array_of(int number) const { return arrays_.at(number); }
  bool complete() const { return complete_; }
  /// The actions that are kept.
  std::size_t acts() const { return acts_; }

  origin origin_of(int value) const;
  /// "3", "a..c"; empty if the value is plain.
  std::string const& text_of(int value) const;
  /// "x[3]", "in[0]"; "thread 3" for a register.
  std::string name_of(element const& where) const;
  /// The same run, in which a phase of more than `most` acts lists those of its first warps: one warp at least. Its
  /// counts, requests and changes stay those of all threads.
  recording of_first_warps(std::size_t most) const;
  /// The elements of an array after the phase of that index in phases(); empty text for unset ones.
  std::vector<std::string> texts_after(std::size_t phase, int array) const;

  void see(model::machine const& on, model::phase const& ended) override;
  bool wants_values() const override { return true; }
  void given(model::machine const& on, model::array_base const& filled) override;
  void made(model::machine const& on, model::application const& done) override;

private:
  using sources = std::unordered_map<int, element>;  // of a thread: the element that each value comes from

  phase& host();
  int constant(std::string const& text);
  array& known(model::array_base const& of, int launch, int block);
  act act_of(model::machine const& on, model::event const& e, sources& from);
  void place_results(phase& into) const;
  std::vector<change> changes_of(model::machine const& on, std::vector<act> const& acts);

  std::size_t most_, acts_ = 0;
  bool complete_ = true;
  std::vector<phase> phases_;
  std::map<int, array> arrays_;
  std::vector<std::string> made_;  // by node
  std::unordered_map<int, std::pair<int, int>>
      operands_;                     // by node: constants in registers, which have no number on the machine
  std::vector<std::string> leaves_;  // by leaf
  std::vector<bool> inputs_;         // whether the host gave the leaf
  std::vector<std::string> constants_;
  std::map<std::pair<int, int>, std::vector<sources>> sources_;  // by launch and block, by thread
};

}  // namespace tally::draw
