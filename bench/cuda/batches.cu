// tally_bench_cuda_batches: many scans and reductions in one call, raced against CUB and the copy limit in one process:
// rows, a few rows in graphs, columns, the middle axes of arrays, and summed-area tables.
#include <cub/cub.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "bench/cuda/data.hpp"
#include "bench/cuda/limits.cuh"
#include "bench/cuda/race.hpp"
#include "tally/cuda.hpp"
#include "tally/detail/cuda/batch/sequences.hpp"
#include "tally/prefix_sums.hpp"

namespace tally::bench {
namespace {

bool quick = false;

/// Times a race, and prints what each contender reaches of the limit: of cudaMemcpy, or of the plain read.
void report(std::string const& what, manner how, std::vector<contender> const& contenders)
{
  int const calls = how == manner::graph ? 100 : 2;
  std::vector<result> const times = race(contenders, how, calls, quick ? 5 : 11);
  double limit = 0;
  for (result const& time : times)
    if (time.name == "cudaMemcpy" || time.name.starts_with("read")) limit = std::max(limit, time.gigabytes_a_second());
  std::printf("%-34s", what.c_str());
  for (result const& time : times) {
    if (how == manner::graph)
      std::printf("  %s %.2f us", time.name.c_str(), time.microseconds);
    else
      std::printf("  %s %.0f GB/s (%.3f)", time.name.c_str(), time.gigabytes_a_second(),
                  time.gigabytes_a_second() / limit);
  }
  std::printf("\n");
  std::fflush(stdout);
}

struct division {
  std::size_t by;
  __host__ __device__ std::uint32_t operator()(std::size_t k) const { return static_cast<std::uint32_t>(k / by); }
};
struct product {
  std::size_t by;
  __host__ __device__ std::size_t operator()(std::size_t k) const { return k * by; }
};

/// Rows of n elements, one after the other.
template <class T>
detail::batch::layout rows_of(std::size_t n, std::size_t rows, bool reduced)
{
  auto const pitch = static_cast<std::ptrdiff_t>(n);
  detail::batch::layout where;
  where.along = {n, {1, reduced ? 0 : 1, 0, 0}};
  where.dimensions = 1;
  where.across[0] = {rows, {pitch, reduced ? 1 : pitch, 0, 0}};
  return detail::batch::simplified(where);
}

template <class T>
void rows(std::string const& type, buffers<T> const& data, std::size_t n)
{
  std::size_t const count = data.size() / n;
  double const bytes = static_cast<double>(count * n * sizeof(T));
  cuda::workspace space;
  plus op;
  {
    auto const where = rows_of<T>(n, count, false);
    auto const keys = thrust::make_transform_iterator(thrust::counting_iterator<std::size_t>(0), division{n});
    cub_room room([&](void* memory, std::size_t& size) {
      return cub::DeviceScan::InclusiveSumByKey(memory, size, keys, data.in(0), data.out(0), count * n);
    });
    report("scan/" + type + "/rows of " + std::to_string(n), manner::stream,
           {copy_limit(data, sizeof(T)),
            {"Tally", 2 * bytes,
             [&](cudaStream_t stream, int call) {
               backend_scan_sequences<T>(cuda{stream, space}, where, static_cast<T const*>(data.in(call)),
                                         data.out(call), {}, op, detail::direction::inclusive);
             }},
            {"CUB by key", 2 * bytes, [&](cudaStream_t stream, int call) {
               check_cuda(cub::DeviceScan::InclusiveSumByKey(room.memory(), room.bytes(), keys, data.in(call),
                                                             data.out(call), count * n, {}, stream));
             }}});
  }
  auto const where = rows_of<T>(n, count, true);
  auto const offsets = thrust::make_transform_iterator(thrust::counting_iterator<std::size_t>(0), product{n});
  cub_room room([&](void* memory, std::size_t& size) {
    return cub::DeviceSegmentedReduce::Sum(memory, size, data.in(0), data.out(0), count, offsets, offsets + 1);
  });
  report("reduce/" + type + "/rows of " + std::to_string(n), manner::stream,
         {read_limit(data, sizeof(T), 2112),
          read_limit(data, sizeof(T), 1056),
          {"Tally", bytes,
           [&](cudaStream_t stream, int call) {
             backend_reduce_sequences<T>(cuda{stream, space}, where, static_cast<T const*>(data.in(call)),
                                         data.out(call), {}, op);
           }},
          {"CUB segmented", bytes, [&](cudaStream_t stream, int call) {
             check_cuda(cub::DeviceSegmentedReduce::Sum(room.memory(), room.bytes(), data.in(call), data.out(call),
                                                        count, offsets, offsets + 1, stream));
           }}});
}

/// A few rows in a graph.
void small_rows(buffers<float> const& data, std::size_t n, std::size_t count)
{
  cuda::workspace space;
  plus op;
  auto const scanned = rows_of<float>(n, count, false), reduced = rows_of<float>(n, count, true);
  auto const keys = thrust::make_transform_iterator(thrust::counting_iterator<std::size_t>(0), division{n});
  auto const offsets = thrust::make_transform_iterator(thrust::counting_iterator<std::size_t>(0), product{n});
  cub_room by_key([&](void* memory, std::size_t& size) {
    return cub::DeviceScan::InclusiveSumByKey(memory, size, keys, data.in(0), data.out(0), count * n);
  });
  cub_room segmented([&](void* memory, std::size_t& size) {
    return cub::DeviceSegmentedReduce::Sum(memory, size, data.in(0), data.out(0), count, offsets, offsets + 1);
  });
  report("f32/" + std::to_string(count) + " rows of " + std::to_string(n), manner::graph,
         {{"scan", 0,
           [&](cudaStream_t stream, int) {
             backend_scan_sequences<float>(cuda{stream, space}, scanned, static_cast<float const*>(data.in(0)),
                                           data.out(0), {}, op, detail::direction::inclusive);
           }},
          {"CUB by key", 0,
           [&](cudaStream_t stream, int) {
             check_cuda(cub::DeviceScan::InclusiveSumByKey(by_key.memory(), by_key.bytes(), keys, data.in(0),
                                                           data.out(0), count * n, {}, stream));
           }},
          {"reduce", 0,
           [&](cudaStream_t stream, int) {
             backend_reduce_sequences<float>(cuda{stream, space}, reduced, static_cast<float const*>(data.in(0)),
                                             data.out(0), {}, op);
           }},
          {"CUB segmented", 0,
           [&](cudaStream_t stream, int) {
             check_cuda(cub::DeviceSegmentedReduce::Sum(segmented.memory(), segmented.bytes(), data.in(0), data.out(0),
                                                        count, offsets, offsets + 1, stream));
           }},
          launch_limit()});
}

/// The middle axis of an array of `outer` x n x `inner` elements, or its columns if `outer` is 1.
struct middle_axis {
  std::size_t outer, n, inner;

  std::size_t sequences() const { return outer * inner; }
  detail::batch::layout layout(bool reduced) const
  {
    auto const columns = static_cast<std::ptrdiff_t>(inner), matrix = static_cast<std::ptrdiff_t>(n * inner);
    detail::batch::layout where;
    where.along = {n, {columns, reduced ? 0 : columns, 0, 0}};
    where.dimensions = 2;
    where.across[0] = {outer, {matrix, reduced ? columns : matrix, 0, 0}};
    where.across[1] = {inner, {1, 1, 0, 0}};
    return detail::batch::simplified(where);
  }
  std::string name() const
  {
    return (outer == 1 ? "columns" : "middle axis") + std::string(" of ") + std::to_string(n) + ", " +
           (outer == 1 ? "" : std::to_string(outer) + " x ") + std::to_string(inner);
  }
};

/// The place in memory of element k, if the sequences' elements are counted one sequence after the other.
struct place_of_element {
  std::size_t n, inner;
  __host__ __device__ std::size_t operator()(std::size_t k) const
  {
    std::size_t const sequence = k / n;
    return (sequence / inner * n + k % n) * inner + sequence % inner;
  }
};

/// CUB has calls for elements one after the other. It takes others through iterators that find their places.
void middle(buffers<float> const& data, middle_axis const& axis)
{
  std::size_t const n = axis.n, size = axis.sequences() * n;
  double const bytes = static_cast<double>(size * sizeof(float));
  cuda::workspace space;
  plus op;
  auto const places =
      thrust::make_transform_iterator(thrust::counting_iterator<std::size_t>(0), place_of_element{n, axis.inner});
  auto const in = [&](int call) { return thrust::make_permutation_iterator(data.in(call), places); };
  {
    auto const where = axis.layout(false);
    auto const keys = thrust::make_transform_iterator(thrust::counting_iterator<std::size_t>(0), division{n});
    auto const out = [&](int call) { return thrust::make_permutation_iterator(data.out(call), places); };
    cub_room room([&](void* memory, std::size_t& bytes_needed) {
      return cub::DeviceScan::InclusiveSumByKey(memory, bytes_needed, keys, in(0), out(0), size);
    });
    report("scan/f32/" + axis.name(), manner::stream,
           {copy_limit(data, sizeof(float)),
            {"Tally", 2 * bytes,
             [&](cudaStream_t stream, int call) {
               backend_scan_sequences<float>(cuda{stream, space}, where, data.in(call), data.out(call), {}, op,
                                             detail::direction::inclusive);
             }},
            {"CUB by key, permuted", 2 * bytes, [&](cudaStream_t stream, int call) {
               check_cuda(cub::DeviceScan::InclusiveSumByKey(room.memory(), room.bytes(), keys, in(call), out(call),
                                                             size, {}, stream));
             }}});
  }
  auto const where = axis.layout(true);
  auto const offsets = thrust::make_transform_iterator(thrust::counting_iterator<std::size_t>(0), product{n});
  cub_room room([&](void* memory, std::size_t& bytes_needed) {
    return cub::DeviceSegmentedReduce::Sum(memory, bytes_needed, in(0), data.out(0), axis.sequences(), offsets,
                                           offsets + 1);
  });
  report("reduce/f32/" + axis.name(), manner::stream,
         {read_limit(data, sizeof(float), 2112),
          read_limit(data, sizeof(float), 1056),
          {"Tally", bytes,
           [&](cudaStream_t stream, int call) {
             backend_reduce_sequences<float>(cuda{stream, space}, where, data.in(call), data.out(call), {}, op);
           }},
          {"CUB segmented, permuted", bytes, [&](cudaStream_t stream, int call) {
             check_cuda(cub::DeviceSegmentedReduce::Sum(room.memory(), room.bytes(), in(call), data.out(call),
                                                        axis.sequences(), offsets, offsets + 1, stream));
           }}});
}

void all_middle_axes(buffers<float> const& data)
{
  constexpr std::size_t all = std::size_t(1) << 28;
  for (std::size_t const n : {16u, 256u, 4096u, 65536u, 1u << 20}) middle(data, {1, n, all / n});
  for (std::size_t const inner : {2u, 3u, 16u, 64u, 1024u}) middle(data, {all / 4096 / inner, 4096, inner});
  middle(data, {4096, 1024, 64});
}

/// A summed-area table: two passes, each of which reads and writes all elements.
void table(buffers<float> const& data, std::size_t side)
{
  double const bytes = static_cast<double>(side * side * sizeof(float));
  cuda::workspace space;
  report("table/f32/" + std::to_string(side) + " x " + std::to_string(side), manner::stream,
         {copy_limit(data, sizeof(float)),
          {"Tally", 4 * bytes, [&](cudaStream_t stream, int call) {
             prefix_sums(cuda{stream, space}, array_view(static_cast<float const*>(data.in(call)), {side, side}),
                         array_view(data.out(call), {side, side}));
           }}});
}

void all_batches()
{
  constexpr std::size_t bytes = std::size_t(1) << 30;
  {
    buffers<float> const data(bytes / 4, 1);
    for (std::size_t const n :
         {16u, 32u, 64u, 100u, 128u, 256u, 1000u, 1024u, 4096u, 8192u, 65536u, 1u << 20, 1u << 24})
      rows<float>("f32", data, n);
    for (std::size_t const n : {64, 256, 1024, 4096})
      for (std::size_t const count : {1, 32, 1024}) small_rows(data, n, count);
    table(data, 16384);
    all_middle_axes(data);
  }
  buffers<double> const doubles(bytes / 8, 1);
  for (std::size_t const n : {16, 256, 4096, 65536}) rows<double>("f64", doubles, n);
  buffers<std::int8_t> const small_numbers(bytes, 1);
  for (std::size_t const n : {64, 1024, 65536}) rows<std::int8_t>("i8", small_numbers, n);
}

}  // namespace
}  // namespace tally::bench

int main(int argc, char** argv)
{
  for (int k = 1; k < argc; ++k) {
    if (std::strcmp(argv[k], "--quick") != 0) {
      std::fprintf(stderr, "usage: tally_bench_cuda_batches [--quick]\n");
      return 2;
    }
    tally::bench::quick = true;
  }
  tally::bench::all_batches();
}
