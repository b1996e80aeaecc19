#include "parser.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include <CLI/CLI.hpp>

#include "suggestion.hpp"

namespace tally::cli {

parser::parser(command_page const& page) : page_(page), app_(std::make_unique<CLI::App>())
{
  app_->set_help_flag();
  app_->allow_extras();
}

parser::~parser() = default;

option_page const& parser::find(std::string_view name)
{
  for (option_group const& group : page_.options) {
    for (option_page const& option : group.options) {
      if (long_name(option) != name) continue;
      bound_.emplace_back(name);
      return option;
    }
  }
  throw std::logic_error("no option " + std::string(name) + " on the page of " + full_name(page_, ' '));
}

void parser::flag(std::string_view name, bool& target)
{
  app_->add_flag(std::string(find(name).names), target);
}

void parser::value(std::string_view name, times allowed, std::function<void(std::string const&)> take)
{
  auto const take_all = [option = std::string(name), allowed,
                         take = std::move(take)](std::vector<std::string> const& values) {
    if (allowed == times::once && values.size() > 1) throw command_line_error(option + " is given twice");
    for (std::string const& each : values) take(each);
  };
  app_->add_option_function<std::vector<std::string>>(std::string(find(name).names), take_all)
      ->type_size(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void parser::arguments(std::string_view name, std::vector<std::string>& target)
{
  app_->add_option(std::string(find(name).names), target);
}

/// What CLI11 would take for something else: `--name=` for an option whose value is the next word, `-name` for `-n`
/// with the value "ame".
void parser::check(std::vector<std::string> const& words) const
{
  std::vector<option_page const*> all;
  for (option_group const& group : page_.options)
    for (option_page const& option : group.options) all.push_back(&option);
  auto const named = [&](std::string_view word) -> option_page const* {
    auto const found = std::find_if(all.begin(), all.end(), [&](option_page const* option) {
      return is_named(*option) && !word.empty() && (word == long_name(*option) || word == short_name(*option));
    });
    return found == all.end() ? nullptr : *found;
  };
  for (std::size_t k = 0; k < words.size() && words[k] != "--"; ++k) {
    std::string const& word = words[k];
    std::string const name = word.substr(0, word.find('='));
    option_page const* const option = named(name);
    bool const takes_value = option != nullptr && !option->value.empty();
    if (takes_value && word == name + '=') throw command_line_error(name + " needs a value");
    if (takes_value && word == name) ++k;  // the next word is its value, whatever it looks like
    if (option == nullptr && word.starts_with('-') && named('-' + name) != nullptr)
      throw command_line_error("unknown option " + word + " (did you mean '-" + name + "'?)");
  }
}

void parser::parse(std::vector<std::string> const& words)
{
  check(words);
  std::vector<std::string_view> names;
  for (option_group const& group : page_.options) {
    for (option_page const& option : group.options) {
      if (std::find(bound_.begin(), bound_.end(), long_name(option)) == bound_.end())
        throw std::logic_error(std::string(long_name(option)) + " is on the page of " + full_name(page_, ' ') +
                               " only");
      if (is_named(option)) names.push_back(long_name(option));
    }
  }
  try {
    app_->parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (CLI::ArgumentMismatch const&) {
    throw command_line_error(words.back() + " needs a value");
  } catch (CLI::ParseError const& problem) {
    throw command_line_error(problem.what());
  }
  std::vector<std::string> unknown = app_->remaining();
  std::erase(unknown, "--");
  if (unknown.empty()) return;
  std::string const& word = unknown.front();
  if (!word.starts_with('-'))
    throw command_line_error("nothing is expected after the options, but there is '" + word + "'");
  throw command_line_error("unknown option " + word + suggest(word.substr(0, word.find('=')), names));
}

bool asks_for_help(std::vector<std::string> const& words)
{
  for (std::string const& word : words) {
    if (word == "--") return false;
    if (word == "--help" || word == "-h") return true;
  }
  return false;
}

int whole_number(std::string_view option, std::string const& text, int least, int most)
{
  int number = 0;
  auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool const beyond_int = problem == std::errc::result_out_of_range;
  bool const whole = end == text.data() + text.size() && (beyond_int || problem == std::errc{});
  if (whole && !text.starts_with('-') && (beyond_int || number > most))
    throw command_line_error(std::string(option) + ": " + text + " is too large; at most " + std::to_string(most));
  if (!whole || beyond_int || number < least)
    throw command_line_error(std::string(option) + ": '" + text + "' is not a whole number from " +
                             std::to_string(least) + " on");
  return number;
}

std::vector<std::string> list_elements(std::string_view list)
{
  constexpr std::string_view blanks = " \t\r\n\v\f";
  std::vector<std::string> all;
  for (;;) {
    std::size_t const comma = list.find(',');
    std::string_view part = list.substr(0, comma);
    std::size_t const before = all.size();
    while (part.find_first_not_of(blanks) != part.npos) {
      part.remove_prefix(part.find_first_not_of(blanks));
      std::size_t const end = std::min(part.find_first_of(blanks), part.size());
      all.emplace_back(part.substr(0, end));
      part.remove_prefix(end);
    }
    if (all.size() == before) all.emplace_back();
    if (comma == list.npos) return all;
    list.remove_prefix(comma + 1);
  }
}

std::size_t chosen(std::string_view option, std::string const& text, std::vector<choice> const& choices)
{
  std::vector<std::string_view> names;
  for (std::size_t k = 0; k < choices.size(); ++k) {
    if (choices[k].name == text) return k;
    names.push_back(choices[k].name);
  }
  std::string message = std::string(option) + ": there is no '" + text + "'";
  std::string const near = suggest(text, names);
  if (!near.empty()) throw command_line_error(message + near);
  message += "; choose one of";
  for (std::string_view const name : names) (message += name == names.front() ? " " : ", ") += name;
  throw command_line_error(message);
}

}  // namespace tally::cli
