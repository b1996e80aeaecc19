#include <algorithm>
#include <cstddef>

#include "src/cpu/batch_parts.hpp"
#include "tally/detail/cpu/recurrence_gradients.hpp"
#include "tally/detail/cpu/recurrences.hpp"
#include "tally/detail/cpu/team.hpp"
#include "tally/detail/cpu/tuning.hpp"
#include "tally/detail/path.hpp"
#include "tally/order.hpp"

/// Gradients of recurrences: recurrences backward in time, whose states are multiplied while they are in the cache.
namespace tally::cpu_backend {

namespace {

using detail::batch::dimension;
using detail::batch::distances;
using detail::batch::gradients;
using detail::batch::layout;

/// Some neighbours along one dimension: as sequences of their own.
template <class T>
class gradients_of_neighbours {
public:
  gradients_of_neighbours(gradients<T> const& call, int dimension) : call_(call), outer_(call.states)
  {
    if (dimension >= 0) {
      axis_ = call.states.across[dimension];
      products_axis_ = call.products.across[dimension];
      outer_.across[dimension].extent = 1;
    }
  }

  std::size_t neighbours() const { return axis_.extent; }
  std::size_t others() const { return outer_.sequences(); }

  /// Writes the gradients of `count` neighbours from number `first` on, of the others' number `other`, on `threads`
  /// threads. One sequence is multiplied along with the recurrence.
  void run(std::size_t other, std::size_t first, std::size_t count, int threads) const
  {
    layout products = call_.products;
    for (int d = 0; d < products.dimensions; ++d) products.across[d].extent = outer_.across[d].extent;
    distances at = outer_.place(other), products_at = products.place(other);
    at.move(axis_.step, static_cast<std::ptrdiff_t>(first));
    products_at.move(products_axis_.step, static_cast<std::ptrdiff_t>(first));
    if (count == 1)
      run_one(at, products_at, threads);
    else
      run_several(at, products_at, count);
  }

private:
  T before(distances const& at) const { return call_.befores != nullptr ? call_.befores[at.initial] : call_.before; }

  void run_one(distances const& at, distances const& products_at, int threads) const
  {
    distances const &along = call_.states.along.step, &products_along = call_.products.along.step;
    recurrence_products<T> const products{call_.y + products_at.in + products_along.in, products_along.in,
                                          call_.to_a + products_at.out, products_along.out, before(products_at)};
    recurrence_in_memory<T> one{};
    one.a = call_.a + at.coefficients;
    one.a_step = along.coefficients;
    one.b = call_.above + at.in;
    one.b_step = along.in;
    one.out = call_.to_b + at.out;
    one.out_step = along.out;
    one.size = call_.states.along.extent;
    one.before = T(0.0f);
    one.threads = threads;
    one.follows = true;
    one.products = &products;
    T const last = recur_by_kernels(one);
    put_end(products_at, last, at);
  }

  void run_several(distances const& at, distances const& products_at, std::size_t count) const
  {
    recurrences_in_memory<T> states{
        call_.a + at.coefficients, call_.above + at.in, call_.to_b + at.out, {}, {}, 1, true};
    states.where.along = call_.states.along;
    states.where.dimensions = 1;
    states.where.across[0] = {count, axis_.step};
    states.given.initial.emplace(T(0.0f));
    if (int const dimension = columns_of_recurrences(states.where); dimension >= 0)
      recur_columns_by_kernels(states, dimension);
    else
      recur_rows_by_kernels(states);
    multiply(at, products_at, count);
    for (std::size_t c = 0; c < count; ++c) {
      distances own = at, products_own = products_at;
      own.move(axis_.step, static_cast<std::ptrdiff_t>(c));
      products_own.move(products_axis_.step, static_cast<std::ptrdiff_t>(c));
      put_end(products_own, call_.to_b[own.out + last_step() * call_.states.along.step.out], own);
    }
  }

  std::ptrdiff_t last_step() const { return static_cast<std::ptrdiff_t>(call_.states.along.extent) - 1; }

  /// Writes the product of the last state, and the derivative by the initial one.
  void put_end(distances const& products_at, T last, distances const& at) const
  {
    call_.to_a[products_at.out + last_step() * call_.products.along.step.out] = last * before(products_at);
    if (call_.to_befores != nullptr)
      call_.to_befores[products_at.last] =
          last * call_.a[at.coefficients + last_step() * call_.states.along.step.coefficients];
  }

  /// Multiplies the states of all steps but the last. The inner loop is the one with neighbours in memory.
  void multiply(distances const& at, distances const& products_at, std::size_t count) const
  {
    T const *const h = call_.to_b + at.out, *const y = call_.y + products_at.in + call_.products.along.step.in;
    T* const to = call_.to_a + products_at.out;
    auto const steps = static_cast<std::size_t>(last_step());
    distances const &along = call_.states.along.step, &products_along = call_.products.along.step;
    struct three {
      std::ptrdiff_t h, y, to;
    };
    three const of_steps{along.out, products_along.in, products_along.out},
        of_neighbours{axis_.step.out, products_axis_.step.in, products_axis_.step.out};
    bool const steps_inside = of_steps.h == 1 || of_steps.h == -1;
    three const outer = steps_inside ? of_neighbours : of_steps, inner = steps_inside ? of_steps : of_neighbours;
    std::size_t const outers = steps_inside ? count : steps, inners = steps_inside ? steps : count;
    if (inners == 0) return;
    for (std::size_t o = 0; o < outers; ++o) {
      auto const k = static_cast<std::ptrdiff_t>(o), last = static_cast<std::ptrdiff_t>(inners) - 1;
      T const *const from = h + k * outer.h, *const factors = y + k * outer.y;
      T* const results = to + k * outer.to;
      if (inner.h == inner.y && inner.h == inner.to && (inner.h == 1 || inner.h == -1)) {
        std::ptrdiff_t const lowest = inner.h == 1 ? 0 : -last;
        kernels_of_recurrences<T>().multiply(from + lowest, false, factors + lowest, results + lowest, inners);
        continue;
      }
      for (std::ptrdiff_t i = 0; i <= last; ++i) results[i * inner.to] = from[i * inner.h] * factors[i * inner.y];
    }
  }

  gradients<T> const& call_;
  layout outer_;
  dimension axis_, products_axis_;
};

/// The dimension with the most sequences; -1: there is one sequence.
int longest_dimension(layout const& where)
{
  int most = -1;
  for (int d = 0; d < where.dimensions; ++d)
    if (most < 0 || where.across[d].extent >= where.across[most].extent) most = d;
  return most;
}

}  // namespace

template <class T>
void gradients_by_kernels(gradients<T> const& given, int threads)
{
  std::size_t const size = given.states.along.extent;
  int const columns = columns_of_recurrences(given.states);
  bool const rows = columns < 0 && has_rows_of_recurrences<T>(given.states);
  gradients_of_neighbours<T> const all(given, columns >= 0 ? columns : longest_dimension(given.states));
  std::size_t block = 1;
  if (columns >= 0) block = least_recurrence_columns<T>;
  // Some 64 KiB of a thread at a time, in whole vectors.
  if (rows) block = ((std::size_t{64} << 10) / (5 * size * sizeof(T)) / 64 + 1) * 64;
  detail::took(columns >= 0 ? "recurrence: gradients of columns"
               : rows       ? "recurrence: gradients of several rows"
                            : "recurrence: gradients one after the other");
  std::size_t const blocks = (all.neighbours() + block - 1) / block, units = all.others() * blocks;
  int const members = team_size(threads, 5 * given.states.sequences() * size * sizeof(T), std::size_t{1} << 20);
  auto const run = [&](std::size_t unit, int own_threads) {
    std::size_t const first = unit % blocks * block;
    all.run(unit / blocks, first, std::min(block, all.neighbours() - first), own_threads);
  };
  if (block == 1 && units < 4 * static_cast<std::size_t>(members)) {
    for (std::size_t unit = 0; unit < units; ++unit) run(unit, threads);
    return;
  }
  share_units(units, 1, members, [&] {
    return [&](std::size_t first, std::size_t end) {
      for (std::size_t unit = first; unit < end; ++unit) run(unit, 1);
    };
  });
}

#ifndef TALLY_HEADER_ONLY  // which instantiates what the program uses
template void gradients_by_kernels(gradients<float> const&, int);
template void gradients_by_kernels(gradients<double> const&, int);
template void gradients_by_kernels(gradients<half> const&, int);
template void gradients_by_kernels(gradients<bfloat16> const&, int);
#endif

}  // namespace tally::cpu_backend
