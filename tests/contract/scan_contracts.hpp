#pragma once

#include "problem.hpp"
#include "tally/scan.hpp"

/// Each scan as a pair: the call under test, and the answer of the reference that it promises.
namespace tally::test {

struct inclusive_scan_contract {
  template <class P>
  static auto call(auto const& on, auto first, auto last, auto out, P const& p)
  {
    return tally::inclusive_scan(on, first, last, out, p.op);
  }
  static auto const& expected(auto const& p) { return p.plain.inclusive; }
};

struct inclusive_scan_from_init_contract {
  static constexpr bool like_another = true;
  template <class P>
  static auto call(auto const& on, auto first, auto last, auto out, P const& p)
  {
    return tally::inclusive_scan(on, first, last, out, p.op, p.init);
  }
  static auto const& expected(auto const& p) { return p.started.inclusive; }
};

struct exclusive_scan_contract {
  template <class P>
  static auto call(auto const& on, auto first, auto last, auto out, P const& p)
  {
    return tally::exclusive_scan(on, first, last, out, p.init, p.op);
  }
  static auto const& expected(auto const& p) { return p.started.exclusive; }
};

/// The problem's elements are those of the input after `twist`, so the inputs of these are untwisted first.
struct transform_inclusive_scan_contract {
  static constexpr bool transforms = true;
  static constexpr bool like_another = true;
  template <class P>
  static auto call(auto const& on, auto first, auto last, auto out, P const& p)
  {
    return tally::transform_inclusive_scan(on, first, last, out, p.op, twist{});
  }
  static auto const& expected(auto const& p) { return p.plain.inclusive; }
};

struct transform_inclusive_scan_from_init_contract {
  static constexpr bool transforms = true;
  static constexpr bool like_another = true;
  template <class P>
  static auto call(auto const& on, auto first, auto last, auto out, P const& p)
  {
    return tally::transform_inclusive_scan(on, first, last, out, p.op, twist{}, p.init);
  }
  static auto const& expected(auto const& p) { return p.started.inclusive; }
};

struct transform_exclusive_scan_contract {
  static constexpr bool transforms = true;
  static constexpr bool like_another = true;
  template <class P>
  static auto call(auto const& on, auto first, auto last, auto out, P const& p)
  {
    return tally::transform_exclusive_scan(on, first, last, out, p.init, p.op, twist{});
  }
  static auto const& expected(auto const& p) { return p.started.exclusive; }
};

}  // namespace tally::test
