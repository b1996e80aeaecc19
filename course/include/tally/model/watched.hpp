#pragma once

#include <source_location>
#include <utility>

#include "tally/model/machine.hpp"
#include "tally/operators/traits.hpp"

namespace tally::model {

/// An operator on traced values, whose applications are counted and become nodes of the dag.
template <class T, class Op>
class watched {
public:
  static constexpr bool commutative = tally::commutative<Op, T>;
  static constexpr bool exactly_associative = tally::exactly_associative<Op, T>;

  watched(machine& on, Op op) : on_(&on), op_(std::move(op)) {}

  traced<T> operator()(traced<T> const& a, traced<T> const& b,
                       std::source_location where = std::source_location::current()) const
  {
    int const node = on_->dag_.apply(a.node, b.node);
    for (traced<T> const* operand : {&a, &b})
      if (operand->node == traced<T>::constant) on_->constants_[node] = text_of(operand->value);
    if (recorder* const by = on_->current_) {  // else the host applies it
      for (traced<T> const* operand : {&a, &b})
        if (operand->node == traced<T>::unset) by->found(by->here(fault::unset_read, where));
      by->apply(a.node, b.node, node, where);
    }
    traced<T> const result(static_cast<T>(op_(a.value, b.value)), node);
    if (on_->observer_ != nullptr && on_->observer_->wants_values())
      on_->observer_->made(*on_, {node, a.node, b.node, on_->current_ == nullptr, text_of(result.value),
                                  text_of(a.value), text_of(b.value)});
    return result;
  }

  traced<T> identity() const
    requires has_identity<Op, T>
  {
    return {identity_of<T>(op_)};
  }

private:
  machine* on_;
  mutable Op op_;
};

template <class E>
E reference<E>::read() const
{
  machine& on = of_.owner();
  recorder& by = on.current();
  if (!by.read(of_, at_)) {
    E nothing{};
    if constexpr (!std::is_same_v<E, plain_t<E>>) nothing.node = E::constant;  // one finding is enough
    return nothing;
  }
  E const& e = of_.peek(static_cast<std::size_t>(at_.index));
  by.moved(node_of(e));
  return e;
}

template <class E>
reference<E> const& reference<E>::operator=(E const& e) const
{
  machine& on = of_.owner();
  recorder& by = on.current();
  if constexpr (!std::is_same_v<E, plain_t<E>>)
    if (e.node == E::unset) by.found(by.here(fault::unset_read, at_.where));
  if (!by.write(of_, at_)) return *this;
  if constexpr (!std::is_same_v<E, plain_t<E>> && std::is_floating_point_v<plain_t<E>>)
    if (e.node == E::constant && e.value != e.value) by.found_at(fault::not_a_number, of_, at_);
  E const kept = on.leaf_of(e);
  by.moved(node_of(kept));
  of_.poke(static_cast<std::size_t>(at_.index), kept);
  return *this;
}

}  // namespace tally::model
