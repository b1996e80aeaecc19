#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "help/page.hpp"
#include "operations/table.hpp"

namespace tally::cli {

/// A decimal number of 0 or more: digits / 10^decimals.
struct short_decimal {
  std::int64_t digits = 0;
  int decimals = 0;  ///< the fewest that hold it

  friend bool operator==(short_decimal const&, short_decimal const&) = default;
};

/// An operation on a sequence of numbers, and its parameter: the share of `quantile:0.9`, the percentage of `p95`.
struct operation {
  enum identifier {
#define TALLY_ENUMERATOR(op, name, meaning, other_names, kind, maker) op,
    TALLY_OPERATIONS(TALLY_ENUMERATOR)
#undef TALLY_ENUMERATOR
  };

  identifier which = sum;
  short_decimal parameter = {};

  constexpr operation() = default;
  constexpr operation(identifier op) : which(op) {}
  constexpr operation(identifier op, short_decimal of) : which(op), parameter(of) {}
  constexpr operator identifier() const { return which; }

  friend bool operator==(operation const&, operation const&) = default;
  friend bool operator==(operation const& a, identifier b) { return a.which == b; }
};

operation_kind kind_of(operation op);

/// Every operation's name and meaning, in the order of the enumeration. Names with a parameter are examples.
std::vector<choice> const& operation_choices();

/// The name by which a command line asks for it: "sum", "quantile:0.9", "p95".
std::string name_of(operation op);

/// The operation called `name`. For an unknown name the error suggests the nearest one, or the usual name ("mean" for
/// "avg").
operation operation_named(std::string const& name);

/// The operations of a list "sum,max" or "sum max".
std::vector<operation> operations_named(std::string const& list);

/// The share of a quantile as a fraction: 9/10 of `quantile:0.9`, 95/100 of `p95`, 1/2 of `median`.
struct fraction {
  std::int64_t numerator;
  std::int64_t denominator;
};
fraction share_of(operation op);

/// Whether the operation combines values by an operator of the library.
bool has_operator(operation op);

/// Whether the operation is made from values in order.
bool needs_order(operation op);

/// Whether it has a result for every value, and none of all: for scans alone.
bool is_for_scans(operation op);

/// Whether it is of two columns.
bool is_of_pairs(operation op);

/// Whether its first result needs all values.
bool needs_all(operation op);

/// Whether --init is allowed: values and results are of one kind.
bool takes_init(operation op);

/// Whether an empty sequence has a result, with which an exclusive scan begins.
bool has_identity(operation op);

}  // namespace tally::cli
