// Arrays at the end or the beginning of a page, next to pages that may not be accessed. No kernel, on any instruction
// set, reads or writes a byte beside them.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "../support/generator.hpp"
#include "../support/instruction_sets.hpp"
#include "tally/detail/cpu/tuning.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"

namespace {

using tally::cpu_backend::tuning;
using tally::cpu_backend::tuning_in_use;

/// Room for elements between two pages that may not be accessed.
template <class T>
class fenced {
public:
  explicit fenced(std::size_t most)
      : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
        inside_((most * sizeof(T) + page_ - 1) / page_ * page_),
        bytes_(
            static_cast<std::byte*>(mmap(nullptr, inside_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)))
  {
    if (bytes_ == MAP_FAILED || mprotect(bytes_ + page_, inside_, PROT_READ | PROT_WRITE) != 0)
      throw std::runtime_error("no pages");
  }
  fenced(fenced const&) = delete;
  fenced& operator=(fenced const&) = delete;
  ~fenced() { munmap(bytes_, inside_ + 2 * page_); }

  /// n elements with a forbidden page after them, or before them.
  std::span<T> last(std::size_t n) const { return {reinterpret_cast<T*>(bytes_ + page_ + inside_) - n, n}; }
  std::span<T> first(std::size_t n) const { return {reinterpret_cast<T*>(bytes_ + page_), n}; }

private:
  std::size_t page_;
  std::size_t inside_;
  std::byte* bytes_;
};

template <class T, class Op>
void expect_inside(std::span<T> in, std::span<T> out, Op op, int threads)
{
  SCOPED_TRACE(testing::Message() << in.size() << " elements of " << sizeof(T) << " bytes, " << threads << " threads");
  for (std::size_t k = 0; k < in.size(); ++k) in[k] = static_cast<T>(tally::test::random_bits(1, k) % 8);
  tally::cpu const on{.threads = threads};
  tally::inclusive_scan(on, in, out, op);
  T const total = tally::reduce(on, in, T{}, op);
  if (!in.empty() && std::is_integral_v<T>) {
    EXPECT_EQ(op(T{}, out.back()), total);
  }
  tally::exclusive_scan(on, in, out, T{}, op);
  tally::inclusive_scan(on, in, in, op);
}

template <class T, class Op>
void expect_inside(Op op)
{
  constexpr std::size_t row = tally::order::row<T>, tile = tally::order::tile<T>;
  fenced<T> const in(6 * tile), out(6 * tile);
  for (std::int64_t const target : tally::test::instruction_sets()) {
    tally::test::only_instruction_set const only(target);
    for (std::size_t const n : {std::size_t{0}, std::size_t{1}, row - 1, row, row + 1, 2 * row, 2 * row + 5, tile - row,
                                tile - 1, tile, tile + 1, tile + row, 2 * tile, 5 * tile, 5 * tile + 3, 6 * tile - 1})
      for (int const threads : {1, 2}) {
        expect_inside(in.last(n), out.last(n), op, threads);
        expect_inside(in.first(n), out.first(n), op, threads);
      }
  }
}

/// Runs a call with stores around the cache and through it, and with whole tiles of small arrays on two threads.
template <class Call>
void by_every_store(Call call)
{
  tuning const before = tuning_in_use();
  for (std::size_t const streamed : {std::size_t{1}, ~std::size_t{0}}) {
    SCOPED_TRACE(streamed == 1 ? "around the cache" : "through the cache");
    tuning_in_use().streamed_bytes = streamed;
    call();
  }
  tuning_in_use() = before;
}

TEST(Edges, OfOrderedSums)
{
  by_every_store([] {
    expect_inside<float>(tally::plus{});
    expect_inside<double>(tally::plus{});
  });
}

TEST(Edges, OfExactOperators)
{
  by_every_store([] {
    expect_inside<std::uint8_t>(tally::plus{});
    expect_inside<std::uint32_t>(tally::plus{});
    expect_inside<std::int64_t>(tally::maximum{});
  });
}

}  // namespace
