#include "accumulators/accumulator.hpp"

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include <tally/operators.hpp>

#include "accumulators/beside_all.hpp"
#include "accumulators/derived.hpp"
#include "accumulators/difference.hpp"
#include "accumulators/ends.hpp"
#include "accumulators/exact.hpp"
#include "accumulators/floating.hpp"
#include "accumulators/mixed.hpp"
#include "accumulators/pairs.hpp"
#include "accumulators/sorted.hpp"
#include "accumulators/units.hpp"
#include "accumulators/windows/window.hpp"
#include "settings/parser.hpp"

namespace tally::cli {

namespace {

using io::element_type;

std::optional<double> as_double(std::optional<io::number> const& number)
{
  if (!number) return std::nullopt;
  return std::visit([](auto x) { return static_cast<double>(x); }, *number);
}

int128 lowest_of(element_type type)
{
  if (type >= element_type::uint8) return 0;
  return -(int128{1} << (8 * io::byte_size(type) - 1));
}

int128 highest_of(element_type type)
{
  bool const is_signed = type < element_type::uint8;
  return (int128{1} << (8 * io::byte_size(type) - is_signed)) - 1;
}

/// The start of a result of integers of one type: the initial value, or the identity.
template <class Op>
int128 start_for(accumulation const& what)
{
  if (!what.init) {
    return std::visit(
        []<class T>(std::span<T const>) {
          if constexpr (std::is_floating_point_v<T>)
            return int128{0};
          else
            return static_cast<int128>(identity_of<T>(Op{}));
        },
        io::view_as(*what.type, nullptr, 0));
  }
  int128 const* const integer = std::get_if<int128>(&*what.init);
  element_type const type = result_type(what.op, what.type);
  if (integer == nullptr || *integer < lowest_of(type) || *integer > highest_of(type))
    throw command_line_error("--init: " + std::visit([](auto x) { return io::to_text(x); }, *what.init) + " is no " +
                             std::string(io::name_of(type)) + ", the type of the result");
  return *integer;
}

/// The accumulator of values of type T by Op; nothing if Op takes integers only.
template <class T, class Op>
std::unique_ptr<accumulator> floating_for(accumulation const& what, cpu on)
{
  if constexpr (operator_over<Op, T>) {
    std::optional<double> const init = as_double(what.init);
    return std::make_unique<floating_accumulator<T, Op>>(init ? std::optional<T>(static_cast<T>(*init)) : std::nullopt,
                                                         on);
  } else {
    return nullptr;
  }
}

/// The accumulator by an operator of text.
template <class Op>
std::unique_ptr<accumulator> make_mixed(accumulation const& what, cpu on)
{
  std::unique_ptr<accumulator> floating = floating_for<double, Op>(what, on);
  int128 const* const integer = what.init ? std::get_if<int128>(&*what.init) : nullptr;
  if (what.init && integer == nullptr && !floating)
    throw command_line_error("--init: " + io::to_text(std::get<double>(*what.init)) + " is no integer, which --op " +
                             name_of(what.op) + " needs");
  std::unique_ptr<accumulator> exact;
  if (!what.init || integer != nullptr) {
    std::optional<int128> start;
    if (integer != nullptr)
      start = *integer;
    else if constexpr (has_exact_identity<Op>)
      start = identity_of<int128>(Op{});
    exact = std::make_unique<exact_accumulator<Op>>(start);
  }
  return std::make_unique<mixed_accumulator>(std::move(exact), std::move(floating), what.op);
}

/// The accumulator by an operator of values of one type.
template <class Op>
std::unique_ptr<accumulator> make_typed(accumulation const& what, cpu on)
{
  if (io::is_integer(*what.type)) return std::make_unique<exact_accumulator<Op>>(start_for<Op>(what));
  std::unique_ptr<accumulator> made =
      *what.type == element_type::float32 ? floating_for<float, Op>(what, on) : floating_for<double, Op>(what, on);
  if (!made)
    throw command_line_error("--op " + name_of(what.op) + " needs integers; the values are " +
                             std::string(io::name_of(*what.type)));
  return made;
}

template <class Op>
std::unique_ptr<accumulator> make_by_operator(accumulation const& what, cpu on)
{
  if (what.window > 0) return make_window(what);
  return what.type ? make_typed<Op>(what, on) : make_mixed<Op>(what, on);
}

template <class Op>
std::unique_ptr<accumulator> make_truth(accumulation const& what, cpu)
{
  if (what.window > 0) return make_window(what);
  std::optional<double> const init = as_double(what.init);
  return std::make_unique<truth_accumulator<Op>>(init ? std::optional<bool>(*init != 0) : std::nullopt);
}

template <class Op>
std::unique_ptr<accumulator> make_place(accumulation const& what, cpu)
{
  if (what.window > 0) return make_window(what);
  if (!what.type) {
    return std::make_unique<mixed_accumulator>(std::make_unique<place_accumulator<int128, Op>>(),
                                               std::make_unique<place_accumulator<double, Op>>(), what.op);
  }
  if (*what.type == element_type::float32) return std::make_unique<place_accumulator<float, Op>>();
  if (*what.type == element_type::float64) return std::make_unique<place_accumulator<double, Op>>();
  return std::make_unique<place_accumulator<int128, Op>>();
}

std::unique_ptr<accumulator> make_mean(accumulation const& what, cpu)
{
  accumulation sum{.op = operation::sum, .type = what.type, .init = {}, .threads = what.threads, .window = what.window};
  if (sum.type == element_type::float32) sum.type = element_type::float64;
  return std::make_unique<mean_accumulator>(make_accumulator(sum), what.window);
}

std::unique_ptr<accumulator> make_range(accumulation const& what, cpu)
{
  accumulation each{
      .op = operation::min, .type = what.type, .init = {}, .threads = what.threads, .window = what.window};
  std::unique_ptr<accumulator> least = make_accumulator(each);
  each.op = operation::max;
  return std::make_unique<range_accumulator>(std::move(least), make_accumulator(each));
}

template <bool first>
std::unique_ptr<accumulator> make_end(accumulation const& what, cpu)
{
  if (first && what.window > 0) return make_window(what);  // the last of the last values is the last of all
  if (!what.type) {
    return std::make_unique<mixed_accumulator>(std::make_unique<end_accumulator<int128, first>>(),
                                               std::make_unique<end_accumulator<double, first>>(), what.op);
  }
  if (*what.type == element_type::float32) return std::make_unique<end_accumulator<float, first>>();
  if (*what.type == element_type::float64) return std::make_unique<end_accumulator<double, first>>();
  return std::make_unique<end_accumulator<int128, first>>();
}

/// The values in order that operations share, or else some of its own, in memory.
std::shared_ptr<sorted_values> values_in_order(accumulation const& what, cpu on)
{
  if (what.in_order) return what.in_order;
  return std::make_shared<sorted_values>(std::make_shared<value_store>(std::numeric_limits<std::size_t>::max(), on));
}

template <int whole>
std::unique_ptr<accumulator> make_share(accumulation const& what, cpu)
{
  accumulation sum{.op = operation::sum, .type = what.type, .init = {}, .threads = what.threads};
  if (sum.type == element_type::float32) sum.type = element_type::float64;
  return std::make_unique<share_accumulator>(make_accumulator(sum), whole);
}

std::unique_ptr<accumulator> make_rank(accumulation const& what, cpu on)
{
  return std::make_unique<rank_accumulator>(values_in_order(what, on));
}

std::unique_ptr<accumulator> make_sorted(accumulation const& what, cpu on, figure of)
{
  return std::make_unique<sorted_accumulator>(values_in_order(what, on), of, what);
}

template <class Accumulator>
std::unique_ptr<accumulator> make_statistic(accumulation const& what, cpu on)
{
  if (what.window > 0) return make_window(what);
  return std::make_unique<Accumulator>(std::nullopt, on);
}

std::unique_ptr<accumulator> make_log_sum_exp(accumulation const& what, cpu on)
{
  if (what.window > 0) return make_window(what);
  std::optional<double> const init = as_double(what.init);
  return std::make_unique<log_sum_exp_accumulator>(
      init ? std::optional<exponential_sum<double>>(exponential_sum<double>(*init)) : std::nullopt, on);
}

std::unique_ptr<accumulator> make_difference(accumulation const& what, cpu)
{
  if (what.window > 0) return make_window(what);  // which says that there is none
  double const before = as_double(what.init).value_or(0);
  if (what.type == element_type::float32)
    return std::make_unique<difference_accumulator<float>>(static_cast<float>(before));
  auto floating = std::make_unique<difference_accumulator<double>>(before);
  if (what.type == element_type::float64) return floating;
  int128 const* const integer = what.init ? std::get_if<int128>(&*what.init) : nullptr;
  if (what.init && integer == nullptr) {
    if (!what.type) return floating;
    throw command_line_error("--init: " + io::to_text(std::get<double>(*what.init)) +
                             " is no integer, as the values are");
  }
  auto exact = std::make_unique<difference_accumulator<int128>>(integer != nullptr ? *integer : int128{0});
  if (what.type) return exact;
  return std::make_unique<mixed_accumulator>(std::move(exact), std::move(floating), what.op);
}

std::unique_ptr<accumulator> make_of_pairs(accumulation const& what, cpu on)
{
  return std::make_unique<pair_accumulator>(what.op == operation::covariance ? covariance_of : correlation_of,
                                            what.window, on);
}

std::unique_ptr<accumulator> make_count(accumulation const& what, cpu)
{
  if (what.window > 0) return make_window(what);
  return std::make_unique<count_accumulator>();
}

}  // namespace

std::unique_ptr<accumulator> make_accumulator(accumulation const& what)
{
  if (what.weighted) return make_weighted(what);
  if (what.unit != io::number_unit::one && !needs_order(what.op)) return make_with_unit(what);
  cpu const on{.threads = what.threads};
  switch (what.op) {
#define TALLY_CASE(op, name, meaning, other_names, kind, combine)                                                      \
  case operation::op: return make_by_operator<tally::combine>(what, on);
    TALLY_OPERATIONS_BY_OPERATOR(TALLY_CASE)
#undef TALLY_CASE
#define TALLY_CASE(op, name, meaning, other_names, kind, of)                                                           \
  case operation::op: return make_sorted(what, on, of);
    TALLY_OPERATIONS_BY_ORDER(TALLY_CASE)
#undef TALLY_CASE
#define TALLY_CASE(op, name, meaning, other_names, kind, make)                                                         \
  case operation::op: return make(what, on);
    TALLY_OTHER_OPERATIONS(TALLY_CASE)
#undef TALLY_CASE
  }
  return nullptr;
}

io::element_type result_type(operation op, std::optional<io::element_type> type)
{
  switch (kind_of(op)) {
    case operation_kind::truth: return element_type::uint8;
    case operation_kind::place:
    case operation_kind::rank:
    case operation_kind::number: return element_type::int64;
    case operation_kind::average:
    case operation_kind::share:
    case operation_kind::pair:
    case operation_kind::statistic:
    case operation_kind::exponentials: return element_type::float64;
    case operation_kind::choosing:
    case operation_kind::chosen:
    case operation_kind::bitwise: return type.value_or(element_type::float64);
    case operation_kind::ordered: return type == element_type::float32 ? element_type::float32 : element_type::float64;
    case operation_kind::difference:
    case operation_kind::width:
    case operation_kind::growing: break;
  }
  if (!type) return element_type::float64;
  if (!io::is_integer(*type)) return *type;
  bool const is_unsigned = *type >= element_type::uint8 && kind_of(op) != operation_kind::difference;
  return is_unsigned ? element_type::uint64 : element_type::int64;
}

}  // namespace tally::cli
