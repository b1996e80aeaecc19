#pragma once

#include <cstddef>

#include "tally/detail/cuda/recurrence/recurrence_problem.cuh"

namespace tally::cuda_backend {

/// The arguments of a kernel of gradients: the recurrence h[k] = c[k]*h[k-1] + b[k] backward in time from 0, whose
/// states are also multiplied. `a` is where c[0] would lie, one step before the array; c[0] is 1. `states` is where the
/// state lies that h[0] is multiplied by; the last one is not in the array. `lasts` take the derivatives by it.
template <class Value>
struct gradient_problem : recurrence_problem<Value> {
  using T = Value;
  using W = working_type<T>;
  static constexpr bool is_gradient = true;

  T const* states;
  T* products;  ///< h[k] times the state
  std::ptrdiff_t states_step, products_step;
  batch_places where_products;  ///< the dimensions of `where`; `in`: states, `out`: products
  std::ptrdiff_t states_across, products_across, first_state_across;
  bool states_dense, products_dense;
  bool states_groups, products_groups;
  T const *states_begin, *states_end;
  T first_state;  ///< before the first step in time
  T const* first_states;
  std::ptrdiff_t last_a;  ///< the distance from `a` to the coefficient of that step

  /// h as it is stored, times another number.
  __device__ __forceinline__ static T times(T const& h, T const& other)
  {
    return static_cast<T>(detail::recurrence::product(static_cast<W>(h), static_cast<W>(other)));
  }
  __device__ __forceinline__ static T before_of(std::size_t) { return T(0.0f); }
  __device__ __forceinline__ static T before_of(std::size_t, int) { return T(0.0f); }
  __device__ __forceinline__ T const* states_of(std::size_t s) const
  {
    return states + near_distance_of<&distances::in>(where_products, s);
  }
  __device__ __forceinline__ T* products_of(std::size_t s) const
  {
    return products + near_distance_of<&distances::out>(where_products, s);
  }
  __device__ __forceinline__ T first_state_of(std::size_t s, int beyond) const
  {
    if (first_states == nullptr) return first_state;
    return first_states[near_distance_of<&distances::initial>(where_products, s) + beyond * first_state_across];
  }
  __device__ __forceinline__ void put_product(std::size_t s, std::ptrdiff_t k, T const& h) const
  {
    bool const is_last = static_cast<std::size_t>(k) + 1 == this->size;
    products_of(s)[k * products_step] = times(h, is_last ? first_state_of(s, 0) : states_of(s)[k * states_step]);
  }
  __device__ __forceinline__ void put_last(std::size_t s, T const& h) const
  {
    this->lasts[near_distance_of<&distances::last>(where_products, s)] = times(h, this->a_of(s)[last_a]);
  }
};

}  // namespace tally::cuda_backend
