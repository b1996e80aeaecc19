#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <cuda_runtime_api.h>
#include <tally/cuda.hpp>

#include "axis/sequence_calls.hpp"
#include "gpu/gpu.hpp"
#include "gpu/operators.hpp"
#include "gpu/resources.hpp"

namespace tally::cli {

namespace {

/// Memory that values leave free: for the workspace of calls (8 bytes for 32 KiB), and for CUDA itself.
constexpr std::size_t headroom(std::size_t bytes)
{
  return bytes / 1024 + (std::size_t{32} << 20);
}

std::size_t free_memory()
{
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "asking for free memory");
  return free > headroom(free) ? free - headroom(free) : 0;
}

device_memory take_or_throw(std::size_t bytes)
{
  std::size_t const free = free_memory();
  device_memory memory = bytes <= free ? take_on_device(bytes) : nullptr;
  if (!memory) too_large_for_gpu(bytes, free);
  return memory;
}

/// The way between the host's memory and the device's: pinned buffers that take turns, so that one is filled while the
/// other is on its way.
class transfers {
public:
  explicit transfers(cudaStream_t stream) : stream_(stream)
  {
    for (buffer& each : buffers_) each = {take_pinned(buffer_bytes), make_event(cudaEventDisableTiming)};
  }

  static constexpr std::size_t buffer_bytes = gpu_numbers::most_read * sizeof(double);

  void up(void const* from, void* to, std::size_t bytes)
  {
    for (std::size_t first = 0; first < bytes; first += buffer_bytes) {
      std::size_t const count = std::min(buffer_bytes, bytes - first);
      buffer& next = turn();
      check(cudaEventSynchronize(next.free.get()), "copying to the device");
      std::memcpy(next.memory.get(), static_cast<char const*>(from) + first, count);
      check(cudaMemcpyAsync(static_cast<char*>(to) + first, next.memory.get(), count, cudaMemcpyHostToDevice, stream_),
            "copying to the device");
      check(cudaEventRecord(next.free.get(), stream_), "copying to the device");
    }
  }

  /// Requires: at most buffer_bytes. The result is valid until the next call.
  void const* down(void const* from, std::size_t bytes)
  {
    buffer& next = turn();
    check(cudaMemcpyAsync(next.memory.get(), from, bytes, cudaMemcpyDeviceToHost, stream_), "copying from the device");
    check(cudaStreamSynchronize(stream_), "copying from the device");
    return next.memory.get();
  }

private:
  struct buffer {
    pinned_memory memory;
    cuda_event free;
  };
  buffer& turn()
  {
    turn_ = 1 - turn_;
    return buffers_[turn_];
  }

  cudaStream_t stream_;
  std::array<buffer, 2> buffers_;
  std::size_t turn_ = 0;
};

class cuda_numbers final : public gpu_numbers {
public:
  cuda_numbers(io::element_type type, cudaStream_t stream, cuda::workspace& space, transfers& way)
      : gpu_numbers(type),
        stream_(stream),
        space_(space),
        way_(way)
  {
  }

  std::size_t size() const override { return size_; }

  void reserve(std::size_t n) override
  {
    if (n > capacity_) move_to(n);
  }

  void append(io::values_view const& values) override
  {
    std::size_t const n = io::size_of(values);
    if (n > capacity_ - size_) move_to(grown(size_ + n));
    std::visit([&](auto in) { way_.up(in.data(), at(size_), in.size_bytes()); }, values);
    size_ += n;
  }

  io::values_view read(std::size_t first, std::size_t count) override
  {
    return io::view_as(type(), way_.down(at(first), count * io::byte_size(type())), count);
  }

  result reduce(operation op, std::optional<result> const& init) override
  {
    result made;
    call(op, [&]<class T, class Op>(cuda const& on, T* first, Op combine) {
      made = as_result<T>(init ? tally::reduce(on, first, first + size_, result_of_none<T, Op>(init), combine)
                               : tally::reduce(on, std::span<T const>(first, size_), combine));
    });
    return made;
  }

  void scan(operation op, scan_kind kind, std::optional<result> const& init) override
  {
    call(op, [&]<class T, class Op>(cuda const& on, T* first, Op combine) {
      T* const last = first + size_;
      T const start = result_of_none<T, Op>(init);
      if (kind == scan_kind::exclusive)
        tally::exclusive_scan(on, first, last, first, start, combine);
      else if (init)
        tally::inclusive_scan(on, first, last, first, combine, start);
      else
        tally::inclusive_scan(on, first, last, first, combine);
    });
    check(cudaStreamSynchronize(stream_), "a scan");
  }

private:
  void* at(std::size_t index) const { return static_cast<char*>(memory_.get()) + index * io::byte_size(type()); }

  /// Twice as many as there is room for now, or what the memory has left.
  std::size_t grown(std::size_t needed) const
  {
    constexpr std::size_t least = std::size_t{1} << 20;
    return std::max(needed, std::min(std::max(2 * capacity_, least), free_memory() / io::byte_size(type())));
  }

  void move_to(std::size_t capacity)
  {
    std::size_t const element = io::byte_size(type());
    device_memory larger = take_or_throw(capacity * element);
    if (size_ > 0) {
      check(cudaMemcpyAsync(larger.get(), memory_.get(), size_ * element, cudaMemcpyDeviceToDevice, stream_),
            "moving values");
      check(cudaStreamSynchronize(stream_), "moving values");
    }
    memory_ = std::move(larger);
    capacity_ = capacity;
  }

  /// Calls use(execution, pointer to the first number, operator).
  template <class Use>
  void call(operation op, Use use)
  {
    cuda const on{stream_, space_};
    with_operator(op, [&]<class Op>(Op combine) {
      std::visit(
          [&]<class T>(std::span<T const>) {
            if constexpr (on_gpu<Op, T>) checked([&] { use(on, static_cast<T*>(memory_.get()), combine); });
          },
          io::view_as(type(), nullptr, 0));
    });
  }

  cudaStream_t stream_;
  cuda::workspace& space_;
  transfers& way_;
  device_memory memory_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// Sequences go up, and results come down, call by call.
class cuda_sequences final : public sequence_processor {
public:
  cuda_sequences(cudaStream_t stream, cuda::workspace& space, transfers& way)
      : stream_(stream),
        space_(space),
        way_(way)
  {
  }

  void reduce(operation op, io::element_type type, sequences const& of, void const* in, initial_values init,
              void* out) override
  {
    std::size_t const element = io::byte_size(type);
    void* const values = up(values_, in, of.size * element);
    void* const results = room(results_, of.count() * element);
    initial_values const starts = {up(starts_, init.values, (init.each ? of.count() : 1) * element), init.each};
    checked([&] { reduce_by_calls(cuda{stream_, space_}, op, type, of, values, starts, results); });
    down(results, out, of.count() * element);
  }

  void scan(operation op, io::element_type type, scan_kind kind, sequences const& of, void const* in,
            initial_values init, void* out) override
  {
    std::size_t const element = io::byte_size(type);
    void* const values = up(values_, in, of.size * element);
    initial_values const starts = {up(starts_, init.values, (init.each ? of.count() : 1) * element), init.each};
    checked([&] { scan_by_calls(cuda{stream_, space_}, op, type, kind, of, values, starts, values); });
    down(values, out, of.size * element);
  }

private:
  struct memory {
    device_memory held;
    std::size_t bytes = 0;
  };

  static void* room(memory& in, std::size_t bytes)
  {
    if (bytes > in.bytes) {
      in = {};
      in = {take_or_throw(bytes), bytes};
    }
    return in.held.get();
  }

  void* up(memory& to, void const* from, std::size_t bytes)
  {
    void* const place = room(to, bytes);
    way_.up(from, place, bytes);
    return place;
  }

  void down(void const* from, void* to, std::size_t bytes)
  {
    for (std::size_t first = 0; first < bytes; first += transfers::buffer_bytes) {
      std::size_t const count = std::min(transfers::buffer_bytes, bytes - first);
      std::memcpy(static_cast<char*>(to) + first, way_.down(static_cast<char const*>(from) + first, count), count);
    }
  }

  cudaStream_t stream_;
  cuda::workspace& space_;
  transfers& way_;
  memory values_, starts_, results_;
};

class cuda_gpu final : public gpu {
public:
  std::unique_ptr<gpu_numbers> numbers(io::element_type type) override
  {
    return std::make_unique<cuda_numbers>(type, stream_.get(), space_, way_);
  }

  std::unique_ptr<sequence_processor> sequences() override
  {
    return std::make_unique<cuda_sequences>(stream_.get(), space_, way_);
  }

private:
  cuda_stream stream_ = make_stream();
  transfers way_{stream_.get()};
  cuda::workspace space_;  // goes before the stream
};

}  // namespace

gpu_search find_gpu()
{
  int driver = 0;
  if (cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0) return {nullptr, "no NVIDIA driver is installed"};
  try {
    int devices = 0;
    if (cudaError_t const code = cudaGetDeviceCount(&devices); code != cudaSuccess)
      return {nullptr, cudaGetErrorString(code)};
    auto found = std::make_unique<cuda_gpu>();
    // A call shows what nothing else does: that this program has kernels for this device.
    std::unique_ptr<gpu_numbers> const numbers = found->numbers(io::element_type::int64);
    constexpr std::array<std::int64_t, 2> two_and_three = {2, 3};
    numbers->append(std::span<std::int64_t const>(two_and_three));
    if (numbers->reduce(operation::sum, {}) != result(int128{5})) return {nullptr, "it cannot add 2 and 3"};
    return {std::move(found), {}};
  } catch (error const& problem) {
    return {nullptr, problem.what()};
  }
}

}  // namespace tally::cli
