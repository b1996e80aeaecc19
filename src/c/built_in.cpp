#include <string>

#include "src/c/any_operator.hpp"
#include "src/c/arrays.hpp"
#include "src/c/failure.hpp"
#include "src/c/operation.hpp"
#include "src/c/with_operator.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/cpu/segments.hpp"
#include "tally/detail/cpu/sequences.hpp"
#include "tally/operators/traits.hpp"

/// The built-in operators, by the kernels of the compiled library.
namespace tally::c {

namespace {

template <class T, class Op>
void run_kernels(sequences_call const& call)
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
  operation result = on_elements<T>(identity_of<T>(Op{}), reduction_of_nothing<T>(Op{}));
  result.run = [](operation const&, sequences_call const& call) { run_kernels<T, Op>(call); };
  result.segments = run_segments<T, Op>;
  return result;
}

/// An operator on a type; one without `run` if there is none.
operation on_type(tally_type type, std::size_t op)
{
  if (type.lanes != 1) return {};
  if (op == 8) return exact_sums(type);
  if (op == 9) return sums_of_exponentials(type);
  if (type.code == TALLY_COMPLEX) return on_complex(type, op);
  return with_operator<operation>(op, type, []<class T, class Op>() { return on<T, Op>(); });
}

constexpr char const* names[] = {"TALLY_PLUS",       "TALLY_PLUS",       "TALLY_TIMES",  "TALLY_MINIMUM",
                                 "TALLY_MAXIMUM",    "TALLY_BIT_AND",    "TALLY_BIT_OR", "TALLY_BIT_XOR",
                                 "TALLY_EXACT_PLUS", "TALLY_LOG_SUM_EXP"};

}  // namespace

kernels kernels_of(tally_operation const* op, tally_type type)
{
  auto const number = op == nullptr ? 1 : reinterpret_cast<std::size_t>(op);
  return with_operator<kernels>(number, type, []<class T, class Op>() -> kernels { return run_kernels<T, Op>; });
}

operation built_in(tally_operation const* op, tally_type type)
{
  auto const number = reinterpret_cast<std::size_t>(op);
  if (number >= std::size(names))
    throw usage_error("there is no operator " + std::to_string(number) + "; TALLY_PLUS to TALLY_LOG_SUM_EXP are 1 to " +
                      std::to_string(std::size(names) - 1));
  operation const found = on_type(type, number == 0 ? 1 : number);
  if (found.run == nullptr)
    throw not_supported(std::string(names[number]) + " does not combine elements of type " + shown(type) +
                        (type.bits == 16 && (type.code == TALLY_FLOAT || type.code == TALLY_BFLOAT)
                             ? "; let the accumulator be float32"
                             : ""));
  return found;
}

}  // namespace tally::c
