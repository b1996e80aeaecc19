#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include "tally/config.hpp"
#include "tally/counted.hpp"
#include "tally/detail/backends.hpp"
#include "tally/detail/batch/along_calls.hpp"
#include "tally/detail/batch/arguments.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/gradients.hpp"
#include "tally/detail/batch/sequences.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/recurrence/calls.hpp"
#include "tally/detail/recurrence/steps.hpp"
#include "tally/error.hpp"
#include "tally/for_each.hpp"
#include "tally/sequences.hpp"
#include "tally/temporary.hpp"

/// Gradients of linear recurrences: a recurrence backward in time, whose states go to two arrays.
namespace tally::detail::recurrence {

/// The arrays of a call, in the order in which their strides are kept.
enum class role { a, y, above, to_a, to_b, before, to_before };
inline constexpr std::size_t roles = 7;

/// The arrays of a call. Their elements are numbered through all sequences.
template <class T, class A, class Y, class G, class ToA, class ToB>
struct gradient_arrays {
  A const* a;
  Y const* y;
  G const* above;
  ToA* to_a;
  ToB* to_b;
  T const* befores;
  T* to_befores;
  T before;
  std::size_t size;
  int dimensions;
  std::size_t extents[most_axes];
  std::ptrdiff_t along[roles];
  std::ptrdiff_t across[most_axes][roles];

  TALLY_HD std::ptrdiff_t place(role of, std::size_t s, std::size_t k) const
  {
    auto const r = static_cast<std::size_t>(of);
    std::ptrdiff_t at = static_cast<std::ptrdiff_t>(k) * along[r];
    for (int d = dimensions; d-- > 0; s /= extents[d]) at += static_cast<std::ptrdiff_t>(s % extents[d]) * across[d][r];
    return at;
  }
  /// The factor of h[k+1] in h[k]: a[k+1], and 1 behind the last step.
  TALLY_HD T factor(std::size_t element) const
  {
    std::size_t const s = element / size, k = element % size;
    if (k + 1 == size) return static_cast<T>(1.0f);
    return static_cast<T>(a[place(role::a, s, k + 1)]);
  }
  TALLY_HD T term(std::size_t element) const
  {
    return static_cast<T>(above[place(role::above, element / size, element % size)]);
  }
  TALLY_HD T state_before(std::size_t s, std::size_t k) const
  {
    if (k != 0) return static_cast<T>(y[place(role::y, s, k - 1)]);
    return befores != nullptr ? befores[place(role::before, s, 0)] : before;
  }
  TALLY_HD void put(std::size_t element, T const& h) const
  {
    using W = working_type<T>;
    auto const times = [](T const& x, T const& z) {
      return static_cast<T>(product(static_cast<W>(x), static_cast<W>(z)));
    };
    std::size_t const s = element / size, k = element % size;
    to_a[place(role::to_a, s, k)] = static_cast<ToA>(times(h, state_before(s, k)));
    if (k == 0 && to_befores != nullptr)
      to_befores[place(role::to_before, s, 0)] = times(h, static_cast<T>(a[place(role::a, s, 0)]));
    to_b[place(role::to_b, s, k)] = static_cast<ToB>(h);
  }
  TALLY_HD ToB stored(std::size_t element) const { return to_b[place(role::to_b, element / size, element % size)]; }
};

template <class T, class Arrays>
struct factor_of_gradient {
  Arrays const* arrays;
  TALLY_HD T operator()(std::size_t element) const { return arrays->factor(element); }
};
template <class T, class Arrays>
struct term_of_gradient {
  Arrays const* arrays;
  TALLY_HD T operator()(std::size_t element) const { return arrays->term(element); }
};

/// The output of the recurrence of h: an iterator whose places take a state and give it back as it was stored.
template <class T, class ToB, class Arrays>
struct gradient_output {
  using value_type = ToB;
  using difference_type = std::ptrdiff_t;

  struct place {
    Arrays const* arrays;
    std::size_t element;

    TALLY_HD void put(T const& h) const { arrays->put(element, h); }
    template <class U>
    TALLY_HD explicit operator U() const
    {
      return static_cast<U>(arrays->stored(element));
    }
  };

  Arrays const* arrays;
  bool in_place;

  TALLY_HD place operator[](std::ptrdiff_t element) const { return {arrays, static_cast<std::size_t>(element)}; }
  bool replaces_elements() const { return in_place; }
};

template <class Value>
struct write_once {
  Value value;
  Value* to;
  TALLY_HD void operator()(std::size_t) const { *to = value; }
};

/// All threads of a CPU, if the call names no execution and runs no code of the caller's.
template <class T, class P>
auto with_threads(P const& on)
{
  if constexpr (std::is_same_v<P, automatic> && (is_number<T> || is_complex<T>))
    return cpu{};
  else
    return on;
}

/// The same call backward in time, with at most `most_dimensions` extents above 1.
template <class T>
batch::gradients<T> in_memory(gradient_arrays<T, T, T, T, T, T> const& given)
{
  auto const last = [&](role of) { return given.place(of, 0, given.size - 1); };
  batch::gradients<T> backward{given.a + last(role::a),
                               given.y + last(role::y),
                               given.above + last(role::above),
                               given.to_a + last(role::to_a),
                               given.to_b + last(role::to_b),
                               given.befores,
                               given.before,
                               given.to_befores,
                               {},
                               {}};
  auto const step = [](std::ptrdiff_t const(&of)[roles], role which) { return of[static_cast<std::size_t>(which)]; };
  backward.states.along = {
      given.size, {-step(given.along, role::above), -step(given.along, role::to_b), 0, 0, -step(given.along, role::a)}};
  backward.products.along = {given.size, {-step(given.along, role::y), -step(given.along, role::to_a), 0, 0, 0}};
  for (int d = 0; d < given.dimensions; ++d) {
    if (given.extents[d] == 1) continue;
    auto const& across = given.across[d];
    backward.states.across[backward.states.dimensions++] = {
        given.extents[d], {step(across, role::above), step(across, role::to_b), 0, 0, step(across, role::a)}};
    backward.products.across[backward.products.dimensions++] = {given.extents[d],
                                                                {step(across, role::y), step(across, role::to_a),
                                                                 step(across, role::before),
                                                                 step(across, role::to_before), 0}};
  }
  return backward;
}

template <class Acc, class P, class A, class Y, class G, class ToA, class ToB, class... Rest>
void gradient_along(P const& on, batch::sequences<A> const& a, batch::sequences<Y> const& y,
                    batch::sequences<G> const& above, batch::sequences<ToA> const& to_a,
                    batch::sequences<ToB> const& to_b, Rest... rest)
{
  using namespace batch;
  constexpr char const* call = "tally::linear_recurrence_gradient";
  auto const arguments = recurrence::told_apart(std::move(rest)...);
  using all = std::remove_const_t<decltype(arguments)>;
  using T = accumulator_of_t<Acc, decltype(all::before), std::remove_const_t<G>>;
  static_assert(may_overflow<T>, "tally: a gradient is one of real or complex floating-point states");
  static_assert(last_fits<decltype(all::last), T>, "tally: last_to(...) takes places of the states' type");
  check_states<T, std::remove_const_t<A>, std::remove_const_t<G>>();
  check_output<ToA*, T>();
  check_output<ToB*, T>();
  check_same_shape(call, "a", a, "db", to_b);
  check_same_shape(call, "y", y, "db", to_b);
  check_same_shape(call, "g", above, "db", to_b);
  check_same_shape(call, "da", to_a, "db", to_b);
  check_distinct(call, "da", to_a.array.shape(), to_a.array.strides());
  check_distinct(call, "db", to_b.array.shape(), to_b.array.strides());

  using arrays = gradient_arrays<T, std::remove_const_t<A>, std::remove_const_t<Y>, std::remove_const_t<G>, ToA, ToB>;
  other_axes const others(to_b.array, {to_b.axis});
  std::size_t const n = to_b.array.extent(to_b.axis);
  arrays given{};
  given.size = n;
  given.dimensions = static_cast<int>(others.shape.size());
  auto const set = [&](role of, per_axis const& strides, std::ptrdiff_t along) {
    auto const r = static_cast<std::size_t>(of);
    given.along[r] = along;
    for (std::size_t d = 0; d < strides.size(); ++d) given.across[d][r] = strides[d];
  };
  auto const set_all = [&](role of, auto const& batch) {
    set(of, other_axes(batch.array, {batch.axis}).strides, batch.array.stride(batch.axis));
    return batch.array.data_handle();
  };
  for (std::size_t d = 0; d < others.shape.size(); ++d) given.extents[d] = static_cast<std::size_t>(others.shape[d]);
  given.a = set_all(role::a, a);
  given.y = set_all(role::y, y);
  given.above = set_all(role::above, above);
  given.to_a = set_all(role::to_a, to_a);
  given.to_b = set_all(role::to_b, to_b);
  per_axis of_befores;
  ends<T> const befores = ends_of<T>(initial_of<T>(call, arguments.before, others.shape, of_befores), arguments);
  given.befores = befores.initials;
  if (befores.initial) given.before = *befores.initial;
  set(role::before, of_befores, 0);
  across_strides strides;
  if constexpr (is_present<decltype(all::last)> && last_fits<decltype(all::last), T>) {
    strides.out = arguments.last.at.strides_for(call, "last_to(...)", others.shape);
    check_distinct(call, "last_to(...)", others.shape, strides.out);
    given.to_befores = arguments.last.at.array.data_handle();
    set(role::to_before, strides.out, 0);
  }
  if (any_empty(others.shape)) return;
  ends<T> ends_of_h;
  ends_of_h.initial.emplace(T{});
  if (n == 0) {
    plus op;
    if (given.to_befores != nullptr) fill<T>(on, call, others.shape, strides, given.to_befores, ends_of_h, op);
    return;
  }
  std::size_t sequences = 1;
  for (std::ptrdiff_t const extent : others.shape) sequences *= static_cast<std::size_t>(extent);
  auto const where = with_threads<T>(on);
  if constexpr (std::is_same_v<arrays, gradient_arrays<T, T, T, T, T, T>>) {
    if constexpr (requires { backend_gradients(where, in_memory(given)); }) {
      auto const* const extents = given.extents;
      if (std::count_if(extents, extents + given.dimensions, [](std::size_t extent) { return extent > 1; }) <=
              most_dimensions &&
          backend_gradients(where, in_memory(given)))
        return;
    }
  }
  temporary<arrays, std::remove_const_t<decltype(where)>> const memory(where, 1);
  tally::for_each_index(where, 1, write_once<arrays>{given, memory.data()});
  bool const in_place = static_cast<void const*>(given.to_b) == static_cast<void const*>(given.above);
  gradient_output<T, ToB, arrays> const out{memory.data(), in_place};
  auto const factors = elements_from(factor_of_gradient<T, arrays>{memory.data()});
  auto const terms = elements_from(term_of_gradient<T, arrays>{memory.data()});
  auto const offsets = elements_from(equal_segments{n});
  if constexpr (host<P>)
    backend_recur_segments<T>(where, factors, terms, offsets, sequences, out, ends_of_h, from_back{});
  else
    backend_recur_segments<T>(where, factors, terms, offsets, element_count{sequences, {}}, out, ends_of_h, from_back{},
                              n * sequences);
}

}  // namespace tally::detail::recurrence
