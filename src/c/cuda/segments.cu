#include "src/c/cuda/segments.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/c/cuda/chosen_operator.hpp"
#include "src/c/cuda/execution.hpp"
#include "src/c/cuda/logarithms.hpp"
#include "src/c/ends.hpp"
#include "src/c/failure.hpp"
#include "tally/cuda.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/segments.hpp"

namespace tally::c {

namespace {

/// Writes a value to the first place of each segment that has one.
template <class T>
struct put_first {
  std::int64_t const* offsets;
  T* out;
  T value;

  TALLY_HD void operator()(std::size_t s) const
  {
    if (offsets[s] < offsets[s + 1]) out[offsets[s]] = value;
  }
};

/// Copies the elements of no segment. They are few mostly, and so are the threads.
template <class Word>
struct copy_others {
  static constexpr std::size_t threads = std::size_t{1} << 18;
  Word const* values;
  Word* out;
  std::int64_t const* offsets;
  std::size_t segments, elements;

  TALLY_HD void operator()(std::size_t thread) const
  {
    auto const begin = static_cast<std::size_t>(offsets[0]), end = static_cast<std::size_t>(offsets[segments]);
    for (std::size_t k = thread; k < begin; k += threads) out[k] = values[k];
    for (std::size_t k = end + thread; k < elements; k += threads) out[k] = values[k];
  }
};

template <class Word>
void copy_elements_of_none(cuda const& on, segments_call const& call)
{
  using copy = copy_others<Word>;
  tally::for_each_index(on, std::min(copy::threads, call.elements),
                        copy{reinterpret_cast<Word const*>(call.values), reinterpret_cast<Word*>(call.out),
                             call.offsets, call.segments, call.elements});
}

template <class T, class Op>
void run(cuda const& on, segments_call const& call, Op op)
{
  auto const ends = ends_of<T>(call);
  auto const* const values = reinterpret_cast<T const*>(call.values);
  auto* const out = reinterpret_cast<T*>(call.out);
  auto const& nothing = *reinterpret_cast<T const*>(call.nothing);
  detail::element_count const segments{call.segments};
  detail::batch::from_front const from{};
  if (call.reduces) {
    backend_reduce_segments<T>(on, values, call.offsets, segments, out, nothing, ends, op, from, call.elements);
    return;
  }
  backend_scan_segments<T>(on, values, call.offsets, segments, out, ends, op, shift_of(call), from, call.elements);
  if (call.begins_with_nothing) tally::for_each_index(on, call.segments, put_first<T>{call.offsets, out, nothing});
}

template <class T>
void run_on_floats(cuda const& on, std::size_t op, segments_call const& call)
{
  if (op == 1)
    run<T>(on, call, plus{});
  else
    run<T>(on, call, chosen_operator<T>::of(op, true));
}

}  // namespace

void segments_on(cuda const& on, std::size_t op, tally_type type, segments_call const& call)
{
  bool const is_integer = type.code == TALLY_INT || type.code == TALLY_UINT;
  bool const has_type = type.lanes == 1 && (is_integer ? type.bits == 64 : type.code == TALLY_FLOAT && type.bits >= 32);
  constexpr std::size_t log_sum_exp = 9;
  // The kernels of a type and an operator take half a minute to compile.
  if (!has_type || op > (is_integer ? 7 : op == log_sum_exp ? log_sum_exp : 4))
    throw not_supported(
        "on a GPU segments and runs of keys have sums, products, minima and maxima of float32, float64, int64 and "
        "uint64, bitwise operators of the integers, and sums of exponentials of the floats");
  if (call.copies_others) {
    (type.bits == 32 ? copy_elements_of_none<std::uint32_t> : copy_elements_of_none<std::uint64_t>)(on, call);
    if (call.segments == 0) return;
  }
  if (op == log_sum_exp) return add_logarithms(on, type, call);
  if (is_integer)
    run<std::uint64_t>(on, call, chosen_operator<std::uint64_t>::of(op, type.code == TALLY_INT));
  else if (type.bits == 32)
    run_on_floats<float>(on, op, call);
  else
    run_on_floats<double>(on, op, call);
}

std::int32_t run_segments(std::size_t op, tally_type type, segments_call const& call, char* message)
{
  return guarded(message, [&]() -> std::int32_t {
    with_execution(call.gpu, [&](cuda const& on) { segments_on(on, op, type, call); });
    return TALLY_OK;
  });
}

}  // namespace tally::c
