#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "tally/textbook/cuda_device.cuh"
#include "textbook/gpu_kernels.hpp"

namespace tally::textbook {

/// An event of CUDA, to take times between.
class instant {
public:
  instant() { cudaEventCreate(&event_); }
  ~instant() { cudaEventDestroy(event_); }
  instant(instant const&) = delete;
  instant& operator=(instant const&) = delete;
  void mark(cudaStream_t on) { cudaEventRecord(event_, on); }
  double microseconds_since(instant const& before) const
  {
    float milliseconds = 0;
    cudaEventElapsedTime(&milliseconds, before.event_, event_);
    return milliseconds * 1e3;
  }

private:
  cudaEvent_t event_ = nullptr;
};

/// What all kernels share.
inline cuda_device& device()
{
  static cuda_device the(std::size_t(1) << 30);
  return the;
}

template <class Algorithm, class T, class Op>
gpu_outcome time_on_gpu(cuda_device& on, std::vector<T> const& in, Op const& op, bool reduces)
{
  on.forget(0);
  auto const n = static_cast<int>(in.size());
  T* const from = on.input(in, "in");
  T* const to = on.allocate<T>(reduces ? 1 : in.size(), "out");
  std::size_t const taken = on.taken();
  instant begin, end;
  std::vector<double> times;
  constexpr int runs = 12;
  for (int k = 0; k < runs; ++k) {
    on.forget(taken);
    begin.mark(on.stream());
    Algorithm{}(on, from, to, n, op);
    end.mark(on.stream());
    on.wait();
    if (k > 1) times.push_back(end.microseconds_since(begin));  // the first ones load the code
  }
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return {on.to_host(to), times[times.size() / 2]};
}

template <class Algorithm>
gpu_kernel on_gpu(std::string_view name)
{
  return {name, [](values const& in, operation op, bool reduces) {
            return std::visit(
                [&]<class T>(std::vector<T> const& elements) -> gpu_outcome {
                  if constexpr (!std::is_same_v<T, letters>)
                    return time_on_gpu<Algorithm>(device(), elements, chosen<T>{op}, reduces);
                  else if constexpr (requires { requires Algorithm::needs_commutative; })
                    throw std::logic_error("letters for a kernel that needs a commutative operator");
                  else
                    return time_on_gpu<Algorithm>(device(), elements, join{}, reduces);
                },
                in);
          }};
}

}  // namespace tally::textbook
