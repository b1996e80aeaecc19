#include <cstdio>

#include <cuda_runtime_api.h>

#include "src/c/cuda/execution.hpp"
#include "src/c/cuda/histograms.hpp"
#include "src/c/cuda/logarithms.hpp"
#include "src/c/cuda/runs.hpp"
#include "src/c/cuda/segments.hpp"
#include "src/c/cuda/sorting.hpp"
#include "src/c/ends.hpp"
#include "src/c/gpu.hpp"
#include "src/c/with_operator.hpp"
#include "tally/cuda.hpp"
#include "tally/detail/cuda/check.cuh"

/// The functions of libtally_cuda.so.1: the compiled calls of tally::cuda, by the numbers of operators and types.
namespace tally::c {

namespace {

static_assert(cuda::workspace::header_bytes == 128 + (std::size_t{16} << 10), "tally_workspace_bytes counts as many");

using run = void (*)(sequences_call const& call);

template <class T, class Op>
void run_on(sequences_call const& call)
{
  with_execution(call.gpu, [&](cuda const& on) {
    Op op;
    auto const ends = ends_of<T>(call);
    auto const* const in = reinterpret_cast<T const*>(call.in);
    auto* const out = reinterpret_cast<T*>(call.out);
    if (call.reduces)
      backend_reduce_sequences<T>(on, call.where, in, out, ends, op);
    else
      backend_scan_sequences<T>(on, call.where, in, out, ends, op, shift_of(call));
  });
}

std::int32_t run_sequences(std::size_t op, tally_type type, sequences_call const& call, char* message)
{
  return guarded(message, [&]() -> std::int32_t {
    if (op == 9) {  // log_sum_exp
      add_logarithms(type, call);
      return TALLY_OK;
    }
    auto const found = with_operator<run>(op, type, []<class T, class Op>() -> run { return run_on<T, Op>; });
    if (found == nullptr) {
      std::snprintf(message, message_size, "this operator on elements of this type has no code for a GPU");
      return TALLY_NOT_SUPPORTED;
    }
    found(call);
    return TALLY_OK;
  });
}

template <class T>
void recur(recurrences_call const& call)
{
  with_execution(call.gpu, [&](cuda const& on) {
    auto ends = ends_of<T>(call);
    if (!ends.has_initial()) ends.initial = T{};
    backend_recur_sequences<T>(on, call.where, reinterpret_cast<T const*>(call.a), reinterpret_cast<T const*>(call.b),
                               reinterpret_cast<T*>(call.out), ends);
  });
}

std::int32_t run_recurrences(tally_type type, recurrences_call const& call, char* message)
{
  return guarded(message, [&]() -> std::int32_t {
    (type.bits == 32 ? recur<float> : recur<double>)(call);
    return TALLY_OK;
  });
}

std::int32_t clear(places_call const& call, char* message)
{
  return guarded(message, [&]() -> std::int32_t {
    current_device const device(call.gpu.device);
    // Rows of the last two axes at a time; the others one by one.
    int const outer = call.dimensions > 1 ? call.dimensions - 1 : 0;
    std::size_t index[16]{};
    for (;;) {
      std::byte* at = call.first;
      for (int d = 0; d < outer; ++d) at += static_cast<std::ptrdiff_t>(index[d]) * call.steps[d];
      std::size_t count = 1;
      std::ptrdiff_t step = static_cast<std::ptrdiff_t>(call.bytes);
      if (call.dimensions > 0) {
        count = call.extents[call.dimensions - 1];
        step = call.steps[call.dimensions - 1];
      }
      if (step < 0) {
        at += static_cast<std::ptrdiff_t>(count - 1) * step;
        step = -step;
      }
      cuda_backend::check_cuda(cudaMemset2DAsync(at, static_cast<std::size_t>(step), 0, call.bytes, count,
                                                 static_cast<CUstream_st*>(call.gpu.stream)),
                               "writing zeros");
      int d = outer - 1;
      for (; d >= 0; --d) {
        if (++index[d] < call.extents[d]) break;
        index[d] = 0;
      }
      if (d < 0) return TALLY_OK;
    }
  });
}

std::int32_t synchronize(std::int32_t number, void* stream, char* message)
{
  return guarded(message, [&]() -> std::int32_t {
    current_device const device(number);
    cuda_backend::check_cuda(cudaStreamSynchronize(static_cast<CUstream_st*>(stream)), "waiting for a stream");
    return TALLY_OK;
  });
}

constexpr gpu_functions functions = {TALLY_VERSION, run_sequences,  run_segments,    run_selection, run_runs,
                                     run_sorts,     run_histograms, run_recurrences, clear,         synchronize};

}  // namespace

}  // namespace tally::c

extern "C" __attribute__((visibility("default"))) tally::c::gpu_functions const* tally_cuda_functions()
{
  return &tally::c::functions;
}
