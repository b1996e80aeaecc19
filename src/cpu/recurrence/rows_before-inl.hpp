// The part of a tile of a recurrence before one of its rows.
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

/// The maps of the rows of a tile before the present one.
template <class T>
class rows_before {
public:
  // Not a default one: GCC would compile it for another instruction set.
  HWY_INLINE rows_before() : rows_(nothing_later<T>()), strips_(rows_) {}

  /// Whether there is none.
  bool none() const { return count_ == 0; }
  /// Requires  !none().
  HWY_INLINE maps<T> base() const
  {
    if (count_ < order::strip_rows) return {rows_.scale, rows_.offset};
    if (count_ % order::strip_rows == 0) return {strips_.scale, strips_.offset};
    return then<T>(strips_, rows_);
  }
  /// `total` in all lanes.
  HWY_INLINE void push(maps<T> const& total)
  {
    set(rows_, count_ % order::strip_rows == 0 ? nullptr : &rows_, total);
    ++count_;
    if (count_ % order::strip_rows == 0) set(strips_, count_ == order::strip_rows ? nullptr : &strips_, rows_);
  }

private:
  /// `later`, after `earlier` if there is one.
  static HWY_INLINE void set(maps<T>& to, maps<T> const* earlier, maps<T> const& later)
  {
    vector<T> scale = later.scale, offset = later.offset;
    if (earlier != nullptr) {
      maps<T> const both = then<T>(*earlier, later);
      scale = both.scale;
      offset = both.offset;
    }
    to.scale = scale;
    to.offset = offset;
  }

  maps<T> rows_;    // of this strip
  maps<T> strips_;  // before this one
  std::size_t count_ = 0;
};

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
