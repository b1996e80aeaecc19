#include "settings/parser.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <utility>

#include "help/suggestion.hpp"

namespace tally::cli {

void parser::bind(std::string_view name, std::function<void(std::vector<std::string> const&)> take)
{
  for (option_group const& group : page_.options) {
    for (option_page const& option : group.options) {
      if (long_name(option) == name) {
        bound_.push_back({&option, std::move(take)});
        return;
      }
    }
  }
  throw std::logic_error("no option " + std::string(name) + " on the page of " + full_name(page_, ' '));
}

void parser::flag(std::string_view name, bool& target)
{
  bind(name, [&target](std::vector<std::string> const&) { target = true; });
}

void parser::value(std::string_view name, std::function<void(std::string const&)> take)
{
  bind(name, [name = std::string(name), take = std::move(take)](std::vector<std::string> const& values) {
    if (values.size() > 1) throw command_line_error(name + " is given twice");
    take(values[0]);
  });
}

void parser::value(std::string_view name, std::string& target)
{
  value(name, [&target](std::string const& text) { target = text; });
}

void parser::value(std::string_view name, std::optional<std::string>& target)
{
  value(name, [&target](std::string const& text) { target = text; });
}

void parser::values(std::string_view name, std::function<void(std::string const&)> take)
{
  bind(name, [take = std::move(take)](std::vector<std::string> const& values) {
    for (std::string const& each : values) take(each);
  });
}

void parser::choose(std::string_view name, std::function<void(std::size_t)> take)
{
  value(name, [this, name = std::string(name), take = std::move(take)](std::string const& text) {
    take(index_of_choice(name, text, find(name)->option->choices));
  });
}

void parser::arguments(std::string_view name, std::vector<std::string>& target)
{
  bind(name, [&target](std::vector<std::string> const& words) { target = words; });
}

parser::binding* parser::find(std::string_view name)
{
  auto const found = std::find_if(bound_.begin(), bound_.end(), [&](binding const& each) {
    option_page const& option = *each.option;
    return is_named(option) && !name.empty() && (name == long_name(option) || name == short_name(option));
  });
  return found == bound_.end() ? nullptr : &*found;
}

parser::binding* parser::arguments()
{
  auto const found =
      std::find_if(bound_.begin(), bound_.end(), [](binding const& each) { return !is_named(*each.option); });
  return found == bound_.end() ? nullptr : &*found;
}

void parser::require_every_option_bound() const
{
  for (option_group const& group : page_.options) {
    for (option_page const& option : group.options) {
      auto const is_bound = [&](binding const& each) { return each.option == &option; };
      if (long_name(option) != "--help" && std::none_of(bound_.begin(), bound_.end(), is_bound))
        throw std::logic_error(std::string(long_name(option)) + " is on the page of " + full_name(page_, ' ') +
                               " only");
    }
  }
}

/// Gives each word to the option that it names, or to the arguments. Returns the words that belong to none.
std::vector<std::string> parser::distribute(std::vector<std::string> const& words)
{
  std::vector<std::string> unknown;
  bool options_ended = false;
  for (std::size_t k = 0; k < words.size(); ++k) {
    std::string const& word = words[k];
    if (word == "--" && !options_ended) {
      options_ended = true;
      continue;
    }
    if (options_ended || word == "-" || !word.starts_with('-')) {
      binding* const target = arguments();
      (target != nullptr ? target->given : unknown).push_back(word);
      continue;
    }
    std::string const before_equals = word.substr(0, word.find('='));
    std::string const name = word.starts_with("--") ? before_equals : word.substr(0, 2);
    binding* const target = find(name);
    if (find(before_equals) == nullptr && find('-' + before_equals) != nullptr)  // one hyphen is missing
      throw command_line_error("unknown option " + word + " (did you mean '-" + before_equals + "'?)");
    bool const takes_value = target != nullptr && !target->option->value.empty();
    if (target == nullptr) {
      unknown.push_back(word);
    } else if (takes_value && !takes_word(*target->option) && word == name) {
      target->given.emplace_back();
    } else if (!takes_value) {
      if (word != name) throw command_line_error(name + " takes no value");
      target->given.emplace_back();
    } else if (word == name ? k + 1 == words.size() : word == name + '=') {
      throw command_line_error(name + " needs a value");
    } else if (word == name) {
      target->given.push_back(words[++k]);
    } else {
      target->given.push_back(word.substr(name.size() + word.starts_with("--")));  // behind "--name=" or "-n"
    }
  }
  return unknown;
}

void parser::parse(std::vector<std::string> const& words)
{
  require_every_option_bound();
  std::vector<std::string> const unknown = distribute(words);
  for (binding const& each : bound_)
    if (!each.given.empty()) each.take(each.given);
  if (unknown.empty()) return;
  std::string const& word = unknown.front();
  if (!word.starts_with('-'))
    throw command_line_error("nothing is expected after the options, but there is '" + word + "'");
  std::vector<std::string_view> names = {"--help"};
  for (binding const& each : bound_)
    if (is_named(*each.option)) names.push_back(long_name(*each.option));
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

std::size_t index_of_choice(std::string_view option, std::string const& text, std::vector<choice> const& choices)
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
