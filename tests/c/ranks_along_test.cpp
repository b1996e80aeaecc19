#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "ranks_parts.hpp"
#include "tally.h"

/// Sequences along an axis that is divided among ranks: every result has the bits of the call on the whole.
namespace tally_c_test {
namespace {

void try_along(kind const& of, tally_operation const* op, std::mt19937& random)
{
  int const size = 1 + static_cast<int>(random() % 4);
  std::size_t const rank = 1 + random() % 3, axis = random() % rank;
  std::vector<std::int64_t> shape(rank), across;
  for (std::int64_t& extent : shape) extent = random() % 9 == 0 ? 0 : 1 + random() % 3;
  shape[axis] = length(random);
  across = shape;
  across.erase(across.begin() + static_cast<std::ptrdiff_t>(axis));
  bool const reduces = random() % 2 == 0, exclusive = !reduces && random() % 2 == 0,
             wants_last = !reduces && random() % 2 == 0;
  int const given = static_cast<int>(random() % 3), some = static_cast<int>(random() % 5);
  bool const turned = random() % 2 == 0,
             in_place = !reduces && random() % 4 == 0 && std::memcmp(&of.type, &of.to, sizeof of.to) == 0;
  whole_array in(of.type, shape, turned), initial(of.to, given == 2 ? across : std::vector<std::int64_t>(), turned);
  fill(in, random);
  fill(initial, random);
  auto const axis_given = static_cast<std::int32_t>(axis);
  std::string const what = "operator " + std::to_string(reinterpret_cast<std::size_t>(op)) + ", code " +
                           std::to_string(of.to.code) + ", bits " + std::to_string(of.to.bits) + ", " +
                           std::to_string(size) + " ranks, " + std::to_string(shape[axis]) + " elements" +
                           (exclusive ? ", exclusive" : "");

  whole_array out(of.to, reduces ? across : shape, turned), last(of.to, across, turned);
  tally_array const iv = initial.view(), inv = in.view(), lv = last.view();
  tally_options options{};
  options.size = sizeof options;
  options.flags = exclusive ? static_cast<std::uint32_t>(TALLY_EXCLUSIVE) : 0u;
  options.initial = given == 0 ? nullptr : &iv;
  options.last = wants_last ? &lv : nullptr;
  tally_array const ov = out.view();
  auto const call = reduces ? tally_reduce : tally_scan;
  ASSERT_EQ(call(&inv, axis_given, &ov, op, &options), TALLY_OK) << tally_last_message() << what;

  std::vector<std::int64_t> const offsets = division(shape[axis], size, random);
  whole_array results(of.to, shape, turned);
  if (in_place) results.memory = in.memory;
  on_ranks(size, [&](tally_ranks* ranks, int r) {
    part from(in_place ? results : in, axis, offsets, r), to(results, axis, offsets, r);
    whole_array reduced(of.to, across, turned), own_last(of.to, across, turned);
    // The other ranks' initial values are not those of the call.
    whole_array own_initial(of.to, initial.shape, turned);
    if (r == 0) own_initial.memory = initial.memory;
    tally_array const own_iv = own_initial.view(), own_lv = own_last.view();
    tally_array own_ov = reduced.view();
    if (r == some) own_ov.data = nullptr;
    tally_options own = options;
    own.threads = 1 + r % 2;
    own.initial = given == 0 ? nullptr : &own_iv;
    own.last = wants_last ? &own_lv : nullptr;
    auto const call_on_ranks = reduces ? tally_ranks_reduce : tally_ranks_scan;
    ASSERT_EQ(call_on_ranks(ranks, &from.array, axis_given, reduces ? &own_ov : &to.array, op, &own), TALLY_OK)
        << tally_last_message() << what;
    if (reduces && r != some) expect_same(reduced, out, what);
    if (wants_last) expect_same(own_last, last, "last, " + what);
  });
  if (!reduces) expect_same(results, out, what);
}

TEST(c_ranks, along_an_axis)
{
  std::mt19937 random(7);
  for_each_operator_of_kinds(12, [&](kind const& of, tally_operation const* op) { try_along(of, op, random); });
}

TEST(c_ranks, nothing_at_all)
{
  // The sum of nothing is +0.0, and so is the first result of an exclusive scan, on whichever rank it lies.
  on_ranks(3, [](tally_ranks* ranks, int r) {
    float result = 5, value = -0.0f;
    std::int64_t const none = 0, one = 1;
    tally_array const empty{&value, {TALLY_CPU, 0}, 1, TALLY_FLOAT32, &none, nullptr, 0},
        out{&result, {TALLY_CPU, 0}, 0, TALLY_FLOAT32, nullptr, nullptr, 0},
        in{&value, {TALLY_CPU, 0}, 1, TALLY_FLOAT32, r == 0 ? &none : &one, nullptr, 0},
        scanned{&result, {TALLY_CPU, 0}, 1, TALLY_FLOAT32, r == 0 ? &none : &one, nullptr, 0};
    ASSERT_EQ(tally_ranks_reduce(ranks, &empty, 0, &out, TALLY_PLUS, nullptr), TALLY_OK);
    EXPECT_TRUE(result == 0 && !std::signbit(result));
    tally_options options{};
    options.size = sizeof options;
    options.flags = TALLY_EXCLUSIVE;
    ASSERT_EQ(tally_ranks_scan(ranks, &in, 0, &scanned, TALLY_PLUS, &options), TALLY_OK);
    EXPECT_EQ(std::signbit(result), r == 2);
    // An operator without an identity has no reduction of nothing.
    tally_operation op = maps;
    op.identity = nullptr;
    tally_array no_maps = empty;
    no_maps.dtype = TALLY_BYTES(8);
    std::uint64_t map = 0;
    tally_array const to{&map, {TALLY_CPU, 0}, 0, TALLY_BYTES(8), nullptr, nullptr, 0};
    EXPECT_EQ(tally_ranks_reduce(ranks, &no_maps, 0, &to, &op, nullptr), TALLY_WRONG_ARGUMENT);
  });
}

TEST(c_ranks, linear_recurrences)
{
  std::mt19937 random(8);
  tally_type const types[] = {TALLY_INT32, TALLY_FLOAT32, TALLY_FLOAT64};
  for (int round = 0; round < 40; ++round) {
    tally_type const type = types[random() % 3];
    int const size = 1 + static_cast<int>(random() % 4);
    bool const one_factor = random() % 3 == 0, in_place = random() % 3 == 0, turned = random() % 2 == 0,
               given = random() % 2 == 0;
    std::vector<std::int64_t> const shape{3, length(random)}, across{3};
    whole_array a(type, one_factor ? std::vector<std::int64_t>() : shape, turned), b(type, shape, turned),
        out(type, shape, turned), last(type, across, turned), initial(type, across, turned);
    for (whole_array* each : {&a, &b, &initial}) fill(*each, random);
    if (round % 5 == 0 && type.code == TALLY_FLOAT && b.count() > 0 && !one_factor)  // infinite from here on
      std::memset(a.data() + random() % a.count() * a.bytes(), 0x7e, a.bytes());
    tally_array const av = a.view(), bv = b.view(), ov = out.view(), lv = last.view(), iv = initial.view();
    tally_options options{};
    options.size = sizeof options;
    options.last = &lv;
    options.initial = given ? &iv : nullptr;
    ASSERT_EQ(tally_linear_recurrence(&av, &bv, 1, &ov, &options), TALLY_OK) << tally_last_message();
    std::vector<std::int64_t> const offsets = division(shape[1], size, random);
    whole_array results(type, shape, turned);
    if (in_place) results.memory = b.memory;
    on_ranks(size, [&](tally_ranks* ranks, int r) {
      auto const begin = offsets[static_cast<std::size_t>(r)], end = offsets[static_cast<std::size_t>(r) + 1];
      part terms(in_place ? results : b, 1, begin, end), states(results, 1, begin, end);
      tally_array factors = av;
      std::vector<std::int64_t> const own_shape{3, end - begin};
      if (!one_factor) {
        factors.shape = own_shape.data();
        factors.byte_offset = static_cast<std::uint64_t>(begin * a.strides[1]) * a.bytes();
      }
      whole_array own_last(type, across, turned);
      tally_array const own_lv = own_last.view();
      tally_options own = options;
      own.last = &own_lv;
      ASSERT_EQ(tally_ranks_linear_recurrence(ranks, &factors, &terms.array, 1, &states.array, &own), TALLY_OK)
          << tally_last_message();
      expect_same(own_last, last, "last states");
    });
    expect_same(results, out, "states, round " + std::to_string(round));
  }
}

}  // namespace
}  // namespace tally_c_test
