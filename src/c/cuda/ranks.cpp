#include "src/c/cuda/ranks.hpp"

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "src/c/failure.hpp"
#include "tally/detail/ranks/session.hpp"

/// The functions of libtally_cuda.so.1 for ranks.
namespace tally::c {

namespace {

using nccl_backend::library;
using nccl_backend::unique_id;

/// The bytes that tell GPUs apart, on all machines.
struct number_of_gpu {
  char bytes[16];
};

number_of_gpu number_of(int device)
{
  cudaDeviceProp facts{};
  nccl_backend::check_cuda(cudaGetDeviceProperties(&facts, device), "asking for a device");
  number_of_gpu result;
  std::memcpy(result.bytes, &facts.uuid, sizeof result);
  return result;
}

/// Throws    usage_error if two ranks have the same GPU.
void check_gpus_differ(std::span<ranks_backend::report const> reports)
{
  for (std::size_t r = 0; r < reports.size(); ++r)
    for (std::size_t s = 0; s < r; ++s)
      if (std::memcmp(reports[r].value, reports[s].value, sizeof(number_of_gpu)) == 0)
        throw usage_error("ranks " + std::to_string(s) + " and " + std::to_string(r) +
                          " have the same GPU; each rank has one of its own");
}

void make(tally_transport const& functions, int device, gpu_of_rank*& result, bool& has_met)
{
  ranks_backend::call_name const name("tally_ranks_use_gpu");
  ranks_backend::communicator<callbacks> ranks(callbacks(functions), std::nullopt);
  ranks_backend::session<callbacks> by(ranks, name);
  std::optional<current_device> chosen;
  library const* nccl = nullptr;
  ranks_backend::report mine{};
  by.attempt([&] {
    nccl = &library::get();
    number_of_gpu const number = number_of(device);
    chosen.emplace(device);
    std::memcpy(mine.value, &number, sizeof number);
  });
  auto const reports = by.meet(mine);
  has_met = true;
  unique_id id{};
  by.attempt([&] {
    check_gpus_differ(reports);
    if (by.rank() == 0) nccl_backend::check(nccl->GetUniqueId(&id), nullptr, 0, "ncclGetUniqueId");
  });
  by.meet({});
  ranks.by.broadcast(reinterpret_cast<std::byte*>(&id), sizeof id, 0);
  std::unique_ptr<gpu_of_rank> made;
  ncclComm* communicator = nullptr;
  by.attempt([&] {
    nccl_backend::check(nccl->CommInitRank(&communicator, ranks.by.size(), id, by.rank()), nullptr, by.rank(),
                        "ncclCommInitRank");
    made = std::make_unique<gpu_of_rank>(ranks.by, device, communicator);
  });
  try {
    by.meet({});
  } catch (...) {
    made.reset();
    if (communicator != nullptr) nccl->CommDestroy(communicator);
    throw;
  }
  result = made.release();
}

std::int32_t create(tally_transport const& functions, std::int32_t device, gpu_of_rank*& result,
                    outcome_on_gpus& outcome)
{
  return guarded_on_ranks(outcome, [&] { make(functions, device, result, outcome.has_met); });
}

void destroy(gpu_of_rank* gpu)
{
  outcome_on_gpus ignored;
  guarded_on_ranks(ignored, [&] {
    current_device const device(gpu->device);
    cudaStreamSynchronize(gpu->stream.get());
    ncclComm* const communicator = gpu->communicator;
    delete gpu;
    library::get().CommDestroy(communicator);
  });
}

/// Runs `call()` where the calls of a rank's GPU are queued, as a part of the caller's stream.
template <class Call>
std::int32_t on_gpu_of_rank(gpu_of_rank& gpu, place_on_gpu const& place, outcome_on_gpus& outcome, Call const& call)
{
  return guarded_on_ranks(outcome, [&] {
    current_device const device(gpu.device);
    check_may_wait(place);
    gpu.stream.as_part_of(static_cast<CUstream_st*>(place.stream), call);
  });
}

/// The one of three functions for a type.
template <class Function>
Function* of_type(tally_type type, Function* integers, Function* floats, Function* doubles)
{
  return type.code != TALLY_FLOAT ? integers : type.bits == 32 ? floats : doubles;
}

std::int32_t run_along(gpu_of_rank& gpu, along_on_gpus const& call, outcome_on_gpus& outcome)
{
  auto* const run = of_type(call.type, along_of<std::uint64_t>, along_of<float>, along_of<double>);
  return on_gpu_of_rank(gpu, call.call.gpu, outcome, [&] { run(gpu.on, call, outcome.has_met); });
}

// Ranks meet at the end of these calls, or before what they write: until then others hear of a failure.
std::int32_t run_segments(gpu_of_rank& gpu, segments_on_gpus const& call, outcome_on_gpus& outcome)
{
  auto* const run = of_type(call.type, segments_of<std::uint64_t>, segments_of<float>, segments_of<double>);
  return on_gpu_of_rank(gpu, call.call.gpu, outcome, [&] { run(gpu.on, call); });
}

std::int32_t run_runs(gpu_of_rank& gpu, runs_on_gpus const& call, std::size_t& found, outcome_on_gpus& outcome)
{
  auto* const run = of_type(call.values.type, runs_of<std::uint64_t>, runs_of<float>, runs_of<double>);
  return on_gpu_of_rank(gpu, call.values.call.gpu, outcome, [&] { found = run(gpu.on, call); });
}

std::int32_t run_recurrence(gpu_of_rank& gpu, recurrences_on_gpus const& call, outcome_on_gpus& outcome)
{
  return on_gpu_of_rank(gpu, call.call.gpu, outcome, [&] { recur_on_ranks(gpu.on, call); });
}

constexpr gpu_functions_of_ranks functions = {TALLY_VERSION, create,   destroy,       run_along,
                                              run_segments,  run_runs, run_recurrence};

}  // namespace

}  // namespace tally::c

extern "C" __attribute__((visibility("default"))) tally::c::gpu_functions_of_ranks const*
tally_cuda_functions_of_ranks()
{
  return &tally::c::functions;
}
