#include "accumulators/windows/window.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <tally/operators.hpp>

#include "accumulators/exact.hpp"
#include "accumulators/floating.hpp"
#include "accumulators/mixed.hpp"
#include "accumulators/windows/sliding_fold.hpp"
#include "settings/parser.hpp"

namespace tally::cli {

namespace {

struct window_overflow {};

/// An operator on integers of 128 bits. Throws window_overflow for a result that needs more.
template <class Op>
struct checked {
  int128 operator()(int128 a, int128 b) const
  {
    int128 result = 0;
    if (!exact<Op>::combine(a, b, result)) throw window_overflow{};
    return result;
  }
};

/// The first of two states.
struct keep_first {
  template <class State>
  State const& operator()(State const& a, State const&) const
  {
    return a;
  }
};

/// A state made of the value alone, whatever its position.
template <class State>
struct of_value {
  template <class T>
  State operator()(T value, std::uint64_t) const
  {
    return State(value);
  }
};

struct truth_of_value {
  std::uint8_t operator()(double value, std::uint64_t) const { return value != 0; }
};

struct one_of_value {
  std::int64_t operator()(double, std::uint64_t) const { return 1; }
};

template <class T>
struct place_of_value {
  indexed<T, std::uint64_t> operator()(T value, std::uint64_t position) const { return {value, position}; }
};

struct itself {
  template <class State>
  State operator()(State const& state) const
  {
    return state;
  }
};

struct its_place {
  template <class State>
  std::int64_t operator()(State const& state) const
  {
    return static_cast<std::int64_t>(state.index);
  }
};

/// Writes integers as int64 where all fit, which is quicker to print.
void narrow(value_buffer& integers, value_buffer& out)
{
  auto const from = std::get<std::span<int128 const>>(integers.view());
  constexpr int128 least = std::numeric_limits<std::int64_t>::min();
  constexpr int128 most = std::numeric_limits<std::int64_t>::max();
  if (std::ranges::all_of(from, [](int128 x) { return x >= least && x <= most; }))
    converted(from, io::element_type::int64, out);
  else
    std::swap(integers, out);
}

/// Values taken as T, made into states, combined, and finished.
template <class T, class State, class Op, class Make, class Finish>
class window_accumulator final : public accumulator {
public:
  explicit window_accumulator(accumulation const& what)
      : last_(what.window),
        as_float_(what.type == io::element_type::float32 && std::is_same_v<Finish, itself>)
  {
  }

  void restart() override
  {
    last_.clear();
    position_ = 0;
  }

  void reduce(io::values_view const& values) override
  {
    for_each(values, [](std::size_t, auto const&) {});
  }

  void scan(io::values_view const& values, scan_kind, value_buffer& out) override
  {
    using out_type = decltype(Finish{}(std::declval<State>()));
    value_buffer room;
    out_type* const to = room.resize<out_type>(io::size_of(values));
    for_each(values, [&](std::size_t k, State const& state) { to[k] = Finish{}(state); });
    if constexpr (std::is_same_v<out_type, int128>) {
      narrow(room, out);
    } else {
      std::swap(room, out);
      if (std::is_same_v<out_type, double> && as_float_) {
        converted(out.view(), io::element_type::float32, room);
        std::swap(room, out);
      }
    }
  }

  result value() const override { throw error("a window has no last value"); }  // only scans use it

private:
  template <class Use>
  void for_each(io::values_view const& values, Use use)
  {
    std::span<T const> in;
    if constexpr (std::is_same_v<T, double>)
      in = as_doubles(values, scratch());
    else
      in = std::get<std::span<T const>>(converted(values, io::element_type_of<T>, scratch()));
    for (std::size_t k = 0; k < in.size(); ++k) {
      try {
        use(k, last_.next(Make{}(in[k], position_++)));
      } catch (window_overflow) {
        throw value_problem(k, "a result of the integers up to here that needs more than 128 bits",
                            "one that fits (--type float64 rounds numbers of text instead)");
      }
    }
  }

  sliding_fold<State, Op> last_;
  bool as_float_;
  std::uint64_t position_ = 0;
};

template <class Op>
using integer_window = window_accumulator<int128, int128, checked<Op>, of_value<int128>, itself>;
template <class State, class Op, class Finish>
using double_window = window_accumulator<double, State, Op, of_value<State>, Finish>;
template <class T, class Op>
using place_window = window_accumulator<T, indexed<T, std::uint64_t>, Op, place_of_value<T>, its_place>;

/// Windows of integers and of doubles, as the type of values asks for.
template <class Integers, class Doubles>
std::unique_ptr<accumulator> make_both(accumulation const& what)
{
  if (what.type && io::is_integer(*what.type)) return std::make_unique<Integers>(what);
  if (what.type) return std::make_unique<Doubles>(what);
  return std::make_unique<mixed_accumulator>(std::make_unique<Integers>(what), std::make_unique<Doubles>(what),
                                             what.op);
}

template <class Op>
std::unique_ptr<accumulator> make_by_operator(accumulation const& what)
{
  if constexpr (operator_over<Op, double>) {
    return make_both<integer_window<Op>, double_window<double, Op, itself>>(what);
  } else {
    if (what.type && !io::is_integer(*what.type))
      throw command_line_error("--op " + name_of(what.op) + " needs integers; the values are " +
                               std::string(io::name_of(*what.type)));
    auto integers = std::make_unique<integer_window<Op>>(what);
    if (what.type) return integers;
    return std::make_unique<mixed_accumulator>(std::move(integers), nullptr, what.op);
  }
}

}  // namespace

std::unique_ptr<accumulator> make_window(accumulation const& what)
{
  switch (what.op) {
#define TALLY_CASE(op, name, meaning, other_names, kind, combine)                                                      \
  case operation::op: return make_by_operator<tally::combine>(what);
    TALLY_OPERATIONS_BY_OPERATOR(TALLY_CASE)
#undef TALLY_CASE
    case operation::all:
      return std::make_unique<window_accumulator<double, std::uint8_t, minimum, truth_of_value, itself>>(what);
    case operation::any:
      return std::make_unique<window_accumulator<double, std::uint8_t, maximum, truth_of_value, itself>>(what);
    case operation::argmin: return make_both<place_window<int128, argmin>, place_window<double, argmin>>(what);
    case operation::argmax: return make_both<place_window<int128, argmax>, place_window<double, argmax>>(what);
    case operation::first:
      return make_both<window_accumulator<int128, int128, keep_first, of_value<int128>, itself>,
                       double_window<double, keep_first, itself>>(what);
    case operation::count:
      return std::make_unique<window_accumulator<double, std::int64_t, plus, one_of_value, itself>>(what);
    case operation::variance:
      return std::make_unique<double_window<moments<double>, mean_and_variance, finish_variance>>(what);
    case operation::stddev:
      return std::make_unique<double_window<moments<double>, mean_and_variance, finish_deviation>>(what);
    case operation::skewness:
      return std::make_unique<double_window<shape_moments, combine_shape_moments, finish_skewness>>(what);
    case operation::kurtosis:
      return std::make_unique<double_window<shape_moments, combine_shape_moments, finish_kurtosis>>(what);
    case operation::geomean:
      return std::make_unique<double_window<scaled_product, multiply_scaled, finish_geometric_mean>>(what);
    case operation::harmean:
      return std::make_unique<double_window<reciprocal_sum, add_reciprocals, finish_harmonic_mean>>(what);
    case operation::logsumexp:
      return std::make_unique<double_window<exponential_sum<double>, log_sum_exp, finish_exponentials>>(what);
    default: throw command_line_error("--window is of no use to --op " + name_of(what.op));
  }
}

}  // namespace tally::cli
