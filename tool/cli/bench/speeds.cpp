#include "bench/speeds.hpp"

#include <fmt/format.h>

#include "output/json.hpp"

namespace tally::cli {

namespace {

std::string size_text(std::size_t bytes)
{
  return bytes < (std::size_t{1} << 20) ? fmt::format("{} KiB", bytes >> 10) : fmt::format("{} MiB", bytes >> 20);
}

/// The columns that the CPU's table and the GPU's share.
std::string row(speed const& each)
{
  return fmt::format("{:<7} {:<8} {:>8}  {:>7.1f}  {:>7.1f} {:>6.2f}", each.call, each.type, size_text(each.bytes),
                     each.limit, each.tally, each.share());
}

constexpr char columns[] = "call    type         size    limit    tally  share";

json json_of(speed const& each)
{
  return {{"call", each.call},
          {"type", each.type},
          {"elements", each.elements},
          {"bytes", each.bytes},
          {"limit", json::three_decimals(each.limit)},
          {"tally", json::three_decimals(each.tally)},
          {"share", json::three_decimals(each.share())}};
}

}  // namespace

std::vector<double> gigabytes_per_second(std::vector<contender> const& all, std::vector<double> const& seconds)
{
  std::vector<double> speeds;
  for (std::size_t k = 0; k < all.size(); ++k) speeds.push_back(all[k].bytes / seconds[k] * 1e-9);
  return speeds;
}

std::string table(speeds const& measured)
{
  std::string out = fmt::format(
      "GB/s of {} with at most {} thread{}; std:: has one. The limit is copying for a scan, reading for a sum.\n\n",
      measured.plain ? "plain calls" : "calls", measured.threads, measured.threads == 1 ? "" : "s");
  out += fmt::format("{}  {:>7} {:>7}\n", columns, "std::", "faster");
  for (speed const& each : measured.cells)
    out += fmt::format("{}  {:>7.1f} {:>6.1f}x\n", row(each), each.standard, each.tally / each.standard);
  if (!measured.gpu) return out;
  out += fmt::format(
      "\nGB/s in the memory of the GPU ({}). The limit is cudaMemcpy for a scan, reading for a sum.\n\n{}\n",
      measured.gpu->name, columns);
  for (speed const& each : measured.gpu->cells) out += row(each) + '\n';
  return out;
}

std::string json_text(speeds const& measured)
{
  json cells = json::array();
  for (speed const& each : measured.cells) {
    json record = json_of(each);
    record.add("std", json::three_decimals(each.standard));
    cells.append(record);
  }
  json all = {{"threads", measured.threads}, {"plain", measured.plain}, {"unit", "GB/s"}, {"cells", cells}};
  if (measured.gpu) {
    json gpu_cells = json::array();
    for (speed const& each : measured.gpu->cells) gpu_cells.append(json_of(each));
    all.add("gpu", {{"name", measured.gpu->name}, {"cells", gpu_cells}});
  }
  return all.line();
}

}  // namespace tally::cli
