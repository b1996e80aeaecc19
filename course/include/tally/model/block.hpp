#pragma once

#include <memory>
#include <source_location>
#include <string>
#include <type_traits>
#include <vector>

#include "tally/model/machine.hpp"
#include "tally/model/watched.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/textbook/block.hpp"

namespace tally::model {

/// A value for each thread of a block: a register. A thread that names another thread's register is reported, because
/// on a GPU it would get its own.
template <class E>
class per_thread {
public:
  explicit per_thread(recorder& by) : by_(&by), values_(std::make_shared<E[]>(static_cast<std::size_t>(by.threads())))
  {
  }
  E& operator[](position t) const { return value(by_->own_register(t)); }

private:
  friend class block;
  E& value(int t) const { return values_[static_cast<std::size_t>(t)]; }

  recorder* by_;
  std::shared_ptr<E[]> values_;  // a kernel's lambdas copy what they use
};

/// A block of the model machine (textbook/block.hpp).
class block {
public:
  block(machine& on, recorder& by, int count) : on_(on), by_(by), count_(count) {}

  int size() const { return by_.threads(); }
  int index() const { return by_.block(); }
  int count() const { return count_; }

  template <class F>
  void step(F const& f, std::source_location where = std::source_location::current()) const
  {
    run(f, where, true);
  }
  template <class F>
  void each(F const& f, std::source_location where = std::source_location::current()) const
  {
    run(f, where, false);
  }

  template <class E>
  view<E> shared(int n, char const* name) const
  {
    by_.must_be_outside("block.shared");
    view<E> const made = on_.make<E>(memory::shared, name, static_cast<std::size_t>(n));
    by_.shared_arrays.push_back(made.of().number());
    return made;
  }

  template <class E>
  per_thread<E> registers() const
  {
    return per_thread<E>(by_);
  }

  template <class E>
  per_thread<E> shuffle_up(per_thread<E> const& own, int distance,
                           std::source_location where = std::source_location::current()) const
  {
    return shuffle(own, where, [&](int lane) { return lane - distance; });
  }
  template <class E>
  per_thread<E> shuffle_down(per_thread<E> const& own, int distance,
                             std::source_location where = std::source_location::current()) const
  {
    return shuffle(own, where, [&](int lane) { return lane + distance; });
  }
  template <class E>
  per_thread<E> shuffle_xor(per_thread<E> const& own, int distance,
                            std::source_location where = std::source_location::current()) const
  {
    return shuffle(own, where, [&](int lane) { return lane ^ distance; });
  }

  template <class E>
  E broadcast(view<E> x, position k) const
  {
    E value{};
    run([&](int) { value = x[k]; }, k.where, false);
    return value;
  }

  template <class E, class V>
  E atomic_add(view<E> x, position k, V const& v) const
  {
    position const at = begin_atomic(x, k);
    if (!by_.update(x.of(), at)) return E{};
    auto const i = static_cast<std::size_t>(at.index);
    E const before = x.of().peek(i);
    by_.moved(node_of(before));
    x.of().poke(i, sum_of(before, v, at.where));
    if (x.of().space() == memory::global) on_.progressed();
    return before;
  }
  template <class E, class V>
  void store_release(view<E> x, position k, V const& v) const
  {
    position const at = begin_atomic(x, k);
    if (!by_.write(x.of(), at, true)) return;
    E const e = on_.leaf_of(E(v));
    by_.moved(node_of(e));
    x.of().poke(static_cast<std::size_t>(at.index), e);
    on_.released_[{&x.of(), static_cast<std::size_t>(at.index)}] = by_.release();
    on_.progressed();
  }
  template <class E>
  E load_acquire(view<E> x, position k) const
  {
    position const at = begin_atomic(x, k, true);
    if (!by_.read(x.of(), at, true)) return E{};
    auto const i = static_cast<std::size_t>(at.index);
    by_.moved(node_of(x.of().peek(i)));
    if (auto const found = on_.released_.find({&x.of(), i}); found != on_.released_.end()) by_.acquire(found->second);
    return x.of().peek(i);
  }
  void pause(std::source_location where = std::source_location::current()) const
  {
    by_.must_be_in_phase("block.pause");
    on_.take_turns(true, nullptr, position(0, where));
  }

private:
  template <class F>
  void run(F const& f, std::source_location const& where, bool barrier) const
  {
    by_.begin_phase(where);
    for (int t = 0; t < size(); ++t) {
      by_.thread(t);
      f(t);
    }
    by_.end_phase(barrier);
  }

  /// The sum of an element and what is added to it atomically: of traced elements an application of the operator.
  template <class E, class V>
  E sum_of(E const& before, V const& v, std::source_location const& where) const
  {
    if constexpr (std::is_same_v<E, plain_t<E>>)
      return static_cast<E>(before + static_cast<E>(v));
    else
      return on_.watch<plain_t<E>>(plus{})(before, E(v), where);
  }

  /// An atomic access to memory of the grid is a place where another block may continue.
  template <class E>
  position begin_atomic(view<E> x, position k, bool looks = false) const
  {
    by_.must_be_in_phase("an atomic access");
    position const at = k.at(x.offset() + k.index);
    if (x.of().space() == memory::global) on_.take_turns(false, looks ? &x.of() : nullptr, at);
    return at;
  }

  /// A shuffle among all lanes of the block. A lane that asks for one outside of its warp gets its own value.
  template <class E, class From>
  per_thread<E> shuffle(per_thread<E> const& own, std::source_location const& where, From const& from) const
  {
    constexpr int lanes = textbook::warp_lanes;
    per_thread<E> received(by_);
    by_.begin_phase(where);
    for (int t = 0; t < size(); ++t) {
      by_.thread(t);
      int const lane = from(t % lanes), other = t - t % lanes + lane;
      bool const there = lane >= 0 && lane < lanes;
      if (there && other >= size()) by_.found_absent(other, where);
      int const giver = there && other < size() ? other : t;
      received.value(t) = own.value(giver);
      by_.shuffle(giver, node_of(received.value(t)), where);
    }
    by_.end_phase(false);
    return received;
  }

  machine& on_;
  recorder& by_;
  int count_;
};

}  // namespace tally::model
