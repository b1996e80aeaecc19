#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <source_location>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tally/model/array.hpp"
#include "tally/model/dag.hpp"
#include "tally/model/event.hpp"
#include "tally/model/place.hpp"
#include "tally/model/recorder.hpp"
#include "tally/model/report.hpp"
#include "tally/model/schedule.hpp"
#include "tally/operators/traits.hpp"

namespace tally::model {

class block;
class team;
class thread;
template <class T, class Op>
class watched;

/// Whether the blocks of a kernel wait for each other.
template <class Kernel>
inline constexpr bool waits = requires { requires Kernel::waits; };

/// Neighbours in an array, of which a result should be made.
struct elements_in_order {
  std::string array;
  int origin = 0;           ///< the leaf of its element 0: leaves count down from it
  std::vector<int> leaves;  ///< of the dag
};

/// A model of a GPU. It runs kernels that are written against a block (textbook/block.hpp) on the calling thread, and
/// records everything that they do. Warps have 32 lanes, shared memory has 32 banks of four bytes, global memory
/// sectors of 32 bytes. tally/model.hpp has all that a program needs to launch kernels.
///
///     machine m;
///     auto x = m.input(std::vector{3, 1, 7, 0, 4, 1, 6, 3}, "in");
///     auto y = m.allocate<traced<int>>(8, "out");
///     m.launch(1, 8, textbook::scan_of_sections<textbook::hillis_steele>{}, x, y, 8, m.watch<int>(plus{}));
///     m.values(y), m.counts(), m.operations()
///
/// Neither time nor caches are modelled: an operation is one step, whatever it costs on a processor.
class machine {
public:
  explicit machine(schedule blocks = {}) : blocks_(blocks) {}
  machine(machine const&) = delete;
  machine& operator=(machine const&) = delete;
  ~machine();

  /// n elements of global memory, unset.
  template <class E>
  view<E> allocate(std::size_t n, std::string name)
  {
    return make<E>(memory::global, std::move(name), n);
  }
  /// The same with values, which are inputs of the dag.
  template <class T>
  view<traced<T>> input(std::vector<T> const& values, std::string name)
  {
    view<traced<T>> const made = allocate<traced<T>>(values.size(), std::move(name));
    for (std::size_t k = 0; k < values.size(); ++k) made.of().poke(k, traced<T>(values[k], new_leaf()));
    show(made.of());
    return made;
  }
  template <class E>
  void fill(view<E> of, plain_t<E> const& value)
  {
    for (std::size_t k = 0; k < of.of().size(); ++k) of.of().poke(k, leaf_of(E(value)));
    show(of.of());
  }
  /// The elements of an array, with `unset` in place of those that have not been written.
  template <class E>
  std::vector<plain_t<E>> values(view<E> of, plain_t<E> const& unset = {}) const
  {
    std::vector<plain_t<E>> result;
    for (std::size_t k = 0; k < of.of().size(); ++k)
      result.push_back(of.of().is_set(k) ? static_cast<plain_t<E>>(of.of().peek(k)) : unset);
    return result;
  }

  /// The same with the operations that made them, so that the host can continue the computation.
  template <class E>
  std::vector<E> to_host(view<E> of) const
  {
    std::vector<E> result;
    for (std::size_t k = 0; k < of.of().size(); ++k) result.push_back(of.of().peek(k));
    return result;
  }

  /// An operator whose applications to T are counted and become nodes of the dag. It has the properties of `op`.
  template <class T, class Op>
  watched<T, Op> watch(Op op)
  {
    return {*this, std::move(op)};
  }

  /// Runs `kernel(block, arguments...)` for every block of the grid, and returns when all have ended. The blocks run
  /// one after the other in the order of the schedule. If they wait for each other (`Kernel::waits`) they run together,
  /// and take turns at every atomic access to memory that they share.
  /// Throws    `std::invalid_argument` if blocks or threads is not positive, or threads more than 1024;
  ///           `std::logic_error` if the kernel does within its steps what belongs outside, or the reverse; and
  ///           whatever the kernel throws. The machine is usable after each of them.
  template <class Kernel, class... Arguments>
  void launch(int blocks, int threads, Kernel const& kernel, Arguments const&... arguments)
  {
    run(Kernel::name, blocks, threads, waits<Kernel>, [&](block const& here) { kernel(here, arguments...); });
  }

  /// The same for a kernel that is written for one thread: `kernel(thread, arguments...)` is a thread_program
  /// (thread_program.hpp).
  template <class Kernel, class... Arguments>
  void launch_threads(int blocks, int threads, Kernel const& kernel, Arguments const&... arguments);

  /// Says that the host will need the elements of an input again. A write to them is a finding.
  template <class E>
  void keep(view<E> of)
  {
    of.of().is_kept = true;
  }
  /// Elements first to last - 1 of an input, as they are now. A kernel may overwrite them later.
  template <class T>
  elements_in_order elements(view<traced<T>> of, std::size_t first, std::size_t last) const
  {
    elements_in_order all{of.of().name(), of.of().node(0), {}};
    for (std::size_t k = first; k < last; ++k) all.leaves.push_back(of.of().node(k));
    return all;
  }
  /// Looks at what element k of `out` has been made of, and reports if it is something else than `right`, or than the
  /// identity if these are none. The finding is at the line that wrote it. `op` combined the elements; their order
  /// counts unless it commutes.
  template <class T, class Op>
  void expect(view<traced<T>> out, std::size_t k, elements_in_order const& right, Op const& op)
  {
    std::string identity;
    if constexpr (has_identity<Op, T>) identity = text_of(identity_of<T>(op));
    check_result(out.of(), k, right, commutative<Op, T>, identity);
  }

  report const& counts() const { return report_; }
  dag const& operations() const { return dag_; }
  place const& place_of(std::uint32_t number) const { return places_[number]; }
  /// By number; null for shared memory of a block that has ended.
  std::vector<std::unique_ptr<array_base>> const& arrays() const { return arrays_; }

  /// Shows every phase from now on to the observer; null ends that.
  void watch_with(observer* who) { observer_ = who; }

private:
  friend class recorder;
  friend class thread;
  friend class block;
  template <class E>
  friend class reference;
  template <class T, class Op>
  friend class watched;

  struct interval {
    int launch, block, barriers;
    std::uint32_t releases;  // of the block before it
  };
  struct release {
    int barriers, thread;
  };

  template <class E>
  view<E> make(memory space, std::string name, std::size_t n)
  {
    auto made = std::make_unique<array<E>>(*this, space, static_cast<int>(arrays_.size()), std::move(name), n);
    std::size_t& end = space == memory::global ? global_end_ : current().shared_end;
    made->address = end;
    end += (n * sizeof(plain_t<E>) + 255) / 256 * 256;
    array<E>& result = *made;
    arrays_.push_back(std::move(made));
    return result;
  }

  int new_leaf() { return next_leaf_--; }
  /// A constant becomes a leaf when it is written to memory.
  template <class E>
  E leaf_of(E e)
  {
    if constexpr (!std::is_same_v<E, plain_t<E>>)
      if (e.node == E::constant) {
        e.node = new_leaf();
        constants_[e.node] = text_of(e.value);
      }
    return e;
  }
  void check_result(array_base& out, std::size_t k, elements_in_order const& right, bool any_order,
                    std::string const& identity);
  void add(finding found);
  void show(array_base const& given) const
  {
    if (observer_ != nullptr && observer_->wants_values()) observer_->given(*this, given);
  }

  recorder& current() const
  {
    if (current_ == nullptr)
      throw std::logic_error("an array of the model machine is for kernels; the host asks for values()");
    return *current_;
  }
  /// Lets another block continue before an access to memory that blocks share. `waiting`: this block cannot continue
  /// until another one stores. `looks_at`: it is about to read this array at `at`. Does nothing if blocks do not run
  /// together.
  void take_turns(bool waiting, array_base const* looks_at, position const& at);
  void progressed();
  void free_shared(recorder const& of);
  void run(std::string const& kernel, int blocks, int threads, bool together,
           std::function<void(block const&)> const& body);

  schedule blocks_;
  report report_;
  dag dag_;
  place_table places_;
  std::vector<interval> intervals_ = {{}};
  std::vector<std::string> kernels_;  // by launch
  std::vector<std::unique_ptr<array_base>> arrays_;
  std::map<std::pair<array_base const*, std::size_t>, recorder::clock> released_;  // with a word
  std::map<int, std::vector<release>> releases_;                                   // of each block of this launch
  std::map<int, std::string> constants_;  // the leaves that are constants of kernels, or operations with one
  std::size_t global_end_ = 0;
  int next_leaf_ = traced<int>::first_leaf;
  recorder* current_ = nullptr;
  team* team_ = nullptr;
  observer* observer_ = nullptr;
};

}  // namespace tally::model
