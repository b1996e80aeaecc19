#include "compare/over_n.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "draw/plot.hpp"
#include "kernels/words.hpp"
#include "output/json.hpp"

namespace tally::cli {

namespace {

using lead = comparison_over_n::lead;
using row_over_n = comparison_over_n::row;

/// The kernel with the least value at each size, where that changes. Requires rows of one kind.
std::vector<lead> leads_of(std::vector<row_over_n const*> const& rows, std::vector<int> const& sizes)
{
  std::vector<lead> leads;
  if (rows.size() < 2) return leads;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    row_over_n const* best = nullptr;
    for (row_over_n const* each : rows)
      if (each->values[k] && (best == nullptr || *each->values[k] < *best->values[k])) best = each;
    if (best == nullptr) continue;
    bool const keeps = !leads.empty() && std::ranges::any_of(rows, [&](row_over_n const* each) {
      return each->kernel == leads.back().kernel && each->values[k] == best->values[k];
    });
    if (!keeps) leads.push_back({sizes[k], best->kernel, *best->values[k]});
  }
  return leads;
}

void find_leads(comparison_over_n& all)
{
  std::vector<row_over_n const*> scans, reductions;
  for (row_over_n const& each : all.rows) {
    if (is_scan(each.kernel->result)) scans.push_back(&each);
    if (each.kernel->result == textbook::result_kind::reduction) reductions.push_back(&each);
  }
  all.scans = leads_of(scans, all.sizes);
  all.reductions = leads_of(reductions, all.sizes);
}

json json_of(std::vector<lead> const& all)
{
  json list = json::array();
  for (lead const& each : all) list.append({{"from", each.from}, {"kernel", each.kernel->name}, {"value", each.value}});
  return list;
}

std::string sentence(std::string_view kind, std::vector<lead> const& all, std::vector<int> const& sizes)
{
  if (all.empty()) return {};
  std::string out = fmt::format("The {} with the least: ", kind);
  for (std::size_t k = 0; k < all.size(); ++k) {
    int const to = k + 1 < all.size() ? all[k + 1].from / 2 : sizes.back();
    out += fmt::format("{}{} {}", k > 0 ? "; " : "", all[k].kernel->name,
                       to == all[k].from ? fmt::format("at n = {}", to)
                                         : fmt::format("from n = {} to {}", all[k].from, to));
  }
  return wrapped(out + ".");
}

}  // namespace

comparison_over_n over_n(std::vector<textbook::kernel_entry const*> const& kernels, int most,
                         std::optional<kernel_operation> op, compared_figure const& figure)
{
  comparison_over_n all;
  all.figure = figure.name;
  all.meaning = figure.meaning;
  for (int n = 2; n <= most; n *= 2) all.sizes.push_back(n);
  for (textbook::kernel_entry const* kernel : kernels) {
    row_over_n& row = all.rows.emplace_back(row_over_n{kernel, {}});
    for (int const n : all.sizes) {
      if (why_not(*kernel, n, op)) {
        row.values.emplace_back();
        continue;
      }
      compared_kernel one{measure(*kernel, n, op), {}};
      if (figure.column != nullptr)
        for (std::size_t const p : processors) one.times.push_back(one.figures.operations.schedule(p));
      row.values.emplace_back(figure.column != nullptr ? figure.column(one)
                                                       : one.figures.operations.schedule(figure.processors));
    }
  }
  find_leads(all);
  return all;
}

comparison_over_n part(comparison_over_n const& all, std::span<std::string_view const> names)
{
  comparison_over_n some = all;
  std::erase_if(some.rows,
                [&](row_over_n const& each) { return std::ranges::find(names, each.kernel->name) == names.end(); });
  find_leads(some);
  return some;
}

std::string table(comparison_over_n const& all)
{
  std::string out =
      fmt::format("{} over the number of elements n: {}. A kernel that does not take n has no figure.\n\n", all.figure,
                  all.meaning);
  std::size_t name = 6;
  for (row_over_n const& each : all.rows) name = std::max(name, each.kernel->name.size());
  std::vector<std::vector<std::string>> columns;
  for (std::size_t k = 0; k < all.sizes.size(); ++k) {
    std::vector<std::string>& column = columns.emplace_back();
    column.push_back(fmt::format("{}{}", k == 0 ? "n = " : "", all.sizes[k]));
    for (row_over_n const& each : all.rows)
      column.push_back(each.values[k] ? std::to_string(*each.values[k]) : std::string("-"));
  }
  auto const width = [](std::vector<std::string> const& column) {
    std::size_t most = 0;
    for (std::string const& each : column) most = std::max(most, each.size());
    return most;
  };
  for (std::size_t line = 0; line <= all.rows.size(); ++line) {
    out += fmt::format("{:<{}}", line == 0 ? "kernel" : all.rows[line - 1].kernel->name, name);
    for (std::vector<std::string> const& column : columns) out += fmt::format("  {:>{}}", column[line], width(column));
    out += '\n';
  }
  std::string const words = sentence("scan", all.scans, all.sizes) + sentence("reduction", all.reductions, all.sizes);
  return words.empty() ? out : out + '\n' + words;
}

std::string json_text(comparison_over_n const& all)
{
  json kernels = json::array();
  for (row_over_n const& each : all.rows) {
    json values = json::array();
    for (std::optional<std::size_t> const& value : each.values) values.append(value ? json(*value) : json(nullptr));
    kernels.append({{"kernel", each.kernel->name}, {"result", name_of(each.kernel->result)}, {"values", values}});
  }
  return json{{"over", "n"},
              {"figure", all.figure},
              {"n", all.sizes},
              {"kernels", kernels},
              {"least_of_scans", json_of(all.scans)},
              {"least_of_reductions", json_of(all.reductions)}}
      .line();
}

std::string plot(comparison_over_n const& all)
{
  draw::chart chart;
  chart.title = fmt::format("{} over the number of elements", all.figure);
  chart.y_name = all.meaning;
  chart.x_name = "elements n";
  for (row_over_n const& each : all.rows) {
    draw::curve curve{std::string(each.kernel->name), {}};
    for (std::size_t k = 0; k < all.sizes.size(); ++k)
      if (each.values[k])
        curve.points.push_back(
            {static_cast<double>(all.sizes[k]), std::max(1.0, static_cast<double>(*each.values[k]))});
    if (!curve.points.empty()) chart.curves.push_back(std::move(curve));
  }
  for (std::vector<lead> const* leads : {&all.scans, &all.reductions})
    for (lead const& each : *leads)
      if (each.from > all.sizes.front())
        chart.marks.push_back({{static_cast<double>(each.from), std::max(1.0, static_cast<double>(each.value))},
                               fmt::format("n = {}", each.from)});
  return draw::svg(chart);
}

}  // namespace tally::cli
