#pragma once

#include <optional>
#include <ranges>

#include "problem.hpp"
#include "tally/reduce.hpp"

/// Each reduction as a pair: the call under test, and the answer of the reference that it promises.
namespace tally::test {

/// Without an initial value, so only for operators that have an identity, which is the value of an empty range.
struct reduce_contract {
  static constexpr bool like_another = true;
  template <class P>
  static constexpr bool takes = has_identity<decltype(P::op), typename P::element>;
  template <class P>
  static auto call(auto const& on, auto first, auto last, P const& p)
  {
    return tally::reduce(on, std::ranges::subrange(first, last), p.op);
  }
  template <class P>
  static auto expected(P const& p)
  {
    return p.plain.reduced ? *p.plain.reduced : reduction_of_nothing<typename P::element>(p.op);
  }
};

struct reduce_from_init_contract {
  template <class P>
  static constexpr bool takes = true;
  template <class P>
  static auto call(auto const& on, auto first, auto last, P const& p)
  {
    return tally::reduce(on, first, last, p.init, p.op);
  }
  static auto expected(auto const& p) { return *p.started.reduced; }
};

/// The problem's elements are those of the input after `twist`.
struct transform_reduce_contract {
  static constexpr bool transforms = true;
  static constexpr bool like_another = true;
  template <class P>
  static constexpr bool takes = true;
  template <class P>
  static auto call(auto const& on, auto first, auto last, P const& p)
  {
    return tally::transform_reduce(on, first, last, p.init, p.op, twist{});
  }
  static auto expected(auto const& p) { return *p.started.reduced; }
};

/// The input is passed twice, and the transformation of two equal elements returns the first.
struct transform_reduce_two_contract {
  static constexpr bool like_another = true;
  struct either {
    template <class T>
    TALLY_HD constexpr T operator()(T const& a, T const& b) const
    {
      return bits_equal(a, b) ? a : T{};
    }
    template <class T>
    TALLY_HD static constexpr bool bits_equal(T const& a, T const& b)
    {
      return a == b || (a != a && b != b);
    }
  };
  template <class P>
  static constexpr bool takes = true;
  template <class P>
  static auto call(auto const& on, auto first, auto last, P const& p)
  {
    return tally::transform_reduce(on, first, last, first, p.init, p.op, either{});
  }
  static auto expected(auto const& p) { return *p.started.reduced; }
};

}  // namespace tally::test
