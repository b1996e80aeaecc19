#include "tally/detail/cuda/call.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <nvtx3/nvToolsExt.h>

#include "tally/cuda_execution.hpp"
#include "tally/detail/cuda/boxes.hpp"
#include "tally/detail/cuda/check.cuh"

namespace tally::cuda_backend {

namespace {

constexpr int most_devices = 64;
static_assert(sizeof(workspace_header) == execution::workspace::header_bytes);

/// A function of the driver, or null if it has none. cudart finds it at run time: programs need not link it.
template <class Function>
Function function_of_driver(char const* name)
{
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  std::string const attempt = std::string("looking for ") + name;
#if CUDART_VERSION >= 12050
  check_cuda(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found), attempt.c_str());
#else
  check_cuda(cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &found), attempt.c_str());
#endif
  return found == cudaDriverEntryPointSuccess ? reinterpret_cast<Function>(function) : nullptr;
}

device_facts const& facts_of(int device)
{
  static std::array<device_facts, most_devices> known{};
  static std::array<std::once_flag, most_devices> once;
  if (device >= most_devices)
    throw error("tally: device " + std::to_string(device) + " is beyond the 64 that it knows");
  auto const index = static_cast<std::size_t>(device);
  std::call_once(once[index], [&] {
    auto const ask = [&](cudaDeviceAttr attribute) {
      int value = 0;
      check_cuda(cudaDeviceGetAttribute(&value, attribute, device), "asking for a device's properties");
      return value;
    };
    known[index].processors = ask(cudaDevAttrMultiProcessorCount);
    known[index].compute_capability =
        10 * ask(cudaDevAttrComputeCapabilityMajor) + ask(cudaDevAttrComputeCapabilityMinor);
  });
  return known[index];
}

bool is_capturing(cudaStream_t stream)
{
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check_cuda(cudaStreamIsCapturing(stream, &status), "asking whether the stream of the call is being captured");
  return status != cudaStreamCaptureStatusNone;
}

/// Lets this thread call functions that a capture forbids, such as those that allocate, while it lives. They must not
/// go to a stream that is being captured.
class beside_captures {
public:
  beside_captures() { exchange(); }
  ~beside_captures() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  beside_captures(beside_captures const&) = delete;
  beside_captures& operator=(beside_captures const&) = delete;

private:
  void exchange() { check_cuda(cudaThreadExchangeStreamCaptureMode(&mode_), "allowing calls beside a capture"); }

  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

/// Clears memory beside all streams, and waits.
void clear_now(void* memory, std::size_t bytes)
{
  cudaStream_t alone = nullptr;
  check_cuda(cudaStreamCreateWithFlags(&alone, cudaStreamNonBlocking), "creating a stream");
  cudaError_t code = cudaMemsetAsync(memory, 0, bytes, alone);
  if (code == cudaSuccess) code = cudaStreamSynchronize(alone);
  cudaStreamDestroy(alone);
  check_cuda(code, "clearing a workspace");
}

/// The device of `stream`. CUDA does not give it while the stream is being captured. It is then the workspace's device,
/// if the workspace has memory, and else the current one.
int device_of(cudaStream_t stream, bool is_captured, int current, int device_of_workspace)
{
  if (is_captured) return device_of_workspace >= 0 ? device_of_workspace : current;
  int device = 0;
  check_cuda(cudaStreamGetDevice(stream, &device), "asking for the device of the stream");
  return device;
}

}  // namespace

prepared_call::prepared_call(execution const& on, char const* name) : stream_(on.stream()), space_(&on.space())
{
  check_cuda(cudaGetDevice(&previous_device_), "asking for the current device");
  bool const is_captured = is_capturing(stream_);
  if (is_captured) space_->in_graph_ = true;
  device_ = device_of(stream_, is_captured, previous_device_, space_->device_);
  facts_ = &facts_of(device_);
  if (device_ != previous_device_) check_cuda(cudaSetDevice(device_), "choosing the device of the stream");
  nvtxRangePushA(name);  // costs the test of a pointer without a profiler
}

prepared_call::~prepared_call()
{
  nvtxRangePop();
  if (device_ != previous_device_) cudaSetDevice(previous_device_);
}

void prepared_call::check_pointer(void const* pointer, char const* what) const
{
  cudaPointerAttributes attributes{};
  check_cuda(cudaPointerGetAttributes(&attributes, pointer), "asking what a pointer points to");
  if (attributes.type == cudaMemoryTypeUnregistered)
    throw usage_error(std::string("tally: the ") + what +
                      " of a call on a GPU is in ordinary host memory; it must be in device, managed or pinned memory");
}

std::size_t prepared_call::bytes_from(void const* pointer) const
{
  using ask = CUresult (*)(void*, CUpointer_attribute, CUdeviceptr);
  static ask const attribute_of = function_of_driver<ask>("cuPointerGetAttribute");
  auto const at = reinterpret_cast<CUdeviceptr>(pointer);
  CUdeviceptr begin = 0;
  std::size_t bytes = 0;
  if (pointer == nullptr || attribute_of == nullptr ||
      attribute_of(&begin, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, at) != CUDA_SUCCESS ||
      attribute_of(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, at) != CUDA_SUCCESS)
    return 0;
  return bytes - (at - begin);
}

void prepared_call::reserve_words(std::size_t words)
{
  std::size_t const bytes = execution::workspace::header_bytes + words * sizeof(std::uint64_t);
  if (bytes > space_->bytes_ || !space_->zeroed_ || space_->device_ != device_) space_->reserve(bytes, stream_);
}

bool prepared_call::can_grow() const
{
  return !space_->borrowed_;
}

bool prepared_call::is_captured() const
{
  return is_capturing(stream_);
}

std::optional<box_map> make_box_map(box_array const& array)
{
  static_assert(sizeof(CUtensorMap) == sizeof(box_map) && alignof(CUtensorMap) <= alignof(box_map));
  static auto const encode = function_of_driver<decltype(&cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
  std::array<cuuint64_t, 3> const extents{array.columns, array.rows, array.matrices};
  std::array<cuuint64_t, 2> const distances{array.row_bytes, array.matrix_bytes};
  std::array<cuuint32_t, 3> const box{array.box_columns, array.box_rows, 1};
  constexpr std::array<cuuint32_t, 3> every_element{1, 1, 1};
  if (encode == nullptr) return {};
  CUtensorMap made;
  // Lines of 128 bytes come from memory in pairs: columns of floats gain a hundredth.
  CUresult const found = encode(
      &made, array.element_bytes == 8 ? CU_TENSOR_MAP_DATA_TYPE_UINT64 : CU_TENSOR_MAP_DATA_TYPE_UINT32, 3, array.first,
      extents.data(), distances.data(), box.data(), every_element.data(), CU_TENSOR_MAP_INTERLEAVE_NONE,
      CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (found != CUDA_SUCCESS) return {};
  box_map result;
  std::memcpy(&result, &made, sizeof result);
  return result;
}

void* prepared_call::host_result(std::size_t bytes)
{
  if (is_capturing(stream_))
    throw usage_error(
        "tally: a reduction that returns its value cannot be captured into a graph, since nobody waits for it; "
        "reduce_into leaves the value on the device");
  if (space_->done_ == nullptr) {
    cudaEvent_t event = nullptr;
    check_cuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "creating an event");
    space_->done_ = event;
  }
  if (space_->host_result_bytes_ < bytes) {
    if (space_->host_result_ != nullptr) cudaFreeHost(std::exchange(space_->host_result_, nullptr));
    space_->host_result_bytes_ = 0;
    check_cuda(cudaHostAlloc(&space_->host_result_, bytes, cudaHostAllocPortable | cudaHostAllocMapped),
               "taking pinned memory for a result");
    space_->host_result_bytes_ = bytes;
  }
  return space_->host_result_;
}

void prepared_call::wait()
{
  mark();
  wait_for_mark();
}

void prepared_call::mark()
{
  check_cuda(cudaEventRecord(static_cast<cudaEvent_t>(space_->done_), stream_), "recording an event");
}

void prepared_call::wait_for_mark()
{
  check_cuda(cudaEventSynchronize(static_cast<cudaEvent_t>(space_->done_)), "waiting for a value");
}

CUmemPoolHandle_st* prepared_call::pool() const
{
  if (space_->pool_ != nullptr && space_->pool_device_ == device_) return space_->pool_;
  cudaMemPoolProps what{};
  what.allocType = cudaMemAllocationTypePinned;
  what.location = {cudaMemLocationTypeDevice, {device_}};
  cudaMemPool_t pool = nullptr;
  check_cuda(cudaMemPoolCreate(&pool, &what), "making a pool of device memory");
  std::uint64_t all = ~std::uint64_t{0};
  check_cuda(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all), "setting up a pool of memory");
  if (space_->pool_ != nullptr) cudaMemPoolDestroy(space_->pool_);
  space_->pool_ = pool;
  space_->pool_device_ = device_;
  return pool;
}

void* backend_allocate(execution const& on, std::size_t bytes)
{
  prepared_call const call(on, "tally::temporary");
  void* memory = nullptr;
  cudaError_t const code = is_capturing(call.stream())
                               ? cudaMallocAsync(&memory, bytes, call.stream())
                               : cudaMallocFromPoolAsync(&memory, bytes, call.pool(), call.stream());
  check_cuda(code, "taking device memory for intermediate values");
  return memory;
}

void backend_free(execution const& on, void* memory) noexcept
{
  cudaFreeAsync(memory, on.stream());
}

void copy_to_host_at(prepared_call& call, void* to, void const* from, std::size_t bytes)
{
  check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, call.stream()), "copying a value to the host");
}

void copy_to_host(execution const& on, void* to, void const* from, std::size_t bytes)
{
  prepared_call const call(on, "tally::value_at");
  check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, call.stream()), "copying a value to the host");
  check_cuda(cudaStreamSynchronize(call.stream()), "waiting for a value");
}

execution::workspace::~workspace()
{
  release();
}

execution::workspace::workspace(workspace&& other) noexcept
{
  *this = std::move(other);
}

execution::workspace& execution::workspace::operator=(workspace&& other) noexcept
{
  if (this == &other) return *this;
  release();
  resource_ = other.resource_;
  memory_ = std::exchange(other.memory_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  device_ = other.device_;
  borrowed_ = other.borrowed_;
  zeroed_ = std::exchange(other.zeroed_, false);
  in_graph_ = std::exchange(other.in_graph_, false);
  kept_ = std::exchange(other.kept_, {});
  host_result_ = std::exchange(other.host_result_, nullptr);
  host_result_bytes_ = std::exchange(other.host_result_bytes_, 0);
  done_ = std::exchange(other.done_, nullptr);
  pool_ = std::exchange(other.pool_, nullptr);
  pool_device_ = other.pool_device_;
  path_ = other.path_;
  blocks_ = other.blocks_;
  return *this;
}

void execution::workspace::reserve(std::size_t bytes, CUstream_st* stream)
{
  int current = 0;
  check_cuda(cudaGetDevice(&current), "asking for the current device");
  bool const captured = is_capturing(stream);
  int const device = device_of(stream, captured, current, device_);
  if (memory_ != nullptr && device_ >= 0 && device_ != device)
    throw usage_error("tally: the workspace is of device " + std::to_string(device_) + ", the stream of device " +
                      std::to_string(device) + "; each needs a workspace of its own");
  if (bytes <= bytes_ && zeroed_) return;
  if (bytes > bytes_) {
    if (borrowed_)
      throw usage_error("tally: the workspace has " + std::to_string(bytes_) + " bytes and this call needs " +
                        std::to_string(bytes));
    std::size_t const room = bytes + bytes / 2;  // calls that grow little by little then seldom wait
    if (!captured) check_cuda(cudaStreamSynchronize(stream), "waiting for the calls that use the workspace");
    if (in_graph_ && memory_ != nullptr) kept_.emplace_back(std::exchange(memory_, nullptr), std::exchange(bytes_, 0));
    give_back();
    in_graph_ = captured;
    if (captured) {
      beside_captures const allowed;
      allocate(room);
      clear_now(memory_, room);
      device_ = device;
      zeroed_ = true;
      return;
    }
    allocate(room);
  }
  device_ = device;
  check_cuda(cudaMemsetAsync(memory_, 0, bytes_, stream), "clearing a workspace");
  // A graph clears memory when it runs, and not before, so other calls do not count on it.
  zeroed_ = !captured;
}

void execution::workspace::allocate(std::size_t bytes)
{
  if (resource_ != nullptr)
    memory_ = resource_->allocate(bytes, alignment);
  else
    check_cuda(cudaMalloc(&memory_, bytes), "taking device memory for a workspace");
  bytes_ = bytes;
}

void execution::workspace::free(void* memory, std::size_t bytes)
{
  if (resource_ != nullptr)
    resource_->deallocate(memory, bytes, alignment);
  else
    cudaFree(memory);
}

void execution::workspace::give_back()
{
  if (memory_ != nullptr && !borrowed_) {
    free(memory_, bytes_);
    memory_ = nullptr;
    bytes_ = 0;
  }
  zeroed_ = false;
}

void execution::workspace::release()
{
  give_back();
  for (auto const& [memory, bytes] : kept_) free(memory, bytes);
  kept_.clear();
  if (host_result_ != nullptr) cudaFreeHost(std::exchange(host_result_, nullptr));
  host_result_bytes_ = 0;
  // Memory that is still to be freed in a stream's order returns to the system when it is.
  if (pool_ != nullptr) cudaMemPoolDestroy(std::exchange(pool_, nullptr));
  if (done_ != nullptr) cudaEventDestroy(static_cast<cudaEvent_t>(std::exchange(done_, nullptr)));
}

}  // namespace tally::cuda_backend
