#include <utility>

#include "../../course/model/team.hpp"
#include "imports.hpp"

/// The team of a machine without threads: blocks run one after the other, each to its end, as with a schedule of which
/// one block is resident. A block that waits for one that has not begun is stuck. Where every block waits for earlier
/// ones alone, runs are those of the schedule `ascending`.
namespace tally::model {

class team::members {
public:
  explicit members(std::vector<int> order) : order(std::move(order)) {}

  std::vector<int> order;
  std::function<void(int)> const* body = nullptr;
  bool is_stuck = false;
  void const* looked_at = nullptr;  // last
  int index = 0;
  bool has_stored = false;  // since
};

namespace {
std::function<void(int)> const* running = nullptr;
}

extern "C" [[clang::export_name("guarded_block")]] void guarded_block(int index)
{
  (*running)(index);
}

team::team(schedule, std::vector<int> order) : members_(std::make_unique<members>(std::move(order))) {}

team::~team() = default;

void team::run(std::function<void(int)> const& body)
{
  running = &body;
  for (int const index : members_->order) {
    if (members_->is_stuck) break;
    members_->looked_at = nullptr;
    page_guard(index);
  }
}

team::turn team::take_turns(bool waiting, void const* looks_at, int index)
{
  bool const again =
      looks_at != nullptr && members_->looked_at == looks_at && members_->index == index && !members_->has_stored;
  members_->is_stuck = waiting || again;
  if (looks_at != nullptr) {
    members_->looked_at = looks_at;
    members_->index = index;
    members_->has_stored = false;
  }
  return members_->is_stuck ? turn::stuck : turn::goes_on;
}

void team::give_up()
{
  page_give_up();
}

void team::progressed()
{
  members_->has_stored = true;
}

}  // namespace tally::model
