// tally_bench_cuda_recurrences: linear recurrences beside cudaMemcpy of as many bytes, in one process: rows along
// memory, one sequence, columns and middle axes. Each array counts once.
#include <cstddef>
#include <cstdio>
#include <string>

#include "bench/cuda/data.hpp"
#include "bench/cuda/race.hpp"
#include "tally/algorithms/recurrence.hpp"
#include "tally/along.hpp"
#include "tally/array_view.hpp"
#include "tally/cuda.hpp"
#include "tally/half.hpp"

namespace tally::bench {
namespace {

/// Coefficients, terms and results, of n elements each, and room for copies.
template <class T>
struct recurrence_data {
  buffers<T> all;

  explicit recurrence_data(std::size_t n) : all(n, 3) {}
  T const* a() const { return all.in(0); }
  T const* b() const { return all.in(1); }
  T* out() const { return all.out(0); }
};

template <class T, class Call>
void report(std::string const& what, recurrence_data<T> const& data, std::size_t elements, Call const& call)
{
  double const bytes = 3.0 * static_cast<double>(elements * sizeof(T));
  auto const times = race(
      {{"cudaMemcpy", bytes,
        [&](cudaStream_t stream, int) {
          // Half of the bytes are read: one and a half arrays.
          check_cuda(cudaMemcpyAsync(data.all.out(1), data.all.in(1), elements * sizeof(T), cudaMemcpyDefault, stream));
          check_cuda(
              cudaMemcpyAsync(data.all.out(2), data.all.in(2), elements * sizeof(T) / 2, cudaMemcpyDefault, stream));
        }},
       {"Tally", bytes, call}},
      manner::stream, 2, 11);
  std::printf("%-34s  Tally %.0f GB/s (%.3f)\n", what.c_str(), times[1].gigabytes_a_second(),
              times[1].gigabytes_a_second() / times[0].gigabytes_a_second());
  std::fflush(stdout);
}

/// Sequences of `steps` along an axis of an array of these extents.
template <class T>
void along_an_axis(std::string const& what, recurrence_data<T> const& data, std::size_t axis, per_axis const& extents)
{
  std::size_t elements = 1;
  for (std::ptrdiff_t extent : extents) elements *= static_cast<std::size_t>(extent);
  cuda::workspace space;
  array_view<T const> const a(data.a(), extents), b(data.b(), extents);
  array_view<T> const out(data.out(), extents);
  report(what, data, elements, [&](cudaStream_t stream, int) {
    linear_recurrence(cuda{stream, space}, along(axis, a), along(axis, b), along(axis, out));
  });
}

template <class T>
void all_of(std::string const& type, std::ptrdiff_t n)
{
  recurrence_data<T> const data(static_cast<std::size_t>(n));
  for (std::ptrdiff_t steps : {64, 100, 256, 1001, 4096, 16384})
    along_an_axis(type + "/rows of " + std::to_string(steps), data, 1, {n / steps, steps});
  along_an_axis(type + "/one", data, 0, {n});
  for (std::ptrdiff_t columns : {2048, 8192, 65536})
    along_an_axis(type + "/" + std::to_string(columns) + " columns", data, 0, {n / columns, columns});
  along_an_axis(type + "/middle axis of 4096", data, 1, {n / 4096 / 128, 4096, 128});
}

}  // namespace
}  // namespace tally::bench

int main()
{
  tally::bench::all_of<float>("f32", std::ptrdiff_t{1} << 27);
  tally::bench::all_of<double>("f64", std::ptrdiff_t{1} << 26);
  tally::bench::all_of<tally::bfloat16>("bf16", std::ptrdiff_t{1} << 28);
}
