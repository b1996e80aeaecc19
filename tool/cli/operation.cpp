#include "operation.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "parser.hpp"

namespace tally::cli {

std::vector<choice> const& operation_choices()
{
  static std::vector<choice> const all = {
      {"sum", "all added up"},
      {"product", "all multiplied"},
      {"min", "the least (nan if any value is nan)"},
      {"max", "the greatest (nan if any value is nan)"},
      {"and", "the bits that all have (integers)"},
      {"or", "the bits that any has (integers)"},
      {"xor", "the bits that an odd number has (integers)"},
      {"all", "1 if every value is nonzero, else 0"},
      {"any", "1 if some value is nonzero, else 0"},
      {"argmin", "where the first least value stands, counted from 0"},
      {"argmax", "where the first greatest value stands, counted from 0"},
      {"mean", "the arithmetic mean"},
      {"variance", "the sample variance (divisor n - 1)"},
      {"stddev", "the square root of the variance"},
      {"logsumexp", "log(exp(x0) + exp(x1) + ...), without overflow"},
      {"count", "how many there are"},
  };
  return all;
}

std::string_view name_of(operation op)
{
  return operation_choices()[static_cast<std::size_t>(op)].name;
}

operation operation_named(std::string const& name)
{
  static constexpr std::pair<std::string_view, std::string_view> other_names[] = {
      {"add", "sum"},         {"plus", "sum"},       {"total", "sum"},     {"multiplies", "product"},
      {"times", "product"},   {"minimum", "min"},    {"maximum", "max"},   {"least", "min"},
      {"greatest", "max"},    {"average", "mean"},   {"avg", "mean"},      {"var", "variance"},
      {"sd", "stddev"},       {"std", "stddev"},     {"bit_and", "and"},   {"bit_or", "or"},
      {"bit_xor", "xor"},     {"band", "and"},       {"bor", "or"},        {"bxor", "xor"},
      {"logical_and", "all"}, {"logical_or", "any"}, {"lse", "logsumexp"}, {"log_sum_exp", "logsumexp"},
      {"length", "count"},    {"n", "count"},        {"len", "count"},     {"+", "sum"},
      {"*", "product"},       {"&", "and"},          {"|", "or"},          {"^", "xor"},
  };
  static constexpr std::string_view of_sorted_values[] = {
      "median", "quantile", "quantiles", "percentile", "percentiles", "quartile", "quartiles",
  };
  if (std::ranges::find(of_sorted_values, name) != std::end(of_sorted_values))
    throw command_line_error("--op: there is no '" + name + "', which needs all values at once and in order; " +
                             "'tally app cdf --quantiles 0.5' prints the median");
  for (auto const& [other, meant] : other_names) {
    if (other == name)
      throw command_line_error("--op: there is no '" + name + "' (did you mean '" + std::string(meant) + "'?)");
  }
  return static_cast<operation>(index_of_choice("--op", name, operation_choices()));
}

std::vector<operation> operations_named(std::string const& list)
{
  std::vector<operation> out;
  for (std::string const& name : list_elements(list)) out.push_back(operation_named(name));
  return out;
}

bool is_bitwise(operation op)
{
  return op == operation::bit_and || op == operation::bit_or || op == operation::bit_xor;
}

bool takes_init(operation op)
{
  return op <= operation::any || op == operation::logsumexp;
}

bool has_identity(operation op)
{
  return takes_init(op) || op == operation::count;
}

}  // namespace tally::cli
