#include "axis/calls.hpp"

#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include <tally/order.hpp>
#include <tally/reduce.hpp>

#include "axis/sequence_calls.hpp"

namespace tally::cli {

namespace {

using io::element_type;

element_type widened(element_type type)
{
  if (!io::is_integer(type)) return type;
  return type >= element_type::uint8 ? element_type::uint64 : element_type::int64;
}

template <class T, class Op>
class carries_in_order final : public line_carries {
  static_assert(!std::is_floating_point_v<T> || order::tile<T> == (std::size_t{1} << 15) / sizeof(T));

public:
  explicit carries_in_order(T start) : start_(start) {}

  void restart(std::size_t lines) override
  {
    lines_.assign(lines, order::carry<T, Op>(start_));
    last_.assign(lines, start_);
  }

  void push(void const* totals, std::size_t stretches, void* starts, void* before) override
  {
    auto const* total = static_cast<T const*>(totals);
    auto* start = static_cast<T*>(starts);
    auto* result_before = static_cast<T*>(before);
    for (; stretches > 0; --stretches) {
      for (std::size_t k = 0; k < lines_.size(); ++k) {
        if (start != nullptr) *start++ = *lines_[k].next(op_);
        if (result_before != nullptr) *result_before++ = last_[k];
        lines_[k].push(*total++, op_);
        last_[k] = *lines_[k].last();
      }
    }
  }

  io::values_view last() const override { return std::span<T const>(last_); }
  void set_last(std::size_t, int128) override {}

private:
  T start_;
  Op op_;
  std::vector<order::carry<T, Op>> lines_;
  std::vector<T> last_;
};

template <class T>
class exact_sums final : public line_carries {
public:
  explicit exact_sums(T start) : start_(start) {}

  void restart(std::size_t lines) override { sums_.assign(lines, start_); }

  void push(void const* totals, std::size_t stretches, void* starts, void* before) override
  {
    auto const* total = static_cast<T const*>(totals);
    auto* start = static_cast<T*>(starts);
    auto* result_before = static_cast<T*>(before);
    for (; stretches > 0; --stretches) {
      for (int128& sum : sums_) {
        if (start != nullptr) *start++ = static_cast<T>(sum);
        if (result_before != nullptr) *result_before++ = static_cast<T>(sum);
        sum += static_cast<int128>(*total++);
      }
    }
  }

  io::values_view last() const override { return std::span<int128 const>(sums_); }
  void set_last(std::size_t line, int128 sum) override { sums_[line] = sum; }

private:
  int128 start_;
  std::vector<int128> sums_;
};

}  // namespace

std::optional<call_operation> call_operation::find(operation op, element_type type,
                                                   std::optional<io::number> const& init, scan_kind kind)
{
  std::optional<call_operation> found;
  switch (kind_of(op)) {
    case operation_kind::growing:
      if (op == operation::product && io::is_integer(type)) return std::nullopt;
      found = call_operation(op, op, op == operation::sum ? widened(type) : type);
      break;
    case operation_kind::choosing:
    case operation_kind::bitwise: found = call_operation(op, op, type); break;
    case operation_kind::truth:
      found = call_operation(op, op == operation::all ? operation::min : operation::max, element_type::uint8);
      break;
    case operation_kind::average:
      found = call_operation(op, operation::sum, io::is_integer(type) ? widened(type) : element_type::float64);
      break;
    default: return std::nullopt;
  }
  call_operation& how = *found;
  bool const truth = kind_of(op) == operation_kind::truth;
  with_operator_and_type(how.by_, how.type_, [&]<class Op, class T>(Op combine, T) {
    T const neutral = identity_of<T>(combine);
    std::memcpy(how.neutral_.data(), &neutral, sizeof neutral);
    T start = kind == scan_kind::exclusive ? shown_identity<T, Op>() : neutral;
    if (truth) start = static_cast<T>(op == operation::all);
    if (init) {
      start = std::visit([&](auto x) { return truth ? static_cast<T>(x != 0) : static_cast<T>(x); }, *init);
      if constexpr (std::is_same_v<T, float>)
        start = std::visit([](auto x) { return static_cast<float>(static_cast<double>(x)); }, *init);
      if constexpr (!std::is_floating_point_v<T>) how.start_integer_ = static_cast<int128>(start);
    }
    std::memcpy(how.start_.data(), &start, sizeof start);
  });
  return found;
}

io::values_view call_operation::operands(io::values_view const& values, value_buffer& room) const
{
  if (kind_of(op_) == operation_kind::truth) {
    auto* const to = room.resize<std::uint8_t>(io::size_of(values));
    std::visit(
        [&](auto in) {
          for (std::size_t k = 0; k < in.size(); ++k) to[k] = in[k] != 0;
        },
        values);
    return room.view();
  }
  return type_ == element_type::float64 ? io::values_view(as_doubles(values, room)) : converted(values, type_, room);
}

bool call_operation::fits(int128 start, std::size_t count, int128 magnitude) const
{
  int128 const limit = type_ == element_type::uint64 ? (int128{1} << 64) - 1 : (int128{1} << 63) - 1;
  int128 const left = limit - (start < 0 ? -start : start);
  return left >= 0 && (magnitude == 0 || static_cast<int128>(count) <= left / magnitude);
}

int128 largest_magnitude(io::values_view const& values)
{
  return std::visit(
      []<class T>(std::span<T const> in) -> int128 {
        if constexpr (std::is_floating_point_v<T> || sizeof(T) > 8) {
          return 0;
        } else if constexpr (sizeof(T) < 8) {
          return int128{1} << (8 * sizeof(T) - std::is_signed_v<T>);
        } else {
          cpu const here{.threads = 1};
          auto const high = static_cast<int128>(tally::reduce(here, in, maximum{}));
          if constexpr (!std::is_signed_v<T>) return high;
          return std::max(high, -static_cast<int128>(tally::reduce(here, in, minimum{})));
        }
      },
      values);
}

std::unique_ptr<line_carries> make_line_carries(call_operation const& how)
{
  std::unique_ptr<line_carries> made;
  with_operator_and_type(how.by(), how.type(), [&]<class Op, class T>(Op, T) {
    T start;
    std::memcpy(&start, how.start(), sizeof start);
    if constexpr (std::is_same_v<Op, plus> && !std::is_floating_point_v<T>)
      made = std::make_unique<exact_sums<T>>(start);
    else
      made = std::make_unique<carries_in_order<T, Op>>(start);
  });
  return made;
}

}  // namespace tally::cli
