#include "cell.hpp"

namespace tally::bench {
namespace {

char const* prefix_of(operation what)
{
  switch (what) {
    case operation::inclusive_scan: return "scan/plus";
    case operation::exclusive_scan: return "exclusive_scan/plus";
    case operation::reduce_sum: return "reduce/plus";
    case operation::reduce_max: return "reduce/maximum";
  }
  return "";
}

}  // namespace

standing stand(cell const& c, int threads)
{
  standing s;
  auto const better = [](measurement const& m, measurement const*& best) {
    if (!best || m.median() < best->median()) best = &m;
  };
  for (measurement const& m : c.measured) {
    if (m.seconds.empty()) continue;
    if (m.part == role::tally && m.threads == threads) s.tally = &m;
    if (m.check.wrong || (threads == 1 && m.threads != 1)) continue;
    if (m.part == role::peer) better(m, s.peer);
    if (m.part == role::copy_limit || m.part == role::read_limit) better(m, s.limit);
  }
  return s;
}

std::string name_of(cell const& c)
{
  return std::string(prefix_of(c.what)) + "/" + name_of(c.type) + "/2^" + std::to_string(c.power);
}

std::string name_of(cell const& c, measurement const& m)
{
  return name_of(c) + "/" + m.name + (m.threads == 1 ? "/1_thread" : "/all_threads");
}

char const* name_of(element type)
{
  switch (type) {
    case element::f32: return "f32";
    case element::f64: return "f64";
    case element::i32: return "i32";
    case element::i64: return "i64";
    case element::i16: return "i16";
    case element::i8: return "i8";
  }
  return "";
}

char const* name_of(placement data)
{
  return data == placement::cache ? "cache" : "memory";
}

char const* name_of(role part)
{
  switch (part) {
    case role::tally: return "tally";
    case role::peer: return "peer";
    case role::copy_limit: return "copy limit";
    case role::read_limit: return "read limit";
  }
  return "";
}

char const* title_of(operation what)
{
  switch (what) {
    case operation::inclusive_scan: return "inclusive scan, plus";
    case operation::exclusive_scan: return "exclusive scan, plus";
    case operation::reduce_sum: return "reduce, plus";
    case operation::reduce_max: return "reduce, maximum";
  }
  return "";
}

}  // namespace tally::bench
