#include "soak/settings.hpp"

#include <cstdint>
#include <type_traits>
#include <vector>

#include "hwy/targets.h"
#include "tally/detail/cpu/tuning.hpp"

namespace tally::soak {

namespace {

cpu_backend::tuning const& plain_tuning()
{
  static cpu_backend::tuning const plain = cpu_backend::tuning_in_use();
  return plain;
}

}  // namespace

std::string choose_tuning(choices& of)
{
  cpu_backend::tuning_in_use() = plain_tuning();
  hwy::SetSupportedTargetsForTest(0);
  std::string text;
  cpu_backend::tuning& all = cpu_backend::tuning_in_use();
  auto const set = [&](char const* name, auto& to, std::string const& value) {
    if (value == "plain") return;
    to = static_cast<std::remove_reference_t<decltype(to)>>(std::stoll(value));
    text += std::string("tally::cpu_backend::tuning_in_use().") + name + " = " + value + "; ";
  };
  // Mostly the defaults.
  if (of.word("tuned", {"no", "yes"}) == "yes") {
    set("streamed_bytes", all.streamed_bytes, of.word("streamed", {"plain", "0", "0", "4096", "100000", "1000000"}));
    set("serial_bytes", all.serial_bytes, of.word("serial", {"plain", "0", "0"}));
    set("bytes_a_thread", all.bytes_a_thread, of.word("bytes_a_thread", {"plain", "0", "1000"}));
    // More threads than processors are slow, and alternate at every place.
    set("processors", all.processors, of.word("processors", {"plain", "4", "8"}));
    set("tiles_in_run", all.tiles_in_run, of.word("run", {"plain", "1", "2", "3", "4"}));
    set("runs_a_member", all.runs_a_member, of.word("runs", {"plain", "1", "2", "3"}));
    set("slots_a_member", all.slots_a_member, of.word("slots", {"plain", "plain", "4", "16", "64"}));
    set("totals_at_once", all.totals_at_once, of.word("totals", {"plain", "1", "2", "7", "32"}));
    set("many_tiles", all.many_tiles, of.word("many_tiles", {"plain", "0", "0", "10"}));
    set("tried_tiles", all.tried_tiles, of.word("tried_tiles", {"plain", "1", "1", "5"}));
    set("long_sequence", all.long_sequence, of.word("long_sequence", {"plain", "1", "1000", "20000"}));
    set("gathered_distance", all.gathered_distance, of.word("gathered_distance", {"plain", "0", "1000000000"}));
    set("few_recurrence_groups", all.few_recurrence_groups, of.word("few_groups", {"plain", "plain", "0", "1"}));
    set("recurrences_at_once", all.recurrences_at_once, of.word("at_once", {"plain", "plain", "2", "1000000"}));
    set("recurrence_alone_bytes", all.recurrence_alone_bytes, of.word("alone", {"plain", "plain", "0", "1000000"}));
    set("streamed_recurrence_bytes", all.streamed_recurrence_bytes, of.word("streamed_recurrence", {"plain", "0"}));
    set("spins", all.spins, of.word("spins", {"plain", "plain", "0", "30"}));
  }
  std::vector<std::int64_t> const targets = hwy::SupportedAndGeneratedTargets();
  std::uint64_t const target = of.number("target", 0, 7);  // 0: the best
  if (target > 0 && target <= targets.size()) hwy::SetSupportedTargetsForTest(targets[target - 1]);
  return text;
}

cpu choose_threads(choices& of)
{
  std::string const threads =
      of.word("threads", {"1", "1", "1", "1", "1", "1", "1", "0", "2", "2", "3", "4", "5", "6", "7", "8"});
  return {.threads = std::stoi(threads)};
}

}  // namespace tally::soak
