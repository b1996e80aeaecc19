#pragma once

#include "tally/textbook/block.hpp"

namespace tally::textbook {

/// An array with gaps: element k is at k + k/32, so that elements a power of two apart have different banks. Only the
/// view differs; kernels stay as they are. Harris, Sengupta, Owens (2007).
///
/// With `Levels` = 2 it is at k + k/32 + k/1024: elements 1024 apart have different banks too.
template <class View, int Levels = 1>
class padded {
public:
  using element = element_of<View>;
  using position = position_of<View>;

  /// The place of element k.
  TALLY_HD static constexpr int place(int k) { return k + k / 32 + (Levels > 1 ? k / 1024 : 0); }
  /// How many elements `base` needs for n.
  TALLY_HD static constexpr int size(int n) { return n == 0 ? 0 : place(n - 1) + 1; }

  TALLY_HD explicit padded(View base) : base_(base) {}
  TALLY_HD decltype(auto) operator[](position k) const
  {
    if constexpr (requires { k.at(0); })
      return base_[k.at(place(k.index))];
    else
      return base_[place(k)];
  }

private:
  View base_;
};

}  // namespace tally::textbook
