// Paths of compaction, run lengths, comparison and allocation, and of maps and their memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "paths.hpp"
#include "tally/algorithms/allocate.hpp"
#include "tally/algorithms/compact.hpp"
#include "tally/algorithms/compare.hpp"
#include "tally/algorithms/distribution.hpp"
#include "tally/algorithms/run_lengths.hpp"
#include "tally/for_each.hpp"
#include "tally/temporary.hpp"

namespace tally::test {

namespace {

__extension__ typedef unsigned __int128 wide;

/// Compaction and partition by one selection, on one execution.
template <class T>
void compact_one(cpu on, T const* in, std::size_t n, std::vector<std::uint8_t> const& selected, output<T>& out,
                 output<T>& rest, std::size_t phase)
{
  std::vector<T> expected, others;
  for (std::size_t k = 0; k < n; ++k) (selected[k] != 0 ? expected : others).push_back(in[k]);

  T* const to = out.poisoned(expected.size(), phase);
  ASSERT_EQ(tally::copy_if(on, in, in + n, selected.begin(), to, is_set{}) - to,
            static_cast<std::ptrdiff_t>(expected.size()));
  ASSERT_TRUE(out.is(expected)) << n << " of " << sizeof(T) << " bytes, phase " << phase << ", " << on.threads;

  T* const first = out.poisoned(expected.size(), phase);
  T* const second = rest.poisoned(others.size(), 3 * phase + 1);
  // partition_copy takes no flags, so the predicate finds the flag by the element's address.
  auto const by_place = [in, flags = selected.data()](T const& x) { return flags[&x - in] != 0; };
  tally::partition_copy(on, in, in + n, first, second, by_place);
  ASSERT_TRUE(out.is(expected) && rest.is(others))
      << n << " of " << sizeof(T) << " bytes, phase " << phase << ", " << on.threads;
}

template <class T>
void compact_all()
{
  constexpr std::size_t most = 12'400;
  std::vector<T> const values = random_values<T>(most + 64, sizeof(T));
  output<T> out(most + 64), rest(most + 64);
  for (std::size_t const n : every_size(280)) {
    auto const all = choices(n);
    for (std::size_t c = 0; c < all.size(); ++c)
      compact_one<T>(cpu{1}, values.data() + (n + c) % 64, n, all[c], out, rest, (3 * n + c) % 64);
  }
  for (std::size_t const n : every_size(0, {4096, 8192, 12288}, 66)) {
    auto const all = choices(n);
    std::size_t const c = n % all.size();
    on_one_and_three([&](cpu on) {
      compact_one<T>(on, values.data() + n % 64, n, all[3], out, rest, n % 64);
      compact_one<T>(on, values.data() + n % 61, n, all[c], out, rest, n % 59);
    });
  }
  // Every phase of the input and of the output in a cache line.
  for (std::size_t from = 0; from < 64 / sizeof(T); ++from)
    for (std::size_t to = 0; to < 64 / sizeof(T); ++to)
      for (std::size_t n = 60; n < 200; n += 17)
        compact_one<T>(cpu{1}, values.data() + from, n, choices(n)[3 + to % 2], out, rest, to);
}

/// Elements that cannot be copied as bytes: a loop with a branch moves a block.
void compact_strings()
{
  std::vector<std::string> const all = {"0", "one", "and a longer one than fits into the object itself"};
  for (std::size_t const n : every_size(70)) {
    std::vector<std::string> in(n), expected, rest;
    for (std::size_t k = 0; k < n; ++k) in[k] = all[random_bits(n, k) % 3] + std::to_string(k);
    auto const wanted = [](std::string const& x) { return x.size() % 2 == 0; };
    for (std::string const& each : in) (wanted(each) ? expected : rest).push_back(each);
    on_one_and_three([&](cpu on) {
      std::vector<std::string> out(expected.size()), first(expected.size()), second(rest.size());
      tally::copy_if(on, in.begin(), in.end(), out.begin(), wanted);
      tally::partition_copy(on, in.begin(), in.end(), first.begin(), second.begin(), wanted);
      ASSERT_TRUE(out == expected && first == expected && second == rest) << n;
    });
  }
}

/// Runs of equal elements: a run begins wherever `begins` is set.
template <class T>
std::vector<T> runs_of(std::vector<std::uint8_t> const& begins)
{
  std::vector<T> all(begins.size());
  T value = 0;
  for (std::size_t k = 0; k < begins.size(); ++k) {
    if (begins[k] != 0) value = static_cast<T>(value + 1 + random_bits(48, k) % 100);
    all[k] = value;
  }
  return all;
}

template <class T>
void runs_one(cpu on, std::vector<T> const& in, output<T>& values, output<std::uint32_t>& lengths, output<T>& decoded,
              std::size_t phase)
{
  std::size_t const n = in.size();
  std::vector<T> expected;
  std::vector<std::uint32_t> counts;
  for (std::size_t k = 0; k < n; ++k) {
    if (k == 0 || in[k] != in[k - 1]) {
      expected.push_back(in[k]);
      counts.push_back(0);
    }
    ++counts.back();
  }
  T* const unique = values.poisoned(expected.size(), phase);
  tally::unique_copy(on, in.begin(), in.end(), unique);
  ASSERT_TRUE(values.is(expected)) << n;
  T* const to = values.poisoned(expected.size(), phase);
  std::uint32_t* const to_lengths = lengths.poisoned(counts.size(), phase + 1);
  ASSERT_EQ(tally::run_length_encode(on, in.begin(), in.end(), to, to_lengths), expected.size());
  ASSERT_TRUE(values.is(expected) && lengths.is(counts)) << n << " of " << sizeof(T) << " bytes on " << on.threads;
  // Runs of length 0 between the others decode to nothing.
  std::vector<T> between;
  std::vector<std::uint32_t> with_none;
  for (std::size_t r = 0; r < expected.size(); ++r) {
    if (random_bits(n, r) % 4 == 0) {
      between.push_back(static_cast<T>(77));
      with_none.push_back(0);
    }
    between.push_back(expected[r]);
    with_none.push_back(counts[r]);
  }
  T* const back = decoded.poisoned(n, phase + 2);
  tally::run_length_decode(on, between.begin(), between.end(), with_none.begin(), back);
  ASSERT_TRUE(decoded.is(in)) << n << " of " << sizeof(T) << " bytes on " << on.threads;
}

template <class T>
void runs_all()
{
  output<T> values(12'400), decoded(12'400);
  output<std::uint32_t> lengths(12'400);
  for (std::size_t const n : every_size(200))
    for (auto const& begins : choices(n)) runs_one<T>(cpu{1}, runs_of<T>(begins), values, lengths, decoded, n % 64);
  for (std::size_t const n : every_size(0, {4096, 8192, 12288}, 9))
    for (auto const& begins : choices(n))
      on_one_and_three([&](cpu on) { runs_one<T>(on, runs_of<T>(begins), values, lengths, decoded, n % 64); });
  // The steps of an empirical distribution are the ends of runs.
  for (std::size_t const n : every_size(100, {4096, 8192}, 2))
    for (auto const& begins : choices(n)) {
      std::vector<int> sorted(n);
      for (std::size_t k = 0; k < n; ++k) sorted[k] = (k == 0 ? 0 : sorted[k - 1]) + begins[k];
      std::vector<distribution_step<int>> expected, steps(n + 1, {-7, 7});
      for (std::size_t k = 0; k < n; ++k)
        if (k + 1 == n || sorted[k] != sorted[k + 1]) expected.push_back({sorted[k], k + 1});
      on_one_and_three([&](cpu on) {
        auto const end = tally::empirical_distribution(on, sorted.begin(), sorted.end(), steps.begin());
        ASSERT_TRUE(std::equal(steps.begin(), end, expected.begin(), expected.end())) << n;
        ASSERT_TRUE(end != steps.end()) << n;
      });
    }
}

/// Two sequences that differ at `places` and nowhere else, at a phase in a cache line.
template <class T>
void compare_one(cpu on, std::vector<T> const& values, std::size_t n, std::vector<std::size_t> const& places,
                 std::size_t phase)
{
  T const* const a = values.data() + phase;
  std::vector<T> other(a, a + n);
  std::size_t expected = n;
  for (std::size_t const place : places)
    if (place < n) {
      other[place] = a[place] == T(3) ? T(4) : T(3);
      expected = std::min(expected, place);
    }
  auto const [at, in_other] = tally::mismatch(on, a, a + n, other.begin(), other.end());
  ASSERT_EQ(static_cast<std::size_t>(at - a), expected) << n << " of " << sizeof(T) << " bytes on " << on.threads;
  ASSERT_EQ(static_cast<std::size_t>(in_other - other.begin()), expected);
  ASSERT_EQ(tally::equal(on, a, a + n, other.begin(), other.end()), expected == n);
  auto const order = tally::lexicographical_compare_three_way(on, a, a + n, other.begin(), other.end());
  ASSERT_TRUE(expected == n ? order == 0 : order == (a[expected] <=> other[expected])) << n;
  // One sequence is a prefix of the other.
  if (expected == n && n > 0) {
    ASSERT_EQ(tally::mismatch(on, a, a + n - 1, other.begin(), other.end()).first - a,
              static_cast<std::ptrdiff_t>(n - 1));
    ASSERT_FALSE(tally::equal(on, a, a + n - 1, other.begin(), other.end()));
    ASSERT_TRUE(tally::lexicographical_compare_three_way(on, a, a + n - 1, other.begin(), other.end()) < 0);
  }
}

template <class T>
void compare_all()
{
  constexpr std::size_t block = 65536 / sizeof(T);
  std::vector<T> const values = random_values<T>(3 * block + 400, 5);
  for (std::size_t const n : every_size(90)) {
    for (std::size_t place = 0; place <= n; ++place) compare_one(cpu{1}, values, n, {place, n * 2 / 3}, n % 64);
    compare_one(cpu{1}, values, n, {}, n % 64);
  }
  for (std::size_t phase = 0; phase < 64 / sizeof(T); ++phase)
    for (std::size_t n = 1; n < 40; n += 3) compare_one(cpu{1}, values, n, {n - 1}, phase);
  // Around the sizes that are compared at a time: 256 bytes, 4 KiB, and a block.
  for (std::size_t const piece : {std::size_t{256}, std::size_t{4096}, std::size_t{65536}})
    for (std::size_t const n : every_size(0, {piece / sizeof(T)}, 9))
      for (std::size_t back = 0; back < 12; ++back) compare_one(cpu{1}, values, n, {n - 1 - back}, back);
  for (std::size_t const n : {block + 1, 2 * block - 1, 2 * block, 2 * block + 1, 3 * block, 3 * block + 7})
    for (std::size_t const first : {std::size_t{0}, block - 1, block, block + 1, 2 * block - 1, 2 * block, n - 1, n})
      on_one_and_three([&](cpu on) { compare_one(on, values, n, {first, n * 3 / 4, n - 1}, 1); });
}

/// Where pieces begin, in 128 bits. Returns how many fit.
template <class AlignmentOf>
std::size_t place(std::vector<std::uint64_t> const& counts, AlignmentOf alignment_of, std::uint64_t capacity,
                  std::vector<std::uint64_t>& offsets, std::uint64_t& end)
{
  end = 0;
  offsets.clear();
  for (std::size_t k = 0; k < counts.size(); ++k) {
    wide const alignment = alignment_of(k), begin = (wide{end} + alignment - 1) / alignment * alignment;
    if (begin + counts[k] > capacity) return k;
    offsets.push_back(static_cast<std::uint64_t>(begin));
    end = static_cast<std::uint64_t>(begin + counts[k]);
  }
  return counts.size();
}

template <class AlignmentOf, class Call>
void allocate_one(std::vector<std::uint64_t> const& counts, AlignmentOf alignment_of, std::uint64_t capacity,
                  output<std::uint64_t>& out, Call call)
{
  std::vector<std::uint64_t> expected;
  std::uint64_t end = 0;
  std::size_t const fit = place(counts, alignment_of, capacity, expected, end);
  std::uint64_t* const to = out.poisoned(counts.size(), counts.size() % 8);
  try {
    std::uint64_t const own = call(to);
    ASSERT_EQ(fit, counts.size());
    ASSERT_EQ(own, end) << counts.size();
    ASSERT_TRUE(out.is(expected)) << counts.size();
  } catch (tally::allocation_error const& error) {
    ASSERT_LT(fit, counts.size()) << error.what();
    ASSERT_EQ(error.piece(), fit) << error.what();
    ASSERT_TRUE(out.guards_intact());
  }
}

void allocate_all(std::vector<std::uint64_t> const& counts, output<std::uint64_t>& out)
{
  std::size_t const n = counts.size();
  constexpr auto most = std::numeric_limits<std::uint64_t>::max() - 1;
  std::vector<std::uint32_t> alignments(n);
  for (std::size_t k = 0; k < n; ++k) alignments[k] = 1u << (random_bits(3, k) % 8 == 0 ? random_bits(4, k) % 13 : 2);
  auto const own = [&](std::size_t k) -> wide { return alignments[k]; };
  on_one_and_three([&](cpu on) {
    for (std::uint64_t const alignment : {1, 64, 7})
      allocate_one(
          counts, [=](std::size_t) -> wide { return alignment; }, most, out,
          [&](std::uint64_t* to) {
            return tally::allocate(on, counts.begin(), counts.end(), to, {.alignment = alignment});
          });
    allocate_one(counts, own, most, out, [&](std::uint64_t* to) {
      return tally::allocate_aligned(on, counts.begin(), counts.end(), alignments.begin(), to);
    });
  });
}

}  // namespace

TEST(paths_of_applications, compaction)
{
  compact_all<std::uint8_t>();
  compact_all<std::int16_t>();
  compact_all<std::uint32_t>();
  compact_all<double>();
  compact_strings();
  // stable_partition_copy, which counts the selected elements first.
  std::vector<std::uint32_t> const values = random_values<std::uint32_t>(8300, 8);
  output<std::uint32_t> out(8300);
  for (std::size_t const n : every_size(130, {4096, 8192}, 5))
    on_one_and_three([&](cpu on) {
      auto const odd = [](std::uint32_t x) { return x % 2 != 0; };
      std::vector<std::uint32_t> expected, rest;
      for (std::size_t k = 0; k < n; ++k) (odd(values[k]) ? expected : rest).push_back(values[k]);
      std::size_t const border = expected.size();
      expected.insert(expected.end(), rest.begin(), rest.end());
      std::uint32_t* const to = out.poisoned(n, n % 16);
      ASSERT_EQ(
          tally::stable_partition_copy(on, values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n), to, odd),
          to + border);
      ASSERT_TRUE(out.is(expected)) << n;
    });
}

TEST(paths_of_applications, runs_and_comparison)
{
  runs_all<std::uint8_t>();
  runs_all<std::uint64_t>();
  compare_all<std::uint8_t>();
  compare_all<std::uint32_t>();
  compare_all<double>();
}

TEST(paths_of_applications, allocation)
{
  output<std::uint64_t> out(12'400);
  for (std::size_t const n : every_size(140, {1024, 2048, 3072, 4096, 8192, 12288}, 5)) {
    std::vector<std::uint64_t> counts(n);
    for (std::size_t k = 0; k < n; ++k) counts[k] = random_bits(1, k) % 8 == 0 ? 0 : random_bits(2, k) % 5000;
    allocate_all(counts, out);
    if (n == 0) continue;
    // One that is large, and two that together are too large, at all kinds of places.
    std::size_t const at = random_bits(5, n) % n;
    counts[at] = std::uint64_t{1} << 52;
    allocate_all(counts, out);
    counts[at] = std::uint64_t{1} << 63;
    counts[n / 2] = std::uint64_t{1} << 63;
    allocate_all(counts, out);
  }
}

TEST(paths_of_applications, maps)
{
  std::vector<std::atomic<unsigned char>> calls(12'400);
  auto const each_was_called_once = [&](std::size_t n) {
    for (std::size_t k = 0; k < calls.size(); ++k)
      if (calls[k].exchange(0) != (k < n ? 1 : 0)) return false;
    return true;
  };
  for (std::size_t const n : every_size(70, {4096, 8192, 12288}, 3))
    on_one_and_three([&](cpu on) {
      tally::for_each_index(on, n, [&](std::size_t k) { ++calls[k]; });
      ASSERT_TRUE(each_was_called_once(n)) << n << " on " << on.threads;
      for (std::size_t const block : {std::size_t{1}, std::size_t{64}, std::size_t{4097}}) {
        tally::for_each_block(on, n, block, [&](std::size_t begin, std::size_t end) {
          if (begin % block != 0 || end != std::min(n, begin + block)) ++calls[begin];
          for (std::size_t k = begin; k < end; ++k) ++calls[k];
        });
        ASSERT_TRUE(each_was_called_once(n)) << n << " in blocks of " << block;
      }
    });
  // Memory is there to be written, all of it, and large pages begin where such a page does.
  std::size_t const kept = cpu_backend::tuning_in_use().kept_bytes;
  for (std::size_t const n : every_size(3, {kept, std::size_t{2} << 20}, 2)) {
    temporary<unsigned char, cpu> const memory(cpu{1}, n);
    ASSERT_EQ(memory.data() == nullptr, n == 0);
    for (unsigned char& each : memory) each = 1;
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % (n < kept ? 64 : 1 << 21), 0u) << n;
  }
  // Elements that stand for more than themselves: tiles of some, of one and of as many as of others.
  for (std::size_t const bytes : {1, 16, 1000, 200'000})
    for (std::size_t const n : every_size(40, {32'768}, 2)) {
      auto const in = elements_from([](std::size_t k) { return random_bits(9, k) % 1000; }, bytes);
      std::uint64_t sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += random_bits(9, k) % 1000;
      on_one_and_three([&](cpu on) {
        ASSERT_EQ(tally::reduce(on, in, in + static_cast<std::ptrdiff_t>(n), std::uint64_t{0}), sum);
      });
    }
}

}  // namespace tally::test
