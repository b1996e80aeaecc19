#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "page.hpp"

namespace tally::cli {

/// What can be done with a sequence of numbers. The order is that of `operation_choices`.
enum class operation {
  sum,
  product,
  min,
  max,
  bit_and,
  bit_or,
  bit_xor,
  all,
  any,
  argmin,
  argmax,
  mean,
  variance,
  stddev,
  logsumexp,
  count
};

/// Every operation's name and meaning, in the order of the enumeration.
std::vector<choice> const& operation_choices();

std::string_view name_of(operation op);

/// The operation called `name`; for an unknown one the error suggests the nearest, or the name of what is meant
/// ("avg").
operation operation_named(std::string const& name);

/// The operations of a list "sum,max" or "sum max".
std::vector<operation> operations_named(std::string const& list);

/// Whether it needs integers.
bool is_bitwise(operation op);

/// Whether results begin with an initial value where one is given: whether values and results are of one kind.
bool takes_init(operation op);

/// Whether there is a result of no values at all, which an exclusive scan begins with.
bool has_identity(operation op);

}  // namespace tally::cli
