#include "operation.hpp"

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
  for (auto const& [other, meant] : other_names) {
    if (other == name)
      throw command_line_error("--op: there is no '" + name + "' (did you mean '" + std::string(meant) + "'?)");
  }
  return static_cast<operation>(chosen("--op", name, operation_choices()));
}

std::vector<operation> operations_named(std::string const& list)
{
  std::vector<operation> out;
  for (std::size_t begin = 0; begin <= list.size();) {
    std::size_t const end = std::min(list.find(',', begin), list.size());
    out.push_back(operation_named(list.substr(begin, end - begin)));
    begin = end + 1;
  }
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
