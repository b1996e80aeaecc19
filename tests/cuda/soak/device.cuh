#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "cuda/device_array.hpp"
#include "soak/elements.hpp"
#include "soak/family.hpp"
#include "tally/cuda.hpp"
#include "tally/detail/cuda/tuning.hpp"

/// The GPU of a soak test: memory that tries use one after the other, and the ways in which calls are made.
namespace tally::soak {

/// Device memory, kept for the next try.
class device_region {
public:
  /// n elements that begin at a multiple of 128 bytes plus `phase` elements; all is poisoned, and what is beside them.
  template <class T>
  T* of(std::size_t n, std::size_t phase)
  {
    bytes_ = n * sizeof(T);
    std::size_t const all = bytes_ + phase * sizeof(T) + 2 * guard;
    if (all > capacity_) grow(all);
    begin_ = memory_ + guard + phase * sizeof(T);
    test::check_cuda(cudaMemset(memory_, poison, all));
    test::check_cuda(cudaDeviceSynchronize());  // no stream of these tests waits for it
    return reinterpret_cast<T*>(begin_);
  }
  /// Says whether something was written beside the first `used` bytes. Waits for the device.
  std::string beside(std::size_t used) const
  {
    test::check_cuda(cudaDeviceSynchronize());
    std::vector<unsigned char> bytes(static_cast<std::size_t>(begin_ - memory_));
    test::check_cuda(cudaMemcpy(bytes.data(), memory_, bytes.size(), cudaMemcpyDefault));
    if (!poisoned(bytes)) return "something was written before the first element";
    bytes.resize(bytes_ - used + guard);
    test::check_cuda(cudaMemcpy(bytes.data(), begin_ + used, bytes.size(), cudaMemcpyDefault));
    return poisoned(bytes) ? "" : "something was written behind the last element";
  }

private:
  static constexpr std::size_t guard = 4096;
  static constexpr int poison = 0xA5;

  static bool poisoned(std::vector<unsigned char> const& bytes)
  {
    return std::all_of(bytes.begin(), bytes.end(), [](unsigned char byte) { return byte == poison; });
  }
  void grow(std::size_t bytes)
  {
    test::check_cuda(cudaDeviceSynchronize());
    test::check_cuda(cudaFree(memory_));
    capacity_ = bytes + bytes / 2;
    test::check_cuda(cudaMalloc(&memory_, capacity_));
  }

  unsigned char* memory_ = nullptr;
  unsigned char* begin_ = nullptr;
  std::size_t capacity_ = 0, bytes_ = 0;
};

class gpu {
public:
  static gpu& of_this_process()
  {
    static gpu one;
    return one;
  }

  cudaStream_t stream() const { return stream_; }
  device_region& memory(int number) { return memory_.at(static_cast<std::size_t>(number)); }

  /// How a call is made: mostly as the library chooses, else by a kernel of this try's choice, and on few blocks.
  cuda chosen(choices& of)
  {
    using path = cuda::workspace::path;
    std::string const which = of.word(
        "path", {"automatic", "automatic", "automatic", "automatic", "registers", "ring", "own_tiles", "backwards"});
    auto& sizes = cuda_backend::tuning_in_use();
    sizes = {};
    if (of.word("tuned", {"no", "no", "yes"}) == "yes") {
      sizes.one_block_tiles = static_cast<std::uint32_t>(of.number("one_block_tiles", 0, 1));
      sizes.cluster_tiles = static_cast<std::uint32_t>(of.number("cluster_tiles", 0, 8));
      sizes.own_tiles = of.word("own_tiles", {"plain", "0"}) == "0" ? 0 : sizes.own_tiles;
      sizes.processors = static_cast<int>(of.number("processors", 0, 40));
    }
    std::string const blocks = of.word("blocks", {"0", "0", "0", "1", "3", "17"});
    space_.prefer(which == "registers"   ? path::registers
                  : which == "ring"      ? path::ring
                  : which == "own_tiles" ? path::own_tiles
                  : which == "backwards" ? path::backwards
                                         : path::automatic,
                  std::stoi(blocks));
    return {stream_, space_};
  }
  template <class T>
  T value_at(T const* at) const
  {
    T value;
    test::check_cuda(cudaMemcpyAsync(&value, at, sizeof(T), cudaMemcpyDefault, stream_));
    stream_.wait();
    return value;
  }
  template <class T>
  std::vector<T> values(T const* first, std::size_t n) const
  {
    std::vector<T> all(n);
    stream_.wait();
    if (n > 0) test::check_cuda(cudaMemcpy(all.data(), first, n * sizeof(T), cudaMemcpyDefault));
    return all;
  }
  template <class T>
  void assign(T* to, std::vector<T> const& values) const
  {
    if (!values.empty()) test::check_cuda(cudaMemcpy(to, values.data(), values.size() * sizeof(T), cudaMemcpyDefault));
    test::check_cuda(cudaDeviceSynchronize());
  }

private:
  test::stream stream_;
  cuda::workspace space_;
  std::array<device_region, 6> memory_;
};

outcome compact_try(choices& of);
outcome run_lengths_try(choices& of);
outcome by_key_try(choices& of);
outcome histogram_try(choices& of);
outcome radix_sort_try(choices& of);
outcome recurrence_try(choices& of);

}  // namespace tally::soak
