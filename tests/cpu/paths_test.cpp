// Every path that a call can take on a CPU, at every remainder of the last row, every phase of the output in a line and
// every size up to three tiles, compared with loops that share no code with the library. The tuning is set so that
// small arrays take all paths. At the end the visits to each path are checked (docs/testing.md has the list).
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <forward_list>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "../order/recurrence_reference.hpp"
#include "../support/generator.hpp"
#include "../support/tuning.hpp"
#include "../support/visits.hpp"
#include "tally/algorithms/recurrence.hpp"
#include "tally/detail/cpu/kernels.hpp"
#include "tally/for_each.hpp"
#include "tally/half.hpp"
#include "tally/reduce.hpp"
#include "tally/running.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"

namespace tally::test {
namespace {

[[maybe_unused]] testing::Environment* const counted = testing::AddGlobalTestEnvironment(new visits(
    {"include/tally/detail/cpu", "src/cpu/contiguous.cpp", "src/cpu/around_cache-inl.hpp", "src/cpu/tile-inl.hpp"},
    {"include/tally/detail/cpu/exact.hpp"}));

constexpr std::size_t line = 64;
constexpr unsigned char poison = 0xA5;

enum class way { inclusive, inclusive_from_init, exclusive };
constexpr std::array all_ways{way::inclusive, way::inclusive_from_init, way::exclusive};

/// An operator of Tally's, and the same operator for a loop, written without the library.
template <class T>
struct sum {
  using element = T;
  using op = plus;
  static T next(T a, T b)
  {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    else
      return a + b;
  }
};
template <class T>
struct greatest {
  using element = T;
  using op = maximum;
  static T next(T a, T b) { return b > a ? b : a; }
};
/// -0.0 is less than +0.0.
template <class T>
struct least {
  using element = T;
  using op = minimum;
  static T next(T a, T b) { return b < a || (b == a && std::signbit(b)) ? b : a; }
};
template <class T>
struct product {
  using element = T;
  using op = multiplies;
  static T next(T a, T b) { return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b)); }
};

/// Element k. Integers have random bits. Floats are whole numbers, whose sums are exact in any bracketing. Minima have
/// zeros of both signs among their elements.
template <class Case>
typename Case::element element_at(std::size_t k)
{
  using T = typename Case::element;
  std::uint64_t const bits = random_bits(17, k);
  if constexpr (std::is_same_v<Case, least<T>>) return bits % 3 == 0 ? T(0) : bits % 3 == 1 ? -T(0) : T(5);
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(static_cast<int>(bits % 64) - 31);
  // Factors are odd, because products of other factors soon become 0.
  return static_cast<T>(std::is_same_v<typename Case::op, multiplies> ? bits | 1 : bits);
}

/// An input of `most` elements, and the expected result of every prefix.
template <class Case>
struct expected {
  using T = typename Case::element;

  explicit expected(std::size_t most) : in(most), inclusive(most), from_init(most), exclusive(most)
  {
    T a{}, b = init, c{};
    for (std::size_t k = 0; k < most; ++k) {
      in[k] = element_at<Case>(k);
      a = k == 0 ? in[k] : Case::next(a, in[k]);
      exclusive[k] = b;
      b = Case::next(b, in[k]);
      inclusive[k] = a;
      from_init[k] = b;
      c = b;
    }
    (void)c;
  }

  std::vector<T> const& of(way w) const
  {
    return w == way::inclusive ? inclusive : w == way::inclusive_from_init ? from_init : exclusive;
  }

  static constexpr T init = T(3);
  std::vector<T> in, inclusive, from_init, exclusive;
};

/// Memory between poisoned guards, where an array can begin at any place of a line.
template <class T>
class memory {
public:
  explicit memory(std::size_t most)
      : bytes_(most * sizeof(T) + 5 * line),
        poisoned_(bytes_.size() + line, static_cast<std::byte>(poison))
  {
  }

  /// The place of an array that begins `phase` elements into a line.
  T* at(std::size_t phase)
  {
    auto const begin = reinterpret_cast<std::uintptr_t>(bytes_.data());
    return reinterpret_cast<T*>((begin + line - 1) / line * line + line + phase * sizeof(T));
  }
  /// Poisons an array of n elements at `to`, and a line before and after it.
  void spoil(T* to, std::size_t n)
  {
    std::memset(reinterpret_cast<std::byte*>(to) - line, poison, n * sizeof(T) + 2 * line);
  }
  /// Checks that the n elements at `to` are those of `values`, and that the guards are intact.
  bool holds(T const* to, std::size_t n, T const* values) const
  {
    auto const* const bytes = reinterpret_cast<std::byte const*>(to);
    return (n == 0 || std::memcmp(to, values, n * sizeof(T)) == 0) &&
           std::memcmp(bytes - line, poisoned_.data(), line) == 0 &&
           std::memcmp(bytes + n * sizeof(T), poisoned_.data(), line) == 0;
  }

private:
  std::vector<std::byte> bytes_;
  std::vector<std::byte> poisoned_;
};

template <class Op, class In, class Out, class T>
void scan(cpu on, way w, In first, std::size_t n, Out out, T init)
{
  auto const last = std::next(first, static_cast<std::ptrdiff_t>(n));
  if (w == way::inclusive) tally::inclusive_scan(on, first, last, out, Op{});
  if (w == way::inclusive_from_init) tally::inclusive_scan(on, first, last, out, Op{}, init);
  if (w == way::exclusive) tally::exclusive_scan(on, first, last, out, init, Op{});
}

enum class storing { through_cache, around_cache, in_place };
constexpr std::array all_storing{storing::through_cache, storing::around_cache, storing::in_place};

/// Scans the first n elements in each way, and checks the whole result. Types of one and two bytes have the most
/// remainders and phases; for them the ways alternate.
template <class Case>
class scanned {
public:
  using T = typename Case::element;

  explicit scanned(std::size_t most) : right(most), out_(most) {}

  void check(cpu on, storing stores, std::size_t n, std::size_t phase)
  {
    ++turn_;
    for (way const w : all_ways) {
      if (sizeof(T) < 4 && turn_ % all_ways.size() != static_cast<std::size_t>(w)) continue;
      T* const out = out_.at(phase);
      out_.spoil(out, n);
      T const* in = right.in.data();
      if (stores == storing::in_place) {
        std::copy_n(in, n, out);
        in = out;
      }
      tally::cpu_backend::tuning_in_use().streamed_bytes =
          stores == storing::around_cache ? 0 : std::numeric_limits<std::size_t>::max();
      scan<typename Case::op>(on, w, in, n, out, right.init);
      if (!out_.holds(out, n, right.of(w).data())) report(on, stores, n, phase, w, out);
    }
  }

  expected<Case> right;

private:
  void report(cpu on, storing stores, std::size_t n, std::size_t phase, way w, T const* out)
  {
    std::size_t k = 0;
    while (k < n && std::memcmp(&out[k], &right.of(w)[k], sizeof(T)) == 0) ++k;
    ADD_FAILURE() << n << " elements, phase " << phase << ", " << on.threads << " threads, stores "
                  << static_cast<int>(stores) << ", way " << static_cast<int>(w) << ": "
                  << (k < n ? "wrong at element " : "a byte beside the output was written; ") << k;
  }

  memory<T> out_;
  std::size_t turn_ = 0;
};

template <class Case>
class cpu_paths : public testing::Test {
protected:
  using T = typename Case::element;
  static constexpr std::size_t tile = order::tile<T>;
  static constexpr std::size_t row = order::row<T>;
  static constexpr std::size_t phases = line / sizeof(T);

  // The tuning, which every test changes, is restored afterwards.
  tuned const tuned_{[](auto& sizes) { sizes.tried_tiles = 1; }};
};
using cases = testing::Types<sum<float>, sum<double>, sum<std::int32_t>, sum<std::uint8_t>, product<std::int16_t>,
                             product<std::uint8_t>, greatest<std::int64_t>, least<float>>;
TYPED_TEST_SUITE(cpu_paths, cases);

// The last tile has 0 to 4 whole rows, then every remainder; the output begins at every place of a line.
TYPED_TEST(cpu_paths, every_remainder_at_every_phase)
{
  scanned<TypeParam> all(this->tile + 6 * this->row);
  for (std::size_t rows = 0; rows <= 4; ++rows)
    for (std::size_t rest = 0; rest < this->row; ++rest)
      for (std::size_t phase = 0; phase < this->phases; ++phase) {
        all.check(cpu{.threads = 1}, storing::around_cache, this->tile + rows * this->row + rest, phase);
        if (rows > 1 || (rest + phase) % 4 == 0)
          all.check(cpu{.threads = 1}, storing::through_cache, this->tile + rows * this->row + rest, phase);
        if (this->HasFailure()) return;
      }
}

// Every size up to three tiles. Bytes and words of two, whose tiles are larger, go up to the second row of the second
// tile.
TYPED_TEST(cpu_paths, every_size)
{
  using element = TypeParam::element;
  std::size_t const most = sizeof(element) < 4 ? this->tile + 2 * this->row : 3 * this->tile;
  scanned<TypeParam> all(most);
  for (std::size_t n = 0; n <= most; ++n)
    for (storing const stores : all_storing) {
      // Beyond the first tile the ways of storing alternate, because three consecutive sizes are enough alike.
      if (n > this->tile + this->row && n % all_storing.size() != static_cast<std::size_t>(stores)) continue;
      all.check(cpu{.threads = 1}, stores, n, n * 7 % this->phases);
      if (this->HasFailure()) return;
    }
}

// Three to eight tiles and a rest around the cache on one thread, which tries the ways to fetch them. The output begins
// at every place of a line.
TYPED_TEST(cpu_paths, ways_to_fetch)
{
  scanned<TypeParam> all(8 * this->tile + this->row);
  for (std::size_t phase = 0, turn = 0; phase < this->phases; ++phase)
    for (std::size_t rest = phase % 16; rest < this->row; rest += this->row / 4 + 1, ++turn) {
      tally::cpu_backend::tuning_in_use().tried_tiles = turn % 3;
      all.check(cpu{.threads = 1}, storing::around_cache, (3 + turn % 6) * this->tile + rest, phase);
      if (this->HasFailure()) return;
    }
}

// Two to twelve tiles on teams of two to five members: draws of single tiles and of runs, rings of a few slots, waits
// for totals and totals that are computed again.
TYPED_TEST(cpu_paths, every_remainder_on_several_threads)
{
  scanned<TypeParam> all(14 * this->tile);
  std::size_t turn = 0;
  for (std::size_t const tiles : {1u, 2u, 8u, 13u})
    for (std::size_t rest = 0; rest < this->row; rest += this->row / 32 + 1)
      for (storing const stores : all_storing) {
        ++turn;
        auto& sizes = tally::cpu_backend::tuning_in_use();
        sizes.tiles_in_run = 1 + turn % tally::cpu_backend::most_in_run;
        sizes.runs_a_member = turn % 2;
        sizes.slots_a_member = std::size_t{1} << turn % 3;
        sizes.spins = turn % 5 == 0 ? 0 : 1000;
        int const threads = 2 + static_cast<int>(turn % 4);
        std::size_t const rows = turn % 9;
        all.check(cpu{.threads = threads}, stores, tiles * this->tile + rows * this->row + rest, turn % this->phases);
        if (this->HasFailure()) return;
      }
}

// Reductions of every size up to three tiles, on several threads with a few totals in memory at a time; and of four
// tiles and more, several of which are totalled at once.
TYPED_TEST(cpu_paths, reductions_of_every_size)
{
  using element = TypeParam::element;
  using op = TypeParam::op;
  std::size_t const most = 3 * this->tile;
  expected<TypeParam> const right(16 * this->tile);
  auto const check = [&](int threads, std::size_t n, std::size_t few_tiles) {
    tally::cpu_backend::tuning_in_use().few_tiles = few_tiles;
    auto const end = right.in.begin() + static_cast<std::ptrdiff_t>(n);
    cpu const on{.threads = threads};
    element const from_init = tally::reduce(on, right.in.begin(), end, right.init, op{});
    element const plain = n == 0 ? element{} : tally::reduce(on, right.in.begin(), end, element(right.in[0]), op{});
    ASSERT_EQ(from_init, n == 0 ? right.init : right.from_init[n - 1]) << n << " elements, " << threads << " threads";
    ASSERT_EQ(plain, n == 0 ? element{} : TypeParam::next(right.in[0], right.inclusive[n - 1])) << n << ", " << threads;
  };
  for (std::size_t n = 0; n <= most; n += n < this->tile / 4 || sizeof(element) > 4 ? 1 : 7) {
    check(1, n, n % 2 * 8);
    if (this->HasFailure()) return;
  }
  for (std::size_t n = this->tile + 1; n <= most; n += 101) {
    tally::cpu_backend::tuning_in_use().totals_at_once = 1 + n % 3;
    check(2 + static_cast<int>(n % 3), n, 0);
    if (this->HasFailure()) return;
  }
  for (std::size_t rest = 0; rest < this->row; ++rest) {
    tally::cpu_backend::tuning_in_use().many_tiles = rest % 4 == 3 ? ~std::size_t{0} : 0;
    check(1, (4 + rest % 11) * this->tile - this->row * (rest % 3) + rest, 0);
    if (this->HasFailure()) return;
  }
}

// Reductions on two to four threads that have several tiles at a time, and try the ways to total them together.
TYPED_TEST(cpu_paths, ways_to_total_on_several_threads)
{
  using element = TypeParam::element;
  std::size_t const least = 128;  // tiles: a thread has four at a time
  expected<TypeParam> const right((least + 8) * this->tile);
  tally::cpu_backend::tuning_in_use().many_tiles = 0;
  for (std::size_t turn = 0, rest = 0; rest < this->row; rest += this->row / 16 + 1, ++turn) {
    tally::cpu_backend::tuning_in_use().tried_tiles = turn % 3 * 4;
    std::size_t const n = (least + turn % 7) * this->tile + this->row * (turn % 5) + rest;
    element const all =
        tally::reduce(cpu{.threads = 2 + static_cast<int>(turn % 3)}, right.in.begin(),
                      right.in.begin() + static_cast<std::ptrdiff_t>(n), right.init, typename TypeParam::op{});
    ASSERT_EQ(all, right.from_init[n - 1]) << n << " elements";
  }
}

// A sequence in two pieces of every size up to two tiles, and in many random pieces, reduced and scanned in turn.
TYPED_TEST(cpu_paths, pieces_of_every_size)
{
  using element = TypeParam::element;
  using op = TypeParam::op;
  std::size_t const most = 2 * this->tile + this->row;
  expected<TypeParam> const right(most);
  std::vector<element> out(most);
  std::size_t const step = sizeof(element) < 4 ? 211 : 31;
  for (std::size_t first = 0; first <= most; first += first < 2 * this->row ? 1 : step) {
    running<element, op> whole(right.init, op{});
    std::fill(out.begin(), out.end(), element(77));
    switch (first % 3) {
      case 0: whole.reduce(right.in.data(), first); break;
      case 1: whole.inclusive_scan(right.in.data(), out.data(), first); break;
      default: whole.exclusive_scan(right.in.data(), out.data(), first); break;
    }
    bool const inclusive = first % 2 == 0;
    if (inclusive)
      whole.inclusive_scan(right.in.data() + first, out.data() + first, most - first);
    else
      whole.exclusive_scan(right.in.data() + first, out.data() + first, most - first);
    auto const& second = right.of(inclusive ? way::inclusive_from_init : way::exclusive);
    auto const& before = right.of(first % 3 == 1 ? way::inclusive_from_init : way::exclusive);
    if (first % 3 != 0) {
      ASSERT_EQ(0, std::memcmp(out.data(), before.data(), first * sizeof(element))) << first;
    }
    ASSERT_TRUE(std::equal(second.begin() + static_cast<std::ptrdiff_t>(first), second.end(),
                           out.begin() + static_cast<std::ptrdiff_t>(first)))
        << first;
    ASSERT_EQ(*whole.value(), right.from_init.back()) << first;
  }
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    running<element, op> whole;
    std::size_t at = 0;
    for (std::uint64_t piece = 0; at < most; ++piece) {
      std::uint64_t const random = random_bits(seed, piece);
      std::size_t const size = std::min<std::size_t>(most - at, random % (piece % 3 == 0 ? 2 * this->tile : 100));
      whole.inclusive_scan(right.in.data() + at, out.data() + at, size);
      at += size;
    }
    ASSERT_EQ(out, right.inclusive) << seed;
  }
}

// The elements of a user-defined operator: maps x -> a x + b modulo 2^64, whose composition does not commute.
struct affine_map {
  std::uint64_t a, b;
  friend bool operator==(affine_map, affine_map) = default;
};
affine_map then(affine_map first, affine_map second)
{
  return {first.a * second.a, second.a * first.b + second.b};
}
struct composed {
  affine_map operator()(affine_map first, affine_map second) const { return then(first, second); }
};
struct composed_exactly : composed {
  static constexpr bool exactly_associative = true;
};

struct maps {
  explicit maps(std::size_t most) : in(most), inclusive(most), exclusive(most)
  {
    affine_map a = init;
    for (std::size_t k = 0; k < most; ++k) {
      in[k] = {random_bits(1, k) | 1, random_bits(2, k)};
      exclusive[k] = a;
      a = then(a, in[k]);
      inclusive[k] = a;
    }
  }

  static constexpr affine_map init{3, 5};
  std::vector<affine_map> in, inclusive, exclusive;
};

template <class Op, class In>
void expect_maps(cpu on, maps const& right, In first, std::size_t n, std::vector<affine_map>& out)
{
  auto const last = std::next(first, static_cast<std::ptrdiff_t>(n));
  auto const after = [&](std::size_t k) { return out.begin() + static_cast<std::ptrdiff_t>(k); };
  affine_map const untouched{7, 7};
  std::fill(out.begin(), out.end(), untouched);
  tally::inclusive_scan(on, first, last, out.begin(), Op{}, right.init);
  ASSERT_TRUE(std::equal(out.begin(), after(n), right.inclusive.begin())) << n << ", " << on.threads << " threads";
  ASSERT_EQ(out[n], untouched) << n;
  tally::exclusive_scan(on, first, last, out.begin(), right.init, Op{});
  ASSERT_TRUE(std::equal(out.begin(), after(n), right.exclusive.begin())) << n << ", " << on.threads << " threads";
  ASSERT_EQ(out[n], untouched) << n;
  ASSERT_EQ(tally::reduce(on, first, last, right.init, Op{}), n == 0 ? right.init : right.inclusive[n - 1]) << n;
}

TEST(cpu_paths_of_own_operators, every_size)
{
  constexpr std::size_t most = 3 * order::tile<affine_map>;
  maps const right(most);
  std::vector<affine_map> out(most + 1);
  for (std::size_t n = 0; n <= most; n += n < 300 ? 1 : 7) {
    expect_maps<composed>(cpu{.threads = 1}, right, right.in.begin(), n, out);
    expect_maps<composed_exactly>(cpu{.threads = 1}, right, right.in.begin(), n, out);
    if (HasFailure()) return;
  }
  for (std::size_t n = order::tile<affine_map> - 40; n <= most; n += 11) {
    expect_maps<composed>(cpu{.threads = 2}, right, right.in.begin(), n, out);
    expect_maps<composed_exactly>(cpu{.threads = 3}, right, right.in.begin(), n, out);
    if (HasFailure()) return;
  }
  std::forward_list<affine_map> const list(right.in.begin(), right.in.end());
  for (std::size_t n = 0; n <= most; n += 97) {
    expect_maps<composed>(cpu{.threads = 2}, right, list.begin(), n, out);
    expect_maps<composed_exactly>(cpu{.threads = 2}, right, list.begin(), n, out);
    if (HasFailure()) return;
  }
}

// Built-in operators over iterators that are not memory: tiles are gathered for the kernels.
TYPED_TEST(cpu_paths, gathered_tiles_of_every_size)
{
  using element = TypeParam::element;
  using op = TypeParam::op;
  std::size_t const most = 3 * this->tile;
  expected<TypeParam> const right(most);
  std::deque<element> const in(right.in.begin(), right.in.end());
  std::vector<element> out(most + 1);
  auto const check = [&](int threads, std::size_t n) {
    for (way const w : all_ways) {
      std::fill(out.begin(), out.end(), element(77));
      scan<op>(cpu{.threads = threads}, w, in.begin(), n, out.begin(), right.init);
      ASSERT_TRUE(std::equal(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(n), right.of(w).begin()))
          << n << ", " << threads << " threads, way " << static_cast<int>(w);
      ASSERT_EQ(out[n], element(77)) << n;
    }
    auto const last = in.begin() + static_cast<std::ptrdiff_t>(n);
    ASSERT_EQ(tally::reduce(cpu{.threads = threads}, in.begin(), last, right.init, op{}),
              n == 0 ? right.init : right.from_init[n - 1]);
  };
  std::size_t const step = sizeof(element) < 4 ? 401 : 23;
  for (std::size_t n = 0; n <= most; n += n < 2 * this->row ? 1 : step) {
    check(1, n);
    if (this->HasFailure()) return;
  }
  for (std::size_t n = this->tile; n <= most; n += 3 * step) {
    check(2, n);
    if (this->HasFailure()) return;
  }
}

// Elements of a function that stand for blocks have tiles of their own size; so do results that go to a function.
TEST(cpu_paths_of_blocks, every_size)
{
  std::vector<double> in(1000);
  for (std::size_t k = 0; k < in.size(); ++k) in[k] = element_at<sum<double>>(k);
  auto const elements = elements_from([values = in.data()](std::size_t k) { return values[k]; }, 1 << 12);
  std::vector<double> out(in.size() + 1);
  for (int const threads : {1, 2, 3})
    for (std::size_t n = 0; n <= in.size(); n += n < 100 ? 1 : 11) {
      out[n] = -1;
      tally::inclusive_scan(cpu{.threads = threads}, elements, elements + static_cast<std::ptrdiff_t>(n), out.begin());
      double right = 0;
      for (std::size_t k = 0; k < n; ++k) ASSERT_EQ(out[k], right += in[k]) << n << ", " << threads << " threads";
      ASSERT_EQ(out[n], -1) << n;
      ASSERT_EQ(tally::reduce(cpu{.threads = threads}, elements, elements + static_cast<std::ptrdiff_t>(n)), right);
    }
}

// Values that cannot be copied are folded from the left.
TEST(cpu_paths_of_what_cannot_be_copied, every_size)
{
  for (std::size_t n = 0; n < 40; ++n) {
    std::vector<std::size_t> in(n);
    std::iota(in.begin(), in.end(), 1);
    auto const add = [](std::unique_ptr<std::size_t> a, std::size_t b) {
      *a = 3 * *a + b;
      return a;
    };
    std::size_t right = 5;
    for (std::size_t const k : in) right = 3 * right + k;
    EXPECT_EQ(*tally::reduce(in.begin(), in.end(), std::make_unique<std::size_t>(5), add), right) << n;
  }
}

// Recurrences that no kernel takes, since functions give their elements.
template <class T>
class cpu_paths_of_recurrences : public testing::Test {};
using states = testing::Types<float, double, half, bfloat16>;
TYPED_TEST_SUITE(cpu_paths_of_recurrences, states);

TYPED_TEST(cpu_paths_of_recurrences, of_functions)
{
  using T = TypeParam;
  constexpr std::size_t group = order::recurrence::group<T>, row = order::recurrence::row<T>,
                        strip = order::recurrence::strip<T>, tile = order::recurrence::tile<T>;
  tuned const shared([](auto& sizes) { sizes.serial_bytes = sizes.bytes_a_thread = 0; });
  for (std::size_t const n : {std::size_t{1}, group, group + 1, row - 1, row + group + 1, strip + 1, tile - 1, tile,
                              tile + 1, 2 * tile + strip + row + 3, 33 * tile + 5}) {
    std::vector<T> a, b;
    for (std::size_t k = 0; k < n; ++k) {
      auto const drawn = [&](std::uint64_t seed) {
        return static_cast<float>(random_bits(seed, k) >> 40) * 0x1p-23f - 1;
      };
      a.push_back(static_cast<T>(1 - 0x1p-10f * drawn(1)));
      b.push_back(static_cast<T>(drawn(2)));
    }
    T const before = static_cast<T>(0.3f);
    std::vector<T> const right = reference::recurrence<T>(a, b, before);
    for (int const threads : {1, 3}) {
      auto const factors = elements_from([from = a.data()](std::size_t k) { return from[k]; });
      auto const terms = elements_from([from = b.data()](std::size_t k) { return from[k]; });
      std::vector<T> out(n);
      tally::linear_recurrence(cpu{.threads = threads}, factors, factors + static_cast<std::ptrdiff_t>(n), terms,
                               out.begin(), before);
      for (std::size_t k = 0; k < n; ++k)
        ASSERT_EQ(static_cast<float>(out[k]), static_cast<float>(right[k]))
            << "state " << k << " of " << n << ", " << threads << " threads";
    }
  }
}

// A map calls its function once for each index, by blocks that are full except for the last.
TEST(cpu_paths_of_maps, every_size_and_block)
{
  for (int const threads : {1, 3})
    for (std::size_t block = 1; block < 9; ++block)
      for (std::size_t n = 0; n < 60; ++n) {
        std::vector<std::atomic<int>> times(n);
        tally::for_each_block(cpu{.threads = threads}, n, block, [&](std::size_t begin, std::size_t end) {
          EXPECT_TRUE(begin % block == 0 && (end - begin == block || end == n)) << begin << " to " << end;
          for (std::size_t k = begin; k < end; ++k) times[k].fetch_add(1);
        });
        for (std::size_t k = 0; k < n; ++k)
          ASSERT_EQ(times[k], 1) << k << " of " << n << ", blocks of " << block << ", " << threads << " threads";
      }
}

// Members that join after others have gone through the ring many times start at a checkpoint.
TEST(cpu_paths_of_late_members, begin_at_a_checkpoint)
{
  tuned const small_ring([](auto& sizes) {
    sizes.slots_a_member = 1;
    sizes.streamed_bytes = std::numeric_limits<std::size_t>::max();
  });
  scanned<sum<std::int32_t>> all(600 * order::tile<std::int32_t>);
  for (int turn = 0; turn < 8; ++turn)
    all.check(cpu{.threads = 16}, storing::through_cache, 600 * order::tile<std::int32_t> - 5, 4);
}

}  // namespace
}  // namespace tally::test
