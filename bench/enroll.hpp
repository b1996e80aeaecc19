#pragma once

#include <vector>

#include "contender.hpp"
#include "elements.hpp"

namespace tally::bench {

/// A typed function as the untyped one of a contender.
template <class T, void (*F)(T const*, T*, std::size_t)>
void untyped(void const* in, void* out, std::size_t n)
{
  F(static_cast<T const*>(in), static_cast<T*>(out), n);
}

/// Adds the operations that `Library<T>` has, for every element type. It has some of
///     static void inclusive_scan(T const* in, T* out, std::size_t n);       // and exclusive_scan
///     static void reduce_sum(T const* in, T* out, std::size_t n);           // to out[0]; and reduce_max
template <template <class> class Library>
void enroll(std::vector<contender>& to, char const* name, int threads, role part = role::peer)
{
  for_each_element([&]<class T>() {
    auto const add = [&](operation what, auto run) {
      to.push_back({name, part, what, element_of<T>::value, threads, false, run, nullptr, nullptr});
    };
    if constexpr (requires { &Library<T>::inclusive_scan; })
      add(operation::inclusive_scan, untyped<T, Library<T>::inclusive_scan>);
    if constexpr (requires { &Library<T>::exclusive_scan; })
      add(operation::exclusive_scan, untyped<T, Library<T>::exclusive_scan>);
    if constexpr (requires { &Library<T>::reduce_sum; }) add(operation::reduce_sum, untyped<T, Library<T>::reduce_sum>);
    if constexpr (requires { &Library<T>::reduce_max; }) add(operation::reduce_max, untyped<T, Library<T>::reduce_max>);
  });
}

}  // namespace tally::bench
