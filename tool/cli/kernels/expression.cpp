#include "kernels/expression.hpp"

#include <cmath>
#include <memory>

#include <muParser.h>

#include "settings/parser.hpp"
#include "textbook/usual_identity.hpp"

namespace tally::cli {

namespace {

/// An expression that muParser reads, and its variables.
struct parsed {
  explicit parsed(std::string const& text)
  {
    reader.ClearConst();
    reader.DefineVar("a", &a);
    reader.DefineVar("b", &b);
    reader.DefineOprt("%", [](double left, double right) { return std::fmod(left, right); }, mu::prMUL_DIV);
    reader.SetExpr(text);
  }
  double operator()(double left, double right)
  {
    a = left;
    b = right;
    return reader.Eval();
  }

  mu::Parser reader;
  double a = 0, b = 0;
};

/// Throws `command_line_error`, or what muParser throws, unless it is one expression of a and b.
void must_be_an_operator(parsed& op, std::string const& text)
{
  op(7, 3);
  if (op.reader.GetNumResults() > 1) throw command_line_error("--op '" + text + "' has more than one result");
  if (op.reader.GetUsedVar().empty()) throw command_line_error("--op '" + text + "' has neither a nor b in it");
  if (op.a != 7 || op.b != 3) throw command_line_error("--op '" + text + "' assigns; to compare write ==");
}

}  // namespace

textbook::own_operator operator_of(std::string const& expression)
{
  try {
    auto const read = std::make_shared<parsed>(expression);
    must_be_an_operator(*read, expression);
    auto const combine = [read](double a, double b) { return (*read)(a, b); };
    return {expression, combine, textbook::usual_identity(combine)};
  } catch (mu::ParserError const& problem) {
    std::string message = problem.GetMsg();
    while (!message.empty() && message.back() == '.') message.pop_back();
    throw command_line_error("--op '" + expression + "': " + message +
                             "; an operator of your own is an expression of a and b, such as 'a*b+1' or 'max(a, b)'");
  }
}

}  // namespace tally::cli
