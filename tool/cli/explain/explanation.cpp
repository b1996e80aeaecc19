#include "explain/explanation.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>

#include <fast_float/fast_float.h>

#include <tally/error.hpp>

#include "settings/parser.hpp"

namespace tally::cli {

namespace {

/// A whole word as a number.
std::optional<int> integer_of(std::string_view word)
{
  int value = 0;
  auto const [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (problem != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// Not by std::from_chars, which Clang's library does not have for floats before version 20.
std::optional<float> float_of(std::string_view word)
{
  float value = 0;
  auto const [end, problem] = fast_float::from_chars(word.data(), word.data() + word.size(), value);
  if (problem != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  bool const is_too_large = std::isinf(value) && word.find_first_of("0123456789") != std::string_view::npos;
  return is_too_large ? std::nullopt : std::optional(value);
}

/// Integers, or decimals if one of them is a decimal.
textbook::values elements_of(std::string const& list)
{
  std::vector<int> integers;
  std::vector<float> decimals;
  std::vector<std::string> const words = list_elements(list);
  for (std::string const& word : words) {
    auto const decimal = float_of(word);
    if (!decimal)
      throw command_line_error("--input: '" + word + "' is not a number; give a list such as 3,1,7 or 0.5,2,1e-3");
    decimals.push_back(*decimal);
    if (auto const integer = integer_of(word))
      integers.push_back(*integer);
    else if (word.find_first_of(".eEnN") == std::string::npos)
      throw command_line_error("--input: an integer has 4 bytes, and " + word + " needs more; a float ends in .0");
  }
  if (integers.size() == words.size()) return integers;
  return decimals;
}

/// The elements of the course's example, repeated.
textbook::values course_elements(int n)
{
  constexpr int example[] = {3, 1, 7, 0, 4, 1, 6, 3};
  std::vector<int> elements;
  elements.reserve(static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k) elements.push_back(example[k % 8]);
  return elements;
}

textbook::values input_of(textbook::kernel_entry const& kernel, explain_settings const& settings)
{
  if (!settings.input) {
    int const n = settings.n.value_or(8);
    if (settings.op != kernel_operation::join) return course_elements(n);
    check_letters(n, kernel_operation::join);
    return kernel_input(kernel, n, kernel_operation::join);
  }
  if (settings.op == kernel_operation::join)
    throw command_line_error("--op join has letters for its input: a, b, c ..; --input is for the other operations");
  textbook::values in = elements_of(*settings.input);
  std::size_t const n = texts_of(in).size();
  if (settings.n && static_cast<std::size_t>(*settings.n) != n)
    throw command_line_error("--n " + std::to_string(*settings.n) + ", but --input names " + std::to_string(n) +
                             (n == 1 ? " element" : " elements"));
  return in;
}

}  // namespace

explanation explain(explain_settings const& settings)
{
  if (settings.kernels.size() > 1) throw command_line_error("one kernel at a time");
  explanation explained;
  std::size_t const number = index_of_choice("KERNEL", settings.kernels.at(0), kernel_choices());
  explained.kernel = &textbook::catalogue()[number];
  explained.op = kernel_operation_of(*explained.kernel, settings.op);
  explained.own = settings.own;
  explained.in = input_of(*explained.kernel, settings);
  explained.n = static_cast<int>(texts_of(explained.in).size());
  if (explained.n <= explanation::most_in_small_blocks && !settings.full_blocks)
    explained.kernel = &textbook::catalogue(textbook::blocks::small)[number];
  model::machine on;
  if (explained.n <= explanation::most_recorded) on.watch_with(&explained.run);
  try {
    bool const own = explained.own.has_value();
    textbook::outcome left = textbook::run(*explained.kernel, on, explained.in,
                                           own ? textbook::operation::own : catalogue_operation(explained.op),
                                           own ? &*explained.own : nullptr);
    explained.out = std::move(left.result);
    explained.drawing = std::move(left.drawing);
  } catch (usage_error const& problem) {
    throw command_line_error(problem.what());
  }
  explained.counts = on.counts();
  explained.work = on.operations().work();
  explained.depth = on.operations().depth();
  return explained;
}

int explanation::threads_elsewhere() const
{
  textbook::kernel_entry const* const of_catalogue = textbook::find_kernel(kernel->name);
  if (of_catalogue == nullptr || kernel->threads == of_catalogue->threads) return 0;
  return of_catalogue->threads;
}

std::string_view element_name(textbook::values const& of)
{
  constexpr std::string_view names[] = {"int", "float", "letters"};
  return names[of.index()];
}

std::vector<std::string> texts_of(textbook::values const& of)
{
  std::vector<std::string> texts;
  std::visit(
      [&](auto const& elements) {
        for (auto const& each : elements) texts.push_back(model::text_of(each));
      },
      of);
  return texts;
}

std::string explanation::combined(std::string const& left, std::string const& right) const
{
  if (own) return "op(" + left + ", " + right + ")";
  switch (op) {
    case kernel_operation::sum: return left + " + " + right;
    case kernel_operation::product: return left + " * " + right;
    case kernel_operation::min: return "min(" + left + ", " + right + ")";
    case kernel_operation::max: return "max(" + left + ", " + right + ")";
    default: return "join(" + left + ", " + right + ")";
  }
}

std::string header_of(model::place const& where)
{
  std::string_view const path = where.file, folder = "tally/textbook/";
  if (std::size_t const at = path.rfind(folder); at != std::string_view::npos)
    return std::string(path.substr(at + folder.size()));
  return std::string(path.substr(path.find_last_of('/') + 1));
}

}  // namespace tally::cli
