#include "src/c/gpu.hpp"

#include <dlfcn.h>

#include <new>
#include <string>
#include <type_traits>

#include "src/c/failure.hpp"
#include "tally/detail/batch/sequences.hpp"
#include "tally/error.hpp"

namespace tally::c {

namespace {

constexpr char const* library = "libtally_cuda.so.1";

/// The library beside this one, or where the system looks for libraries.
void* open_library(std::string& why)
{
  Dl_info own{};
  if (dladdr(reinterpret_cast<void const*>(&tally_version), &own) != 0 && own.dli_fname != nullptr) {
    std::string const path = own.dli_fname;
    std::string const beside = path.substr(0, path.rfind('/') + 1) + library;
    if (void* const handle = dlopen(beside.c_str(), RTLD_LAZY | RTLD_LOCAL)) return handle;
  }
  void* const handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) why = dlerror();
  return handle;
}

gpu_functions const& functions()
{
  static auto const* const all = static_cast<gpu_functions const*>(functions_of_gpu_library(name_of_gpu_functions));
  return *all;
}

/// Turns the status of a function of the other library into an exception of this one.
void check(std::int32_t status, char const* message)
{
  switch (status) {
    case TALLY_OK: return;
    case TALLY_WRONG_ARGUMENT: throw usage_error(message);
    case TALLY_NOT_SUPPORTED: throw not_supported(message);
    case TALLY_NO_MEMORY: throw std::bad_alloc();
    default: throw error(message);
  }
}

}  // namespace

void const* functions_of_gpu_library(char const* name)
{
  static std::string why;
  static void* const handle = open_library(why);
  auto const fail = [](std::string const& reason) {
    throw not_supported("a call on a GPU needs " + std::string(library) + ", which cannot be loaded: " + reason);
  };
  if (handle == nullptr) fail(why);
  auto const give = reinterpret_cast<void const* (*)()>(dlsym(handle, name));
  if (give == nullptr) fail(std::string("it has no function ") + name);
  auto const* const version = static_cast<std::int32_t const*>(give());
  if (*version != TALLY_VERSION)
    fail("it is of version " + std::to_string(*version) + ", and libtally.so.1 of " + std::to_string(TALLY_VERSION));
  return version;
}

operation on_gpu(operation op, tally_operation const* number, tally_type type)
{
  functions();
  if (number == TALLY_EXACT_PLUS || type.code == TALLY_COMPLEX)
    throw not_supported("this operator on elements of type " + shown(type) + " has no code for a GPU");
  op.number = number == nullptr ? 1 : reinterpret_cast<std::size_t>(number);
  op.type = type;
  op.run = [](operation const& self, sequences_call const& call) {
    char message[message_size];
    check(functions().run(self.number, self.type, call, message), message);
  };
  op.segments = [](operation const& self, segments_call const& call) {
    char message[message_size];
    check(functions().segments(self.number, self.type, call, message), message);
  };
  return op;
}

std::size_t workspace_bytes(tally_array const* in_given, std::int32_t axis_given)
{
  array const in = checked(in_given, "in", devices::cpu_or_gpu);
  std::size_t const axis = detail::batch::axis_of(axis_given, in.shape);
  std::size_t sequences = 1;
  for (std::size_t d = 0; d < in.shape.size(); ++d)
    if (d != axis) sequences *= static_cast<std::size_t>(in.shape[d]);
  // A total has 16 bytes at most; a tile has 32 KiB.
  std::size_t const elements = (std::size_t{32} << 10) / in.bytes,
                    tiles = static_cast<std::size_t>(in.shape[axis]) / elements + 1;
  std::size_t const bytes = 128 + (std::size_t{16} << 10) + (sequences * (2 * tiles + 1) + 1) * 8;
  return (bytes + 127) / 128 * 128;
}

void synchronize(std::int32_t device, void* stream)
{
  char message[message_size];
  check(functions().synchronize(device, stream, message), message);
}

words_of_element words_of(array const& from, array const& to)
{
  std::size_t word = 8;
  auto const divides = [&](array const& given) {
    bool fits = given.bytes % word == 0 && reinterpret_cast<std::uintptr_t>(given.data) % word == 0;
    for (std::size_t d = 0; d < given.shape.size(); ++d)
      fits = fits &&
             (given.strides[d] * static_cast<std::ptrdiff_t>(given.bytes)) % static_cast<std::ptrdiff_t>(word) == 0;
    return fits;
  };
  while (!divides(from) || !divides(to)) word /= 2;
  return {word, from.bytes / word};
}

std::size_t select_on_gpu(selection_call const& call)
{
  char message[message_size];
  std::size_t selected = 0;
  check(functions().select(call, &selected, message), message);
  return selected;
}

std::size_t find_runs_on_gpu(runs_call const& call)
{
  char message[message_size];
  std::size_t runs = 0;
  check(functions().find_runs(call, &runs, message), message);
  return runs;
}

void sort_on_gpu(sorts_call const& call)
{
  char message[message_size];
  check(functions().sort(call, message), message);
}

void count_on_gpu(histograms_call const& call)
{
  char message[message_size];
  check(functions().count(call, message), message);
}

void recur_on_gpu(tally_type type, recurrences_call const& call)
{
  char message[message_size];
  check(functions().recur(type, call, message), message);
}

void clear_on_gpu(array const& to, place_on_gpu const& gpu)
{
  static_assert(most_axes <= std::extent_v<decltype(places_call::extents)>);
  places_call call;
  call.first = to.data;
  call.bytes = to.bytes;
  call.gpu = gpu;
  for (std::size_t d = 0; d < to.shape.size(); ++d) {
    if (to.shape[d] == 0) return;
    call.extents[call.dimensions] = static_cast<std::size_t>(to.shape[d]);
    call.steps[call.dimensions++] = to.strides[d] * static_cast<std::ptrdiff_t>(to.bytes);
  }
  char message[message_size];
  check(functions().clear(call, message), message);
}

place_on_gpu place_of(tally_device device, tally_options const& options)
{
  if (device.type != TALLY_CUDA) {
    if (options.stream != nullptr || options.workspace != nullptr)
      throw usage_error("options->stream and options->workspace are for arrays on a GPU; these are the CPU's");
    return {};
  }
  return {true, device.number, options.stream, options.workspace, options.workspace_bytes};
}

}  // namespace tally::c
