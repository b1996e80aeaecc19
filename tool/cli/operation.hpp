#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "operation_table.hpp"
#include "page.hpp"

namespace tally::cli {

/// An operation on a sequence of numbers.
enum class operation {
#define TALLY_ENUMERATOR(op, name, meaning, other_names, kind, maker) op,
  TALLY_OPERATIONS(TALLY_ENUMERATOR)
#undef TALLY_ENUMERATOR
};

operation_kind kind_of(operation op);

/// Every operation's name and meaning, in the order of the enumeration.
std::vector<choice> const& operation_choices();

std::string_view name_of(operation op);

/// The operation called `name`. For an unknown name the error suggests the nearest one, or the usual name ("mean" for
/// "avg").
operation operation_named(std::string const& name);

/// The operations of a list "sum,max" or "sum max".
std::vector<operation> operations_named(std::string const& list);

/// Whether the operation combines values by an operator of the library.
bool has_operator(operation op);

/// Whether --init is allowed: values and results are of one kind.
bool takes_init(operation op);

/// Whether an empty sequence has a result, with which an exclusive scan begins.
bool has_identity(operation op);

}  // namespace tally::cli
