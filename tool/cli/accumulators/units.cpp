#include "accumulators/units.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "accumulators/difference.hpp"
#include "accumulators/exact.hpp"
#include "operations/operation.hpp"
#include "settings/parser.hpp"

namespace tally::cli {

namespace {

/// Divides by powers of ten as long as that is exact, 31 at most; returns how many.
int strip_zeros(int128& value)
{
  constexpr int128 ten_to_8 = 100'000'000;
  constexpr std::pair<int, int128> powers[] = {
      {16, ten_to_8 * ten_to_8}, {8, ten_to_8}, {4, 10'000}, {2, 100}, {1, 10}};
  int stripped = 0;
  if (value == 0) return 0;
  for (auto const& [count, power] : powers) {
    if (value % power != 0) continue;
    value /= power;
    stripped += count;
  }
  return stripped;
}

/// Multiplies by 10^power; false if that needs more than 128 bits.
bool scale_up(int128& value, int power)
{
  for (; power > 0 && value != 0; --power)
    if (__builtin_mul_overflow(value, int128{10}, &value)) return false;
  return true;
}

}  // namespace

void decimal_product_accumulator::multiply(int128 by, std::size_t index)
{
  int128 left = value_;
  int power = strip_zeros(left) + strip_zeros(by) - io::decimal_places;
  bool fits = !__builtin_mul_overflow(left, by, &left);
  if (left == 0) power = 0;
  if (fits && power < 0) {
    power += strip_zeros(left);  // 0.5 * 0.2 has fewer decimals than its operands
    fits = power >= 0;
  }
  if (!fits || !scale_up(left, power))
    throw value_problem(index, "a product of decimals beyond 1.7e20 or with more than 18 decimals",
                        "one that fits (without --type decimal, products are rounded)");
  value_ = left;
}

double nearest_double(int128 count, io::number_unit unit)
{
  // The digits mostly fit the 53 bits of a double, and powers of ten up to 10^22 are exact: the division rounds once.
  int const power = strip_zeros(count) - (unit == io::number_unit::decimal ? io::decimal_places : 9);
  double factor = 1;
  for (int k = power < 0 ? -power : power; k > 0; --k) factor *= 10;
  return power < 0 ? static_cast<double>(count) / factor : static_cast<double>(count) * factor;
}

io::values_view units_as_doubles::doubles(io::values_view const& values) const
{
  thread_local value_buffer room;
  auto const in = std::get<std::span<int128 const>>(values);
  double* const to = room.resize<double>(in.size());
  for (std::size_t k = 0; k < in.size(); ++k) to[k] = nearest_double(in[k], unit_);
  return room.view();
}

namespace {

[[noreturn]] void refuse(operation op, io::number_unit unit)
{
  std::string const name(name_of(op));
  if (kind_of(op) == operation_kind::bitwise)
    throw command_line_error("--op " + name + " needs integers: not with --type decimal, time or duration");
  std::string const of = unit == io::number_unit::instant ? "dates and times" : "durations";
  throw command_line_error("--op " + name + ": a " + name + " of " + of + " has no meaning" +
                           (unit == io::number_unit::instant ? " (min, max and mean have)" : ""));
}

}  // namespace

io::number_form form_of(operation op, io::number_form of_values)
{
  io::number_form const none;
  if (of_values.unit == io::number_unit::one) return none;
  switch (kind_of(op)) {
    case operation_kind::growing:
    case operation_kind::choosing:
    case operation_kind::chosen:
    case operation_kind::average: return of_values;
    case operation_kind::ordered:
      if (op != operation::mad && op != operation::iqr) return of_values;
      break;
    case operation_kind::width:
    case operation_kind::difference: break;
    default: return none;
  }
  if (of_values.unit != io::number_unit::instant) return of_values;
  io::time_shape const shape = of_values.digits == 0 ? io::time_shape::words : io::time_shape::clock;
  return {io::number_unit::duration, std::max<unsigned char>(of_values.digits, 1), shape};
}

std::unique_ptr<accumulator> make_with_unit(accumulation const& what)
{
  int128 const* const init = what.init ? std::get_if<int128>(&*what.init) : nullptr;
  auto const start_or = [&](std::optional<int128> otherwise) { return init ? *init : otherwise; };
  bool const decimals = what.unit == io::number_unit::decimal;
  accumulation plain = what;  // the same without a unit
  plain.type = io::element_type::int128;
  plain.unit = io::number_unit::one;
  bool const windows = what.window > 0;
  switch (what.op) {
    case operation::sum:
      if (what.unit == io::number_unit::instant) refuse(what.op, what.unit);
      if (windows) return make_accumulator(plain);
      return std::make_unique<exact_accumulator<plus>>(start_or(0), what.unit);
    case operation::product:
      if (!decimals) refuse(what.op, what.unit);
      if (windows) break;
      return std::make_unique<decimal_product_accumulator>(*start_or(io::decimal_one));
    case operation::min:
      if (windows) return make_accumulator(plain);
      return std::make_unique<exact_accumulator<minimum>>(start_or(std::nullopt));
    case operation::max:
      if (windows) return make_accumulator(plain);
      return std::make_unique<exact_accumulator<maximum>>(start_or(std::nullopt));
    case operation::mean:
      plain.op = operation::sum;
      plain.unit =
          what.unit == io::number_unit::instant ? io::number_unit::duration : what.unit;  // added up, as it were
      return std::make_unique<unit_mean_accumulator>(make_with_unit(plain), what.window);
    default: break;
  }
  switch (kind_of(what.op)) {
    case operation_kind::bitwise: refuse(what.op, what.unit);
    case operation_kind::difference:  // before the first date there is none to compare it with
      if (what.unit != io::number_unit::instant || init || windows) return make_accumulator(plain);
      return std::make_unique<difference_accumulator<int128>>(std::nullopt);
    case operation_kind::truth:
    case operation_kind::chosen:
    case operation_kind::width:
    case operation_kind::rank:
    case operation_kind::place:
    case operation_kind::number: return make_accumulator(plain);
    case operation_kind::share:  // the same in any unit
      if (what.unit == io::number_unit::instant) refuse(what.op, what.unit);
      return make_accumulator(plain);
    case operation_kind::exponentials:
      if (!decimals) refuse(what.op, what.unit);
      break;
    default: break;
  }
  plain.type = io::element_type::float64;
  if (init) plain.init = nearest_double(*init, what.unit);
  return std::make_unique<units_as_doubles>(make_accumulator(plain), what.unit);
}

}  // namespace tally::cli
