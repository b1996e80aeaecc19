#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "tally/textbook/cuda_device.cuh"
#include "tally/textbook/on_one_block.hpp"
#include "tally/textbook/tournament.hpp"
#include "textbook/gpu_kernels.hpp"

namespace tally::textbook {

/// An event of CUDA. The time between two of them is measured.
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

/// The device that all kernels share.
inline cuda_device& device()
{
  static cuda_device the(std::size_t(1) << 30);
  return the;
}

/// The result of an algorithm on elements of one type, and its time.
template <class T>
struct timed {
  std::vector<T> result;
  double microseconds;
};

template <class Algorithm, class T, class Op>
timed<T> time_on_gpu(cuda_device& on, std::vector<T> const& in, Op const& op, std::size_t results)
{
  on.free_after(0);
  auto const n = static_cast<int>(in.size());
  T* const from = on.input(in, "in");
  T* const to = on.allocate<T>(results, "out");
  std::size_t const taken = on.taken();
  instant begin, end;
  std::vector<double> times;
  constexpr int runs = 12;
  for (int k = 0; k < runs; ++k) {
    on.free_after(taken);
    begin.mark(on.stream());
    Algorithm{}(on, from, to, n, op);
    end.mark(on.stream());
    on.wait();
    if (k > 1) times.push_back(end.microseconds_since(begin));  // the first two load the code
  }
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return {on.to_host(to), times[times.size() / 2]};
}

template <class T>
gpu_outcome outcome_of(timed<T> const& of)
{
  return {of.result, of.microseconds};
}

template <class Algorithm>
gpu_kernel on_gpu(std::string_view name)
{
  return {name, [](values const& in, operation op, std::size_t results) {
            return std::visit(
                [&]<class T>(std::vector<T> const& elements) -> gpu_outcome {
                  if constexpr (!std::is_same_v<T, letters>)
                    return outcome_of(time_on_gpu<Algorithm>(device(), elements, selected_operator<T>{op}, results));
                  else if constexpr (needs_commutative<Algorithm>)
                    throw std::logic_error("letters for a kernel that needs a commutative operator");
                  else
                    return outcome_of(time_on_gpu<Algorithm>(device(), elements, join{}, results));
                },
                in);
          }};
}

/// A histogram: of integers only, by addition.
template <class Histogram>
gpu_kernel histogram_on_gpu(std::string_view name)
{
  return {name, [](values const& in, operation, std::size_t results) {
            return outcome_of(time_on_gpu<Histogram>(device(), std::get<std::vector<int>>(in), plus{}, results));
          }};
}

/// A tournament: of numbers, which become players. Its rounds stay on the GPU.
template <class Tournament>
gpu_kernel tournament_on_gpu(std::string_view name)
{
  return {name, [](values const& in, operation, std::size_t results) {
            return std::visit(
                [&]<class T>(std::vector<T> const& elements) -> gpu_outcome {
                  if constexpr (std::is_same_v<T, letters>) {
                    throw std::logic_error("letters for a tournament");
                  } else {
                    auto const left = time_on_gpu<Tournament>(device(), entrants(elements), argmax{}, results);
                    return {std::vector<T>{left.result.front().value}, left.microseconds};
                  }
                },
                in);
          }};
}

}  // namespace tally::textbook
