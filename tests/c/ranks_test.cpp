#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "tally.h"
#include "tests/support/virtual_ranks.hpp"

/// Calls on ranks: every result has the bits of the call on the whole. Ranks are threads; each one's part is a view of
/// the whole array.
namespace {

using tally::test::virtual_transport;
using tally::test::world;

/// A transport of tally.h over that of threads. An exception would end the test.
tally_transport functions_of(virtual_transport& by)
{
  static constexpr auto at = [](void* context) -> virtual_transport& {
    return *static_cast<virtual_transport*>(context);
  };
  tally_transport result{};
  result.size = sizeof result;
  result.context = &by;
  result.rank = by.rank();
  result.ranks = by.size();
  result.allgather = [](void* context, void const* mine, void* all, std::size_t bytes) {
    at(context).allgather(static_cast<std::byte const*>(mine), static_cast<std::byte*>(all), bytes);
    return std::int32_t{0};
  };
  result.allgatherv = [](void* context, void const* mine, void* all, std::size_t const* bytes) {
    std::span const counts(bytes, static_cast<std::size_t>(at(context).size()));
    at(context).allgather(static_cast<std::byte const*>(mine), static_cast<std::byte*>(all), counts, 1);
    return std::int32_t{0};
  };
  result.broadcast = [](void* context, void* data, std::size_t bytes, std::int32_t from) {
    at(context).broadcast(static_cast<std::byte*>(data), bytes, from);
    return std::int32_t{0};
  };
  result.add_up = [](void* context, std::uint64_t* numbers, std::size_t count) {
    at(context).add_up(numbers, count);
    return std::int32_t{0};
  };
  result.send = [](void* context, std::int32_t to, void const* data, std::size_t bytes) {
    at(context).send(to, static_cast<std::byte const*>(data), 1, bytes);
    return std::int32_t{0};
  };
  result.receive = [](void* context, std::int32_t from, void* data, std::size_t bytes) {
    at(context).receive(from, static_cast<std::byte*>(data), 1, bytes);
    return std::int32_t{0};
  };
  result.wait = [](void* context, std::int32_t* all_came) {
    *all_came = at(context).wait();
    return std::int32_t{0};
  };
  return result;
}

/// Runs body(ranks, rank) on the threads of `size` ranks.
template <class Body>
void on_ranks(int size, Body const& body)
{
  world all(size);
  tally::test::on_threads(all, [&](int rank) {
    virtual_transport by(all, rank);
    tally_transport const functions = functions_of(by);
    tally_ranks* ranks = nullptr;
    ASSERT_EQ(tally_ranks_create(&functions, &ranks), TALLY_OK) << tally_last_message();
    body(ranks, rank);
    tally_ranks_destroy(ranks);
  });
}

/// An array with memory of its own, without gaps, in the order of its axes or in the reverse one.
struct whole_array {
  tally_type type;
  std::vector<std::int64_t> shape, strides;
  std::vector<std::uint64_t> memory;

  whole_array(tally_type of, std::vector<std::int64_t> extents, bool turned) : type(of), shape(std::move(extents))
  {
    std::int64_t count = 1;
    strides.resize(shape.size());
    for (std::size_t k = 0; k < shape.size(); ++k) {
      std::size_t const d = turned ? k : shape.size() - 1 - k;
      strides[d] = count;
      count *= shape[d];
    }
    memory.assign(static_cast<std::size_t>(count) * bytes() / 8 + 1, 0x5555555555555555);
  }
  std::size_t bytes() const { return type.bits * type.lanes / 8u; }
  std::size_t count() const
  {
    std::size_t result = 1;
    for (std::int64_t const extent : shape) result *= static_cast<std::size_t>(extent);
    return result;
  }
  std::byte* data() { return reinterpret_cast<std::byte*>(memory.data()); }
  tally_array view()
  {
    return {data(), {TALLY_CPU, 0}, static_cast<std::int32_t>(shape.size()), type, shape.data(), strides.data(), 0};
  }
};

/// The places [begin, end) of an array along an axis.
struct part {
  std::vector<std::int64_t> shape;
  tally_array array;

  part(whole_array& of, std::size_t axis, std::int64_t begin, std::int64_t end) : shape(of.shape), array(of.view())
  {
    shape[axis] = end - begin;
    array.shape = shape.data();
    array.byte_offset = static_cast<std::uint64_t>(begin * of.strides[axis]) * of.bytes();
  }
};

std::vector<std::int64_t> division(std::int64_t n, int ranks, std::mt19937& random)
{
  std::vector<std::int64_t> offsets{0, n};
  for (int r = 1; r < ranks; ++r)
    offsets.push_back(random() % 4 == 0 ? offsets.back()
                                        : static_cast<std::int64_t>(random() % static_cast<unsigned>(n + 1)));
  std::sort(offsets.begin(), offsets.end());
  return offsets;
}

void fill(whole_array& array, std::mt19937& random)
{
  std::size_t const count = array.count();
  auto const number = [&] {
    return std::ldexp(static_cast<double>(random()) - 0x1p31, static_cast<int>(random() % 40) - 60);
  };
  for (std::size_t k = 0; k < count * array.type.lanes; ++k) {
    std::byte* const at = array.data() + k * array.type.bits / 8u;
    auto const put = [&](auto value) { std::memcpy(at, &value, sizeof value); };
    switch (array.type.code * 1000 + array.type.bits) {
      case TALLY_FLOAT * 1000 + 32: put(random() % 50 == 0 ? -0.0f : static_cast<float>(number())); break;
      case TALLY_FLOAT * 1000 + 64: put(number()); break;
      case TALLY_FLOAT * 1000 + 16: put(static_cast<std::uint16_t>(random() % 0x7c00 | random() % 2 << 15)); break;
      case TALLY_BFLOAT * 1000 + 16: put(static_cast<std::uint16_t>(random() % 0x7f80)); break;
      case TALLY_COMPLEX * 1000 + 64:
      case TALLY_COMPLEX * 1000 + 128:
        for (unsigned half = 0; half < 2; ++half)
          if (array.type.bits == 64) {
            float const value = static_cast<float>(number());
            std::memcpy(at + half * 4, &value, 4);
          } else {
            double const value = number();
            std::memcpy(at + half * 8, &value, 8);
          }
        break;
      case TALLY_BOOL * 1000 + 8: put(static_cast<std::uint8_t>(random() % 2)); break;
      default:
        for (unsigned b = 0; b < array.type.bits / 8u; ++b) at[b] = static_cast<std::byte>(random());
    }
  }
}

void expect_same(whole_array& ranks, whole_array& one, std::string const& what)
{
  EXPECT_EQ(std::memcmp(ranks.data(), one.data(), one.count() * one.bytes()), 0) << what;
}

/// The later of two affine maps after the earlier one, modulo 2^32: associative, and not commutative.
void compose(void*, void const* left, void const* right, void* result)
{
  std::uint32_t f[2], g[2];
  std::memcpy(f, left, sizeof f);
  std::memcpy(g, right, sizeof g);
  std::uint32_t const both[2] = {f[0] * g[0], f[1] * g[0] + g[1]};
  std::memcpy(result, both, sizeof both);
}
std::uint32_t const same_map[2] = {1, 0};
tally_operation const maps{sizeof(tally_operation), compose, nullptr, same_map, TALLY_ON_THREADS};

struct kind {
  tally_type type, to;
  std::vector<tally_operation const*> operators;
};
std::vector<kind> const kinds{
    {TALLY_INT8, TALLY_INT8, {TALLY_PLUS, TALLY_TIMES, TALLY_MINIMUM, TALLY_MAXIMUM, TALLY_BIT_AND}},
    {TALLY_INT16, TALLY_INT64, {TALLY_PLUS, TALLY_MAXIMUM}},
    {TALLY_UINT32, TALLY_UINT32, {TALLY_PLUS, TALLY_MINIMUM, TALLY_MAXIMUM, TALLY_BIT_OR, TALLY_BIT_XOR}},
    {TALLY_INT64, TALLY_INT64, {TALLY_PLUS, TALLY_MINIMUM, TALLY_MAXIMUM}},
    {TALLY_UINT64, TALLY_UINT64, {TALLY_MAXIMUM, TALLY_BIT_AND}},
    {TALLY_BOOL8,
     TALLY_BOOL8,
     {TALLY_PLUS, TALLY_TIMES, TALLY_MINIMUM, TALLY_MAXIMUM, TALLY_BIT_AND, TALLY_BIT_OR, TALLY_BIT_XOR}},
    {TALLY_BOOL8, TALLY_INT32, {TALLY_PLUS}},
    {TALLY_FLOAT32,
     TALLY_FLOAT32,
     {nullptr, TALLY_TIMES, TALLY_MINIMUM, TALLY_MAXIMUM, TALLY_EXACT_PLUS, TALLY_LOG_SUM_EXP}},
    {TALLY_FLOAT64,
     TALLY_FLOAT64,
     {TALLY_PLUS, TALLY_TIMES, TALLY_MINIMUM, TALLY_MAXIMUM, TALLY_EXACT_PLUS, TALLY_LOG_SUM_EXP}},
    {TALLY_FLOAT16, TALLY_FLOAT16, {TALLY_PLUS, TALLY_EXACT_PLUS}},
    {TALLY_BFLOAT16, TALLY_BFLOAT16, {TALLY_MAXIMUM, TALLY_EXACT_PLUS}},
    {TALLY_COMPLEX64, TALLY_COMPLEX64, {TALLY_PLUS, TALLY_TIMES}},
    {TALLY_COMPLEX128, TALLY_COMPLEX128, {TALLY_PLUS, TALLY_TIMES}},
    {TALLY_BYTES(8), TALLY_BYTES(8), {&maps}},
};

/// A random number of elements, of which a tile of 32 KiB has a few thousand.
std::int64_t length(std::mt19937& random)
{
  return static_cast<std::int64_t>(random() % 3 == 0 ? random() % 30000 : random() % 40);
}

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
    auto const begin = offsets[static_cast<std::size_t>(r)], end = offsets[static_cast<std::size_t>(r) + 1];
    part from(in_place ? results : in, axis, begin, end), to(results, axis, begin, end);
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
  for (int round = 0; round < 12; ++round)
    for (kind const& each : kinds)
      for (tally_operation const* op : each.operators) {
        try_along(each, op, random);
        if (HasFatalFailure() || HasNonfatalFailure()) return;
      }
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
    part own_keys(keys, 0, offsets[at], offsets[at + 1]), own_values(values, 0, offsets[at], offsets[at + 1]);
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
    auto const place = static_cast<std::size_t>(r);
    part own_keys(keys, 0, offsets[place], offsets[place + 1]),
        own_values(values, 0, offsets[place], offsets[place + 1]), to(results, 0, offsets[place], offsets[place + 1]);
    ASSERT_EQ(tally_ranks_scan_by_key(ranks, &own_keys.array, &own_values.array, &to.array, op, &options), TALLY_OK)
        << tally_last_message();
  });
  expect_same(results, out, "scan by key");
}

TEST(c_ranks, by_key)
{
  std::mt19937 random(9);
  for (int round = 0; round < 6; ++round)
    for (kind const& each : kinds)
      for (tally_operation const* op : each.operators) {
        if (op == TALLY_EXACT_PLUS) continue;
        try_by_key(each, op, random);
        if (HasFatalFailure() || HasNonfatalFailure()) return;
      }
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
  bool const given = random() % 2 == 0, exclusive = random() % 2 == 0;
  std::int64_t const count = segments + 1;
  tally_array const vv = values.view(), pv = offsets_view(places.data(), &count), sv = sums.view(), ov = scanned.view(),
                    lv = lasts.view(), iv = initials.view();
  tally_options options{};
  options.size = sizeof options;
  options.initial = given ? &iv : nullptr;
  tally_options scan_options = options;
  scan_options.last = &lv;
  scan_options.flags = exclusive ? static_cast<std::uint32_t>(TALLY_EXCLUSIVE) : 0u;
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
    part own_values(values, 0, parts[at], parts[at + 1]), to(own_scanned, 0, parts[at], parts[at + 1]),
        to_sums(own_sums, 0, first, behind), to_lasts(own_lasts, 0, first, behind), from(initials, 0, first, behind);
    tally_options own = options, own_scan = scan_options;
    own.initial = own_scan.initial = given ? &from.array : nullptr;
    own_scan.last = &to_lasts.array;
    ASSERT_EQ(tally_ranks_reduce_segments(ranks, &own_values.array, &own_places, &to_sums.array, op, &own), TALLY_OK)
        << tally_last_message();
    ASSERT_EQ(tally_ranks_scan_segments(ranks, &own_values.array, &own_places, &to.array, op, &own_scan), TALLY_OK)
        << tally_last_message();
  });
  std::string const what = "code " + std::to_string(of.to.code) + " bits " + std::to_string(of.to.bits);
  expect_same(own_sums, sums, "reductions of segments, " + what);
  expect_same(own_scanned, scanned, "scans of segments, " + what);
  expect_same(own_lasts, lasts, "last values of segments, " + what);
}

TEST(c_ranks, segments)
{
  std::mt19937 random(10);
  for (int round = 0; round < 6; ++round)
    for (kind const& each : kinds)
      for (tally_operation const* op : each.operators) {
        if (op == TALLY_EXACT_PLUS) continue;
        try_segments(each, op, random);
        if (HasFatalFailure() || HasNonfatalFailure()) return;
      }
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
    options.flags = TALLY_REVERSE;
    expect(tally_ranks_reduce_segments(ranks, &values, &offsets, &out, TALLY_PLUS, &options), "TALLY_REVERSE on ranks");
    expect(tally_ranks_reduce_segments(ranks, &values, &offsets, &out, TALLY_EXACT_PLUS, nullptr),
           "TALLY_EXACT_PLUS of segments, on ranks");
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

TEST(c_ranks, histograms)
{
  std::mt19937 random(10);
  std::vector<std::int64_t> const shape{5000};
  whole_array values(TALLY_FLOAT32, shape, false);
  for (std::size_t k = 0; k < 5000; ++k) {
    auto const value = static_cast<float>(random() % 1000) / 1000;
    std::memcpy(values.data() + k * 4, &value, 4);
  }
  std::vector<std::int64_t> counts(10), of_edges(3);
  double const edges[] = {0, 0.25, 0.5, 1};
  std::int64_t const ten = 10, three = 3, four = 4;
  tally_array const vv = values.view(), cv{counts.data(), {TALLY_CPU, 0}, 1, TALLY_INT64, &ten, nullptr, 0},
                    ecv{of_edges.data(), {TALLY_CPU, 0}, 1, TALLY_INT64, &three, nullptr, 0},
                    ev{const_cast<double*>(edges), {TALLY_CPU, 0}, 1, TALLY_FLOAT64, &four, nullptr, 0};
  ASSERT_EQ(tally_histogram(&vv, nullptr, 0, 1, &cv, nullptr), TALLY_OK);
  ASSERT_EQ(tally_histogram_of_edges(&vv, nullptr, &ev, &ecv, nullptr), TALLY_OK);
  std::vector<std::int64_t> const offsets = division(5000, 3, random);
  on_ranks(3, [&](tally_ranks* ranks, int r) {
    auto const at = static_cast<std::size_t>(r);
    part own(values, 0, offsets[at], offsets[at + 1]);
    std::vector<std::int64_t> mine(10), mine_of_edges(3);
    tally_array to = cv, to_of_edges = ecv;
    to.data = mine.data();
    to_of_edges.data = mine_of_edges.data();
    ASSERT_EQ(tally_ranks_histogram(ranks, &own.array, 0, 1, &to, nullptr), TALLY_OK) << tally_last_message();
    ASSERT_EQ(tally_ranks_histogram_of_edges(ranks, &own.array, &ev, &to_of_edges, nullptr), TALLY_OK)
        << tally_last_message();
    EXPECT_EQ(mine, counts);
    EXPECT_EQ(mine_of_edges, of_edges);
    // Other bins are another call.
    EXPECT_EQ(tally_ranks_histogram(ranks, &own.array, 0, r == 1 ? 2 : 1, &to, nullptr), TALLY_RANK_FAILED);
    EXPECT_EQ(tally_last_failed_rank(), 1);
  });
}

TEST(c_ranks, one_fails_and_all_hear_of_it)
{
  on_ranks(3, [](tally_ranks* ranks, int r) {
    float value = 1, result = 0;
    std::int64_t const one = 1;
    tally_array in{&value, {TALLY_CPU, 0}, 1, TALLY_FLOAT32, &one, nullptr, 0};
    tally_array const out{&result, {TALLY_CPU, 0}, 0, TALLY_FLOAT32, nullptr, nullptr, 0};
    auto const expect = [&](std::int32_t status, std::string const& message) {
      EXPECT_EQ(status, TALLY_RANK_FAILED);
      EXPECT_NE(std::string(tally_last_message()).find(message), std::string::npos) << tally_last_message();
    };
    // Arguments that are wrong on one rank.
    expect(tally_ranks_reduce(ranks, &in, r == 1 ? 7 : 0, &out, TALLY_PLUS, nullptr),
           "tally_ranks_reduce: rank 1 of 3 failed: ");
    EXPECT_EQ(tally_last_failed_rank(), 1);
    expect(tally_ranks_scan(ranks, r == 2 ? nullptr : &in, 0, &in, TALLY_PLUS, nullptr),
           "rank 2 of 3 failed: in is a null pointer");
    // Calls that differ.
    expect(tally_ranks_reduce(ranks, &in, 0, &out, r == 1 ? TALLY_TIMES : TALLY_PLUS, nullptr),
           "the ranks make different calls");
    expect(r == 0 ? tally_ranks_scan(ranks, &in, 0, &in, TALLY_PLUS, nullptr)
                  : tally_ranks_reduce(ranks, &in, 0, &out, TALLY_PLUS, nullptr),
           "the ranks make different calls");
    // A rank that makes no call.
    expect(r == 1 ? tally_ranks_agree(ranks, "the disk is full")
                  : tally_ranks_reduce(ranks, &in, 0, &out, TALLY_PLUS, nullptr),
           "rank 1 of 3 failed: the disk is full");
    EXPECT_EQ(tally_ranks_agree(ranks, nullptr), TALLY_OK);
    // Calls without code for ranks are refused.
    tally_options options{};
    options.size = sizeof options;
    options.flags = TALLY_REVERSE;
    expect(tally_ranks_scan(ranks, &in, 0, &in, TALLY_PLUS, &options), "rank 0 of 3 failed: TALLY_REVERSE on ranks");
    // Then the next call is right.
    ASSERT_EQ(tally_ranks_reduce(ranks, &in, 0, &out, TALLY_PLUS, nullptr), TALLY_OK) << tally_last_message();
    EXPECT_EQ(result, 3);
  });
}

TEST(c_ranks, wrong_arguments)
{
  EXPECT_EQ(tally_ranks_agree(nullptr, nullptr), TALLY_WRONG_ARGUMENT);
  world all(1);
  virtual_transport by(all, 0);
  tally_transport functions = functions_of(by);
  tally_ranks* ranks = nullptr;
  EXPECT_EQ(tally_ranks_create(nullptr, &ranks), TALLY_WRONG_ARGUMENT);
  EXPECT_EQ(tally_ranks_create(&functions, nullptr), TALLY_WRONG_ARGUMENT);
  for (auto const& spoil : std::vector<std::function<void(tally_transport&)>>{
           [](tally_transport& t) { t.size = 8; }, [](tally_transport& t) { t.rank = 1; },
           [](tally_transport& t) { t.ranks = 0; }, [](tally_transport& t) { t.allgather = nullptr; },
           [](tally_transport& t) { t.wait = nullptr; }}) {
    tally_transport wrong = functions;
    spoil(wrong);
    EXPECT_EQ(tally_ranks_create(&wrong, &ranks), TALLY_WRONG_ARGUMENT);
  }
  // A transport that fails.
  functions.allgather = [](void*, void const*, void*, std::size_t) { return std::int32_t{9}; };
  ASSERT_EQ(tally_ranks_create(&functions, &ranks), TALLY_OK);
  EXPECT_EQ(tally_ranks_agree(ranks, nullptr), TALLY_FAILED);
  EXPECT_STREQ(tally_last_message(), "tally_ranks_agree: the transport's allgather returned 9");
  tally_ranks_destroy(ranks);
}

}  // namespace
