#include "exhibit/text.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "exhibit/run.hpp"
#include "kernels/words.hpp"
#include "textbook/sources.hpp"

namespace tally::cli {

namespace {

using model::finding;
using textbook::excerpt;
using textbook::exhibit;
using textbook::numbered_lines;

constexpr std::size_t around = 5;         // lines before the first and after the last that is marked
constexpr std::size_t most_findings = 6;  // that are shown

/// The column of a finding in its line, from 0: that of the bracket of an access, else of the first character.
/// Compilers give different columns.
std::size_t column_of(finding const& of)
{
  std::string_view const line = textbook::line_of(of.where.file, of.where.line);
  std::size_t const bracket = of.array.empty() ? std::string_view::npos : line.rfind('[', of.where.column);
  return bracket != std::string_view::npos ? bracket : std::min(line.find_first_not_of(' '), line.size());
}

/// The marks below a line: columns, and words.
struct mark {
  std::set<std::size_t> columns;
  std::vector<std::string> words;
};

std::map<std::size_t, mark> marks_of(std::vector<finding> const& all)
{
  std::map<std::size_t, mark> marks;
  for (finding const& each : all) {
    mark& at = marks[each.where.line];
    at.columns.insert(column_of(each));
    std::string const word = model::name(each.what);
    if (std::find(at.words.begin(), at.words.end(), word) == at.words.end()) at.words.push_back(word);
  }
  for (auto& [line, at] : marks) std::sort(at.words.begin(), at.words.end());
  return marks;
}

std::string numbered(char flag, std::size_t number, std::string_view line)
{
  return fmt::format("{} {:>3} |{}{}\n", flag, number, line.empty() ? "" : " ", line);
}

std::string carets(mark const& at, terminal const& to)
{
  std::string line(*at.columns.rbegin() + 1, ' ');
  for (std::size_t const column : at.columns) line[column] = '^';
  for (std::size_t k = 0; k < at.words.size(); ++k) line += (k == 0 ? " " : ", ") + at.words[k];
  return "      | " + to.fault(line) + '\n';
}

/// The wrong lines and some around them, with carets below the findings.
std::string wrong_lines(exhibit const& which, std::vector<finding> const& findings, terminal const& to)
{
  numbered_lines const all = lines_of(which.wrong);
  std::size_t const wrong = line_number(which.wrong, which.line);
  std::map<std::size_t, mark> const marks = marks_of(findings);
  std::size_t first = wrong, last = wrong;
  for (auto const& [number, at] : marks) {
    first = std::min(first, number);
    last = std::max(last, number);
  }
  std::string out;
  for (std::size_t k = 0; k < all.lines.size(); ++k) {
    std::size_t const number = all.first + k;
    if (number + around < first || number > last + around) continue;
    std::string const line = numbered(number == wrong ? '>' : ' ', number, all.lines[k]);
    out += number == wrong ? to.bold(line.substr(0, line.size() - 1)) + '\n' : line;
    if (auto const found = marks.find(number); found != marks.end()) out += carets(found->second, to);
  }
  return out;
}

std::string whole(excerpt const& which)
{
  numbered_lines const all = lines_of(which);
  std::string out;
  for (std::size_t k = 0; k < all.lines.size(); ++k) out += numbered(' ', all.first + k, all.lines[k]);
  return out;
}

/// The lines of a text, the first one further to the left than the others.
std::string indented(std::string const& text, std::size_t first, std::size_t others)
{
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t const end = std::min(text.find('\n', begin), text.size());
    out += std::string(begin == 0 ? first : others, ' ') + text.substr(begin, end - begin) + '\n';
    begin = end + 1;
  }
  return out;
}

std::string findings_in_words(std::vector<finding> const& all, terminal const& to)
{
  if (all.empty()) return "The machine finds no fault: what is wrong is what comes out.\n";
  std::string out = to.bold("The machine finds") + '\n';
  for (std::size_t k = 0; k < std::min(all.size(), most_findings); ++k)
    out += to.fault(indented(wrapped(all[k].text()), 2, 4));
  if (all.size() > most_findings) out += fmt::format("  and {} more of the same making\n", all.size() - most_findings);
  return out;
}

std::string results(exhibit const& which, textbook::exhibit_run const& run, terminal const& to)
{
  bool const good = run.wrong.result == run.expected;
  return fmt::format("{}\n  {:<9} {}\n  {:<9} {}\n", to.bold(which.shows), "come out",
                     good ? run.wrong.result + to.warning("  by luck") : to.fault(run.wrong.result), "right",
                     run.expected);
}

}  // namespace

std::string list_of_exhibits(terminal const& to)
{
  std::size_t widest = 0;
  for (exhibit const& each : textbook::all_exhibits()) widest = std::max(widest, each.name.size());
  std::string out = "tally exhibit NAME, where NAME is one of these. All are wrong on purpose.\n\n";
  for (exhibit const& each : textbook::all_exhibits())
    out += "  " + to.bold(fmt::format("{:<{}}", each.name, widest)) + fmt::format("  {}\n", each.title);
  return out;
}

std::string text(exhibit const& which, terminal const& to)
{
  textbook::exhibit_run const run = run_of(which);
  std::vector<finding> const found = without_repeats(run.wrong.counts.findings);
  std::string out = to.bold(which.title) + "\n\n";
  out += wrapped(fmt::format("{}. {}", which.from, which.says));
  out += '\n' + to.dim(std::string(which.wrong.header)) + '\n' + wrong_lines(which, run.wrong.counts.findings, to);
  out += '\n' + findings_in_words(found, to);
  out += '\n' + results(which, run, to);
  out += '\n' + to.bold("Why") + '\n' + indented(wrapped(std::string(which.why)), 2, 2);
  out += '\n' + to.bold("Right") + "  " + to.dim(std::string(which.fix.header)) + '\n' + whole(which.fix);
  out +=
      '\n' + to.changed("The machine finds nothing.") + ' ' + std::string(which.shows) + ": " + run.fixed.result + '\n';
  return out;
}

}  // namespace tally::cli
