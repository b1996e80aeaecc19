#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tally/algorithms/linear_sequence.hpp>

#include "app/application.hpp"
#include "app/input.hpp"
#include "app/real_numbers.hpp"
#include "app/recurrence/filter.hpp"
#include "app/recurrence/settings.hpp"
#include "help/pages/pages.hpp"
#include "settings/parser.hpp"

namespace tally::cli {

namespace {

/// A sequence of whole numbers modulo a number, which has no input.
struct sequence_settings {
  std::vector<unsigned long long> coefficients, first;
  int count = 0;
  unsigned long long modulus = 0;
};

void check_initial(std::size_t initial, std::size_t order)
{
  if (initial != 0 && initial != order)
    throw command_line_error("--initial: there are " + std::to_string(initial) + " values, but " +
                             std::to_string(order) + (order == 1 ? " is needed" : " are needed"));
}

std::string terms_of(sequence_settings const& settings)
{
  std::vector<std::uint64_t> terms(static_cast<std::size_t>(settings.count));
  with_order(settings.coefficients.size(), [&](auto order) {
    linear_sequence_modulo(cpu{}, array_of<order.value, std::uint64_t>(settings.coefficients),
                           array_of<order.value, std::uint64_t>(settings.first), settings.modulus, terms.size(),
                           terms.begin());
  });
  return lines(terms);
}

command_page const& recurrence_page();

/// What the options ask for: a recurrence, or a sequence if `count` is not 0.
struct request {
  recurrence_settings recurrence;
  sequence_settings sequence;
};

void check_files(recurrence_settings const& settings)
{
  input_settings const& input = settings.input;
  if (settings.axes.size() > 1) throw command_line_error("--axis: a recurrence goes along one axis");
  if (!settings.a.empty() || input.gives_options() || input.type)
    throw command_line_error("--axis is for .npy files, whose elements become doubles: no columns, no --type");
  std::size_t const needed = settings.coefficients.empty() ? 2 : 1;
  if (input.files.size() != needed)
    throw command_line_error("--axis: " + std::string(needed == 2 ? "two files are needed, a.npy and b.npy"
                                                                  : "--coefficients need one file, x.npy"));
  std::vector<std::string> files = input.files;
  if (!settings.initial_from.empty()) files.push_back(settings.initial_from);
  for (std::string const& file : files)
    if (input.format_of(file) != io::file_format::npy) throw command_line_error("--axis: " + file + " is no .npy file");
}

void check_columns(recurrence_settings const& settings)
{
  input_settings const& input = settings.input;
  bool const filter = !settings.coefficients.empty();
  if (settings.a.empty() != settings.b.empty()) throw command_line_error("--a and --b are given together");
  if (!settings.a.empty() && filter)
    throw command_line_error("--a and --b vary, --coefficients do not; give one or the other");
  if (!settings.a.empty() && !input.columns.empty())
    throw command_line_error("--a and --b are the columns; no --column");
  if (!settings.axes.empty()) return;
  bool const named = !settings.a.empty() || (filter && !input.columns.empty());
  if (!input.keys.empty() && !named)
    throw command_line_error("--by is for the columns of a table: --a and --b, or --coefficients and --column");
  if (settings.initial_from.empty()) return;
  if (!named) throw command_line_error("--initial-from names a column beside --a and --b, or beside --column");
  if (settings.order() > 1)
    throw command_line_error("--initial-from: a column has one value for each sequence, but " +
                             std::to_string(settings.order()) + " are needed");
}

request parse(std::vector<std::string> const& words)
{
  request asked;
  recurrence_settings& settings = asked.recurrence;
  std::string coefficients, initial;
  bool modulo = false, backward = false;
  parser options(recurrence_page());
  options.value("--a", settings.a);
  options.value("--b", settings.b);
  options.value("--coefficients", coefficients);
  options.value("--initial", initial);
  options.value("--initial-from", settings.initial_from);
  options.flag("--reverse", settings.reversed);
  options.flag("--backward", backward);
  options.flag("--last", settings.last);
  options.number("--count", asked.sequence.count, 1);
  options.value("--modulo", [&](std::string const& value) {
    auto const all = natural_numbers("--modulo", value);
    if (all.size() != 1 || all[0] == 0 || all[0] > 1ull << 32)
      throw command_line_error("--modulo: '" + value + "' is not a whole number from 1 to 4294967296");
    asked.sequence.modulus = all[0];
    modulo = true;
  });
  bind_output(options, settings.output);
  bind_input(options, settings.input);
  bind_keys(options, settings.input);
  bind_axes(options, settings.axes);
  options.parse(words);
  settings.reversed = settings.reversed || backward;
  if (modulo != (asked.sequence.count > 0)) throw command_line_error("--modulo and --count are given together");
  if (modulo) {
    if (coefficients.empty() || initial.empty())
      throw command_line_error("a sequence has --coefficients and --initial terms");
    if (settings.reversed || settings.last || !settings.initial_from.empty() || !settings.axes.empty() ||
        !settings.input.files.empty())
      throw command_line_error("a sequence has its first terms and --count; no files, and none of --reverse, --last, "
                               "--axis, --initial-from");
    asked.sequence.coefficients = natural_numbers("--coefficients", coefficients);
    asked.sequence.first = natural_numbers("--initial", initial);
    check_order(asked.sequence.coefficients.size());
    check_initial(asked.sequence.first.size(), asked.sequence.coefficients.size());
    return asked;
  }
  if (!coefficients.empty()) settings.coefficients = real_numbers("--coefficients", coefficients);
  if (!initial.empty()) settings.initial = real_numbers("--initial", initial);
  check_order(settings.order());
  check_initial(settings.initial.size(), settings.order());
  if (!initial.empty() && !settings.initial_from.empty())
    throw command_line_error("--initial and --initial-from exclude each other");
  check_columns(settings);
  bool const columns = !settings.a.empty();
  if (columns) settings.input.columns = {settings.a};
  complete_input(settings.input);
  if (columns) settings.input.columns.clear();
  if (!settings.axes.empty()) check_files(settings);
  return asked;
}

command_page const& recurrence_page()
{
  static command_page const page = {
      .name = "app recurrence",
      .summary = "linear recurrences: each value from the one before, or from several",
      .usage = "tally app recurrence [OPTION...] [FILE...]",
      .description =
          {"Computes y[k] = a[k] y[k-1] + b[k] and prints each y, one a line. The input is pairs, a[0] b[0] a[1] b[1] "
           "..., or two columns of a table.",
           "With --coefficients C1,C2,... the input is one column x, and y[k] = x[k] + C1 y[k-1] + C2 y[k-2] + ... : a "
           "filter with feedback.",
           "With --by the rows of each key are a recurrence of their own, and with --axis the elements of arrays along "
           "that axis: of two files, a.npy and b.npy, or with --coefficients of one. An axis of a.npy may be missing "
           "or have one element, which is then taken for all, as in NumPy.",
           "With --modulo M and --count N there is no input: y[k] = C1 y[k-1] + C2 y[k-2] + ... modulo M, and "
           "--initial are the first terms."},
      .options =
          {{"Recurrence",
            {{"--a", "COLUMN", "The column of the factors a of a table."},
             {"--b", "COLUMN", "The column of the terms b."},
             {"--coefficients", "C1,...", "The factors of the values before, the latest first; at most 8."},
             {"--initial", "Y,...",
              "The values before the first one: y[-1], with --coefficients y[-1],y[-2],...; 0 if not given. With "
              "--modulo the first terms y[0],y[1],..."},
             {"--initial-from", "SOURCE",
              "A value y[-1] for each sequence: that of the column SOURCE in the row in which the sequence begins; "
              "with "
              "--axis those of the .npy file SOURCE, which has the shape of the arrays without that axis, and a last "
              "axis of y[-1], y[-2], ... if there are several coefficients."},
             {"--by", "COLUMN[,COLUMN...]",
              "A recurrence for each key: the rows of a table with equal keys, which need not be neighbours."},
             {"--axis", "N",
              "A recurrence for each sequence along axis N of .npy arrays, the first being 0, the last -1. The result "
              "is an array: -o FILE.npy, or as text a line for each row."},
             {"--reverse", "",
              "Begin at the end: y[k] from y[k+1], and --initial is behind the last value. Each y has the place of its "
              "coefficients."},
             {"--backward", "", "An earlier name of --reverse."},
             {"--last", "",
              "Print only the state that each sequence ends with, behind its key: y[n-1], with --coefficients also "
              "y[n-2], ..., from which --initial and --initial-from can go on."},
             {"--modulo", "M", "Terms of a sequence of whole numbers modulo M, from 1 to 4294967296."},
             {"--count", "N", "The number of terms."}}},
           column_options(),
           {"Output", {output_option(), help_option()}}},
      .sections = {{"Notes",
                    {"Values are doubles. They have the same bits for every number of threads and beside every other "
                     "sequence, and differ from those of a loop by rounding. A value that grows beyond all doubles is "
                     "inf, as in a loop.",
                     "A row that lacks a value in one of the columns is left out with --missing skip. All values are "
                     "held in memory."}},
                   exit_section()},
      .examples = {{"A loan with interest and payments:",
                    "printf '1.01 -180\\n1.01 -180\\n' | tally app recurrence --initial 1000"},
                   {"What is left of each loan, which begins with its amount:",
                    "tally app recurrence --by loan --a growth --b payment --initial-from amount --last loans.csv"},
                   {"A smoothed signal:", "tally app recurrence --coefficients 0.9 --column signal run.csv"},
                   {"The channels of a recording, time being the first axis:",
                    "tally app recurrence --coefficients 1.6,-0.8 --axis 0 recording.npy -o filtered.npy"},
                   {"Fibonacci's numbers modulo 1000:",
                    "tally app recurrence --coefficients 1,1 --initial 0,1 --modulo 1000 --count 20"}}};
  return page;
}

void run_recurrence(std::vector<std::string> const& words)
{
  request const asked = parse(words);
  if (asked.sequence.count > 0) return write_text(asked.recurrence.output, terms_of(asked.sequence));
  if (!asked.recurrence.axes.empty()) return recur_along_axis(asked.recurrence);
  recur_in_rows(asked.recurrence);
}

}  // namespace

command recurrence_application()
{
  return {recurrence_page(), run_recurrence};
}

}  // namespace tally::cli
