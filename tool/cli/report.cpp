#include "report.hpp"

#include <string_view>

#include "json.hpp"

namespace tally::cli {

namespace {

/// A key as the field of a table, quoted if it would not stay one field of one line.
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

void add_results(json& to, command_settings const& settings, std::span<result const> results)
{
  for (std::size_t k = 0; k < results.size(); ++k) to.add(name_of(settings.operations[k]), json::number(results[k]));
}

json json_of(command_settings const& settings, group_table const& groups, std::span<result const> results)
{
  json records = json::array();
  std::size_t const each = settings.operations.size();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    json record = {{"key", groups.key(g)}};
    add_results(record, settings, results.subspan(g * each, each));
    records.append(record);
  }
  return {{"by", *settings.input.key}, {"groups", records}};
}

}  // namespace

std::string report(command_settings const& settings, std::vector<result> const& results)
{
  if (settings.output.format == output_format::json) {
    json record = json::object();
    add_results(record, settings, results);
    return record.line();
  }
  if (results.size() == 1) return to_text(results[0]) + "\n";
  std::string out;
  for (std::size_t k = 0; k < results.size(); ++k) {
    out += name_of(settings.operations[k]);
    out += '\t' + to_text(results[k]) + '\n';
  }
  return out;
}

std::string report(command_settings const& settings, group_table const& groups, std::span<result const> results)
{
  if (settings.output.format == output_format::json) return json_of(settings, groups, results).line();
  std::string out;
  if (settings.operations.size() > 1) {
    out = key_text(*settings.input.key);
    for (operation const op : settings.operations) (out += '\t') += name_of(op);
    out += '\n';
  }
  auto next = results.begin();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    out += key_text(groups.key(g));
    for (std::size_t k = 0; k < settings.operations.size(); ++k) (out += '\t') += to_text(*next++);
    out += '\n';
  }
  return out;
}

}  // namespace tally::cli
