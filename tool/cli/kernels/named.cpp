#include "kernels/named.hpp"

#include <algorithm>
#include <deque>

#include "settings/parser.hpp"

namespace tally::cli {

std::vector<choice> const& kernel_choices()
{
  static std::vector<choice> const all = [] {
    std::vector<choice> choices;
    for (textbook::kernel_entry const& kernel : textbook::catalogue()) choices.push_back({kernel.name, ""});
    return choices;
  }();
  return all;
}

namespace {

/// `lead` and the names of the choices.
option_page named_option(std::string_view name, std::string_view lead, std::vector<choice> choices)
{
  static std::deque<std::string> texts;  // pages refer to these texts
  std::string& text = texts.emplace_back(lead);
  for (choice const& each : choices) {
    text += &each == &choices.front() ? " " : ", ";
    text += each.name;
  }
  text += '.';
  return {name, "", text, completes::choices, std::move(choices)};
}

}  // namespace

option_page kernel_arguments(std::vector<choice> const& others)
{
  std::vector<choice> choices = others;
  choices.insert(choices.end(), kernel_choices().begin(), kernel_choices().end());
  return named_option("KERNEL...", "Only these; all if none is named:", std::move(choices));
}

option_page kernel_argument()
{
  return named_option("KERNEL", "One of:", kernel_choices());
}

std::vector<textbook::kernel_entry const*> kernels_named(std::vector<std::string> const& names)
{
  std::vector<textbook::kernel_entry const*> named;
  for (std::string const& name : names)
    named.push_back(&textbook::catalogue()[index_of_choice("KERNEL", name, kernel_choices())]);
  if (names.empty())
    for (textbook::kernel_entry const& kernel : textbook::catalogue()) named.push_back(&kernel);
  std::sort(named.begin(), named.end());  // by address: they are in one array
  named.erase(std::unique(named.begin(), named.end()), named.end());
  return named;
}

std::vector<choice> const& kernel_operation_choices()
{
  static std::vector<choice> const all = {
      {"sum", "of integers"},
      {"product", "of integers"},
      {"min", "the least integer"},
      {"max", "the greatest integer"},
      {"join", "of letters, which keeps their order: not commutative"},
  };
  return all;
}

void check_letters(int n, kernel_operation op)
{
  constexpr int most = 1 << 15;
  if (op == kernel_operation::join && n > most)
    throw command_line_error("--op join: there are letters for up to " + std::to_string(most) + " elements");
}

kernel_operation kernel_operation_of(textbook::kernel_entry const& kernel, std::optional<kernel_operation> asked)
{
  if (asked) return *asked;
  return static_cast<kernel_operation>(
      textbook::operation_of(kernel, std::nullopt));  // both have sum .. max in this order
}

std::string_view name_of(kernel_operation op)
{
  return kernel_operation_choices()[static_cast<std::size_t>(op)].name;
}

textbook::values kernel_input(textbook::kernel_entry const& kernel, int n, kernel_operation op)
{
  if (op == kernel_operation::join) {
    std::vector<textbook::letters> in;
    for (int k = 0; k < n; ++k) in.push_back({static_cast<short>(k), static_cast<short>(k)});
    return in;
  }
  std::vector<int> in;
  for (int k = 0; k < n; ++k) {
    int const spread = static_cast<int>(k * 7919LL % 2000) - 1000;
    bool const counts = kernel.result == textbook::result_kind::histogram;
    in.push_back(counts                            ? (spread + 1000) % 11 % textbook::histogram_bins
                 : op == kernel_operation::product ? spread % 3 == 0 ? -1 : 1
                                                   : spread);
  }
  return in;
}

textbook::operation catalogue_operation(kernel_operation op)
{
  switch (op) {
    case kernel_operation::product: return textbook::operation::product;
    case kernel_operation::min: return textbook::operation::minimum;
    case kernel_operation::max: return textbook::operation::maximum;
    default: return textbook::operation::sum;
  }
}

}  // namespace tally::cli
