#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "ranks_parts.hpp"
#include "tally.h"

/// Segments and runs of keys that cross from rank to rank: every result has the bits of the call on the whole.
namespace tally_c_test {
namespace {

void try_by_key(kind const& of, tally_operation const* op, std::mt19937& random)
{
  int const size = 1 + static_cast<int>(random() % 4);
  std::vector<std::int64_t> const shape{length(random)};
  tally_type const key_types[] = {TALLY_INT32, TALLY_FLOAT64, TALLY_UINT8};
  tally_type const key_type = key_types[random() % 3];
  std::vector<std::int64_t> const offsets = division(shape[0], size, random);
  auto const n = static_cast<std::size_t>(shape[0]);
  whole_array keys(key_type, shape, false), values(of.type, shape, false), keys_out(key_type, shape, false),
      out(of.to, shape, false), initial(of.to, {}, false);
  fill(values, random);
  fill(initial, random);
  std::uint32_t const long_runs = random() % 3 == 0 ? 5000 : 2 + static_cast<std::uint32_t>(random() % 30);
  int key = 1;
  for (std::size_t k = 0; k < n; ++k) {
    if (random() % long_runs == 0) key = key % 100 + 1;
    double const as_float = random() % 100 == 0 ? std::nan("") : key;
    std::memset(keys.data() + k * keys.bytes(), 0, keys.bytes());
    if (key_type.code == TALLY_FLOAT)
      std::memcpy(keys.data() + k * 8, &as_float, 8);
    else
      std::memcpy(keys.data() + k * keys.bytes(), &key, 1);
  }
  bool const given = random() % 2 == 0, exclusive = random() % 2 == 0;
  tally_array const kv = keys.view(), vv = values.view(), kov = keys_out.view(), iv = initial.view();
  tally_options options{};
  options.size = sizeof options;
  options.initial = given ? &iv : nullptr;
  std::int64_t runs = 0;
  tally_array ov = out.view();
  ASSERT_EQ(tally_reduce_by_key(&kv, &vv, &kov, &ov, &runs, op, &options), TALLY_OK) << tally_last_message();

  std::vector<whole_array> parts_out, parts_keys;
  std::vector<std::int64_t> counts(static_cast<std::size_t>(size));
  for (int r = 0; r < size; ++r) {
    parts_out.emplace_back(of.to, shape, false);
    parts_keys.emplace_back(key_type, shape, false);
  }
  on_ranks(size, [&](tally_ranks* ranks, int r) {
    auto const at = static_cast<std::size_t>(r);
    part own_keys(keys, 0, offsets, r), own_values(values, 0, offsets, r);
    tally_array const to = parts_out[at].view(), keys_to = parts_keys[at].view();
    ASSERT_EQ(
        tally_ranks_reduce_by_key(ranks, &own_keys.array, &own_values.array, &keys_to, &to, &counts[at], op, &options),
        TALLY_OK)
        << tally_last_message();
  });
  std::size_t at = 0;
  for (std::size_t r = 0; r < counts.size(); ++r) {
    auto const count = static_cast<std::size_t>(counts[r]);
    ASSERT_LE(at + count, static_cast<std::size_t>(runs));
    EXPECT_EQ(std::memcmp(parts_out[r].data(), out.data() + at * out.bytes(), count * out.bytes()), 0)
        << "operator " << op << " code " << int{of.to.code} << " bits " << int{of.to.bits};
    EXPECT_EQ(std::memcmp(parts_keys[r].data(), keys_out.data() + at * keys.bytes(), count * keys.bytes()), 0);
    at += count;
  }
  EXPECT_EQ(at, static_cast<std::size_t>(runs));

  options.flags = exclusive ? static_cast<std::uint32_t>(TALLY_EXCLUSIVE) : 0u;
  ASSERT_EQ(tally_scan_by_key(&kv, &vv, &ov, op, &options), TALLY_OK) << tally_last_message();
  whole_array results(of.to, shape, false);
  on_ranks(size, [&](tally_ranks* ranks, int r) {
    part own_keys(keys, 0, offsets, r), own_values(values, 0, offsets, r), to(results, 0, offsets, r);
    ASSERT_EQ(tally_ranks_scan_by_key(ranks, &own_keys.array, &own_values.array, &to.array, op, &options), TALLY_OK)
        << tally_last_message();
  });
  expect_same(results, out, "scan by key");
}

TEST(c_ranks, by_key)
{
  std::mt19937 random(9);
  for_each_operator_of_kinds(6, [&](kind const& of, tally_operation const* op) { try_by_key(of, op, random); });
}

/// Segments of random lengths, empty ones among them, each on the rank in whose part it begins.
void try_segments(kind const& of, tally_operation const* op, std::mt19937& random)
{
  std::int64_t const n = length(random);
  int const size = 1 + static_cast<int>(random() % 5);
  auto const parts = division(n, size, random);
  std::int64_t const segments = 1 + static_cast<std::int64_t>(random() % 12);
  std::vector<std::int64_t> places;
  for (std::int64_t s = 0; s <= segments; ++s)
    places.push_back(random() % 3 == 0 && s > 0 ? places.back()
                                                : static_cast<std::int64_t>(random() % static_cast<unsigned>(n + 1)));
  std::sort(places.begin(), places.end());
  whole_array values(of.type, {n}, false), sums(of.to, {segments}, false), scanned(of.to, {n}, false),
      lasts(of.to, {segments}, false), initials(of.to, {segments}, false);
  fill(values, random);
  fill(initials, random);
  auto const offsets_view = [](std::int64_t* first, std::int64_t const* count) {
    return tally_array{first, {TALLY_CPU, 0}, 1, TALLY_INT64, count, nullptr, 0};
  };
  bool const given = random() % 2 == 0, exclusive = random() % 2 == 0, from_back = random() % 3 == 0;
  std::int64_t const count = segments + 1;
  tally_array const vv = values.view(), pv = offsets_view(places.data(), &count), sv = sums.view(), ov = scanned.view(),
                    lv = lasts.view(), iv = initials.view();
  tally_options options{};
  options.size = sizeof options;
  options.initial = given ? &iv : nullptr;
  options.flags = from_back ? static_cast<std::uint32_t>(TALLY_REVERSE) : 0u;
  tally_options scan_options = options;
  scan_options.last = &lv;
  scan_options.flags |= exclusive ? static_cast<std::uint32_t>(TALLY_EXCLUSIVE) : 0u;
  ASSERT_EQ(tally_reduce_segments(&vv, &pv, &sv, op, &options), TALLY_OK) << tally_last_message();
  ASSERT_EQ(tally_scan_segments(&vv, &pv, &ov, op, &scan_options), TALLY_OK) << tally_last_message();

  whole_array own_sums(of.to, {segments}, false), own_scanned(of.to, {n}, false), own_lasts(of.to, {segments}, false);
  on_ranks(size, [&](tally_ranks* ranks, int r) {
    auto const at = static_cast<std::size_t>(r);
    auto const number = [&](std::size_t rank) {
      if (rank == 0) return std::int64_t{0};
      if (rank + 1 == parts.size()) return segments;
      return static_cast<std::int64_t>(std::lower_bound(places.begin(), places.end() - 1, parts[rank]) -
                                       places.begin());
    };
    std::int64_t const first = number(at), behind = number(at + 1);
    std::int64_t const own_count = first == behind ? r % 2 : behind - first + 1;
    tally_array const own_places = offsets_view(places.data() + first, &own_count);
    part own_values(values, 0, parts, r), to(own_scanned, 0, parts, r), to_sums(own_sums, 0, first, behind),
        to_lasts(own_lasts, 0, first, behind), from(initials, 0, first, behind);
    tally_options own = options, own_scan = scan_options;
    own.initial = own_scan.initial = given ? &from.array : nullptr;
    own_scan.last = &to_lasts.array;
    ASSERT_EQ(tally_ranks_reduce_segments(ranks, &own_values.array, &own_places, &to_sums.array, op, &own), TALLY_OK)
        << tally_last_message();
    ASSERT_EQ(tally_ranks_scan_segments(ranks, &own_values.array, &own_places, &to.array, op, &own_scan), TALLY_OK)
        << tally_last_message();
  });
  std::string const what = "code " + std::to_string(of.to.code) + " bits " + std::to_string(of.to.bits) +
                           (from_back ? " from the back" : "") + (exclusive ? " exclusive" : "");
  expect_same(own_sums, sums, "reductions of segments, " + what);
  expect_same(own_scanned, scanned, "scans of segments, " + what);
  expect_same(own_lasts, lasts, "last values of segments, " + what);
}

TEST(c_ranks, segments)
{
  std::mt19937 random(10);
  for_each_operator_of_kinds(6, [&](kind const& of, tally_operation const* op) { try_segments(of, op, random); });
}

TEST(c_ranks, mistakes_in_segments)
{
  on_ranks(2, [](tally_ranks* ranks, int r) {
    std::vector<double> x(4, 1.0), sum(1);
    std::vector<std::int64_t> places{4 * r, 4 * r + 4};
    std::int64_t const four = 4, two = 2, one = 1;
    tally_array const values{x.data(), {TALLY_CPU, 0}, 1, TALLY_FLOAT64, &four, nullptr, 0},
        offsets{places.data(), {TALLY_CPU, 0}, 1, TALLY_INT64, &two, nullptr, 0},
        out{sum.data(), {TALLY_CPU, 0}, 1, TALLY_FLOAT64, &one, nullptr, 0};
    auto const expect = [&](std::int32_t status, char const* text) {
      EXPECT_EQ(status, TALLY_RANK_FAILED);
      EXPECT_NE(std::string(tally_last_message()).find(text), std::string::npos) << tally_last_message();
    };
    tally_options options{};
    options.size = sizeof options;
    options.flags = r == 1 ? static_cast<std::uint32_t>(TALLY_REVERSE) : 0u;
    expect(tally_ranks_reduce_segments(ranks, &values, &offsets, &out, TALLY_PLUS, &options),
           "operator 1, from the back. All ranks must make the same call");
    expect(tally_ranks_scan_segments(ranks, &values, &offsets, &out, TALLY_PLUS, nullptr), "out is 1; it should be 4");
    places[0] -= r;
    expect(tally_ranks_reduce_segments(ranks, &values, &offsets, &out, TALLY_PLUS, nullptr),
           "tally_ranks_reduce_segments: rank 1 of 2 failed: segments begin at 3 to 3, and this rank's part is from 4");
    places[0] += r;
    ASSERT_EQ(tally_ranks_reduce_segments(ranks, &values, &offsets, &out, TALLY_PLUS, nullptr), TALLY_OK)
        << tally_last_message();
    EXPECT_EQ(sum[0], 4.0);
  });
}

}  // namespace
}  // namespace tally_c_test
