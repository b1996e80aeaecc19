#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "../cuda/device_array.hpp"
#include "../support/bits.hpp"
#include "tally/cuda_execution.hpp"
#include "tally/error.hpp"
#include "tally/order.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"

namespace tally::test {

/// A sequence, and its results as the CPU finds them.
template <class T, class Op>
struct on_one_machine {
  std::vector<T> x;
  T init;
  Op op;
  std::vector<T> inclusive, from_init, exclusive;
  T reduced;

  on_one_machine(std::vector<T> elements, T initial, Op operation)
      : x(std::move(elements)),
        init(initial),
        op(operation),
        inclusive(x.size()),
        from_init(x.size()),
        exclusive(x.size()),
        reduced(tally::reduce(cpu{1}, x.begin(), x.end(), init, op))
  {
    tally::inclusive_scan(cpu{1}, x.begin(), x.end(), inclusive.begin(), op);
    tally::inclusive_scan(cpu{1}, x.begin(), x.end(), from_init.begin(), op, init);
    tally::exclusive_scan(cpu{1}, x.begin(), x.end(), exclusive.begin(), init, op);
  }
};

/// Sizes and borders of parts that are of interest: those around a tile and a span.
template <class T>
std::vector<std::size_t> places_of_interest(std::size_t n)
{
  std::size_t const tile = order::tile<T>, span = order::span<T>;
  std::vector<std::size_t> all{0,
                               1,
                               tile - 1,
                               tile,
                               tile + 1,
                               3 * tile + 16,
                               31 * tile + 5,
                               span - 1,
                               span,
                               span + 1,
                               span + tile,
                               span + 5 * tile + 3,
                               2 * span - 1,
                               2 * span,
                               2 * span + 7};
  std::erase_if(all, [&](std::size_t k) { return k > n; });
  all.push_back(n);
  return all;
}

/// Device memory of one rank: its part, and its results with room around them.
template <class T>
class part_on_device {
public:
  explicit part_on_device(std::size_t most) : in_(most + 64), out_(most + 64) {}

  /// Both begin `offset` elements after an aligned place.
  void place(T const* elements, std::size_t size, std::size_t offset, cudaStream_t stream)
  {
    offset_ = offset;
    size_ = size;
    check_cuda(cudaMemcpyAsync(in(), elements, size * sizeof(T), cudaMemcpyDefault, stream));
    poison(stream);
  }
  void poison(cudaStream_t stream) { check_cuda(cudaMemsetAsync(out_.begin(), 0xA5, out_.size() * sizeof(T), stream)); }
  T* in() const { return in_.begin() + offset_; }
  T* out() const { return out_.begin() + 32 + offset_; }
  std::size_t size() const { return size_; }

  /// The text of a difference from the results `all` from `begin` on, or none. `which` is in() or out().
  std::string difference(T const* which, std::vector<T> const& all, std::size_t begin, cudaStream_t stream)
  {
    bool const guarded = which == out();
    std::size_t const before = guarded ? 16 : 0, after = guarded ? 16 : 0;
    std::vector<T> got(before + size_ + after);
    check_cuda(cudaMemcpyAsync(got.data(), which - before, got.size() * sizeof(T), cudaMemcpyDefault, stream));
    check_cuda(cudaStreamSynchronize(stream));
    for (std::size_t k = 0; k < got.size(); ++k) {
      if (k >= before && k < before + size_) continue;
      unsigned char bytes[sizeof(T)];
      std::memcpy(bytes, &got[k], sizeof(T));
      for (unsigned char const each : bytes)
        if (each != 0xA5) return "wrote beside its results, at " + std::to_string(static_cast<long long>(k) - 16);
    }
    if (size_ == 0 || std::memcmp(got.data() + before, all.data() + begin, size_ * sizeof(T)) == 0) return "";
    for (std::size_t k = 0; k < size_; ++k)
      if (std::memcmp(&got[before + k], &all[begin + k], sizeof(T)) != 0)
        return "differs first at element " + std::to_string(k) + " of " + std::to_string(size_);
    return "";
  }

private:
  device_array<T> in_, out_;
  std::size_t offset_ = 0, size_ = 0;
};

/// Every call on one rank's part [begin, end). Throws an error that says which result is wrong.
template <class On, class T, class Op>
void check_part(On const& on, on_one_machine<T, Op> const& all, part_on_device<T>& part, std::size_t begin,
                std::size_t end, std::size_t offset, cudaStream_t stream)
{
  auto const expect = [&](T const* which, std::vector<T> const& results, char const* call) {
    if (auto const text = part.difference(which, results, begin, stream); !text.empty())
      throw error(std::string(call) + ": " + text);
  };
  part.place(all.x.data() + begin, end - begin, offset, stream);
  T* const first = part.in();
  T* const last = first + part.size();
  tally::inclusive_scan(on, first, last, part.out(), all.op);
  expect(part.out(), all.inclusive, "inclusive_scan");
  part.poison(stream);
  tally::exclusive_scan(on, first, last, part.out(), all.init, all.op);
  expect(part.out(), all.exclusive, "exclusive_scan");
  T const sum = tally::reduce(on, first, last, all.init, all.op);
  if (std::memcmp(&sum, &all.reduced, sizeof(T)) != 0) throw error("reduce");
  tally::inclusive_scan(on, first, last, first, all.op, all.init);
  expect(first, all.from_init, "inclusive_scan in place");
}

}  // namespace tally::test
