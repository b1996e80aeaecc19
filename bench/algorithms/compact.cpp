// Compaction and run lengths beside what a user would otherwise take:
//   build/bench/algorithms/tally_bench_compact [log2 of the size ...]
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <execution>
#include <random>
#include <string>
#include <vector>

#include "bench/algorithms/rounds.hpp"
#include "tally/algorithms/compact.hpp"
#include "tally/algorithms/run_lengths.hpp"
#include "tally/for_each.hpp"

namespace {

/// The machine's limit for reading n and writing m elements on all threads: copies m, and sums the rest.
void move_bytes(std::int32_t const* in, std::size_t n, std::size_t m, std::int32_t* out)
{
  constexpr std::size_t block = 1 << 18;
  tally::for_each_block(tally::cpu{}, m, block, [=](std::size_t begin, std::size_t end) {
    std::memcpy(out + begin, in + begin, (end - begin) * sizeof(*in));
  });
  std::int32_t volatile sink = tally::reduce(tally::cpu{}, in + m, in + n, 0, tally::bit_xor{});
  (void)sink;
}

void measure(std::size_t n)
{
  std::vector<std::int32_t> in(n), runs(n), out(n), rest(n), lengths(n);
  std::mt19937 random(1);
  for (std::int32_t& value : in) value = static_cast<std::int32_t>(random() % 100);
  std::int32_t run = 0;
  for (std::int32_t& value : runs) value = run += random() % 8 == 0;

  for (int const percent : {1, 50, 100}) {
    auto const pred = [percent](std::int32_t value) { return value < percent; };
    std::size_t const m = static_cast<std::size_t>(std::count_if(in.begin(), in.end(), pred));
    tally::bench::rounds all("copy_if of i32, " + std::to_string(percent) + "% selected", n, (n + m) * 4);
    all.add("std::copy_if", [&] { std::copy_if(in.begin(), in.end(), out.begin(), pred); });
    all.add("loop without a branch", [&] {
      std::size_t to = 0;
      for (std::size_t k = 0; k + 1 < n; ++k) {
        out[to] = in[k];
        to += pred(in[k]);
      }
    });
    all.add("std::copy_if, par_unseq",
            [&] { std::copy_if(std::execution::par_unseq, in.begin(), in.end(), out.begin(), pred); });
    all.add("tally::copy_if, one thread",
            [&] { tally::copy_if(tally::cpu{1}, in.begin(), in.end(), out.begin(), pred); });
    all.add("tally::copy_if", [&] { tally::copy_if(tally::cpu{}, in.begin(), in.end(), out.begin(), pred); });
    all.add("limit: reading all, writing these", [&] { move_bytes(in.data(), n, m, out.data()); });
    all.run();
  }
  auto const half = [](std::int32_t value) { return value < 50; };
  {
    tally::bench::rounds all("partition of i32, 50% selected", n, n * 8);
    all.add("std::partition_copy", [&] { std::partition_copy(in.begin(), in.end(), out.begin(), rest.begin(), half); });
    all.add("std::partition_copy, par_unseq", [&] {
      std::partition_copy(std::execution::par_unseq, in.begin(), in.end(), out.begin(), rest.begin(), half);
    });
    all.add("tally::partition_copy",
            [&] { tally::partition_copy(tally::cpu{}, in.begin(), in.end(), out.begin(), rest.begin(), half); });
    all.add("tally::stable_partition_copy",
            [&] { tally::stable_partition_copy(tally::cpu{}, in.begin(), in.end(), out.begin(), half); });
    all.run();
  }
  {
    tally::bench::rounds all("unique of i32, runs of 8", n, n * 4 + n / 2);
    all.add("std::unique_copy", [&] { std::unique_copy(runs.begin(), runs.end(), out.begin()); });
    all.add("std::unique_copy, par_unseq",
            [&] { std::unique_copy(std::execution::par_unseq, runs.begin(), runs.end(), out.begin()); });
    all.add("tally::unique_copy", [&] { tally::unique_copy(tally::cpu{}, runs.begin(), runs.end(), out.begin()); });
    all.run();
  }
  {
    tally::bench::rounds all("run lengths of i32, runs of 8", n, n * 5);
    all.add("loop", [&] {
      std::size_t count = 0;
      for (std::size_t k = 0; k < n;) {
        std::size_t end = k + 1;
        while (end < n && runs[end] == runs[k]) ++end;
        out[count] = runs[k];
        lengths[count++] = static_cast<std::int32_t>(end - k);
        k = end;
      }
    });
    all.add("tally::run_length_encode",
            [&] { tally::run_length_encode(tally::cpu{}, runs.begin(), runs.end(), out.begin(), lengths.begin()); });
    all.run();
  }
  {
    auto const count = static_cast<std::ptrdiff_t>(
        tally::run_length_encode(tally::cpu{}, runs.begin(), runs.end(), out.begin(), lengths.begin()));
    tally::bench::rounds all("decoding i32, runs of 8", n, n * 5);
    all.add("loop of std::fill_n", [&] {
      auto to = rest.begin();
      for (std::ptrdiff_t run_at = 0; run_at < count; ++run_at)
        to = std::fill_n(to, lengths[static_cast<std::size_t>(run_at)], out[static_cast<std::size_t>(run_at)]);
    });
    all.add("tally::run_length_decode", [&] {
      tally::run_length_decode(tally::cpu{}, out.begin(), out.begin() + count, lengths.begin(), rest.begin());
    });
    all.run();
  }
}

}  // namespace

int main(int count, char** arguments)
{
  for (int k = 1; k < count; ++k) measure(std::size_t{1} << std::atoi(arguments[k]));
  if (count == 1)
    for (int const size : {20, 24, 27}) measure(std::size_t{1} << size);
}
