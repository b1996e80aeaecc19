#include <complex>

#include "src/c/logarithm.hpp"
#include "src/c/ranks/run.hpp"
#include "tally/half.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/operators/exact_plus.hpp"

/// Complex numbers, exact sums, sums of exponentials on ranks.
namespace tally::c {

namespace {

template <class T>
ranks_operation on_complex_ranks(std::size_t op)
{
  return op == 1   ? code_of<std::complex<T>, plus>()
         : op == 2 ? code_of<std::complex<T>, multiplies>()
                   : ranks_operation{};
}

}  // namespace

ranks_operation on_ranks_of_others(std::size_t op, tally_type type)
{
  if (type.lanes != 1) return {};
  switch (type.code * 1000 + type.bits) {
    case TALLY_COMPLEX * 1000 + 64: return on_complex_ranks<float>(op);
    case TALLY_COMPLEX * 1000 + 128: return on_complex_ranks<double>(op);
    case TALLY_FLOAT * 1000 + 16: return op == 8 ? code_of<half, exact_plus>() : ranks_operation{};
    case TALLY_BFLOAT * 1000 + 16: return op == 8 ? code_of<bfloat16, exact_plus>() : ranks_operation{};
    case TALLY_FLOAT * 1000 + 32:
      return op == 8 ? code_of<float, exact_plus>() : code_of<float, add_exponentials, logarithm<float>>();
    case TALLY_FLOAT * 1000 + 64:
      return op == 8 ? code_of<double, exact_plus>() : code_of<double, add_exponentials, logarithm<double>>();
    default: return {};
  }
}

}  // namespace tally::c
