// The states before the rows of a tile of a recurrence, one row after the other.
#if defined(TALLY_CPU_RECURRENCE_ROWS_BEFORE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_RECURRENCE_ROWS_BEFORE_INL
#undef TALLY_CPU_RECURRENCE_ROWS_BEFORE_INL
#else
#define TALLY_CPU_RECURRENCE_ROWS_BEFORE_INL
#endif

#include <cstddef>

#include "src/cpu/recurrence/maps-inl.hpp"
#include "tally/order.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

/// The rows of a tile before the present one: their totals, and the state behind them. Each lane is on its own.
template <class T>
class rows_before {
public:
  /// `carry`: the state before the tile.
  HWY_INLINE explicit rows_before(vector<T> carry)
      : carry_(carry),
        state_(carry),
        of_rows_{carry, carry},
        of_strips_{carry, carry}
  {
  }

  /// The state before the present row.
  HWY_INLINE vector<T> state() const { return state_; }

  /// Goes on behind the present row.
  HWY_INLINE void push(maps<T> const& total)
  {
    if (count_ % order::strip_rows == 0)
      set(of_rows_, total);
    else
      set(of_rows_, then<T>(of_rows_, total));
    ++count_;
    if (count_ % order::strip_rows != 0) {
      state_ = applied<T>(total, state_);
      return;
    }
    if (count_ == order::strip_rows)
      set(of_strips_, of_rows_);
    else
      set(of_strips_, then<T>(of_strips_, of_rows_));
    state_ = applied<T>(of_strips_, carry_);
  }

  /// The total of the tile, all of whose rows are before.
  HWY_INLINE maps<T> total() const { return {of_strips_.scale, of_strips_.offset}; }

private:
  static HWY_INLINE void set(maps<T>& to, maps<T> const& from)
  {
    to.scale = from.scale;
    to.offset = from.offset;
  }

  vector<T> carry_;
  vector<T> state_;
  maps<T> of_rows_;    // of this strip
  maps<T> of_strips_;  // before this one
  std::size_t count_ = 0;
};

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
