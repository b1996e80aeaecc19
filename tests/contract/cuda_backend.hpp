#pragma once

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "../cuda/device_array.hpp"
#include "cpu_backend.hpp"
#include "tally/cuda.hpp"

namespace tally::test {

/// The stream and the workspace of all tests, and device memory that arrays allocate and free like a stack.
class cuda_fixture {
public:
  static cuda_fixture& instance()
  {
    static cuda_fixture the;
    return the;
  }
  std::byte* take(std::size_t bytes)
  {
    std::size_t const begin = top_;
    top_ += (bytes + 1023) / 1024 * 1024;
    if (top_ > capacity) throw std::runtime_error("the tests' arrays need more device memory than is set aside");
    return memory_ + begin;
  }
  void give_back(std::byte const* memory) { top_ = static_cast<std::size_t>(memory - memory_); }

  test::stream const stream;
  cuda::workspace space;

private:
  static constexpr std::size_t capacity = std::size_t(1) << 28;
  cuda_fixture() { check_cuda(cudaMalloc(&memory_, capacity)); }
  std::byte* memory_ = nullptr;
  std::size_t top_ = 0;
};

/// `guarded` on the device. The last one made must be the first one destroyed.
template <class T>
class guarded_on_device {
public:
  explicit guarded_on_device(std::size_t n, std::size_t offset = 0)
      : size_(n),
        begin_(guard + offset * sizeof(T)),
        total_(begin_ + n * sizeof(T) + guard),
        bytes_(fixture().take(total_))
  {
    check_cuda(cudaMemsetAsync(bytes_, poison, total_, fixture().stream));
  }
  guarded_on_device(std::vector<T> const& values, std::size_t offset) : guarded_on_device(values.size(), offset)
  {
    check_cuda(cudaMemcpyAsync(begin(), values.data(), size_ * sizeof(T), cudaMemcpyDefault, fixture().stream));
    check_cuda(cudaStreamSynchronize(fixture().stream));
  }
  ~guarded_on_device() { fixture().give_back(bytes_); }
  guarded_on_device(guarded_on_device const&) = delete;
  guarded_on_device& operator=(guarded_on_device const&) = delete;

  T* begin() const { return reinterpret_cast<T*>(bytes_ + begin_); }
  T* end() const { return begin() + size_; }
  std::vector<T> values() const
  {
    std::vector<std::byte> const all = copied();
    std::vector<T> result(size_);
    if (size_ != 0) std::memcpy(result.data(), all.data() + begin_, size_ * sizeof(T));
    return result;
  }
  testing::AssertionResult guards_intact() const
  {
    std::vector<std::byte> const all = copied();
    std::size_t const end = begin_ + size_ * sizeof(T);
    for (std::size_t k = 0; k < total_; ++k) {
      if ((k < begin_ || k >= end) && all[k] != std::byte{poison})
        return testing::AssertionFailure() << "a byte was written " << (k < begin_ ? begin_ - k : k - end + 1)
                                           << (k < begin_ ? " before the first" : " after the last") << " element";
    }
    return testing::AssertionSuccess();
  }

private:
  static constexpr std::size_t guard = 1024;
  static constexpr unsigned char poison = 0xA5;
  static cuda_fixture& fixture() { return cuda_fixture::instance(); }

  std::vector<std::byte> copied() const
  {
    std::vector<std::byte> all(total_);
    check_cuda(cudaMemcpyAsync(all.data(), bytes_, total_, cudaMemcpyDefault, fixture().stream));
    check_cuda(cudaStreamSynchronize(fixture().stream));
    return all;
  }

  std::size_t size_;
  std::size_t begin_;
  std::size_t total_;
  std::byte* bytes_;
};

/// A GPU as a backend under test.
struct cuda_backend {
  static constexpr char const* name = "cuda";

  template <class T>
  using array = guarded_on_device<T>;

  /// Every kernel that a call can become, each with all its blocks and with few.
  template <class F>
  static void for_each_way(ways which, F const& f)
  {
    using path = cuda::workspace::path;
    struct way {
      path preferred;
      int blocks;
      char const* name;
    };
    static constexpr way all[] = {{path::automatic, 0, "cuda"},
                                  {path::registers, 0, "cuda, registers"},
                                  {path::ring, 0, "cuda, ring"},
                                  {path::registers, 1, "cuda, registers, 1 block"},
                                  {path::ring, 1, "cuda, ring, 1 block"},
                                  {path::ring, 3, "cuda, ring, 3 blocks"},
                                  {path::own_tiles, 0, "cuda, own tiles"},
                                  {path::backwards, 0, "cuda, own tiles, backwards"}};
    auto& fixture = cuda_fixture::instance();
    for (way const& each : all) {
      if ((which == ways::instruction_sets || which == ways::one_thread) && each.blocks == 3) continue;
      fixture.space.prefer(each.preferred, each.blocks);
      f(cuda{fixture.stream, fixture.space}, std::string(each.name));
    }
    fixture.space.prefer(path::automatic);
  }
};

}  // namespace tally::test
