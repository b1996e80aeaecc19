#include "groups/states/small_sum.hpp"

#include <algorithm>
#include <new>
#include <optional>
#include <type_traits>

#include <tally/operators.hpp>
#include <tally/order.hpp>

#include "accumulators/exact.hpp"

namespace tally::cli {

namespace {

constexpr std::uint64_t row = order::row<double>;
constexpr std::uint64_t strip = order::strip<double>;
constexpr std::uint64_t tile = order::tile<double>;
static_assert(row == 64 && order::group<double> == 2);

/// Sums of 64 integers below this magnitude are exact in a double.
constexpr std::int64_t narrow = std::int64_t{1} << 46;

constexpr unsigned row_size = 5;  // the class of the block of a row's 32 totals

}  // namespace

/// The part of a long sum that a short one has no need of.
struct small_sum::large_sum {
  std::uint64_t count = 0;
  std::uint64_t exact_low = 0;
  std::uint64_t exact_high = 0;
  std::uint32_t pairs = 0;   // the totals of the row's complete groups
  double rows_before = 0;    // in the strip
  double strips_before = 0;  // in the tile
  order::carry<double, plus> carry;

  int128 exact() const { return static_cast<int128>(io::uint128{exact_high} << 64 | exact_low); }
  void set_exact(int128 sum)
  {
    exact_low = static_cast<std::uint64_t>(sum);
    exact_high = static_cast<std::uint64_t>(static_cast<io::uint128>(sum) >> 64);
  }
};
constexpr unsigned large_size = 4;  // the class of its block

small_sum::large_sum& small_sum::large_at(word_blocks& memory, std::uint32_t block)
{
  static_assert(sizeof(large_sum) <= sizeof(std::uint64_t) << large_size && alignof(large_sum) <= 8);
  static_assert(std::is_trivially_destructible_v<large_sum>);
  return *static_cast<large_sum*>(memory.at(block));
}

small_sum::large_sum const& small_sum::large_at(word_blocks const& memory, std::uint32_t block)
{
  return *static_cast<large_sum const*>(memory.at(block));
}

namespace {

/// The total of a complete row: the balanced tree over its groups.
double total_of_row(double const* totals)
{
  double sums[order::row_groups / 2];
  for (unsigned k = 0; k < order::row_groups / 2; ++k) sums[k] = totals[2 * k] + totals[2 * k + 1];
  for (unsigned n = order::row_groups / 4; n > 0; n /= 2)
    for (unsigned k = 0; k < n; ++k) sums[k] = sums[2 * k] + sums[2 * k + 1];
  return sums[0];
}

/// Kogge and Stone's value of group g: the sums of 1, 2, 4, ... groups that end at g, and of the rest before them.
double scanned(double const* totals, unsigned g)
{
  double sums[order::row_groups];
  unsigned n = g + 1;
  for (unsigned k = 0; k < n; ++k) sums[k] = totals[g - k];
  for (; n > 1; n = (n + 1) / 2) {
    for (unsigned k = 0; k < n / 2; ++k) sums[k] = sums[2 * k + 1] + sums[2 * k];
    if (n % 2 == 1) sums[n / 2] = sums[n - 1];
  }
  return sums[0];
}

}  // namespace

std::uint64_t small_sum::count(word_blocks const& memory) const
{
  return count_ == is_large ? large_at(memory, block_).count : count_;
}

std::uint32_t& small_sum::pairs_of(word_blocks& memory)
{
  return count_ == is_large ? large_at(memory, block_).pairs : block_;
}

/// Moves the sum into a large_sum.
void small_sum::enlarge(word_blocks& memory)
{
  std::uint32_t const block = memory.take(large_size);
  auto* const large = new (memory.at(block)) large_sum;
  large->count = count_;
  large->pairs = block_;
  if (!has_reals_) large->set_exact(exact_sum(memory));
  block_ = block;
  count_ = is_large;
}

/// The sum of a complete row goes into those of its strip and tile.
void small_sum::complete_row(word_blocks& memory)
{
  if (count_ != is_large) enlarge(memory);
  large_sum& large = large_at(memory, block_);
  std::uint64_t const n = large.count;
  if (n % tile == 0) {
    plus add;
    large.carry.push(local(large, memory), add);
  } else {
    double const total = total_of_row(static_cast<double const*>(memory.at(large.pairs)));
    bool const first_row = (n - row) % strip == 0;
    large.rows_before = first_row ? total : large.rows_before + total;
    if (n % strip == 0) {
      bool const first_strip = (n - strip) % tile == 0;
      large.strips_before = first_strip ? large.rows_before : large.strips_before + large.rows_before;
    }
  }
  memory.give_back(large.pairs, row_size);
}

void small_sum::append(double value, word_blocks& memory)
{
  std::uint64_t const n = count(memory);
  if (n > 0 && n % row == 0) complete_row(memory);
  auto const place = static_cast<unsigned>(n % row);
  if (place % 2 == 0) {
    last_ = value;
  } else {
    last_ += value;
    unsigned const pairs = place / 2;
    std::uint32_t& block = pairs_of(memory);
    if (pairs == 0)
      block = memory.take(0);
    else if (std::has_single_bit(pairs))
      block = memory.doubled(block, static_cast<unsigned>(std::countr_zero(pairs)));
    static_cast<double*>(memory.at(block))[pairs] = last_;
  }
  if (count_ == is_large)
    ++large_at(memory, block_).count;
  else
    ++count_;
}

/// Appends a whole row at the beginning of one.
template <class T>
void small_sum::append_row(T const* values, word_blocks& memory)
{
  if (count_ == is_large && large_at(memory, block_).count > 0) complete_row(memory);
  if (count_ != is_large) enlarge(memory);
  large_sum& large = large_at(memory, block_);
  large.pairs = memory.take(row_size);
  auto* const pairs = static_cast<double*>(memory.at(large.pairs));
  for (unsigned k = 0; k < order::row_groups; ++k)
    pairs[k] = static_cast<double>(values[2 * k]) + static_cast<double>(values[2 * k + 1]);
  last_ = pairs[order::row_groups - 1];
  large.count += row;
}

/// Adds integers to the exact sum, if it may not follow from the totals of the groups.
template <class T>
void small_sum::add_exactly(std::span<T const> values, word_blocks& memory)
{
  if (count_ != is_large) {
    bool const is_small =
        count_ + values.size() < row &&
        std::ranges::all_of(
            values, [](T value) { return static_cast<int128>(value)<narrow&& static_cast<int128>(value)> - narrow; });
    if (is_small) return;
    enlarge(memory);
  }
  large_sum& large = large_at(memory, block_);
  int128 sum = large.exact();
  constexpr int128 safe = int128{1} << 126;
  if (sizeof(T) < sizeof(int128) && -safe < sum && sum < safe) {
    if constexpr (sizeof(T) < sizeof(int128)) sum += sum_of(values);
  } else {
    for (std::size_t k = 0; k < values.size(); ++k)
      if (!exact<plus>::combine(sum, static_cast<int128>(values[k]), sum)) exact_accumulator<plus>::overflow(k);
  }
  large.set_exact(sum);
}

template <class T>
void small_sum::add(std::span<T const> values, word_blocks& memory)
{
  if constexpr (std::is_floating_point_v<T>)
    has_reals_ = 1;
  else if (!has_reals_)
    add_exactly(values, memory);
  for (std::size_t k = 0; k < values.size();) {
    if (values.size() - k >= row && count(memory) % row == 0) {
      if (count_ == row) enlarge(memory);
      append_row(values.data() + k, memory);
      k += row;
    } else {
      append(static_cast<double>(values[k++]), memory);
    }
  }
}

template void small_sum::add(std::span<std::int8_t const>, word_blocks&);
template void small_sum::add(std::span<std::int16_t const>, word_blocks&);
template void small_sum::add(std::span<std::int32_t const>, word_blocks&);
template void small_sum::add(std::span<std::int64_t const>, word_blocks&);
template void small_sum::add(std::span<std::uint8_t const>, word_blocks&);
template void small_sum::add(std::span<std::uint16_t const>, word_blocks&);
template void small_sum::add(std::span<std::uint32_t const>, word_blocks&);
template void small_sum::add(std::span<std::uint64_t const>, word_blocks&);
template void small_sum::add(std::span<float const>, word_blocks&);
template void small_sum::add(std::span<double const>, word_blocks&);
template void small_sum::add(std::span<int128 const>, word_blocks&);

/// The exact sum of integers. Of a small sum it follows from the totals of its groups, which are exact.
int128 small_sum::exact_sum(word_blocks const& memory) const
{
  if (count_ == is_large) return large_at(memory, block_).exact();
  double sum = count_ % 2 == 1 ? last_ : 0;
  auto const* const pairs = count_ >= 2 ? static_cast<double const*>(memory.at(block_)) : nullptr;
  for (unsigned k = 0; k < count_ / 2U; ++k) sum += pairs[k];
  return static_cast<std::int64_t>(sum);
}

/// The tile-local value of the last of n values of a large sum.
double small_sum::local(large_sum const& large, word_blocks const& memory) const
{
  std::uint64_t const last = large.count - 1;
  bool const has_rows = last % strip >= row;
  bool const has_strips = last % tile >= strip;
  std::optional<double> base;
  if (has_rows) base = has_strips ? large.strips_before + large.rows_before : large.rows_before;
  if (!has_rows && has_strips) base = large.strips_before;
  if (auto const g = static_cast<unsigned>(last % row / 2); g > 0) {
    double const groups_before = scanned(static_cast<double const*>(memory.at(large.pairs)), g - 1);
    base = base ? *base + groups_before : groups_before;
  }
  return base ? *base + last_ : last_;
}

result small_sum::value(word_blocks const& memory) const
{
  if (!has_reals_) return exact_sum(memory);
  if (count_ != is_large) {
    unsigned const g = (count_ - 1U) / 2;
    return g == 0 ? last_ : scanned(static_cast<double const*>(memory.at(block_)), g - 1) + last_;
  }
  large_sum const& large = large_at(memory, block_);
  plus add;
  std::optional<double> const before = large.carry.next(add);
  double const here = local(large, memory);
  return before ? *before + here : here;
}

}  // namespace tally::cli
