// Columns on a GPU (detail/cuda/batch/columns.cuh) against the slow implementation of the order, one sequence at a
// time. Each size takes its turn with arrays, ends and thresholds that are drawn anew. Every byte that may be written
// is compared.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../../order/reference.hpp"
#include "../device_array.hpp"
#include "tally/cuda.hpp"
#include "tally/detail/cuda/batch/columns.cuh"
#include "tally/half.hpp"
#include "tally/operators.hpp"

namespace tally::test {
namespace {

using cuda_backend::work;
using detail::batch::layout;

std::map<std::string, std::size_t>& paths()
{
  static std::map<std::string, std::size_t> counts;
  return counts;
}
std::string& last_path()
{
  static std::string path;
  return path;
}

/// Numbers that follow from a seed.
class draws {
public:
  explicit draws(std::size_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return engine_() % n; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class V>
  V of(std::initializer_list<V> all)
  {
    return all.begin()[below(all.size())];
  }

private:
  std::mt19937_64 engine_;
};

/// The places of an array [outer][size][inner] in memory.
struct places {
  std::ptrdiff_t outer, along, inner;
  std::size_t first, memory;

  std::size_t at(std::size_t o, std::size_t k, std::size_t i) const
  {
    auto const s = [](std::size_t n) { return static_cast<std::ptrdiff_t>(n); };
    return static_cast<std::size_t>(s(first) + s(o) * outer + s(k) * along + s(i) * inner);
  }
};
/// With a `unit` of more than one element, all distances are multiples of it.
places drawn_places(draws& by, std::size_t outer, std::size_t size, std::size_t inner, bool dense, std::size_t unit)
{
  std::size_t const guard = 40;
  std::size_t const step = dense || unit > 1 ? 1 : by.of<std::size_t>({1, 1, 1, 2});
  std::size_t const row = dense ? inner : (inner - 1) * step + 1 + unit * by.of<std::size_t>({1, 3, 16});
  std::size_t const plane = row * size + (dense && by.one_in(2) ? 0 : unit * by.of<std::size_t>({0, 1, 16}));
  places result{static_cast<std::ptrdiff_t>(plane), static_cast<std::ptrdiff_t>(row), static_cast<std::ptrdiff_t>(step),
                unit * (guard + by.of<std::size_t>({0, 8, 1, 3})), 0};
  result.memory = result.first + plane * outer + guard;
  return result;
}
/// The same places with the sequences turned around.
places turned(places from, std::size_t size)
{
  from.first = from.at(0, size - 1, 0);
  from.along = -from.along;
  return from;
}

template <class T>
std::vector<T> poisoned(std::size_t n)
{
  std::vector<T> result(n);
  std::memset(static_cast<void*>(result.data()), 0xA5, n * sizeof(T));
  return result;
}

/// Calls on columns of up to 7 different sequences. `Value` makes element k of a T.
template <class T, class Op, class Value>
class columns_test {
public:
  columns_test(std::string name, std::size_t most, Value const& value) : name_(std::move(name))
  {
    detail::observer_of_paths = [](char const* path, char const*) {
      ++paths()[path];
      last_path() = path;
    };
    for (std::size_t q = 0; q < different; ++q) {
      std::vector<T> x;
      for (std::size_t k = 0; k < most; ++k) x.push_back(value(q * most + k));
      elements_.push_back(std::move(x));
      initials_.push_back(value(q + 77'777'777));
      for (int from = 0; from < 3; ++from) {
        std::optional<T> init;
        if (from > 0) init = initials_[from == 1 ? 0 : q];
        expected_[from].push_back(reference::scan<T>(elements_[q], Op{}, init).inclusive);
      }
    }
  }
  ~columns_test()
  {
    cuda_backend::tuning_in_use() = {};
    detail::observer_of_paths = nullptr;
  }

  void at(std::size_t size, std::size_t calls)
  {
    for (std::size_t call = 0; call < calls && !::testing::Test::HasFailure(); ++call) one(size, call);
  }

private:
  static constexpr std::size_t different = 7;

  void one(std::size_t size, std::size_t number)
  {
    draws by(size * 1009 + number * 31 + sizeof(T));
    work const what = by.of({work::inclusive_scan, work::inclusive_scan, work::exclusive_scan, work::reduce});
    bool const reduces = what == work::reduce;
    // A block has up to 4000 planes.
    bool const many_planes = size <= 64 && by.one_in(8);
    std::size_t const room = std::max<std::size_t>(2, (size > 4096 ? 60'000 : many_planes ? 200'000 : 20'000) / size);
    // Every other call has all rows in whole 16 bytes, as boxes must have them.
    std::size_t const unit = by.one_in(2) && !many_planes ? 16 / sizeof(T) : 1;
    std::size_t const columns = 2 + by.below(std::min<std::size_t>(room, by.of<std::size_t>({2, 15, 40, 150})));
    std::size_t const inner = (columns + unit - 1) / unit * unit;
    std::size_t const outer =
        1 + by.below(std::min<std::size_t>(std::max<std::size_t>(1, room / inner), many_planes ? 6000 : 5));
    bool const dense = many_planes || by.one_in(2);
    places in = drawn_places(by, outer, size, inner, dense, unit);
    bool const in_place = !reduces && by.one_in(4);
    places out = in_place ? in : drawn_places(by, outer, size, inner, dense && !by.one_in(4), unit);
    if (reduces) out = drawn_places(by, outer, 1, inner, true, 1);
    bool const turn_both = by.one_in(4), turn_one = !turn_both && !in_place && by.one_in(4);
    if (turn_both || turn_one) in = turned(in, size);
    if (turn_both && !reduces) out = in_place ? in : turned(out, size);
    int const from = what == work::exclusive_scan ? 1 + static_cast<int>(by.below(2)) : static_cast<int>(by.below(3));
    bool const with_lasts = !reduces && by.one_in(3);

    layout where;
    auto const s = [](std::size_t n) { return static_cast<std::ptrdiff_t>(n); };
    where.along = {size, {in.along, reduces ? 0 : out.along, 0, 0}};
    where.dimensions = 2;
    where.across[0] = {outer, {in.outer, out.outer, from == 2 ? s(inner) : 0, with_lasts ? s(inner) : 0}};
    where.across[1] = {inner, {in.inner, out.inner, from == 2 ? 1 : 0, with_lasts ? 1 : 0}};
    where = detail::batch::simplified(where);

    std::vector<T> input = poisoned<T>(in.memory);
    std::vector<T> start, lasts = poisoned<T>(outer * inner), before_lasts = lasts;
    for (std::size_t o = 0; o < outer; ++o)
      for (std::size_t i = 0; i < inner; ++i) {
        std::size_t const q = (o * inner + i) % different;
        for (std::size_t k = 0; k < size; ++k) input[in.at(o, k, i)] = elements_[q][k];
        start.push_back(initials_[q]);
      }
    std::vector<T> const before = in_place ? input : poisoned<T>(out.memory);
    std::vector<T> right = before;
    for (std::size_t o = 0; o < outer; ++o)
      for (std::size_t i = 0; i < inner; ++i) {
        std::size_t const q = (o * inner + i) % different;
        std::vector<T> const& inclusive = expected_[from][q];
        T const& init = initials_[from == 1 ? 0 : q];
        if (reduces) {
          right[out.at(o, 0, i)] = inclusive[size - 1];
          continue;
        }
        for (std::size_t k = 0; k < size; ++k)
          right[out.at(o, k, i)] = what == work::inclusive_scan ? inclusive[k] : k == 0 ? init : inclusive[k - 1];
        if (with_lasts) lasts[o * inner + i] = inclusive[size - 1];
      }

    auto& tuned = cuda_backend::tuning_in_use();
    tuned = {};
    tuned.plane_elements = by.of<std::size_t>({0, 64, 64});
    tuned.box_elements = by.of<std::size_t>({1, 86, 1'000'000'000});
    tuned.box_percent = by.of<std::size_t>({0, 0, 75});
    tuned.box_rows_of_many = by.of<std::size_t>({0, 16});
    tuned.column_copies = by.of<std::uint32_t>({1, 2, 4, 12});
    tuned.column_panel = by.of<std::uint32_t>({1, 2, 1024});
    tuned.processors = by.of({0, 0, 1, 3});
    tuned.stretch_columns = by.of<std::size_t>({0, 31, 128});
    tuned.column_width = tuned.unaligned_column_width = by.of({8, 16, 32, 64, 128});
    tuned.many_columns_width = by.of({8, 64, 128});
    tuned.column_groups_walked = by.of<std::size_t>({0, 1'000'000});

    device_array<T> const device_in(input), device_out(before), device_start(start), device_lasts(before_lasts);
    detail::batch::ends<T> ends;
    if (from == 1) ends.initial = initials_[0];
    if (from == 2) ends.initials = device_start.begin();
    if (with_lasts) ends.lasts = device_lasts.begin();
    T* const to = (in_place ? device_in.begin() : device_out.begin()) + out.first;
    bool taken = false;
    {
      cuda_backend::prepared_call call(cuda{stream_, by.one_in(10) ? no_room_ : space_}, "tally::test");
      taken = cuda_backend::run_columns(call, what, where, device_in.begin() + in.first, to, ends, Op{});
    }
    check_cuda(cudaGetLastError());
    stream_.wait();
    ++paths()[last_path() + (what == work::exclusive_scan ? ", exclusive" : ", inclusive") +
              (in.along < 0 ? ", backward" : "")];
    auto const said = [&] {
      return name_ + ", size " + std::to_string(size) + ", call " + std::to_string(number) + ", " +
             (reduces                        ? "reduce"
              : what == work::inclusive_scan ? "inclusive"
                                             : "exclusive") +
             ", [" + std::to_string(outer) + "][][" + std::to_string(inner) + "], steps " + std::to_string(in.along) +
             " " + std::to_string(out.along) + (in_place ? ", in place" : "") + ", initial " + std::to_string(from) +
             ", by " + last_path();
    };
    ASSERT_TRUE(taken) << said();
    compare(in_place ? device_in.values() : device_out.values(), right, said() + ": results");
    compare(device_lasts.values(), lasts, said() + ": last values");
  }

  static void compare(std::vector<T> const& found, std::vector<T> const& right, std::string const& said)
  {
    std::size_t wrong = 0, first = 0;
    for (std::size_t k = 0; k < right.size(); ++k)
      if (std::memcmp(&found[k], &right[k], sizeof(T)) != 0 && wrong++ == 0) first = k;
    EXPECT_EQ(wrong, 0) << said << " differ, of " << right.size() << ", first at " << first;
  }

  std::string name_;
  std::vector<std::vector<T>> elements_;
  std::vector<T> initials_;
  std::vector<std::vector<T>> expected_[3];
  cuda::workspace space_;
  static constexpr std::size_t no_room_bytes = cuda::workspace::header_bytes + 16 * sizeof(std::uint64_t);
  device_array<std::uint64_t> memory_{no_room_bytes / sizeof(std::uint64_t)};
  cuda::workspace no_room_{memory_.begin(), no_room_bytes};
  stream stream_;
};

/// All sizes up to a few groups, and those around groups, rows, strips, tiles and spans.
template <class T, class Op, class Value>
void expect_columns(std::string const& name, Value const& value)
{
  std::size_t const row = order::row<T>;
  std::vector<std::size_t> sizes;
  for (std::size_t n = 1; n <= std::min<std::size_t>(150, row + 20); ++n) sizes.push_back(n);
  for (std::size_t rows : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 32, 56, 63, 64, 65, 72, 100, 127, 128, 129, 200})
    for (std::size_t more : {0, 1, 2}) sizes.push_back(rows * row + more - 1);
  std::size_t const span = order::span<T>;
  if (sizeof(T) >= 4) sizes.insert(sizes.end(), {span - 1, span, span + 1, span + order::tile<T> + 3 * row + 5});
  columns_test<T, Op, Value> test(name, *std::max_element(sizes.begin(), sizes.end()), value);
  for (std::size_t const size : sizes) test.at(size, size > 4 * row ? 4 : 6);
}

double fraction(std::size_t k)
{
  std::uint64_t z = (k + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return static_cast<double>((z ^ z >> 31) >> 11) * 0x1p-53;
}
template <class T>
T number(std::size_t k)
{
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint64_t>(fraction(k) * 0x1p63));
  else
    return static_cast<T>(static_cast<float>(fraction(k)) - 0.25f);
}

TEST(cuda_columns, of_f32)
{
  expect_columns<float, plus>("f32", number<float>);
}
TEST(cuda_columns, of_f64)
{
  expect_columns<double, plus>("f64", number<double>);
}
TEST(cuda_columns, of_f16)
{
  expect_columns<half, plus>("f16", number<half>);
}
TEST(cuda_columns, of_u8)
{
  expect_columns<std::uint8_t, plus>("u8", number<std::uint8_t>);
}
TEST(cuda_columns, of_i64_products)
{
  expect_columns<std::int64_t, multiplies>("i64 products", number<std::int64_t>);
}

/// A map t -> a t + b modulo 2^32. Its composition does not commute, and is given no identity.
struct map_of_8_bytes {
  std::uint32_t a, b;
};
struct composing_maps {
  TALLY_HD constexpr map_of_8_bytes operator()(map_of_8_bytes const& x, map_of_8_bytes const& y) const
  {
    return {x.a * y.a, x.b * y.a + y.b};
  }
};
TEST(cuda_columns, of_maps_without_an_identity)
{
  expect_columns<map_of_8_bytes, composing_maps>("maps", [](std::size_t k) {
    return map_of_8_bytes{number<std::uint32_t>(2 * k) | 1, number<std::uint32_t>(2 * k + 1)};
  });
}

TEST(cuda_columns, takes_no_rows_and_no_wide_elements)
{
  layout rows;
  rows.along = {100, {1, 1, 0, 0}};
  rows.dimensions = 1;
  rows.across[0] = {7, {100, 100, 0, 0}};
  EXPECT_FALSE(cuda_backend::are_columns(rows, false));
  layout columns = rows;
  columns.along.step = {7, 7, 0, 0};
  columns.across[0].step = {1, 1, 0, 0};
  EXPECT_TRUE(cuda_backend::are_columns(columns, false));
  columns.along.step.out = 1;  // transposed
  columns.across[0].step.out = 100;
  EXPECT_FALSE(cuda_backend::are_columns(columns, false));
  EXPECT_TRUE(cuda_backend::are_columns(columns, true));
  struct wide {
    double values[3];
  };
  EXPECT_FALSE((cuda_backend::fits_columns<wide, wide, wide>));
  EXPECT_TRUE((cuda_backend::fits_columns<float, std::int32_t, float>));
}

TEST(cuda_columns, are_walked_if_the_workspace_has_no_room)
{
  columns_test<float, plus, decltype(&number<float>)> sets_the_observer("f32", 1, number<float>);
  constexpr std::size_t size = 5000, columns = 32;
  std::vector<float> values(size * columns);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = number<float>(k);
  device_array<float> const in(values), out(values.size()), again(values.size());
  layout where;
  where.along = {size, {columns, columns, 0, 0}};
  where.dimensions = 1;
  where.across[0] = {columns, {1, 1, 0, 0}};
  stream own;
  cuda::workspace space;
  std::size_t const bytes = cuda::workspace::header_bytes + 16 * sizeof(std::uint64_t);
  device_array<std::uint64_t> const memory(bytes / sizeof(std::uint64_t));
  cuda::workspace no_room(memory.begin(), bytes);
  auto const scan = [&](cuda::workspace& by, float* to) {
    cuda_backend::prepared_call call(cuda{own, by}, "tally::test");
    ASSERT_TRUE(cuda_backend::run_columns(call, work::inclusive_scan, where, in.begin(), to,
                                          detail::batch::ends<float>{}, plus{}));
  };
  scan(space, out.begin());
  EXPECT_EQ(last_path(), "cuda: columns, by warps");
  device_array<float> const by_blocks(values.size());
  cuda_backend::tuning_in_use().box_elements = size + 1;
  scan(space, by_blocks.begin());
  EXPECT_EQ(last_path(), "cuda: columns, shared out");
  cuda_backend::tuning_in_use() = {};
  scan(no_room, again.begin());
  EXPECT_EQ(last_path(), "cuda: columns, walked");
  own.wait();
  EXPECT_EQ(out.values(), again.values());
  EXPECT_EQ(out.values(), by_blocks.values());
}

/// Each path was taken, if all tests were run.
class every_path : public ::testing::Environment {
public:
  void TearDown() override
  {
    if (::testing::UnitTest::GetInstance()->test_to_run_count() < 8) return;
    for (char const* path :
         {"cuda: columns, by warps", "cuda: columns, walked", "cuda: columns, shared out", "cuda: columns, short",
          "cuda: columns, shortest", "cuda: reduction of columns, shortest", "cuda: columns in stretches, walked",
          "cuda: columns in stretches, shared out", "cuda: planes of columns, short",
          "cuda: planes of columns, shortest", "cuda: reduction of columns, walked",
          "cuda: reduction of columns, shared out", "cuda: reduction of columns, short",
          "cuda: reduction of columns in stretches, walked", "cuda: reduction of columns in stretches, shared out"})
      EXPECT_GT(paths()[path], 0) << path;
    for (char const* path : {", inclusive", ", inclusive, backward", ", exclusive", ", exclusive, backward"})
      EXPECT_GT(paths()["cuda: columns, by warps" + std::string(path)], 10) << path;
  }
};
[[maybe_unused]] auto* const registered = ::testing::AddGlobalTestEnvironment(new every_path);

}  // namespace
}  // namespace tally::test
