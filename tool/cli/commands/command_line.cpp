#include "commands/command_line.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <tally/config.hpp>
#include <tally/error.hpp>

#include "app/application.hpp"
#include "commands/commands.hpp"
#include "commands/short_names.hpp"
#include "help/page.hpp"
#include "help/pages/pages.hpp"
#include "help/recipes.hpp"
#include "help/suggestion.hpp"
#include "input/column_names.hpp"
#include "io/errors.hpp"
#include "io/files/output.hpp"
#include "operations/operation.hpp"
#include "settings/parser.hpp"

namespace tally::cli {

namespace {

enum exit_status { success = 0, data = 1, usage = 2, reader_gone = 128 + 13 };  // as if SIGPIPE had ended it

void print(std::string const& text)
{
  io::output to = io::output::standard_output();
  to.write(text.data(), text.size());
  to.commit();
}

/// 80 columns, or fewer where the terminal has fewer.
std::size_t help_width()
{
  winsize size{};
  if (isatty(STDOUT_FILENO) == 1 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 50)
    return std::min<std::size_t>(80, size.ws_col);
  return 80;
}

/// The pages below a page.
std::vector<command_page const*> listed_by(command_page const& page)
{
  if (&page == &tally_page()) return command_pages();
  if (&page == &app_page()) return application_pages();
  return {};
}

void print_help(command_page const& page)
{
  print(help_text(page, listed_by(page), help_width()));
}

std::vector<command> const& commands();

/// The command or application of that name among `all`, or null.
command const* find(std::vector<command> const& all, std::string_view name)
{
  auto const found =
      std::find_if(all.begin(), all.end(), [&](command const& each) { return last_name(each.page) == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string suggestion_among(std::vector<command> const& all, std::string const& name)
{
  std::vector<std::string_view> names;
  for (command const& each : all) names.push_back(last_name(each.page));
  return suggest(name, names);
}

command const& application_named(std::string const& name)
{
  if (command const* const found = find(applications(), name)) return *found;
  throw command_line_error("there is no application '" + name + "'" + suggestion_among(applications(), name));
}

bool has_option(command_page const& page, std::string_view name)
{
  for (option_group const& group : page.options)
    for (option_page const& option : group.options)
      if (is_named(option) && long_name(option) == name) return true;
  return false;
}

command const& command_named(std::string const& name)
{
  if (command const* const found = find(commands(), name)) return *found;
  if (name.starts_with('-')) {
    std::string const option = "--" + name.substr(std::min(name.find_first_not_of('-'), name.size()));
    for (command const& each : commands())
      if (has_option(each.page, option))
        throw command_line_error("unknown option " + name + " (did you mean '" + full_name(each.page, ' ') + " " +
                                 option + "'?)");
    throw command_line_error("unknown option " + name);
  }
  std::string suggestion = suggestion_among(commands(), name);
  if (suggestion.empty()) suggestion = suggested_operation(name);
  throw command_line_error("there is no command '" + name + "'" + suggestion);
}

void run_help(std::vector<std::string> const& words)
{
  bool man = false;
  std::vector<std::string> names;
  parser options(help_page());
  options.flag("--man", man);
  options.arguments("COMMAND...", names);
  options.parse(words);
  if (names.size() == 1 && names[0] == "recipes") return print(man ? recipes_manual() : recipes_text());
  bool const application = names.size() == 2 && names[0] == app_page().name;
  if (names.size() > 1 && !application) throw command_line_error("one command at a time");
  command_page const& page = application                            ? application_named(names[1]).page
                             : names.empty() || names[0] == "tally" ? tally_page()
                                                                    : command_named(written_out(names)[0]).page;
  if (man)
    print(manual_text(page, listed_by(page)));
  else
    print_help(page);
}

std::vector<command_page const*> all_pages()
{
  std::vector<command_page const*> all = command_pages();
  all.insert(all.end(), application_pages().begin(), application_pages().end());
  return all;
}

void run_app(std::vector<std::string> const& words)
{
  if (words.empty()) throw command_line_error("app needs the name of an application");
  application_named(words[0]).run({words.begin() + 1, words.end()});
}

void run_completion(std::vector<std::string> const& words)
{
  std::vector<std::string> shells;
  parser options(completion_page());
  options.arguments("SHELL", shells);
  if (!words.empty() && words[0] == "columns") {
    std::string names;
    for (std::string const& name : column_names(words)) names += name + '\n';
    return print(names);
  }
  options.parse(words);
  if (shells.size() != 1) throw command_line_error("name one shell: bash, zsh or fish");
  std::string const& shell = shells[0];
  print(completion_script(shell_choices()[index_of_choice("completion", shell, shell_choices())].name, all_pages()));
}

std::string version()
{
  return "tally " + std::to_string(TALLY_VERSION / 10000) + '.' + std::to_string(TALLY_VERSION / 100 % 100) + '.' +
         std::to_string(TALLY_VERSION % 100) + '\n';
}

std::vector<command> const& commands()
{
  static std::vector<command> const all = {
      {reduce_page(), run_reduce},         {scan_page(), run_scan},       {bench_page(), run_bench},
      {explain_page(), run_explain},       {compare_page(), run_compare}, {brent_page(), run_brent},
      {exhibit_page(), run_exhibit},       {app_page(), run_app},         {help_page(), run_help},
      {completion_page(), run_completion},
  };
  return all;
}

void run(std::vector<std::string> words)
{
  std::string const name = words.front();
  words.erase(words.begin());
  if (name == "--help" || name == "-h") return print_help(tally_page());
  if (name == "--version") return print(version());
  command const& named = command_named(name);
  bool const of_application = &named.page == &app_page() && !words.empty() && !words[0].starts_with('-');
  if (asks_for_help(words)) return print_help(of_application ? application_named(words[0]).page : named.page);
  named.run(words);
}

void print_error(std::string const& message)
{
  std::fputs((message + '\n').c_str(), stderr);
}

/// The page of the command or application that the words begin with, else that of the tool.
command_page const& page_of(std::vector<std::string> const& words)
{
  command_page const* found = &tally_page();
  for (command_page const* page : all_pages()) {
    if (page->name == words[0] || (words.size() > 1 && page->name == words[0] + " " + words[1])) found = page;
  }
  return *found;
}

}  // namespace

std::vector<std::string> written_out(std::vector<std::string> words)
{
  if (find(commands(), words.front()) != nullptr) return words;
  std::optional<std::vector<std::string>> command = long_form(words.front());
  if (!command) return words;
  command->insert(command->end(), words.begin() + 1, words.end());
  return *command;
}

int reported(std::vector<std::string> const& words, std::function<void()> const& work)
{
  try {
    work();
    return success;
  } catch (command_line_error const& problem) {
    print_error("tally: " + std::string(problem.what()));
    print_error("See '" + full_name(page_of(written_out(words)), ' ') + " --help'.");
    return usage;
  } catch (io::broken_pipe const&) {
    return reader_gone;
  } catch (io::data_error const& problem) {
    print_error(problem.what());  // begins with the place, so that editors jump there
    return data;
  } catch (std::bad_alloc const&) {
    print_error("tally: out of memory");
    return data;
  } catch (std::exception const& problem) {
    print_error("tally: " + std::string(problem.what()));
    return data;
  }
}

int run_command_line(std::vector<std::string> const& words)
{
  if (words.empty()) {
    std::fputs(help_text(tally_page(), listed_by(tally_page()), 80).c_str(), stderr);
    return usage;
  }
  return reported(words, [&] { run(written_out(words)); });
}

}  // namespace tally::cli
