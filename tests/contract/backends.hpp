#pragma once

#include <type_traits>

#include <gtest/gtest.h>

#include "../support/float_format.hpp"
#include "cpu_backend.hpp"
#ifdef __CUDACC__
#include "cuda_backend.hpp"
#endif

namespace tally::test {

template <class... T>
struct list {};

/// Every backend that the contracts are tested on. A new one takes one more line here, and a file like cpu_backend.hpp.
/// For the GPU, nvcc compiles the tests once more.
#ifdef __CUDACC__
using backends = list<cuda_backend>;
#else
using backends = list<cpu_backend>;
#endif

/// One backend with one contract and one element type.
template <class Backend, class Contract, class T>
struct contract_case {
  using backend = Backend;
  using contract = Contract;
  using element = T;
};

namespace detail {

template <class Contract, class Backends, class Elements, class... Done>
struct cases;
template <class Contract, class... Elements, class... Done>
struct cases<Contract, list<>, list<Elements...>, Done...> {
  using type = testing::Types<Done...>;
};
template <class Contract, class Backend, class... Backends, class... Elements, class... Done>
struct cases<Contract, list<Backend, Backends...>, list<Elements...>, Done...>
    : cases<Contract, list<Backends...>, list<Elements...>, Done..., contract_case<Backend, Contract, Elements>...> {};

}  // namespace detail

/// Every backend with every element type.
template <class Contract, class Elements>
using contract_cases = typename detail::cases<Contract, backends, Elements>::type;

/// The name of a case in the names of tests: cpu_f32.
struct case_names {
  template <class Case>
  static std::string GetName(int)
  {
    using T = typename Case::element;
    std::string const kind = std::is_same_v<T, bfloat16> ? "bf"
                             : binary_float<T>           ? "f"
                             : std::is_signed_v<T>       ? "i"
                                                         : "u";
    return std::string(Case::backend::name) + "_" + kind + std::to_string(8 * sizeof(T));
  }
};

}  // namespace tally::test
