// Allocation on a GPU against the same calls on the host.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../device_array.hpp"
#include "tally/algorithms/allocate.hpp"
#include "tally/cuda.hpp"

namespace tally::test {
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

std::vector<std::size_t> const counts = {0, 1, 2, 31, 33, 1023, 8191, 8192, 8193, 100'003, 3'000'001};

/// The end of the last piece, or the message of the error.
template <class Call>
std::string outcome(Call const& call)
{
  try {
    return std::to_string(call());
  } catch (allocation_error const& error) {
    return error.what();
  }
}

/// Calls `allocate(on, sizes, offsets)` on the host and on the GPU.
template <class Offset, class Size, class Allocate>
void expect_as_on_the_host(cuda const& on, std::vector<Size> const& sizes, Allocate const& allocate,
                           std::string const& what)
{
  std::vector<Offset> expected(sizes.size());
  std::string const on_host = outcome([&] { return allocate(cpu{}, sizes.data(), expected.data()); });
  device_array<Size> const device_sizes(sizes);
  device_array<Offset> const offsets(sizes.size());
  EXPECT_EQ(outcome([&] { return allocate(on, device_sizes.begin(), offsets.begin()); }), on_host) << what;
  if (on_host.find("tally") == std::string::npos) {
    EXPECT_TRUE(same_bytes(offsets.values(), expected)) << what;
  }
}

TEST(cuda_applications, allocate)
{
  stream const on_stream;
  cuda::workspace space;
  cuda const on{on_stream, space};
  for (std::size_t const n : counts) {
    std::vector<std::uint32_t> sizes(n);
    for (std::size_t k = 0; k < n; ++k) sizes[k] = static_cast<std::uint32_t>(mixed(k) % 8 == 0 ? 0 : mixed(k) % 5000);
    for (std::uint64_t const alignment : {1, 64, 7}) {
      for (std::uint64_t const capacity : {unlimited, std::uint64_t{n} * 1000, std::uint64_t{0}}) {
        expect_as_on_the_host<std::uint64_t>(
            on, sizes,
            [&](auto const& where, std::uint32_t const* from, std::uint64_t* to) {
              return tally::allocate(where, from, from + n, to, {alignment, capacity});
            },
            std::to_string(n) + " at " + std::to_string(alignment) + " in " + std::to_string(capacity));
      }
    }
  }
}

TEST(cuda_applications, allocate_aligned)
{
  stream const on_stream;
  cuda::workspace space;
  cuda const on{on_stream, space};
  for (std::size_t const n : counts) {
    std::vector<std::uint64_t> sizes(n);
    std::vector<std::uint16_t> alignments(n);
    for (std::size_t k = 0; k < n; ++k) {
      sizes[k] = mixed(k) % 200;
      alignments[k] = static_cast<std::uint16_t>(1u << mixed(k + n) % (k % 1000 == 77 ? 15 : 6));
    }
    device_array<std::uint16_t> const device_alignments(alignments);
    for (std::uint64_t const capacity : {unlimited, std::uint64_t{n} * 50}) {
      expect_as_on_the_host<std::uint64_t>(
          on, sizes,
          [&]<class Where>(Where const& where, std::uint64_t const* from, std::uint64_t* to) {
            std::uint16_t const* const alignment =
                std::is_same_v<Where, cuda> ? device_alignments.begin() : alignments.data();
            return tally::allocate_aligned(where, from, from + n, alignment, to, {.capacity = capacity});
          },
          std::to_string(n) + " in " + std::to_string(capacity));
    }
  }
}

TEST(cuda_applications, allocate_names_the_piece_that_does_not_fit)
{
  stream const on_stream;
  cuda::workspace space;
  cuda const on{on_stream, space};
  auto const without_rules = [](auto const& where, auto const* from, auto* to) {
    return tally::allocate(where, from, from + 3, to);
  };
  expect_as_on_the_host<int>(on, std::vector<int>{3, -5, 2}, without_rules, "a negative size");
  expect_as_on_the_host<std::uint8_t>(on, std::vector<int>{100, 100, 100}, without_rules, "narrow offsets");
  expect_as_on_the_host<std::uint64_t>(on, std::vector<std::uint64_t>{7, unlimited - 3, 9}, without_rules,
                                       "a sum beyond 64 bits");
}

}  // namespace
}  // namespace tally::test
