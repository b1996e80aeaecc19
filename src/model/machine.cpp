#include "tally/model/machine.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "team.hpp"

namespace tally::model {

machine::~machine() = default;

void machine::take_turns(bool waiting, std::source_location const& where)
{
  if (team_ == nullptr) {
    if (waiting)
      throw std::logic_error("a kernel whose blocks wait for each other says so: static constexpr bool waits = true");
    return;
  }
  recorder* const own = current_;
  bool const goes_on = team_->take_turns(waiting);
  current_ = own;
  if (goes_on) return;
  own->found(own->here(fault::no_progress, where));
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
  std::vector<int> order(static_cast<std::size_t>(blocks));
  std::iota(order.begin(), order.end(), 0);
  if (blocks_.by == schedule::order::descending) std::reverse(order.begin(), order.end());
  if (blocks_.by == schedule::order::shuffled) std::shuffle(order.begin(), order.end(), std::mt19937_64(blocks_.seed));
  std::size_t steps = 0, barriers = 0;
  auto const run_block = [&](int index) {
    recorder by(*this, kernel, launch, index, threads);
    current_ = &by;
    try {
      body(block(*this, by, blocks));
    } catch (...) {
      forget_shared(by);
      throw;
    }
    steps = std::max(steps, by.steps());
    barriers = std::max(barriers, by.barriers());
    forget_shared(by);
  };
  if (together) {
    team all(blocks_, order);
    team_ = &all;
    all.run(run_block);
    team_ = nullptr;
  } else {
    for (int const index : order) run_block(index);
  }
  released_.clear();
  report_.steps += steps;
  report_.barriers += barriers;
}

void machine::forget_shared(recorder const& of)
{
  for (int const number : of.shared_arrays) arrays_[static_cast<std::size_t>(number)].reset();
  current_ = nullptr;
}

}  // namespace tally::model
