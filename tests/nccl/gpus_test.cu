#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include <gtest/gtest.h>

#include "../support/operators.hpp"
#include "device_check.hpp"
#include "device_ranks.hpp"
#include "example.hpp"
#include "nccl_communicators.hpp"
#include "tally/operators.hpp"

/// Parts of a sequence as on several GPUs, with ranks that are threads and share one GPU: borders around tiles and
/// spans, by every kernel, against the CPU's bits.
namespace tally::test {
namespace {

template <class T, class Op>
void check_borders(std::vector<T> const& elements, T init, Op op)
{
  for (std::size_t const n :
       {std::size_t{0}, std::size_t{1}, order::tile<T> + 3, order::span<T> + 5, elements.size()}) {
    on_one_machine<T, Op> const all({elements.begin(), elements.begin() + static_cast<std::ptrdiff_t>(n)}, init, op);
    auto const places = places_of_interest<T>(n);
    for (int const ranks : {1, 2, 5})
      on_device_ranks(ranks, [&](device_ranks const& on, cuda::workspace& space, cudaStream_t stream, int rank) {
        using path = cuda::workspace::path;
        part_on_device<T> part(n);
        for (std::size_t way = 0; way < (ranks == 1 ? 3 : places.size()); ++way) {
          std::vector<std::size_t> offsets{0, n};
          for (std::size_t b = 1; b < static_cast<std::size_t>(ranks); ++b)
            offsets.push_back(places[(way * (2 * b + 1) + b * b) % places.size()]);
          std::sort(offsets.begin(), offsets.end());
          space.prefer(way % 3 == 0 ? path::automatic : way % 3 == 1 ? path::ring : path::registers);
          auto const r = static_cast<std::size_t>(rank);
          try {
            check_part(on, all, part, offsets[r], offsets[r + 1], way % 2 == 0 ? 0 : 3, stream);
          } catch (std::exception const& e) {
            // The other ranks wait: no result of theirs would be compared any more.
            std::fprintf(stderr, "n %zu, rank %d of %d, its part [%zu, %zu), way %zu: %s\n", n, rank, ranks, offsets[r],
                         offsets[r + 1], way, e.what());
            std::_Exit(EXIT_FAILURE);
          }
        }
      });
  }
}

TEST(cuda_gpus, floats)
{
  check_borders(values_to<float>(2 * order::span<float> + 12345), 3.5f, plus{});
}

/// A block adds up the totals of so many spans together. The second sequence has a value beside which nothing else
/// counts: one thread goes on there.
TEST(cuda_gpus, floats_of_many_spans)
{
  std::size_t const n = 150 * order::span<float> + 777, cut = n / 2 + 1;
  for (bool const is_wide : {false, true}) {
    std::vector<float> x = values_to<float>(n);
    if (is_wide) x[n / 3] = 3e25f;
    on_one_machine<float, plus> const all(x, 3.5f, plus{});
    on_device_ranks(2, [&](device_ranks const& on, cuda::workspace&, cudaStream_t stream, int rank) {
      part_on_device<float> part(n);
      try {
        check_part(on, all, part, rank == 0 ? 0 : cut, rank == 0 ? cut : n, 0, stream);
      } catch (std::exception const& e) {
        std::fprintf(stderr, "rank %d: %s\n", rank, e.what());
        std::_Exit(EXIT_FAILURE);
      }
    });
  }
}

/// Floats over NCCL, on the first two GPUs: a thread for each.
TEST(cuda_gpus, floats_over_nccl)
{
  int devices = 0;
  check_cuda(cudaGetDeviceCount(&devices));
  if (devices < 2) GTEST_SKIP() << "one GPU";
  nccl_communicators const pair(2);
  if (!pair.found()) GTEST_SKIP() << "no NCCL";
  std::size_t const n = 2 * order::span<float> + 12345;
  on_one_machine<float, plus> const all(values_to<float>(n), 3.5f, plus{});
  pair.each([&](ncclComm* communicator, int rank) {
    stream const own;
    cuda::workspace space;
    space.reserve(std::size_t{1} << 24, own);
    nccl const on(communicator, own, space);
    part_on_device<float> part(n);
    int way = 0;
    for (std::size_t const cut : places_of_interest<float>(n)) {
      using path = cuda::workspace::path;
      space.prefer(way % 3 == 0 ? path::automatic : way % 3 == 1 ? path::ring : path::registers);
      check_part(on, all, part, rank == 0 ? 0 : cut, rank == 0 ? cut : n, way++ % 2 == 0 ? 0 : 3, own);
    }
    pair.meet();
  });
}

#ifndef TALLY_TEST_BRIEFLY
TEST(cuda_gpus, an_operator_of_the_callers_that_names_its_carry_type)
{
  check_borders(values_to<float>(2 * order::span<float> + 12345), 3.5f, halve_and_add_in_double{});
}

TEST(cuda_gpus, doubles)
{
  check_borders(values_to<double>(2 * order::span<double> + 777), 0.25, plus{});
}

TEST(cuda_gpus, rounded_to_half_the_width)
{
  std::vector<bfloat16> x(2 * order::span<bfloat16> + 54321);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = bfloat16(value_at<float>(k));
  check_borders(x, bfloat16(1.5f), plus{});
}

TEST(cuda_gpus, integers)
{
  std::vector<std::int32_t> x(2 * order::span<std::int32_t> + 99);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<std::int32_t>(mixed(k));
  check_borders(x, 77, plus{});
}

TEST(cuda_gpus, structs_under_an_operator_that_is_not_commutative)
{
  std::vector<matrix> x(order::span<matrix> + 5 * order::tile<matrix> + 9);
  auto const word = [](std::size_t k) { return static_cast<std::uint32_t>(mixed(k)); };
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = {word(4 * k), word(4 * k + 1), word(4 * k + 2), word(4 * k + 3)};
  check_borders(x, matrix{2, 3, 5, 7}, matrix_product{});
}
#endif

}  // namespace
}  // namespace tally::test
