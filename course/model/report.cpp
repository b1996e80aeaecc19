#include "tally/model/report.hpp"

#include <algorithm>
#include <string_view>

namespace tally::model {

shared_counts& shared_counts::operator+=(shared_counts const& other)
{
  reads += other.reads;
  writes += other.writes;
  requests += other.requests;
  wavefronts += other.wavefronts;
  ideal += other.ideal;
  worst_degree = std::max(worst_degree, other.worst_degree);
  return *this;
}

atomic_counts& atomic_counts::operator+=(atomic_counts const& other)
{
  changes += other.changes;
  requests += other.requests;
  turns += other.turns;
  return *this;
}

warp_counts& warp_counts::operator+=(warp_counts const& other)
{
  steps += other.steps;
  divergent += other.divergent;
  active_lanes += other.active_lanes;
  return *this;
}

global_counts& global_counts::operator+=(global_counts const& other)
{
  reads += other.reads;
  writes += other.writes;
  sectors_read += other.sectors_read;
  sectors_written += other.sectors_written;
  return *this;
}

std::string name(fault what)
{
  switch (what) {
    case fault::race: return "race";
    case fault::unset_read: return "read of what nobody wrote";
    case fault::out_of_range: return "out of range";
    case fault::divergent_barrier: return "barrier that not all threads reach";
    case fault::absent_lane: return "shuffle with absent lanes";
    case fault::foreign_register: return "register of another thread";
    case fault::no_progress: return "no progress";
    case fault::endless: return "no end";
    case fault::unwritten: return "a result that nobody writes";
    case fault::lacks_element: return "a result that lacks an element";
    case fault::extra_element: return "a result with an element too many";
    case fault::out_of_order: return "a result out of order";
    case fault::not_identity: return "a constant that is not the identity";
    case fault::changes_input: return "a write to the input";
    case fault::not_a_number: return "not a number";
  }
  return {};
}

namespace {

std::string at(place const& where)
{
  std::string_view file = where.file;
  file = file.substr(file.find_last_of('/') + 1);
  return std::string(file) + ":" + std::to_string(where.line);
}

std::string detail(finding const& f)
{
  std::string const thread = "thread " + std::to_string(f.thread);
  std::string const element = f.array.empty() ? "a register" : f.array + "[" + std::to_string(f.index) + "]";
  std::string const other = f.other_array + "[" + std::to_string(f.other_index) + "]";
  switch (f.what) {
    case fault::race:
      return thread + (f.writes ? " writes " : " reads ") + element + ", which thread " + std::to_string(f.other) +
             (f.other_block == f.block ? "" : " of block " + std::to_string(f.other_block)) +
             (f.other_writes ? " writes (" : " reads (") + at(f.other_where) + "), and nothing orders the two";
    case fault::unset_read: return thread + " reads " + element + ", which nobody has written";
    case fault::out_of_range:
      return thread + (f.writes ? " writes " : " reads ") + element + ", but " + f.array + " has " +
             std::to_string(f.size) + " elements";
    case fault::divergent_barrier:
      return thread + " waits here, while thread " + std::to_string(f.other) +
             (f.other_where.line > 0 ? " waits at another barrier (" + at(f.other_where) + ")" : " has ended");
    case fault::absent_lane:
      if (f.other == f.thread) return thread + " does not name its own lane";
      return thread + " names lanes that do not take part" +
             (f.other < 0 ? "" : ", the first of them that of thread " + std::to_string(f.other));
    case fault::foreign_register:
      return thread + " names the register of thread " + std::to_string(f.other) + ", and on a GPU would get its own";
    case fault::no_progress: return thread + " waits, and every block that runs waits too";
    case fault::endless: return "the block still runs after " + std::to_string(f.step) + " barriers";
    case fault::unwritten: return thread + " writes " + other + ", and nobody writes " + element;
    case fault::lacks_element: return thread + " writes " + element + " without " + other;
    case fault::extra_element: return thread + " writes " + element + " with " + other + " once more than it should";
    case fault::out_of_order: return thread + " writes " + element + ", in which " + other + " is not in its place";
    case fault::not_identity:
      return thread + " writes " + element + " with the constant " + f.constant + " in it; the identity is " +
             f.identity;
    case fault::changes_input: return thread + " writes " + element + ", which the host will need again";
    case fault::not_a_number: return thread + " writes NaN to " + element;
  }
  return {};
}

}  // namespace

std::string finding::text() const
{
  return at(where) + ": " + name(what) + " in " + kernel + ", block " + std::to_string(block) + ", step " +
         std::to_string(step) + ": " + detail(*this) +
         (times > 1 ? " (and " + std::to_string(times - 1) + " more like it)" : "");
}

}  // namespace tally::model
