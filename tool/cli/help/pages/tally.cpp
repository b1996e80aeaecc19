#include "help/pages/pages.hpp"

namespace tally::cli {

std::vector<choice> const& shell_choices()
{
  static std::vector<choice> const all = {{"bash", ""}, {"zsh", ""}, {"fish", ""}};
  return all;
}

command_page const& tally_page()
{
  static command_page const page = {
      .name = "",
      .summary = "reduce and scan columns of numbers: totals, extremes, running sums",
      .usage = "tally COMMAND [OPTION...] [FILE...]",
      .description =
          {"Tally combines the numbers of a file or a pipe into one result, or prints the running results, as fast as "
           "the machine reads and writes: exactly for integers, and for floating-point numbers with the same bits for "
           "every number of threads.",
           "An operation's name is a command too: `tally mean` is short for `tally reduce --op mean`, `tally "
           "sum,count` "
           "for `tally reduce --op sum,count`, and with `cum` before it, as in `tally cumsum`, `tally cummax` or "
           "`tally "
           "cumprod`, for `tally scan --op sum` and so on.",
           "`tally COMMAND --help` tells everything about a command."},
      .options = {{"Options", {{"-h,--help", "", "Show this help."}, {"--version", "", "Show the version."}}}},
      .sections = {exit_section()},
      .examples = {{"A sum:", "seq 10 | tally reduce"},
                   {"Running sums:", "seq 10 | tally scan"},
                   {"The mean of a column of a table, group by group:",
                    "tally reduce --op mean --column amount --by region sales.csv"}}};
  return page;
}

command_page const& help_page()
{
  static command_page const page = {
      .name = "help",
      .summary = "show the help of a command, or its man page",
      .usage = "tally help [--man] [COMMAND...]",
      .description = {"Prints what `tally COMMAND --help` prints; without a command, what `tally --help` does."},
      .options = {{"Options",
                   {{"COMMAND...",
                     "",
                     "The command: reduce, scan, bench, explain, compare, brent, exhibit, app, help or completion; "
                     "`app NAME` for an application; `recipes` for what people ask for, each in one line.",
                     completes::choices,
                     {{"reduce", ""},
                      {"scan", ""},
                      {"bench", ""},
                      {"explain", ""},
                      {"compare", ""},
                      {"brent", ""},
                      {"exhibit", ""},
                      {"app", ""},
                      {"help", ""},
                      {"completion", ""},
                      {"recipes", ""}}},
                    {"--man", "", "Print the man page, as roff."},
                    {"-h,--help", "", "Show this help."}}}},
      .sections = {},
      .examples = {{"Read a man page that is not installed:", "tally help --man reduce | man -l -"}}};
  return page;
}

command_page const& completion_page()
{
  static command_page const page = {
      .name = "completion",
      .summary = "print the completion script of a shell",
      .usage = "tally completion SHELL",
      .description =
          {"Prints a script after which the shell completes the commands, options and values of tally, and "
           "the names of columns.",
           "The script calls `tally completion columns WORD...`, which prints the names in the header of the "
           "first table among the words."},
      .options = {{"Options",
                   {{"SHELL", "", "The shell: bash, zsh or fish.", completes::choices, shell_choices()},
                    {"-h,--help", "", "Show this help."}}}},
      .sections = {},
      .examples = {{"In ~/.bashrc, for every new shell:", "source <(tally completion bash)"}}};
  return page;
}

std::vector<command_page const*> const& command_pages()
{
  static std::vector<command_page const*> const all = {
      &reduce_page(), &scan_page(),    &bench_page(), &explain_page(), &compare_page(),
      &brent_page(),  &exhibit_page(), &app_page(),   &help_page(),    &completion_page()};
  return all;
}

}  // namespace tally::cli
