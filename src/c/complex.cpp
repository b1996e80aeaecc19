#include <complex>

#include "src/c/any_operator.hpp"

namespace tally::c {

namespace {

template <class T>
operation on(std::size_t op)
{
  switch (op) {
    case 1: return without_kernels<std::complex<T>, plus>();
    case 2: return without_kernels<std::complex<T>, multiplies>();
    default: return {};
  }
}

}  // namespace

operation on_complex(tally_type type, std::size_t op)
{
  return type.bits == 64 ? on<float>(op) : type.bits == 128 ? on<double>(op) : operation{};
}

}  // namespace tally::c
