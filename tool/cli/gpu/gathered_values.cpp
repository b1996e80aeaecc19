#include "gpu/gathered_values.hpp"

#include <algorithm>

namespace tally::cli {

namespace {

using io::element_type;

bool adds(operation op)
{
  return op == operation::sum || op == operation::mean;
}

/// The operation on the GPU. A mean is a sum there, and is divided here.
operation asked(operation op)
{
  return op == operation::mean ? operation(operation::sum) : op;
}

std::optional<int128> as_integer(std::optional<io::number> const& number)
{
  if (!number || !std::holds_alternative<int128>(*number)) return std::nullopt;
  return std::get<int128>(*number);
}

std::optional<result> as_double(std::optional<io::number> const& number)
{
  if (!number) return std::nullopt;
  return std::visit([](auto x) { return result(static_cast<double>(x)); }, *number);
}

double divided(result const& sum, std::size_t count)
{
  return std::visit([](auto x) { return static_cast<double>(x); }, sum) / static_cast<double>(count);
}

}  // namespace

gathered_values::gathered_values(gpu& device, std::vector<operation> const& operations,
                                 std::optional<element_type> type, std::optional<io::number> const& init)
    : type_(type),
      init_(init)
{
  auto const any = [&](auto const& is) { return std::any_of(operations.begin(), operations.end(), is); };
  auto const other_than_mean = [](operation op) { return op != operation::mean; };
  if (!type) {
    if (!init || as_integer(init)) exact_ = device.numbers(element_type::int64);
    if (any([](operation op) { return kind_of(op) != operation_kind::bitwise; }))
      floating_ = device.numbers(element_type::float64);
  } else if (io::is_integer(*type)) {
    element_type const wide = *type >= element_type::uint8 ? element_type::uint64 : element_type::int64;
    exact_ = device.numbers(any(adds) ? wide : *type);
  } else {
    bool const narrow = *type == element_type::float32;
    if (!narrow || any(other_than_mean)) floating_ = device.numbers(*type);
    if (narrow && !std::all_of(operations.begin(), operations.end(), other_than_mean))
      doubles_ = device.numbers(element_type::float64);
  }
}

void gathered_values::reserve(std::size_t n)
{
  for (gpu_numbers* const each : {exact_.get(), floating_.get(), doubles_.get()})
    if (each != nullptr) each->reserve(n);
}

bool gathered_values::take(io::values_view const& values)
{
  bool const integers = io::is_integer(io::type_of(values));
  if (exact_ && integers && counts_exactly()) {
    if (io::type_of(values) == element_type::int128) return false;
    exact_->append(converted(values, exact_->type(), scratch()));
  }
  if (floating_) {
    if (floating_->type() == element_type::float64)
      floating_->append(as_doubles(values, scratch()));
    else
      floating_->append(values);
  }
  if (doubles_) doubles_->append(as_doubles(values, scratch()));
  size_ += io::size_of(values);
  return true;
}

/// Whether the magnitudes of all integers and of `init` add up to at most the 64 bits of an element.
bool gathered_values::sums_fit(int128 init)
{
  int128 const limit = exact_->type() == element_type::uint64 ? (int128{1} << 64) - 1 : (int128{1} << 63) - 1;
  int128 const left = limit - (init < 0 ? -init : init);
  int128 greatest = 0;
  if (type_ && io::byte_size(*type_) < 8) {
    greatest = int128{1} << (8 * io::byte_size(*type_));
  } else {
    int128 const low = std::get<int128>(exact_->reduce(operation::min, {}));
    int128 const high = std::get<int128>(exact_->reduce(operation::max, {}));
    greatest = std::max(-low, high);
  }
  return left >= 0 && (greatest <= 0 || static_cast<int128>(exact_->size()) <= left / greatest);
}

std::optional<result> gathered_values::reduce(operation op)
{
  if (!counts_exactly()) {
    result const all = floating_for(op).reduce(asked(op), as_double(init_));
    return op == operation::mean ? result(divided(all, size_)) : all;
  }
  if (adds(op) && !sums_fit(0)) return std::nullopt;
  result const all = exact_->reduce(asked(op), {});
  if (op == operation::mean) return divided(all, size_);
  // The initial value is combined with the result in 128 bits.
  std::unique_ptr<accumulator> const last = make_accumulator({.op = op, .type = type_, .init = init_, .threads = 1});
  last->reduce(std::span<int128 const>(&std::get<int128>(all), 1));
  return last->value();
}

bool gathered_values::scan(operation op, scan_kind kind)
{
  if (exact_ && exact_->size() > 0) {
    std::optional<int128> const init = as_integer(init_);
    if (adds(op) && !sums_fit(init.value_or(0))) return false;
    exact_->scan(asked(op), kind, init ? std::optional<result>(*init) : std::nullopt);
  }
  if (!counts_exactly()) floating_for(op).scan(asked(op), kind, as_double(init_));
  holds_sums_for_means_ = op == operation::mean;
  return true;
}

io::values_view gathered_values::piece(std::size_t first)
{
  std::size_t const integers = exact_ ? exact_->size() : 0;
  gpu_numbers& from = first < integers ? *exact_ : floating_ ? *floating_ : *doubles_;
  std::size_t const count = std::min((first < integers ? integers : size_) - first, gpu_numbers::most_read);
  io::values_view const values = from.read(first, count);
  if (!holds_sums_for_means_) return values;
  std::span<double const> const sums = as_doubles(values, scratch());
  double* const to = means_.resize<double>(count);
  for (std::size_t k = 0; k < count; ++k) to[k] = sums[k] / static_cast<double>(first + k + 1);
  return std::span<double const>(to, count);
}

}  // namespace tally::cli
