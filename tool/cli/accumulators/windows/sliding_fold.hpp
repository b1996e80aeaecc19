#pragma once

#include <cstddef>
#include <vector>

namespace tally::cli {

/// Folds of the last `width` states by an associative operator.
///
/// States are folded in blocks of `width`. At place j of a block the window is the rest of the block before, from j + 1
/// on, and this block up to j. The folds of all rests are made when a block ends. So a state costs three applications,
/// and none is undone.
///
/// Source  van Herk, A fast algorithm for local minimum and maximum filters (1992); Gil, Werman, Computing 2-D min,
///         median, and max filters (1993)
template <class State, class Op>
class sliding_fold {
public:
  explicit sliding_fold(std::size_t width) : width_(width) {}

  State next(State const& state)
  {
    bool const begins = place_ == 0;
    so_far_ = begins ? state : Op{}(so_far_, state);
    State const folded = is_full_ && place_ + 1 < width_ ? Op{}(states_[place_ + 1], so_far_) : so_far_;
    // The rest from this place on is needed no more: the state of this block takes its place.
    if (is_full_)
      states_[place_] = state;
    else
      states_.push_back(state);
    if (++place_ == width_) {
      for (std::size_t k = width_ - 1; k-- > 0;) states_[k] = Op{}(states_[k], states_[k + 1]);
      place_ = 0;
      is_full_ = true;
    }
    return folded;
  }

  void clear()
  {
    states_.clear();
    place_ = 0;
    is_full_ = false;
  }

private:
  std::size_t width_;
  std::vector<State> states_;  // before `place_` those of this block, behind it the folds of rests of the one before
  State so_far_{};             // of this block
  std::size_t place_ = 0;
  bool is_full_ = false;  // a whole block was before
};

}  // namespace tally::cli
