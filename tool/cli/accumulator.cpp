#include "accumulator.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "accumulators/derived.hpp"
#include "accumulators/exact.hpp"
#include "accumulators/floating.hpp"
#include "accumulators/mixed.hpp"
#include "parser.hpp"

namespace tally::cli {

namespace {

using io::element_type;

std::unique_ptr<accumulator> exact_for(operation op, std::optional<int128> start)
{
  switch (op) {
    case operation::sum: return std::make_unique<exact_accumulator<exact_sum>>(start.value_or(0));
    case operation::product: return std::make_unique<exact_accumulator<exact_product>>(start.value_or(1));
    case operation::min: return std::make_unique<exact_accumulator<exact_min>>(start);
    case operation::max: return std::make_unique<exact_accumulator<exact_max>>(start);
    case operation::bit_and: return std::make_unique<exact_accumulator<exact_and>>(start.value_or(-1));
    case operation::bit_or: return std::make_unique<exact_accumulator<exact_or>>(start.value_or(0));
    case operation::bit_xor: return std::make_unique<exact_accumulator<exact_xor>>(start.value_or(0));
    default: return nullptr;
  }
}

/// The sum of no values is 0.0 here, not the identity -0.0, because people read it.
template <class T>
std::unique_ptr<accumulator> floating_for(operation op, std::optional<double> wide_init, cpu on)
{
  constexpr T infinity = std::numeric_limits<T>::infinity();
  std::optional<T> const init = wide_init ? std::optional<T>(static_cast<T>(*wide_init)) : std::nullopt;
  switch (op) {
    case operation::sum: return std::make_unique<floating_accumulator<T, plus>>(init, T(0), on);
    case operation::product: return std::make_unique<floating_accumulator<T, multiplies>>(init, T(1), on);
    case operation::min: return std::make_unique<floating_accumulator<T, minimum>>(init, infinity, on);
    case operation::max: return std::make_unique<floating_accumulator<T, maximum>>(init, -infinity, on);
    default: return nullptr;
  }
}

template <class Op>
std::unique_ptr<accumulator> place_for(accumulation const& what)
{
  if (!what.type) {
    return std::make_unique<mixed_accumulator>(std::make_unique<place_accumulator<int128, Op>>(),
                                               std::make_unique<place_accumulator<double, Op>>(), what.op);
  }
  if (*what.type == element_type::float32) return std::make_unique<place_accumulator<float, Op>>();
  if (*what.type == element_type::float64) return std::make_unique<place_accumulator<double, Op>>();
  return std::make_unique<place_accumulator<int128, Op>>();
}

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

/// The start of a result of integers of one type.
std::optional<int128> start_for(accumulation const& what)
{
  if (what.init) {
    int128 const* const integer = std::get_if<int128>(&*what.init);
    element_type const type = result_type(what.op, what.type);
    if (integer == nullptr || *integer < lowest_of(type) || *integer > highest_of(type))
      throw command_line_error("--init: " + std::visit([](auto x) { return io::to_text(x); }, *what.init) + " is no " +
                               std::string(io::name_of(type)) + ", the type of the result");
    return *integer;
  }
  switch (what.op) {
    case operation::min: return highest_of(*what.type);
    case operation::max: return lowest_of(*what.type);
    case operation::bit_and: return lowest_of(*what.type) == 0 ? highest_of(*what.type) : -1;
    default: return std::nullopt;
  }
}

/// The accumulator of a sum, product, extreme or bit operation of text.
std::unique_ptr<accumulator> make_mixed(accumulation const& what, cpu on)
{
  std::unique_ptr<accumulator> floating = floating_for<double>(what.op, as_double(what.init), on);
  int128 const* const integer = what.init ? std::get_if<int128>(&*what.init) : nullptr;
  if (what.init && integer == nullptr && !floating)
    throw command_line_error("--init: " + io::to_text(std::get<double>(*what.init)) + " is no integer, which --op " +
                             std::string(name_of(what.op)) + " needs");
  std::unique_ptr<accumulator> exact;
  if (!what.init || integer != nullptr)
    exact = exact_for(what.op, integer ? std::optional<int128>(*integer) : std::nullopt);
  return std::make_unique<mixed_accumulator>(std::move(exact), std::move(floating), what.op);
}

/// The accumulator of a sum, product, extreme or bit operation of values of one type.
std::unique_ptr<accumulator> make_typed(accumulation const& what, cpu on)
{
  if (io::is_integer(*what.type)) return exact_for(what.op, start_for(what));
  std::unique_ptr<accumulator> made = *what.type == element_type::float32
                                          ? floating_for<float>(what.op, as_double(what.init), on)
                                          : floating_for<double>(what.op, as_double(what.init), on);
  if (!made)
    throw command_line_error("--op " + std::string(name_of(what.op)) + " needs integers; the values are " +
                             std::string(io::name_of(*what.type)));
  return made;
}

}  // namespace

std::unique_ptr<accumulator> make_accumulator(accumulation const& what)
{
  cpu const on{.threads = what.threads};
  std::optional<double> const init = as_double(what.init);
  switch (what.op) {
    case operation::all:
      return std::make_unique<truth_accumulator<logical_and>>(init ? std::optional<bool>(*init != 0) : std::nullopt);
    case operation::any:
      return std::make_unique<truth_accumulator<logical_or>>(init ? std::optional<bool>(*init != 0) : std::nullopt);
    case operation::argmin: return place_for<argmin>(what);
    case operation::argmax: return place_for<argmax>(what);
    case operation::count: return std::make_unique<count_accumulator>();
    case operation::variance: return std::make_unique<variance_accumulator>(std::nullopt, on);
    case operation::stddev: return std::make_unique<deviation_accumulator>(std::nullopt, on);
    case operation::logsumexp:
      return std::make_unique<log_sum_exp_accumulator>(
          init ? std::optional<exponential_sum<double>>(exponential_sum<double>(*init)) : std::nullopt, on);
    case operation::mean: {
      accumulation sum{.op = operation::sum, .type = what.type, .init = {}, .threads = what.threads};
      if (sum.type == element_type::float32) sum.type = element_type::float64;
      return std::make_unique<mean_accumulator>(make_accumulator(sum));
    }
    default: return what.type ? make_typed(what, on) : make_mixed(what, on);
  }
}

io::element_type result_type(operation op, std::optional<io::element_type> type)
{
  switch (op) {
    case operation::all:
    case operation::any: return element_type::uint8;
    case operation::argmin:
    case operation::argmax:
    case operation::count: return element_type::int64;
    case operation::mean:
    case operation::variance:
    case operation::stddev:
    case operation::logsumexp: return element_type::float64;
    default: break;
  }
  if (!type) return element_type::float64;
  bool const widens = op == operation::sum || op == operation::product;
  if (!widens || !io::is_integer(*type)) return *type;
  return *type >= element_type::uint8 ? element_type::uint64 : element_type::int64;
}

}  // namespace tally::cli
