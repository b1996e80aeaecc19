#include "report.hpp"

#include <string_view>

#include "json.hpp"

namespace tally::cli {

namespace {

/// A key as it is printed: like a field of a table, quoted where it would not stay one field of one line.
std::string key_text(std::string_view key)
{
  if (key.find_first_of("\t\n\r\"") == std::string_view::npos) return std::string(key);
  std::string out = "\"";
  for (char const c : key) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

/// "sum":6,"max":3
std::string json_results(command_settings const& settings, std::vector<result> const& results)
{
  std::string out;
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (k > 0) out += ',';
    out += '"';
    out += name_of(settings.operations[k]);
    out += "\":" + json_value(results[k]);
  }
  return out;
}

std::string json_groups(command_settings const& settings, group_table const& groups,
                        std::vector<accumulators> const& all)
{
  std::string out = "{\"by\":" + json_string(*settings.input.key) + ",\"groups\":[";
  for (std::size_t g = 0; g < all.size(); ++g) {
    if (g > 0) out += ',';
    out += "{\"key\":" + json_string(groups.key(g)) + "," + json_results(settings, results_of(all[g])) + "}";
  }
  return out + "]}\n";
}

}  // namespace

std::string report(command_settings const& settings, std::vector<result> const& results)
{
  if (settings.output.format == output_format::json) return "{" + json_results(settings, results) + "}\n";
  if (results.size() == 1) return to_text(results[0]) + "\n";
  std::string out;
  for (std::size_t k = 0; k < results.size(); ++k) {
    out += name_of(settings.operations[k]);
    out += '\t' + to_text(results[k]) + '\n';
  }
  return out;
}

std::string report(command_settings const& settings, group_table const& groups, std::vector<accumulators> const& all)
{
  if (settings.output.format == output_format::json) return json_groups(settings, groups, all);
  std::string out;
  if (settings.operations.size() > 1) {
    out = key_text(*settings.input.key);
    for (operation const op : settings.operations) (out += '\t') += name_of(op);
    out += '\n';
  }
  for (std::size_t g = 0; g < all.size(); ++g) {
    out += key_text(groups.key(g));
    for (auto const& one : all[g]) out += '\t' + to_text(one->value());
    out += '\n';
  }
  return out;
}

}  // namespace tally::cli
