#pragma once

#include <cstddef>
#include <cstdint>

#include "tally.h"
#include "tally/operators/arithmetic.hpp"

/// The operators of the library that have kernels, by their numbers, on the types that they take. The CPU and a GPU
/// have the same ones.
namespace tally::c {

namespace by_number {

/// Operators on T; sums and products on Unsigned.
template <class Result, class T, class Unsigned, class Use>
Result on_numbers(std::size_t op, Use const& use)
{
  switch (op) {
    case 1: return use.template operator()<Unsigned, plus>();
    case 2: return use.template operator()<Unsigned, multiplies>();
    case 3: return use.template operator()<T, minimum>();
    case 4: return use.template operator()<T, maximum>();
    default: return Result{};
  }
}

/// T is a type of integers, and Unsigned that of its width, which serves where the sign does not matter.
template <class Result, class T, class Unsigned, class Use>
Result on_integers(std::size_t op, Use const& use)
{
  switch (op) {
    case 5: return use.template operator()<Unsigned, bit_and>();
    case 6: return use.template operator()<Unsigned, bit_or>();
    case 7: return use.template operator()<Unsigned, bit_xor>();
    default: return on_numbers<Result, T, Unsigned>(op, use);
  }
}

/// Bools are bytes of 0 and 1. Of these a product is `and`, whose identity is 1.
template <class Result, class Use>
Result on_bools(std::size_t op, Use const& use)
{
  switch (op) {
    case 1:
    case 4:
    case 6: return use.template operator()<std::uint8_t, bit_or>();
    case 2:
    case 3:
    case 5: return use.template operator()<std::uint8_t, multiplies>();
    case 7: return use.template operator()<std::uint8_t, bit_xor>();
    default: return Result{};
  }
}

}  // namespace by_number

/// Returns `use.operator()<T, Op>()` for the operator with this number and the type on which it works; `Result{}` if
/// there are no kernels for it.
template <class Result, class Use>
Result with_operator(std::size_t op, tally_type type, Use const& use)
{
  switch (type.lanes == 1 ? type.code * 1000 + type.bits : -1) {
    case TALLY_INT * 1000 + 8: return by_number::on_integers<Result, std::int8_t, std::uint8_t>(op, use);
    case TALLY_INT * 1000 + 16: return by_number::on_integers<Result, std::int16_t, std::uint16_t>(op, use);
    case TALLY_INT * 1000 + 32: return by_number::on_integers<Result, std::int32_t, std::uint32_t>(op, use);
    case TALLY_INT * 1000 + 64: return by_number::on_integers<Result, std::int64_t, std::uint64_t>(op, use);
    case TALLY_UINT * 1000 + 8: return by_number::on_integers<Result, std::uint8_t, std::uint8_t>(op, use);
    case TALLY_UINT * 1000 + 16: return by_number::on_integers<Result, std::uint16_t, std::uint16_t>(op, use);
    case TALLY_UINT * 1000 + 32: return by_number::on_integers<Result, std::uint32_t, std::uint32_t>(op, use);
    case TALLY_UINT * 1000 + 64: return by_number::on_integers<Result, std::uint64_t, std::uint64_t>(op, use);
    case TALLY_FLOAT * 1000 + 32: return by_number::on_numbers<Result, float, float>(op, use);
    case TALLY_FLOAT * 1000 + 64: return by_number::on_numbers<Result, double, double>(op, use);
    case TALLY_BOOL * 1000 + 8: return by_number::on_bools<Result>(op, use);
    default: return Result{};
  }
}

}  // namespace tally::c
