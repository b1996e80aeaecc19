#include <string>
#include <string_view>

#include <fmt/format.h>

#include "help/page.hpp"

namespace tally::cli {

namespace {

/// The first sentence, without backticks or full stop: the text beside an option in a menu.
std::string first_sentence(std::string_view text)
{
  std::string out(text.substr(0, text.find(". ")));
  std::erase(out, '`');
  if (out.ends_with('.')) out.pop_back();
  return out;
}

std::string names_of(std::vector<choice> const& choices)
{
  std::string out;
  for (choice const& each : choices) {
    if (!out.empty()) out += ' ';
    out += each.name;
  }
  return out;
}

/// Every long and short name of a page's options, each once.
std::string option_names(command_page const& page)
{
  std::string out;
  for (option_group const& group : page.options) {
    for (option_page const& option : group.options) {
      if (!is_named(option)) continue;
      if (!out.empty()) out += ' ';
      out += long_name(option);
      if (!short_name(option).empty()) (out += ' ') += short_name(option);
    }
  }
  return out;
}

/// Whether the value is a list, "NAME[,NAME...]".
bool is_list(option_page const& option)
{
  return option.value.find("[,") != option.value.npos;
}

/// Whether the value names a column of a table. `tally completion columns WORD...` prints them for the scripts.
bool is_column(option_page const& option)
{
  return option.value.starts_with("COLUMN");
}

/// The names of applications, with a blank between them.
std::string application_names(std::vector<command_page const*> const& commands)
{
  std::string names;
  for (command_page const* page : commands)
    if (page->name.starts_with("app ")) (names += names.empty() ? "" : " ") += last_name(*page);
  return names;
}

std::string bash_words(std::string const& words)
{
  return "COMPREPLY=($(compgen -W '" + words + "' -- \"$current\"))";
}

/// The bash command that offers the value of an option or argument.
std::string bash_values(option_page const& option)
{
  // The part before the last comma stays.
  std::string const last = is_list(option) ? "-P \"$before\" -- \"${current##*,}\"" : "-- \"$current\"";
  std::string const start = is_list(option) ? "local before=${current%\"${current##*,}\"}; " : "";
  if (is_column(option))
    return start +
           "mapfile -t COMPREPLY < <(IFS=$'\\n'; compgen -W \"$(tally completion columns \"${COMP_WORDS[@]:2}\" "
           "2>/dev/null | sed 's/[\\\\\"\\x27$`]/\\\\&/g')\" " +
           last + " | while IFS= read -r name; do printf '%q\\n' \"$name\"; done)";
  if (is_list(option) && option.complete == completes::choices)
    return start + "COMPREPLY=($(compgen -W '" + names_of(option.choices) + "' " + last + "))";
  switch (option.complete) {
    case completes::files: return "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$current\"))";
    case completes::choices: return bash_words(names_of(option.choices));
    case completes::nothing: break;
  }
  return "COMPREPLY=()";
}

std::string bash_command(command_page const& page)
{
  std::string values;
  std::string argument = "COMPREPLY=()";
  for (option_group const& group : page.options) {
    for (option_page const& option : group.options) {
      if (!is_named(option)) argument = bash_values(option);
      if (!is_named(option) || !takes_word(option)) continue;
      std::string pattern(long_name(option));
      if (!short_name(option).empty()) (pattern += '|') += short_name(option);
      values += "        " + pattern + ") " + bash_values(option) + "; return ;;\n";
    }
  }
  std::string out = "    '" + std::string(page.name) + "')\n";
  if (!values.empty()) out += "      case $previous in\n" + values + "      esac\n";
  out += "      if [[ $current == -* ]]; then\n        " + bash_words(option_names(page)) + "\n";
  out += "      else\n        " + argument + "\n      fi ;;\n";
  return out;
}

/// Whether the page is that of an application.
bool is_application(command_page const& page)
{
  return page.name.find(' ') != std::string_view::npos;
}

std::string bash_script(std::vector<command_page const*> const& commands)
{
  std::string names;
  std::string cases;
  for (command_page const* page : commands) {
    if (!is_application(*page)) (names += page->name) += ' ';
    cases += bash_command(*page);
  }
  return "# bash completion for tally: source this file, or put it into /usr/share/bash-completion/completions/tally\n"
         "_tally()\n{\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  # bash splits --option=value at the equals sign.\n"
         "  if [[ $current == = ]]; then\n    current=\n"
         "  elif [[ $previous == = && $COMP_CWORD -ge 2 ]]; then\n    previous=${COMP_WORDS[COMP_CWORD-2]}\n  fi\n"
         "  if [[ $COMP_CWORD -eq 1 ]]; then\n    " +
         bash_words(names + "--help --version") +
         "\n    return\n  fi\n  local command=${COMP_WORDS[1]}\n"
         "  if [[ $command == app && $COMP_CWORD -ge 3 ]]; then command=\"app ${COMP_WORDS[2]}\"; fi\n"
         "  if [[ $command == help && $COMP_CWORD -ge 3 && ${COMP_WORDS[2]} == app ]]; then\n    " +
         bash_words(application_names(commands)) + "\n    return\n  fi\n" + "  case $command in\n" + cases +
         "  esac\n}\ncomplete -F _tally tally\n";
}

/// Text inside single quotes in a specification of zsh's _arguments: quotes, brackets and colons are escaped.
std::string zsh_text(std::string_view text)
{
  std::string out;
  for (char const c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      (out += '\\') += c;
    else
      out += c;
  }
  return out;
}

std::string zsh_values(option_page const& option)
{
  if (is_column(option)) return ":_tally_columns";
  if (is_list(option) && option.complete == completes::choices)
    return ":_values -s , " + zsh_text(option.value.substr(0, option.value.find('['))) + " " + names_of(option.choices);
  switch (option.complete) {
    case completes::files: return ":_files";
    case completes::choices: return ":(" + names_of(option.choices) + ")";
    case completes::nothing: break;
  }
  return ": ";
}

std::string zsh_argument(option_page const& option)
{
  if (!is_named(option)) return "'*:" + zsh_text(long_name(option)) + zsh_values(option) + "'";
  std::string const text = fmt::format("[{}]", zsh_text(first_sentence(option.text)));
  std::string value, equals;
  if (takes_word(option)) {
    value = fmt::format(":{}{}", zsh_text(option.value), zsh_values(option));
    equals = "=";
  } else if (!option.value.empty()) {  // it may be left out, and is in the same word
    value = fmt::format("::{}{}", zsh_text(option.value), zsh_values(option));
    equals = "=-";
  }
  std::string const name(long_name(option));
  if (short_name(option).empty()) return "'*" + name + equals + text + value + "'";
  return "'*'{" + std::string(short_name(option)) + "," + name + equals + "}'" + text + value + "'";
}

std::string zsh_script(std::vector<command_page const*> const& commands)
{
  std::string list;
  std::string cases;
  for (command_page const* page : commands) {
    if (!is_application(*page))
      list += "    '" + std::string(page->name) + ":" + zsh_text(first_sentence(page->summary)) + "'\n";
    cases += "    '" + std::string(page->name) + "')\n      _arguments -s";
    for (option_group const& group : page->options) {
      for (option_page const& option : group.options) cases += " \\\n        " + zsh_argument(option);
    }
    cases += " ;;\n";
  }
  return "#compdef tally\n# zsh completion for tally: put it as _tally into a folder of $fpath\n"
         "_tally_columns() {\n  local -a names\n"
         "  names=(\"${(@f)$(tally completion columns $table_words 2>/dev/null)}\")\n"
         "  compset -P '*,'\n  compadd -a names\n}\n_tally() {\n"
         "  local -a commands\n  commands=(\n" +
         list +
         "  )\n  local -a table_words\n  table_words=(${(Q)words[2,-1]})\n  if (( CURRENT == 2 )); then\n    _describe "
         "command commands\n    _arguments --help --version\n    "
         "return\n"
         "  fi\n  shift words\n  (( CURRENT-- ))\n  local command=$words[1]\n"
         "  if [[ $command == app ]] && (( CURRENT >= 3 )); then\n    shift words\n    (( CURRENT-- ))\n"
         "    command=\"app $words[1]\"\n  fi\n"
         "  if [[ $command == help && $words[2] == app ]] && (( CURRENT >= 3 )); then\n    compadd " +
         application_names(commands) +
         "\n    return\n  fi\n"
         "  case $command in\n" +
         cases +
         "  esac\n}\nif [[ $funcstack[1] == _tally ]]; then\n  _tally \"$@\"\nelse\n  compdef _tally tally\nfi\n";
}

std::string fish_text(std::string_view text)
{
  std::string out = "'";
  for (char const c : first_sentence(text)) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

/// The condition under which fish offers the options of a page. An application may have the name of a command.
std::string fish_condition(command_page const& page)
{
  std::string const seen = "__fish_seen_subcommand_from ";
  if (is_application(page)) return seen + "app; and " + seen + std::string(last_name(page));
  if (page.name == "app") return seen + "app";
  return seen + std::string(page.name) + "; and not " + seen + "app";
}

std::string fish_option(command_page const& page, option_page const& option)
{
  std::string out = "complete -c tally -n '" + fish_condition(page) + "'";
  if (is_named(option)) {
    if (!short_name(option).empty()) (out += " -s ") += short_name(option).substr(1);
    (out += " -l ") += long_name(option).substr(2);
    out += " -d " + fish_text(option.text);
    if (!takes_word(option)) return out + "\n";
    if (is_column(option)) return out + " -x -a '(tally completion columns (commandline -opc) 2>/dev/null)'\n";
    if (is_list(option) && option.complete == completes::choices)
      return out + " -x -a '(__fish_append , " + names_of(option.choices) + ")'\n";
  }
  switch (option.complete) {
    case completes::files: return out + (is_named(option) ? " -r -F\n" : " -F\n");
    case completes::choices: return out + (is_named(option) ? " -x -a '" : " -a '") + names_of(option.choices) + "'\n";
    case completes::nothing: break;
  }
  return out + (is_named(option) ? " -x\n" : "\n");
}

std::string fish_script(std::vector<command_page const*> const& commands)
{
  std::string out = "# fish completion for tally: put it as tally.fish into ~/.config/fish/completions\n";
  out += "complete -c tally -f\n";
  out += "complete -c tally -n __fish_use_subcommand -l help -d 'Show help'\n";
  out += "complete -c tally -n __fish_use_subcommand -l version -d 'Show the version'\n";
  out += "complete -c tally -n '__fish_seen_subcommand_from help; and __fish_seen_subcommand_from app' -a '" +
         application_names(commands) + "'\n";
  for (command_page const* page : commands) {
    if (!is_application(*page))
      out += "complete -c tally -n __fish_use_subcommand -a " + std::string(page->name) + " -d " +
             fish_text(page->summary) + "\n";
    for (option_group const& group : page->options) {
      for (option_page const& option : group.options) out += fish_option(*page, option);
    }
  }
  return out;
}

}  // namespace

std::string completion_script(std::string_view shell, std::vector<command_page const*> const& commands)
{
  if (shell == "bash") return bash_script(commands);
  if (shell == "zsh") return zsh_script(commands);
  return fish_script(commands);
}

}  // namespace tally::cli
