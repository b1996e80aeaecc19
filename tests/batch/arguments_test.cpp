// The forms of calls on batches, their arguments and their errors; types that own memory.
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../contract/problem.hpp"
#include "../support/bits.hpp"
#include "../support/tuning.hpp"
#include "../support/values.hpp"
#include "arrays.hpp"
#include "elements.hpp"
#include "tally/tally.hpp"

namespace tally::test {
namespace {

/// The functions of std::mdspan that a call uses, with its types: column-major, two axes.
template <class T>
class column_major {
public:
  using element_type = T;
  using index_type = int;
  using reference = T&;
  column_major(T* data, int rows, int columns) : data_(data), extents_{rows, columns} {}
  static constexpr std::size_t rank() noexcept { return 2; }
  constexpr int extent(std::size_t r) const noexcept { return extents_[r]; }
  constexpr int stride(std::size_t r) const { return r == 0 ? 1 : extents_[0]; }
  constexpr T* const& data_handle() const noexcept { return data_; }
  static constexpr bool is_strided() noexcept { return true; }

private:
  T* data_;
  std::array<int, 2> extents_;
};
static_assert(strided_array<column_major<float>> && strided_array<array_view<int const>>);
static_assert(!strided_array<std::vector<int>>);

/// The message of the usage_error that `call` throws.
template <class Call>
std::string message_of(Call const& call)
{
  try {
    call();
  } catch (usage_error const& error) {
    return error.what();
  }
  return "no error";
}
void expect_message(std::string const& message, std::string const& part)
{
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(array_view, has_shape_strides_and_elements)
{
  std::vector<int> x{0, 1, 2, 3, 4, 5};
  array_view const a(x.data(), {2, 3});
  EXPECT_EQ(a.rank(), 2u);
  EXPECT_EQ(a.size(), 6u);
  EXPECT_EQ(a.stride(0), 3);
  EXPECT_EQ(a(1, 2), 5);
  EXPECT_EQ(a.transposed()(2, 1), 5);
  EXPECT_EQ(a.flipped(-1)(1, 0), 5);
  EXPECT_EQ(a.flipped(0)(0, 0), 3);
  EXPECT_EQ((a[{0, 1}]), 1);
  array_view<int const> const constant = a;
  EXPECT_EQ(constant(1, 0), 3);
  EXPECT_EQ(array_view(x.data(), {}).size(), 1u);
  EXPECT_EQ(array_view(x.data(), {0, 3}).flipped(0).size(), 0u);
  EXPECT_EQ(array_view(x.data(), std::vector<std::size_t>{2, 3}, std::array<long, 2>{1, 2})(1, 2), 5);
  expect_message(message_of([&] { array_view(x.data(), {2, -1}); }), "extent -1 of axis 1 is negative");
  expect_message(message_of([&] { array_view(x.data(), {2, 3}, {1}); }), "2 axes with 1 strides");
  expect_message(message_of([&] { array_view(x.data(), std::vector<int>(17, 1)); }), "at most 16 axes");
  expect_message(message_of([&] { (void)a.flipped(2); }), "no axis 2");
}

TEST(forms, of_scans_along_an_axis)
{
  std::vector<int> x{1, 2, 3, 4, 5, 6}, out(6), lasts(2);
  array_view const in(x.data(), {2, 3}), to(out.data(), {2, 3});
  inclusive_scan(along(1, in), along(1, to));
  EXPECT_EQ(out, (std::vector{1, 3, 6, 4, 9, 15}));
  inclusive_scan(cpu{2}, along(0, in), along(-2, to), std::multiplies<>{});
  EXPECT_EQ(out, (std::vector{1, 2, 3, 4, 10, 18}));
  inclusive_scan(along(1, in), along(1, to), plus{}, 10, last_to(lasts));
  EXPECT_EQ(out, (std::vector{11, 13, 16, 14, 19, 25}));
  EXPECT_EQ(lasts, (std::vector{16, 25}));
  inclusive_scan(along(1, in), along(1, to), last_to(lasts.data()));
  EXPECT_EQ(lasts, (std::vector{6, 15}));
  exclusive_scan(along(1, in), along(1, to), 10);
  EXPECT_EQ(out, (std::vector{10, 11, 13, 10, 14, 19}));
  std::vector<int> const starts{100, 200};
  exclusive_scan(cpu{1}, along(1, in), along(1, to), each(starts), plus{}, last_to(array_view(lasts.data(), {2})));
  EXPECT_EQ(out, (std::vector{100, 101, 103, 200, 204, 209}));
  EXPECT_EQ(lasts, (std::vector{106, 215}));
  // The axis of the output may be another one: the scan of rows, transposed.
  inclusive_scan(along(1, in), along(0, array_view(out.data(), {3, 2})));
  EXPECT_EQ(out, (std::vector{1, 4, 3, 9, 6, 15}));
  std::vector<double> sums(8);
  inclusive_scan<double>(along(1, in), along(1, array_view(sums.data(), {2, 4})), include_initial);
  EXPECT_EQ(sums, (std::vector<double>{0, 1, 3, 6, 0, 4, 9, 15}));
  inclusive_scan<double>(along(1, in), along(1, array_view(sums.data(), {2, 4})), plus{}, 1.5, include_initial);
  EXPECT_EQ(sums, (std::vector<double>{1.5, 2.5, 4.5, 7.5, 1.5, 5.5, 10.5, 16.5}));
  // A range is an array of one axis; this one's elements are wider than the accumulator.
  std::vector<std::int64_t> wide(6);
  inclusive_scan(along(0, x), along(0, std::span(wide)));
  EXPECT_EQ(wide.back(), 21);
  column_major<int> const columns(x.data(), 2, 3);
  inclusive_scan(along(1, columns), along(1, to));
  EXPECT_EQ(out, (std::vector{1, 4, 9, 2, 6, 12}));
}

TEST(forms, of_scans_from_the_end)
{
  std::vector<int> x{1, 2, 3, 4, 5, 6}, out(6);
  array_view const in(x.data(), {2, 3}), to(out.data(), {2, 3});
  inclusive_scan(reversed(along(1, in)), reversed(along(1, to)));
  EXPECT_EQ(out, (std::vector{6, 5, 3, 15, 11, 6}));
  inclusive_scan(reversed(along(1, in)), along(1, to));
  EXPECT_EQ(out, (std::vector{3, 5, 6, 6, 11, 15}));
  inclusive_scan(reversed(x), reversed(out));
  EXPECT_EQ(out, (std::vector{21, 20, 18, 15, 11, 6}));
  exclusive_scan(reversed(x), out.rbegin(), 1);
  EXPECT_EQ(out, (std::vector{21, 19, 16, 12, 7, 1}));
  std::string const word = "abc";
  EXPECT_EQ(reduce<std::string>(reversed(word), "", [](auto const& a, auto const& b) { return a + b; }), "cba");
  std::vector<int> const offsets{0, 2, 2, 6};
  exclusive_scan(reversed(segments(x, offsets)), out, 100);
  EXPECT_EQ(out, (std::vector{102, 100, 115, 111, 106, 100}));
}

TEST(forms, of_reductions)
{
  std::vector<int> x{1, 2, 3, 4, 5, 6}, out(3);
  array_view const in(x.data(), {2, 3});
  reduce(along(0, in), out);
  EXPECT_EQ(out, (std::vector{5, 7, 9}));
  reduce(along(0, in), out.data(), 100);
  EXPECT_EQ(out, (std::vector{105, 107, 109}));
  reduce(along(0, in), out, maximum{});
  EXPECT_EQ(out, (std::vector{4, 5, 6}));
  std::vector<int> const starts{10, 20, 30};
  reduce(cpu{3}, along(0, in), array_view(out.data(), {3}), each(starts), plus{});
  EXPECT_EQ(out, (std::vector{15, 27, 39}));
  double mean = 0;
  reduce<double>(along({0, 1}, in), &mean);
  EXPECT_EQ(mean, 21);
  std::vector<std::uint8_t> const offsets{0, 2, 2, 6};
  reduce(segments(x, offsets), out);
  EXPECT_EQ(out, (std::vector{3, 0, 18}));
  reduce(segments(x.begin(), offsets.begin(), offsets.end()), out.begin(), 1, multiplies{});
  EXPECT_EQ(out, (std::vector{2, 1, 360}));
  reduce(cpu{2}, segments(x, offsets), out, each(starts));
  EXPECT_EQ(out, (std::vector{13, 20, 48}));
  std::vector<std::size_t> sums(3);
  reduce(segments(counting_from(1), offsets), sums);  // the values need not be in memory
  EXPECT_EQ(sums, (std::vector<std::size_t>{3, 0, 18}));
  reduce(segments(x, std::span<int const>()), out);  // no offsets: no segments
  EXPECT_EQ(out, (std::vector{13, 20, 48}));
}

TEST(several_axes, are_one_sequence_in_the_order_of_their_names)
{
  for (std::size_t seed = 0; seed < 80; ++seed) {
    dice of(seed);
    extents shape(1 + of(4));
    for (std::size_t& extent : shape) extent = of(20) == 0 ? 0 : 1 + of(5);
    placed const in = anywhere(shape, of, true);
    std::vector<std::string> text(in.size);
    std::vector<float> x(in.size);
    for (std::size_t k = 0; k < x.size(); ++k) {
      text[k] = std::to_string(k) + ",";
      x[k] = batch_element<float>(k, seed);
    }
    std::vector<int> axes, others;
    for (int d = 0; d < static_cast<int>(shape.size()); ++d) (of(2) == 0 ? others : axes).push_back(d);
    for (std::size_t d = axes.size(); d > 1; --d) std::swap(axes[d - 1], axes[of(d)]);
    extents across, along_shape;
    for (int const d : others) across.push_back(shape[static_cast<std::size_t>(d)]);
    for (int const d : axes) along_shape.push_back(shape[static_cast<std::size_t>(d)]);
    std::vector<std::string> right_text;
    std::vector<float> right, right_back;
    for (std::size_t s = 0; s < product(across); ++s) {
      extents at(shape.size());
      for (std::size_t d = 0; d < others.size(); ++d) at[static_cast<std::size_t>(others[d])] = position(across, s)[d];
      std::string all = "-";
      std::vector<float> sequence;
      for (std::size_t k = 0; k < product(along_shape); ++k) {
        for (std::size_t d = 0; d < axes.size(); ++d)
          at[static_cast<std::size_t>(axes[d])] = position(along_shape, k)[d];
        all += text[in.place(at)];
        sequence.push_back(x[in.place(at)]);
      }
      right_text.push_back(all);
      auto const reduced = by_reference(sequence, plus{}).reduced;
      right.push_back(reduced ? *reduced : 0.0f);
      std::reverse(sequence.begin(), sequence.end());
      auto const from_back = by_reference(sequence, plus{}, std::optional(2.0f)).reduced;
      right_back.push_back(*from_back);
    }
    for (int const threads : {1, 3}) {
      std::vector<std::string> got_text(right_text.size(), "poison");
      std::vector<float> got(right.size(), 99.0f), got_back(right.size(), 99.0f);
      cpu const on{threads};
      reduce(on, along(axes, in.view(static_cast<std::string const*>(text.data()))), got_text, std::string("-"),
             append{});
      EXPECT_EQ(got_text, right_text) << seed;
      reduce(on, along(axes, in.view(static_cast<float const*>(x.data()))), got);
      ASSERT_TRUE(same_bits<float>(got, right)) << "seed " << seed << in.shown();
      reduce(on, reversed(along(axes, in.view(static_cast<float const*>(x.data())))), got_back, 2.0f);
      ASSERT_TRUE(same_bits<float>(got_back, right_back)) << "seed " << seed << in.shown();
    }
  }
}

TEST(values, that_own_memory_or_cannot_be_made_from_nothing)
{
  std::vector<std::string> words{"a", "b", "c", "d", "e", "f"}, out(6, "poison"), lasts(3);
  array_view const in(words.data(), {2, 3}), to(out.data(), {2, 3});
  for (int const threads : {1, 2, 4}) {
    inclusive_scan(cpu{threads}, along(0, in), along(0, to), append{}, std::string("<"), last_to(lasts));
    EXPECT_EQ(out, (std::vector<std::string>{"<a", "<b", "<c", "<ad", "<be", "<cf"}));
    EXPECT_EQ(lasts, (std::vector<std::string>{"<ad", "<be", "<cf"}));
    exclusive_scan(cpu{threads}, reversed(along(1, in)), reversed(along(1, to)), std::string("<"), append{});
    EXPECT_EQ(out, (std::vector<std::string>{"<cb", "<c", "<", "<fe", "<f", "<"}));
    reduce(cpu{threads}, segments(words, std::vector<int>{1, 1, 5, 6}), lasts, append{});
    EXPECT_EQ(lasts, (std::vector<std::string>{"", "bcde", "f"}));
  }
  std::vector<no_default> x;
  for (long k = 0; k < 40; ++k) x.emplace_back(k);
  std::vector<no_default> sums(x);
  inclusive_scan(cpu{3}, along(0, array_view(x.data(), {20, 2})), along(0, array_view(sums.data(), {20, 2})),
                 plus_no_default{});
  EXPECT_EQ(sums[39].value, 400);
  EXPECT_EQ(sums[38].value, 380);
}

TEST(values, of_more_than_a_kilobyte)
{
  struct large {
    std::array<long, 200> at;
    large operator+(large const& other) const
    {
      large sum;
      for (std::size_t k = 0; k < at.size(); ++k) sum.at[k] = at[k] + other.at[k];
      return sum;
    }
  };
  std::vector<large> x(60), out(60), lasts(3);
  for (std::size_t k = 0; k < x.size(); ++k)
    for (std::size_t i = 0; i < 200; ++i) x[k].at[i] = static_cast<long>(k * i);
  inclusive_scan(cpu{2}, along(0, array_view(x.data(), {20, 3})), along(0, array_view(out.data(), {20, 3})),
                 std::plus<>{}, last_to(lasts));
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_EQ(lasts[c].at[199], static_cast<long>((20 * c + 3 * 190) * 199));
    EXPECT_EQ(out[57 + c].at[7], static_cast<long>((20 * c + 3 * 190) * 7));
  }
}

TEST(errors, name_the_axis_the_extents_or_the_offset)
{
  std::vector<int> x(24), out(64), few(2);
  array_view const in(x.data(), {2, 3, 4});
  auto const scan_to = [&](per_axis const& shape) {
    return message_of([&] { inclusive_scan(along(1, in), along(1, array_view(out.data(), shape))); });
  };
  expect_message(scan_to({2, 3, 5}), "extent 4 of the input's axis 2 is not extent 5 of the output's axis 2");
  expect_message(scan_to({2, 4, 4}), "3 elements have 3 results, and the output places for 4");
  expect_message(scan_to({6, 4}), "the input has 3 axes, the output 2");
  expect_message(message_of([&] { along(3, in); }), "no axis 3 in an array of shape 2 x 3 x 4: the axes are -3 to 2");
  expect_message(message_of([&] { along(-4, in); }), "no axis -4");
  expect_message(message_of([&] { along({0, -3}, in); }), "axis 0 is named twice");
  expect_message(message_of([&] { along(0, array_view(x.data(), {})); }), "no axis 0 in an array of shape a single");
  expect_message(
      message_of([&] { inclusive_scan(along(1, in), along(1, array_view(out.data(), {2, 3, 4}, {0, 4, 1}))); }),
      "axis 0 of 2 x 3 x 4 has stride 0");
  expect_message(
      message_of([&] { inclusive_scan(along(1, in), along(1, array_view(out.data(), {2, 3, 4})), include_initial); }),
      "3 elements have 4 results");
  expect_message(message_of([&] { reduce(along(1, in), few); }), "2 places for 8 sequences");
  expect_message(message_of([&] { reduce(along(1, in), array_view(out.data(), {4, 2})); }),
                 "an array of shape 4 x 2 for sequences of shape 2 x 4");
  expect_message(message_of([&] { reduce(along(1, in), out, each(few)); }), "each(...): 2 places for 8 sequences");
  expect_message(message_of([&] { exclusive_scan(along(1, in), along(1, in), 0, last_to(few)); }),
                 "last_to(...): 2 places for 8 sequences");
  expect_message(message_of([&] { reduce(cpu{-1}, along(1, in), out); }), "threads");
  // Ten axes that lie apart.
  per_axis shape, strides;
  for (int d = 0; d < 10; ++d) {
    shape.append(2);
    strides.append(1 << (2 * d));
  }
  std::vector<std::uint8_t> spread(1 << 20), sums(512);
  expect_message(message_of([&] { reduce(along(0, array_view(spread.data(), shape, strides)), sums); }),
                 "9 axes besides the one along which sequences lie");
  std::vector<int> const beyond{0, 25}, down{0, 5, 3, 24}, back{5, 3}, under{4, 2, 24};
  for (int const threads : {1, 3}) {
    cpu const on{threads};
    expect_message(message_of([&] { reduce(on, segments(x, beyond), out); }),
                   "the last offset is 25, and there are 24");
    expect_message(message_of([&] { reduce(on, segments(x, down), out); }), "segment 1 is from 5 to 3");
    expect_message(message_of([&] { reduce(on, segments(x, back), out); }), "offsets do not decrease");
    expect_message(message_of([&] { inclusive_scan(on, segments(x, under), out); }), "offsets do not decrease");
  }
  expect_message(message_of([&] { inclusive_scan(segments(x, std::vector<int>{0, 24}), few); }),
                 "the output has 2 elements, and needs 24");
  expect_message(message_of([&] { reduce(segments(x, std::vector<int>{0, 1, 2, 3}), few); }), "needs 3");
  std::vector<matrix> none, none_out, last(1);
  expect_message(message_of([&] {
                   inclusive_scan(along(1, array_view(none.data(), {1, 0})),
                                  along(1, array_view(none_out.data(), {1, 0})), matrix_product{}, last_to(last));
                 }),
                 "an empty sequence has no last value");
}

TEST(errors, of_an_operator_leave_the_call)
{
  std::vector<float> const x(6000, 1.0f);
  std::vector<float> out(6000);
  auto const fails = [](float a, float b) { return a < 5 ? a + b : throw operator_failed(); };
  for (int const threads : {1, 3}) {
    EXPECT_THROW(inclusive_scan(cpu{threads}, along(1, array_view(x.data(), {60, 100})),
                                along(1, array_view(out.data(), {60, 100})), fails),
                 operator_failed);
    EXPECT_THROW(inclusive_scan(cpu{threads}, along(0, array_view(x.data(), {100, 60})),
                                along(0, array_view(out.data(), {100, 60})), fails),
                 operator_failed);
    EXPECT_THROW(reduce(cpu{threads}, segments(x, std::vector<int>{0, 3, 4000, 6000}), out, 0.0f, fails),
                 operator_failed);
  }
}

/// Paths that depend on sizes beyond those of the other tests.
TEST(paths, of_few_long_sequences_and_segments)
{
  tuned const small([](tally::cpu_backend::tuning& sizes) { sizes.long_sequence = 5000; });
  std::size_t const rows = 3, n = 20000;
  std::vector<float> x(rows * n), out(x.size()), expected;
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = batch_element<float>(k, 9);
  for (std::size_t r = 0; r < rows; ++r) {
    auto const row = by_reference(std::vector(x.begin() + static_cast<std::ptrdiff_t>(r * n),
                                              x.begin() + static_cast<std::ptrdiff_t>((r + 1) * n)),
                                  plus{});
    expected.insert(expected.end(), row.inclusive.begin(), row.inclusive.end());
  }
  for (int const threads : {1, 2, 3, 4, 16}) {
    std::fill(out.begin(), out.end(), 99.0f);
    array_view const in(x.data(), {rows, n}), to(out.data(), {rows, n});
    inclusive_scan(cpu{threads}, along(1, in), along(1, to));
    ASSERT_TRUE(same_bits<float>(out, expected)) << threads;
    std::fill(out.begin(), out.end(), 99.0f);
    std::vector<std::size_t> const offsets{0, n, 2 * n, 3 * n};
    inclusive_scan(cpu{threads}, segments(x, offsets), out);
    ASSERT_TRUE(same_bits<float>(out, expected)) << threads;
    // Without the compiled kernels, which take memory.
    std::fill(out.begin(), out.end(), 99.0f);
    inclusive_scan(cpu{threads}, segments(std::deque<float>(x.begin(), x.end()), offsets), out);
    ASSERT_TRUE(same_bits<float>(out, expected)) << threads;
  }
}

/// Each segment belongs to one block of threads' work, wherever it begins: in place it would be done twice otherwise.
TEST(paths, of_many_short_segments_in_place)
{
  dice of(1);
  std::vector<int> offsets{0}, right;
  for (int s = 0; s < 30000; ++s) {
    int const n = static_cast<int>(of(4));
    offsets.push_back(offsets.back() + n);
    for (int k = 1; k <= n; ++k) right.push_back(k);
  }
  for (int const threads : {1, 3}) {
    std::vector<int> x(right.size(), 1);
    inclusive_scan(cpu{threads}, segments(x, offsets), x);
    EXPECT_EQ(x, right);
  }
}

}  // namespace
}  // namespace tally::test
