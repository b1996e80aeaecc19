#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "report.hpp"

namespace tally::bench {
namespace {

using json = nlohmann::ordered_json;

json describe(run_context const& context)
{
  machine const& m = context.where;
  return {{"date", m.date},
          {"commit", context.commit},
          {"effort", context.effort},
          {"processor", m.processor},
          {"machine", m.architecture},
          {"threads", m.threads},
          {"l2_bytes_a_core", m.l2_bytes},
          {"l3_bytes", m.l3_bytes},
          {"memory_bytes", m.memory_bytes},
          {"compiler", m.compiler},
          {"onetbb", m.onetbb},
          {"numpy", context.numpy},
          {"instructions_of_peers", context.instructions}};
}

json describe(cell const& c, measurement const& m)
{
  json result = {{"name", name_of(c, m)},           {"contender", m.name},
                 {"part", name_of(m.part)},         {"threads", m.threads == 1 ? json(1) : json("all")},
                 {"wrong", m.check.wrong},          {"relative_error", m.check.relative_error},
                 {"ulp_error", m.check.ulp_error},  {"stalled", m.check.stalled()},
                 {"interleaved", !m.other_process}, {"seconds", m.seconds}};
  if (!m.seconds.empty()) {
    result["median_seconds"] = m.median();
    result["gigabytes_per_second"] = c.gigabytes_per_second(m);
  }
  return result;
}

json describe(cell const& c, standing const& s)
{
  json result = json::object();
  if (s.tally) result["tally_gigabytes_per_second"] = c.gigabytes_per_second(*s.tally);
  if (s.limit) result["limit"] = name_of(c, *s.limit);
  if (s.peer) result["best_peer"] = name_of(c, *s.peer);
  if (s.of_limit() > 0) result["of_limit"] = s.of_limit();
  if (s.of_peer() > 0) result["of_best_peer"] = s.of_peer();
  return result;
}

}  // namespace

void write_json(std::filesystem::path const& file, run_context const& context, std::vector<cell> const& cells)
{
  json all = {{"context", describe(context)}, {"cells", json::array()}};
  for (cell const& c : cells) {
    json contenders = json::array();
    for (measurement const& m : c.measured) contenders.push_back(describe(c, m));
    all["cells"].push_back({{"name", name_of(c)},
                            {"n", c.n()},
                            {"type", name_of(c.type)},
                            {"bytes", c.bytes()},
                            {"data_in", name_of(c.data)},
                            {"one_thread", describe(c, stand(c, 1))},
                            {"all_threads", describe(c, stand(c, all_threads))},
                            {"contenders", contenders}});
  }
  std::ofstream out(file);
  out << all.dump(1) << '\n';
  if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
}

std::string merge_numpy(std::filesystem::path const& file, std::vector<cell>& cells)
{
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  json const all = json::parse(in);
  for (cell& c : cells) {
    auto const found = all.at("cells").find(name_of(c));
    if (found == all.at("cells").end()) continue;
    measurement m{"numpy", role::peer, 1, {}, found->at("seconds").get<std::vector<double>>(), true};
    m.check.relative_error = found->at("relative_error").get<double>();
    m.check.ulp_error = found->at("ulp_error").get<double>();
    m.check.wrong = found->at("wrong").get<bool>();
    if (m.check.wrong) m.seconds.clear();
    c.measured.push_back(std::move(m));
  }
  return all.at("version").get<std::string>();
}

}  // namespace tally::bench
