#pragma once

#include <string>

#include "textbook/elements.hpp"

namespace tally::cli {

/// The operator that an expression of a and b describes, such as "a*b+1" or "max(a, b)". Throws `command_line_error` if
/// it is none. The expression is evaluated in doubles.
textbook::own_operator operator_of(std::string const& expression);

}  // namespace tally::cli
