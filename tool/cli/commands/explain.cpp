#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/real_numbers.hpp"
#include "commands/commands.hpp"
#include "draw/diagram.hpp"
#include "draw/html.hpp"
#include "explain/explanation.hpp"
#include "explain/glossary.hpp"
#include "explain/own_operator.hpp"
#include "help/pages/pages.hpp"
#include "io/files/output.hpp"
#include "kernels/expression.hpp"
#include "output/json.hpp"
#include "settings/parser.hpp"

namespace tally::cli {

namespace {

/// The value of --op: one of the choices, or an expression. A single word is meant to be a choice.
void set_operator(explain_settings& settings, std::string const& text)
{
  bool const is_word = text.size() > 1 && std::ranges::all_of(text, [](char c) { return c >= 'a' && c <= 'z'; });
  if (is_word)
    settings.op = static_cast<kernel_operation>(index_of_choice("--op", text, kernel_operation_choices()));
  else
    settings.own = operator_of(text);
}

void set_identity(explain_settings& settings, std::string const& text)
{
  if (!settings.own) throw command_line_error("--identity belongs to an operator of your own, as --op 'a*b+1'");
  settings.own->identity = real_number("--identity", text);
}

explain_settings parse_explain(std::vector<std::string> const& words)
{
  explain_settings settings;
  std::optional<std::string> identity;
  parser options(explain_page());
  options.arguments("KERNEL", settings.kernels);
  options.number("--n", settings.n, 1, most_elements);
  options.value("--op", [&](std::string const& text) { set_operator(settings, text); });
  options.value("--identity", identity);
  options.value("--input", settings.input);
  options.value("--svg", settings.svg);
  options.value("--html", settings.html);
  options.flag("--full-blocks", settings.full_blocks);
  options.flag("--glossary", settings.glossary);
  options.flag("--json", settings.json);
  options.parse(words);
  if (identity) set_identity(settings, *identity);
  return settings;
}

/// Every kernel, with its title.
std::string list_of_kernels()
{
  std::size_t widest = 0;
  for (textbook::kernel_entry const& each : textbook::catalogue()) widest = std::max(widest, each.name.size());
  std::string out = "tally explain KERNEL, where KERNEL is one of these:\n\n";
  for (textbook::kernel_entry const& each : textbook::catalogue())
    out += fmt::format("  {:<{}}  {}\n", each.name, widest, each.title);
  return out;
}

std::string json_list_of_kernels()
{
  json list = json::array();
  for (textbook::kernel_entry const& each : textbook::catalogue())
    list.append({{"kernel", each.name}, {"title", each.title}});
  return list.line();
}

/// The operations and steps of a drawing, in words. Its rows are not the steps where a thread combines several elements
/// in one phase, where a block waits for another, or where the host does the rest.
std::string note(explanation const& of, draw::circuit const& drawn)
{
  std::size_t rows = 0;
  for (draw::circuit::row const& each : drawn.rows) rows += each.step > 0;
  std::string const taken = counted(of.counts.steps, "step");
  std::string const steps = rows == of.counts.steps ? taken : counted(rows, "row") + "; a thread takes " + taken;
  std::string const blocks =
      of.threads_elsewhere() > 0 ? fmt::format(", in blocks of {} threads", of.kernel->threads) : "";
  return counted(of.work, "operation") + " in " + steps + blocks;
}

std::string diagram(explanation const& of)
{
  if (!of.is_recorded()) throw command_line_error("--svg: too much happens to be drawn; take fewer elements");
  draw::circuit const drawn = draw::circuit_of(of.run);
  return draw::svg(drawn, {fmt::format("{}, n = {}", of.kernel->title, of.n), note(of, drawn)});
}

std::string page(explanation const& of)
{
  if (!of.is_recorded()) throw command_line_error("--html: too much happens to be played; take fewer elements");
  return draw::draw_html({of.kernel->title, json_text(of), draw::sources_of(of.run)});
}

}  // namespace

void run_explain(std::vector<std::string> const& words)
{
  explain_settings const settings = parse_explain(words);
  if (settings.kernels.empty()) {
    if (settings.n || settings.op || settings.own || settings.input || settings.svg || settings.html ||
        settings.full_blocks)
      throw command_line_error("name a KERNEL to explain; 'tally explain' alone lists them");
    if (settings.glossary)
      return io::write_whole(io::output::standard_output(),
                             settings.json ? glossary_json() : glossary_text(terminal::of_standard_output()));
    return io::write_whole(io::output::standard_output(), settings.json ? json_list_of_kernels() : list_of_kernels());
  }
  if (settings.glossary) throw command_line_error("--glossary explains the words, and no KERNEL with them");
  if ((settings.svg == "-") + (settings.html == "-") + settings.json > 1)
    throw command_line_error("--svg -, --html - and --json: standard output takes one of them");
  explanation explained = explain(settings);
  judge(explained);
  if (settings.svg) io::write_whole(io::output::named(*settings.svg), diagram(explained));
  if (settings.html) io::write_whole(io::output::named(*settings.html), page(explained));
  if (settings.svg == "-" || settings.html == "-") return;
  io::write_whole(io::output::standard_output(),
                  settings.json ? json_text(explained) : text(explained, terminal::of_standard_output()));
}

}  // namespace tally::cli
