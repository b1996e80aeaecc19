#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tally.h"
#include "tests/support/virtual_ranks.hpp"

/// Arrays in parts, one a rank, as the C interface takes them. Ranks are threads; each one's part is a view of the
/// whole array.
namespace tally_c_test {

using tally::test::virtual_transport;
using tally::test::world;

/// A transport of tally.h over that of threads. An exception would end the test.
inline tally_transport functions_of(virtual_transport& by)
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
  /// That of a rank, if `offsets` divide the axis.
  part(whole_array& of, std::size_t axis, std::vector<std::int64_t> const& offsets, int rank)
      : part(of, axis, offsets[static_cast<std::size_t>(rank)], offsets[static_cast<std::size_t>(rank) + 1])
  {
  }
};

/// The offsets of random parts of n elements; some are empty.
inline std::vector<std::int64_t> division(std::int64_t n, int ranks, std::mt19937& random)
{
  std::vector<std::int64_t> offsets{0, n};
  for (int r = 1; r < ranks; ++r)
    offsets.push_back(random() % 4 == 0 ? offsets.back()
                                        : static_cast<std::int64_t>(random() % static_cast<unsigned>(n + 1)));
  std::sort(offsets.begin(), offsets.end());
  return offsets;
}

inline void fill(whole_array& array, std::mt19937& random)
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

inline void expect_same(whole_array& ranks, whole_array& one, std::string const& what)
{
  EXPECT_EQ(std::memcmp(ranks.data(), one.data(), one.count() * one.bytes()), 0) << what;
}

/// The later of two affine maps after the earlier one, modulo 2^32: associative, and not commutative.
inline void compose(void*, void const* left, void const* right, void* result)
{
  std::uint32_t f[2], g[2];
  std::memcpy(f, left, sizeof f);
  std::memcpy(g, right, sizeof g);
  std::uint32_t const both[2] = {f[0] * g[0], f[1] * g[0] + g[1]};
  std::memcpy(result, both, sizeof both);
}
inline std::uint32_t const same_map[2] = {1, 0};
inline tally_operation const maps{sizeof(tally_operation), compose, nullptr, same_map, TALLY_ON_THREADS};

/// Elements and results of calls, and the operators that they take.
struct kind {
  tally_type type, to;
  std::vector<tally_operation const*> operators;
};
inline std::vector<kind> const kinds{
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

/// Calls trial(kind, operator) for every operator of every kind, `rounds` times, until one has failed.
template <class Trial>
void for_each_operator_of_kinds(int rounds, Trial const& trial)
{
  for (int round = 0; round < rounds; ++round)
    for (kind const& each : kinds)
      for (tally_operation const* op : each.operators) {
        trial(each, op);
        if (testing::Test::HasFailure()) return;
      }
}

/// A random number of elements, of which a tile of 32 KiB has a few thousand.
inline std::int64_t length(std::mt19937& random)
{
  return static_cast<std::int64_t>(random() % 3 == 0 ? random() % 30000 : random() % 40);
}

}  // namespace tally_c_test
