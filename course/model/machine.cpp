#include "tally/model/machine.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "tally/model/block.hpp"
#include "team.hpp"

namespace tally::model {

machine::~machine() = default;

void machine::take_turns(bool waiting, array_base const* looks_at, position const& at)
{
  if (team_ == nullptr) {
    if (waiting)
      throw std::logic_error("a kernel whose blocks wait for each other says so: static constexpr bool waits = true");
    return;
  }
  recorder* const own = current_;
  team::turn const next = team_->take_turns(waiting, looks_at, at.index);
  current_ = own;
  if (next == team::turn::goes_on) return;
  if (next == team::turn::stuck) own->found(own->here(fault::no_progress, at.where));
  team::give_up();
}

void machine::progressed()
{
  if (team_ != nullptr) team_->progressed();
}

void machine::run(std::string const& kernel, int blocks, int threads, bool together,
                  std::function<void(block const&)> const& body)
{
  if (blocks < 1 || threads < 1 || threads > 1024)
    throw std::invalid_argument("the model machine takes 1 block or more, of 1 to 1024 threads; " + kernel +
                                " asks for " + std::to_string(blocks) + " of " + std::to_string(threads));
  int const launch = report_.launches++;
  kernels_.push_back(kernel);
  report_.blocks += static_cast<std::size_t>(blocks);
  std::vector<int> order(static_cast<std::size_t>(blocks));
  std::iota(order.begin(), order.end(), 0);
  if (blocks_.by == schedule::order::descending) std::reverse(order.begin(), order.end());
  if (blocks_.by == schedule::order::shuffled) std::shuffle(order.begin(), order.end(), std::mt19937_64(blocks_.seed));
  // The machine is ready for the next launch however this one ends.
  struct ending {
    machine& of;
    ~ending()
    {
      of.current_ = nullptr;
      of.team_ = nullptr;
      of.released_.clear();
      of.releases_.clear();
    }
  } const at_last{*this};

  std::size_t steps = 0, barriers = 0;
  auto const run_block = [&](int index) {
    recorder by(*this, kernel, launch, index, threads);
    struct ending_of_block {
      machine& of;
      recorder const& by;
      ~ending_of_block() { of.free_shared(by); }
    } const at_its_end{*this, by};
    current_ = &by;
    body(block(*this, by, blocks));
    steps = std::max(steps, by.steps());
    barriers = std::max(barriers, by.barriers());
  };
  if (together) {
    team all(blocks_, order);
    team_ = &all;
    all.run(run_block);
  } else {
    for (int const index : order) run_block(index);
  }
  report_.steps += steps;
  report_.barriers += barriers;
}

void machine::free_shared(recorder const& of)
{
  for (int const number : of.shared_arrays) arrays_[static_cast<std::size_t>(number)].reset();
  current_ = nullptr;
}

}  // namespace tally::model
