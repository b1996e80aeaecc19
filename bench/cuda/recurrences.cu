// tally_bench_cuda_recurrences [TYPE [KIND]]: linear recurrences beside cudaMemcpy of as many bytes, in one process:
// rows along memory, one sequence, columns, middle axes, packed sequences, gradients. Each array counts once.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/cuda/data.hpp"
#include "bench/cuda/race.hpp"
#include "bench/cuda/segment_lengths.hpp"
#include "tally/algorithms/recurrence.hpp"
#include "tally/along.hpp"
#include "tally/array_view.hpp"
#include "tally/batches.hpp"
#include "tally/cuda.hpp"
#include "tally/half.hpp"

namespace tally::bench {
namespace {

/// Coefficients, terms and results, of n elements each, and as many more for copies and gradients.
template <class T>
struct recurrence_data {
  buffers<T> all;

  explicit recurrence_data(std::size_t n) : all(n, 3) {}
  T const* a() const { return all.in(0); }
  T const* b() const { return all.in(1); }
  T* out() const { return all.out(0); }
};

/// The races to run: all, or those of a type whose kinds have these letters in their names.
struct selection {
  std::string type, kind;

  bool takes(std::string const& what) const { return what.find(kind) != std::string::npos; }
};

/// `call` moves `arrays` arrays of as many elements.
template <class T, class Call>
void report(std::string const& what, recurrence_data<T> const& data, std::size_t elements, int arrays, Call const& call)
{
  double const bytes = static_cast<double>(arrays) * static_cast<double>(elements * sizeof(T));
  auto const times = race({{"cudaMemcpy", bytes,
                            [&](cudaStream_t stream, int) {
                              // Half of the bytes are read.
                              for (int half = 0; half < arrays; half += 2)
                                check_cuda(cudaMemcpyAsync(data.all.out(1 + half / 2), data.all.in(1 + half / 2),
                                                           elements * sizeof(T) / (arrays - half == 1 ? 2 : 1),
                                                           cudaMemcpyDefault, stream));
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
  report(what, data, elements, 3, [&](cudaStream_t stream, int) {
    linear_recurrence(cuda{stream, space}, along(axis, a), along(axis, b), along(axis, out));
  });
}

/// Sequences that follow each other in memory.
template <class T>
void packed(std::string const& what, recurrence_data<T> const& data, std::string const& lengths)
{
  std::size_t const n = data.all.size();
  std::vector<std::uint32_t> const host = offsets_of(lengths, n);
  std::uint32_t* offsets = nullptr;
  check_cuda(cudaMalloc(&offsets, host.size() * sizeof(std::uint32_t)));
  check_cuda(cudaMemcpy(offsets, host.data(), host.size() * sizeof(std::uint32_t), cudaMemcpyDefault));
  cuda::workspace space;
  auto const batch = segments(data.a(), static_cast<std::uint32_t const*>(offsets),
                              static_cast<std::uint32_t const*>(offsets) + host.size());
  report(what, data, n, 3,
         [&](cudaStream_t stream, int) { linear_recurrence(cuda{stream, space}, batch, data.b(), data.out()); });
  check_cuda(cudaFree(offsets));
}

/// Gradients by the coefficients and the terms of rows.
template <class T>
void gradients(std::string const& what, recurrence_data<T> const& data, std::ptrdiff_t steps)
{
  auto const n = static_cast<std::ptrdiff_t>(data.all.size());
  per_axis const extents{n / steps, steps};
  cuda::workspace space;
  array_view<T const> const a(data.a(), extents), states(data.b(), extents), from_above(data.all.in(2), extents);
  array_view<T> const by_a(data.out(), extents), by_b(data.all.out(1), extents);
  report(what, data, static_cast<std::size_t>(n / steps * steps), 5, [&](cudaStream_t stream, int) {
    linear_recurrence_gradient(cuda{stream, space}, along(1, a), along(1, states), along(1, from_above), along(1, by_a),
                               along(1, by_b));
  });
}

template <class T>
void all_of(std::string const& type, std::ptrdiff_t n, selection const& selected)
{
  if (!selected.type.empty() && selected.type != type) return;
  recurrence_data<T> const data(static_cast<std::size_t>(n));
  auto const time = [&](std::string const& kind, auto const& measure) {
    if (selected.takes(kind)) measure(type + "/" + kind);
  };
  for (std::ptrdiff_t steps : {64, 100, 256, 1001, 4096, 16384})
    time("rows of " + std::to_string(steps),
         [&](std::string const& what) { along_an_axis(what, data, 1, {n / steps, steps}); });
  time("one", [&](std::string const& what) { along_an_axis(what, data, 0, {n}); });
  for (std::ptrdiff_t columns : {2048, 4096, 8192, 65536})
    time(std::to_string(columns) + " columns",
         [&](std::string const& what) { along_an_axis(what, data, 0, {n / columns, columns}); });
  time("middle axis of 4096",
       [&](std::string const& what) { along_an_axis(what, data, 1, {n / 4096 / 128, 4096, 128}); });
  for (char const* const lengths : {"mean-10", "mean-100", "all-100", "mean-1000", "1..2000", "few-of-200000"})
    time("packed " + std::string(lengths), [&](std::string const& what) { packed(what, data, lengths); });
  for (std::ptrdiff_t steps : {256, 1001, 16384})
    time("gradients of rows of " + std::to_string(steps),
         [&](std::string const& what) { gradients(what, data, steps); });
}

}  // namespace
}  // namespace tally::bench

int main(int arguments, char** argument)
{
  using namespace tally;
  bench::selection const selected{arguments > 1 ? argument[1] : "", arguments > 2 ? argument[2] : ""};
  bench::all_of<float>("f32", std::ptrdiff_t{1} << 27, selected);
  bench::all_of<double>("f64", std::ptrdiff_t{1} << 26, selected);
  bench::all_of<bfloat16>("bf16", std::ptrdiff_t{1} << 28, selected);
}
