#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "src/c/any_operator.hpp"
#include "src/c/arrays.hpp"
#include "src/c/failure.hpp"
#include "src/c/operation.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/cpu/segments.hpp"
#include "tally/detail/cpu/sequences.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/operators/traits.hpp"

/// The built-in operators, by the kernels of the compiled library.
namespace tally::c {

namespace {

template <class T, class Op>
void run_kernels(operation const&, sequences_call const& call)
{
  auto const values = ends_of<T>(call);
  auto const* const in = reinterpret_cast<T const*>(call.in);
  auto* const out = reinterpret_cast<T*>(call.out);
  if (call.reduces) {
    cpu_backend::reduce_sequences<Op>(call.where, in, out, values, call.threads);
  } else {
    cpu_backend::scan_sequences<Op>(call.where, in, out, values, shift_of(call), call.threads);
  }
}

template <class T, class Op>
void run_segments(operation const&, segments_call const& call)
{
  cpu_backend::segments_job<T> job{};
  job.values = reinterpret_cast<T const*>(call.values);
  job.given = ends_of<T>(call);
  job.given.lasts = reinterpret_cast<T*>(call.reduces ? call.out : call.last);
  job.out = call.reduces ? nullptr : reinterpret_cast<T*>(call.out);
  job.nothing = call.reduces ? reinterpret_cast<T const*>(call.nothing) : nullptr;
  job.from_back = call.from_back;
  job.shift = shift_of(call);
  job.threads = call.threads;
  // Offsets are not negative, so that they may be read as std::size_t.
  cpu_backend::scan_segments<Op, T>(job, reinterpret_cast<std::size_t const*>(call.offsets), call.segments);
}

template <class T, class Op>
operation on()
{
  operation result;
  result.run = run_kernels<T, Op>;
  result.segments = run_segments<T, Op>;
  result.bytes = result.alignment = sizeof(T);
  result.has_identity = true;
  T const identity = identity_of<T>(Op{}), nothing = reduction_of_nothing<T>(Op{});
  std::memcpy(result.identity, &identity, sizeof(T));
  std::memcpy(result.nothing, &nothing, sizeof(T));
  return result;
}

/// Operators on T, a type of integers; on Unsigned, that of its width, where the sign does not matter.
template <class T, class Unsigned>
std::optional<operation> on_integers(std::size_t op)
{
  switch (op) {
    case 1: return on<Unsigned, plus>();
    case 2: return on<Unsigned, multiplies>();
    case 3: return on<T, minimum>();
    case 4: return on<T, maximum>();
    case 5: return on<Unsigned, bit_and>();
    case 6: return on<Unsigned, bit_or>();
    case 7: return on<Unsigned, bit_xor>();
    default: return std::nullopt;
  }
}

template <class T>
std::optional<operation> on_floats(std::size_t op)
{
  switch (op) {
    case 1: return on<T, plus>();
    case 2: return on<T, multiplies>();
    case 3: return on<T, minimum>();
    case 4: return on<T, maximum>();
    default: return std::nullopt;
  }
}

/// Bools are bytes of 0 and 1. Of these a product is `and`, whose identity is 1.
std::optional<operation> on_bools(std::size_t op)
{
  switch (op) {
    case 1:
    case 4:
    case 6: return on<std::uint8_t, bit_or>();
    case 2:
    case 3:
    case 5: return on<std::uint8_t, multiplies>();
    case 7: return on<std::uint8_t, bit_xor>();
    default: return std::nullopt;
  }
}

std::optional<operation> on_type(tally_type type, std::size_t op)
{
  if (type.lanes != 1) return std::nullopt;
  if (op >= 8 || type.code == TALLY_COMPLEX) {
    operation const found = op == 8 ? exact_sums(type) : op == 9 ? sums_of_exponentials(type) : on_complex(type, op);
    return found.run == nullptr ? std::nullopt : std::optional(found);
  }
  int const kind = type.code * 1000 + type.bits;
  switch (kind) {
    case TALLY_INT * 1000 + 8: return on_integers<std::int8_t, std::uint8_t>(op);
    case TALLY_INT * 1000 + 16: return on_integers<std::int16_t, std::uint16_t>(op);
    case TALLY_INT * 1000 + 32: return on_integers<std::int32_t, std::uint32_t>(op);
    case TALLY_INT * 1000 + 64: return on_integers<std::int64_t, std::uint64_t>(op);
    case TALLY_UINT * 1000 + 8: return on_integers<std::uint8_t, std::uint8_t>(op);
    case TALLY_UINT * 1000 + 16: return on_integers<std::uint16_t, std::uint16_t>(op);
    case TALLY_UINT * 1000 + 32: return on_integers<std::uint32_t, std::uint32_t>(op);
    case TALLY_UINT * 1000 + 64: return on_integers<std::uint64_t, std::uint64_t>(op);
    case TALLY_FLOAT * 1000 + 32: return on_floats<float>(op);
    case TALLY_FLOAT * 1000 + 64: return on_floats<double>(op);
    case TALLY_BOOL * 1000 + 8: return on_bools(op);
    default: return std::nullopt;
  }
}

constexpr char const* names[] = {"TALLY_PLUS",       "TALLY_PLUS",       "TALLY_TIMES",  "TALLY_MINIMUM",
                                 "TALLY_MAXIMUM",    "TALLY_BIT_AND",    "TALLY_BIT_OR", "TALLY_BIT_XOR",
                                 "TALLY_EXACT_PLUS", "TALLY_LOG_SUM_EXP"};

}  // namespace

operation built_in(tally_operation const* op, tally_type type)
{
  auto const number = reinterpret_cast<std::size_t>(op);
  if (number >= std::size(names))
    throw usage_error("there is no operator " + std::to_string(number) + "; TALLY_PLUS to TALLY_LOG_SUM_EXP are 1 to " +
                      std::to_string(std::size(names) - 1));
  auto const found = on_type(type, number == 0 ? 1 : number);
  if (!found)
    throw not_supported(std::string(names[number]) + " does not combine elements of type " + shown(type) +
                        (type.bits == 16 && (type.code == TALLY_FLOAT || type.code == TALLY_BFLOAT)
                             ? "; let the accumulator be float32"
                             : ""));
  return *found;
}

}  // namespace tally::c
