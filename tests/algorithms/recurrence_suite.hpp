#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "../batch/arrays.hpp"
#include "../order/recurrence_reference.hpp"
#include "../order/reference.hpp"
#include "../support/bits.hpp"
#include "../support/generator.hpp"
#include "../support/sizes.hpp"
#include "tally/algorithms/recurrence.hpp"
#include "tally/half.hpp"

/// Tests of linear recurrences on any backend: each has the bits of the order's reference on it alone, followed by the
/// plain loop from the first result on that is not finite; nothing else is written. nvcc compiles the same with a
/// backend for CUDA.
namespace tally::test::recurrences {

/// A ring without commutativity: 2x2 matrices of integers that wrap.
struct matrix {
  std::uint32_t of[4]{};

  matrix() = default;
  TALLY_HD explicit matrix(std::uint32_t one) : of{one, 0, 0, one} {}
  friend TALLY_HD matrix operator+(matrix const& x, matrix const& y)
  {
    matrix sum;
    for (int i = 0; i < 4; ++i) sum.of[i] = x.of[i] + y.of[i];
    return sum;
  }
  friend TALLY_HD matrix operator*(matrix const& x, matrix const& y)
  {
    matrix product;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) product.of[2 * i + j] = x.of[2 * i] * y.of[j] + x.of[2 * i + 1] * y.of[2 + j];
    return product;
  }
  friend bool operator==(matrix const&, matrix const&) = default;
};

template <class T>
inline constexpr bool is_real = std::numeric_limits<T>::is_iec559;

/// The steps of a group: real states have an order of their own.
template <class T>
inline constexpr std::size_t group_steps = is_real<T> ? 16 / sizeof(T) : order::group<affine<T>>;

/// The reference's own maps and their composition. The program is compiled without contraction.
template <class T>
struct map {
  T scale, offset;
  template <class U>
  explicit operator map<U>() const
  {
    return {static_cast<U>(scale), static_cast<U>(offset)};
  }
};
struct in_turn {
  template <class T>
  map<T> operator()(map<T> const& earlier, map<T> const& later) const
  {
    return {static_cast<T>(later.scale * earlier.scale),
            static_cast<T>(static_cast<T>(later.scale * earlier.offset) + later.offset)};
  }
};

/// The states of y[k] = a[k]*y[k-1] + b[k] by docs/order.md, stored as S. Those of integers and of other rings are a
/// scan of maps.
template <class T, class S = T>
std::vector<S> states(std::vector<T> const& a, std::vector<T> const& b, T before)
{
  if constexpr (is_real<T>) {
    return reference::recurrence<T, S>(a, b, before);
  } else {
    std::vector<map<T>> maps;
    for (std::size_t k = 0; k < a.size(); ++k) maps.push_back({a[k], b[k]});
    in_turn op;
    reference::slot<map<T>> const init = map<T>{T{}, before};
    std::vector<S> y;
    for (auto const& each : reference::inclusive<map<T>, map<T>>(maps, init, op, reference::shape_of<map<T>>()))
      y.push_back(static_cast<S>(each.offset));
    return y;
  }
}

/// The kinds of coefficients: ordinary ones, of which nothing is left some steps later; growth to infinity; products
/// that overflow while states stay finite; decay to denormals; zeros of both signs; an infinity and a NaN somewhere;
/// and those of which a part is left after many tiles.
enum class kind { ordinary, growth, pulled_back, decay, zeros, odd, steady };
inline constexpr std::size_t kinds = 7;

template <class T>
T number(std::uint64_t random)
{
  if constexpr (std::is_same_v<T, matrix>) {
    matrix all;
    for (std::uint32_t i = 0; i < 4; ++i) all.of[i] = static_cast<std::uint32_t>(random >> (8 * i));
    return all;
  } else if constexpr (requires(T const& x) { x.imag(); }) {
    using part = typename T::value_type;
    return {number<part>(random), number<part>(random << 24 | random >> 40)};
  } else if constexpr (is_real<T>) {
    return static_cast<T>(static_cast<float>(static_cast<double>(random >> 11) * 0x1p-52 - 1));
  } else {
    return static_cast<T>(random >> 7);
  }
}
template <class T>
T coefficient(kind what, std::size_t k, std::uint64_t seed)
{
  std::uint64_t const random = random_bits(seed, k);
  T const x = number<T>(random);
  if constexpr (is_real<T>) {
    float const own = static_cast<float>(x);
    switch (what) {
      case kind::growth: return static_cast<T>(1.5f + own);
      case kind::pulled_back: return static_cast<T>(random % 97 == 0 ? 0.0f : 8.0f * own);
      case kind::decay: return static_cast<T>(0.5f);
      case kind::zeros: return static_cast<T>(random % 3 == 0 ? 0.0f : random % 3 == 1 ? -0.0f : own);
      case kind::odd:
        return random % 301 == 0   ? std::numeric_limits<T>::infinity()
               : random % 301 == 1 ? std::numeric_limits<T>::quiet_NaN()
                                   : x;
      case kind::steady: return static_cast<T>(random % 64 == 0 ? -0.999f : 1.0f - std::abs(own) * 0x1p-14f);
      default: break;
    }
  }
  return x;
}
template <class T>
T term(kind what, std::size_t k, std::uint64_t seed)
{
  std::uint64_t const random = random_bits(seed, k);
  T const x = number<T>(random);
  if constexpr (is_real<T>) {
    if (what == kind::pulled_back && random % 5 != 0) return T{};
    if (what == kind::decay) return static_cast<T>(random % 500 == 0 ? static_cast<float>(x) : -0.0f);
    if (what == kind::zeros) return static_cast<T>(random % 2 == 0 ? -0.0f : 0.0f);
  }
  return x;
}
template <class T>
std::vector<T> poisoned(std::size_t n)
{
  std::vector<T> values;
  for (std::size_t k = 0; k < n; ++k) values.push_back(number<T>(random_bits(77, k)));
  return values;
}

enum class start { none, one, each };
enum class to { apart, over_a, over_b };

/// An array of coefficients at random places.
template <class T>
struct held_at {
  std::size_t axis;
  placed at;
  std::vector<T> values;

  std::size_t place(extents const& other, std::size_t k) const { return at.place(with(other, axis, k)); }
  bool repeats() const { return std::count(at.strides.begin(), at.strides.end(), 0) != 0; }
};

/// One batch along axes, every choice by chance.
template <class Backend, class T>
class along_case {
public:
  along_case(extents others, std::size_t n, dice& of)
      : others_(std::move(others)),
        n_(n),
        what_(static_cast<kind>(of(kinds))),
        a_(coefficients(of)),
        b_(coefficients(of)),
        out_(coefficients(of, false)),
        ends_(row_major(others_)),
        sequences_(product(others_)),
        from_(static_cast<start>(of(3))),
        where_(static_cast<to>(of(3))),
        is_constant_(of(4) == 0 && where_ != to::over_a),
        from_back_(of(2) == 0),
        lasts_(of(2) == 0),
        seed_(of(1000))
  {
    for (std::size_t k = 0; k < a_.values.size(); ++k) a_.values[k] = coefficient<T>(what_, k, seed_ + 1);
    for (std::size_t k = 0; k < b_.values.size(); ++k) b_.values[k] = term<T>(what_, k, seed_ + 2);
    if ((where_ == to::over_a && a_.repeats()) || (where_ == to::over_b && b_.repeats())) where_ = to::apart;
    if (where_ != to::apart) out_ = where_ == to::over_a ? a_ : b_;
    ends_ = anywhere(others_, of, false);
  }

  std::string shown() const
  {
    return "a" + a_.at.shown() + ", b" + b_.at.shown() + ", out" + out_.at.shown() + ", kind " +
           std::to_string(static_cast<int>(what_)) + ", " + std::to_string(n_) + " steps, start " +
           std::to_string(static_cast<int>(from_)) + ", to " + std::to_string(static_cast<int>(where_)) +
           (is_constant_ ? ", constant" : "") + (from_back_ ? ", from back" : "") + (lasts_ ? ", lasts" : "");
  }

  void check(auto const& on, std::string const& way) const
  {
    std::vector<T> expected = out_.values, expected_lasts = poisoned<T>(ends_.size), befores = poisoned<T>(ends_.size);
    T const number_for_all = coefficient<T>(what_, 5, seed_ + 1);
    for (std::size_t s = 0; s < sequences_; ++s) {
      extents const other = position(others_, s);
      std::size_t const end = ends_.place(other);
      T const before = from_ == start::none ? T{} : from_ == start::one ? befores[0] : befores[end];
      std::vector<T> a, b;
      for (std::size_t k = 0; k < n_; ++k) {
        std::size_t const at = from_back_ ? n_ - 1 - k : k;
        a.push_back(is_constant_ ? number_for_all : a_.values[a_.place(other, at)]);
        b.push_back(b_.values[b_.place(other, at)]);
      }
      std::vector<T> const y = states(a, b, before);
      for (std::size_t k = 0; k < n_; ++k) expected[out_.place(other, from_back_ ? n_ - 1 - k : k)] = y[k];
      expected_lasts[end] = y.empty() ? before : y.back();
    }

    typename Backend::template array<T> const a(a_.values, 1), b(b_.values, 2);
    typename Backend::template array<T> const separate(where_ == to::apart ? out_.values : std::vector<T>(), 3);
    auto const& target = where_ == to::over_a ? a : where_ == to::over_b ? b : separate;
    typename Backend::template array<T> const starts(befores, 1);
    typename Backend::template array<T> const lasts(poisoned<T>(ends_.size), 1);
    auto const call = [&](auto const&... rest) {
      auto const run = [&](auto const& coefficients) {
        auto const in = along(static_cast<int>(b_.axis), b_.at.view(static_cast<T const*>(b.begin())));
        auto const out = along(static_cast<int>(out_.axis), out_.at.view(target.begin()));
        if (from_back_)
          linear_recurrence(on, coefficients, reversed(in), reversed(out), rest...);
        else
          linear_recurrence(on, coefficients, in, out, rest...);
      };
      auto const own = along(static_cast<int>(a_.axis), a_.at.view(static_cast<T const*>(a.begin())));
      if (is_constant_)
        run(number_for_all);
      else if (from_back_)
        run(reversed(own));
      else
        run(own);
    };
    auto const with_lasts = [&](auto const&... rest) {
      if (lasts_)
        call(rest..., last_to(ends_.view(lasts.begin())));
      else
        call(rest...);
    };
    if (from_ == start::none)
      with_lasts();
    else if (from_ == start::one)
      with_lasts(befores[0]);
    else
      with_lasts(each(ends_.view(static_cast<T const*>(starts.begin()))));
    EXPECT_TRUE(same_bits<T>(target.values(), expected)) << way << ": " << shown();
    EXPECT_TRUE(target.guards_intact()) << way << ": " << shown();
    if (lasts_) {
      for (std::size_t k = 0; k < ends_.size; ++k) {
        bool const written = same(lasts.values()[k], expected_lasts[k]);
        ASSERT_TRUE(written) << way << ": last value " << k << ": " << shown();
      }
    }
  }

private:
  held_at<T> coefficients(dice& of, bool is_input = true) const
  {
    std::size_t const axis = of(others_.size() + 1);
    placed at = anywhere(with(others_, axis, n_), of, is_input);
    std::size_t const size = at.size;
    return {axis, std::move(at), poisoned<T>(size)};
  }

  extents others_;
  std::size_t n_;
  kind what_;
  held_at<T> a_, b_, out_;
  placed ends_;
  std::size_t sequences_;
  start from_;
  to where_;
  bool is_constant_, from_back_, lasts_;
  std::uint64_t seed_;
};

/// Random shapes of up to five axes.
template <class Backend, class T, class Ways>
void anywhere_along(std::size_t tries, Ways const& ways)
{
  constexpr std::size_t group = group_steps<T>, row = order::row<affine<T>>, tile = order::tile<affine<T>>;
  for (std::size_t seed = 0; seed < some_of(tries); ++seed) {
    dice of(seed + 1);
    extents others(of(5));
    for (std::size_t& extent : others) extent = of(12) == 0 ? 0 : 1 + of(others.size() < 3 ? 9 : 4);
    std::size_t const lengths[] = {0,           1, 2, group + 1, 1 + of(40), 1 + of(3 * row), 1 + of(row), tile - of(2),
                                   tile + of(9)};
    std::size_t const n = lengths[of(product(others) < 9 ? 9 : 7)];
    along_case<Backend, T> const batch(others, n, of);
    Backend::for_each_way(ways, [&](auto const& on, std::string const& way) {
      if (!testing::Test::HasFailure()) batch.check(on, way + ", seed " + std::to_string(seed));
    });
    if (testing::Test::HasFailure()) return;
  }
}

/// One range at the lengths around the units of the order, forward and backward, apart and in place.
template <class Backend, class T, class Ways>
void ranges(Ways const& ways, std::vector<std::size_t> const& sizes)
{
  for (std::size_t const n : sizes) {
    for (std::size_t which = 0; which < (is_real<T> ? kinds : 1); ++which) {
      kind const what = static_cast<kind>(which);
      std::vector<T> a, b;
      for (std::size_t k = 0; k < n; ++k) {
        a.push_back(coefficient<T>(what, k, n));
        b.push_back(term<T>(what, k, n + 1));
      }
      T const before = number<T>(random_bits(n, 3));
      std::vector<T> const forward = states(a, b, before);
      std::vector<T> backward = states<T>({a.rbegin(), a.rend()}, {b.rbegin(), b.rend()}, before);
      std::reverse(backward.begin(), backward.end());
      Backend::for_each_way(ways, [&](auto const& on, std::string const& way) {
        for (to const where : {to::apart, to::over_a, to::over_b}) {
          for (bool const is_backward : {false, true}) {
            typename Backend::template array<T> const own_a(a, n % 7), own_b(b, n % 5);
            typename Backend::template array<T> const separate(n, n % 3);
            auto const& out = where == to::apart ? separate : where == to::over_a ? own_a : own_b;
            auto const first = static_cast<T const*>(own_a.begin());
            T* const end = is_backward
                               ? linear_recurrence_backward(on, first, first + n, own_b.begin(), out.begin(), before)
                               : linear_recurrence(on, first, first + n, own_b.begin(), out.begin(), before);
            EXPECT_EQ(end, out.begin() + n);
            EXPECT_TRUE(same_bits<T>(out.values(), is_backward ? backward : forward))
                << way << ", " << n << " steps, kind " << which << ", to " << static_cast<int>(where)
                << (is_backward ? ", backward" : "");
            EXPECT_TRUE(out.guards_intact()) << way;
          }
        }
      });
      if (testing::Test::HasFailure()) return;
    }
  }
}

/// Segments of many lengths, empty ones too, from the front and from the back, apart and in place.
template <class Backend, class T, class Ways>
void segments_of_many_lengths(Ways const& ways, std::vector<std::vector<std::size_t>> const& batches)
{
  for (std::vector<std::size_t> const& lengths : batches) {
    std::vector<std::size_t> offsets{3};
    for (std::size_t const n : lengths) offsets.push_back(offsets.back() + n);
    std::size_t const size = offsets.back() + 2, count = lengths.size();
    for (std::size_t which = 0; which < (is_real<T> ? kinds : 1); ++which) {
      kind const what = static_cast<kind>(which);
      std::vector<T> a, b;
      for (std::size_t k = 0; k < size; ++k) {
        a.push_back(coefficient<T>(what, k, 5));
        b.push_back(term<T>(what, k, 6));
      }
      std::vector<T> const befores = poisoned<T>(count + 1);
      for (bool const from_back : {false, true}) {
        for (to const where : {to::apart, to::over_a, to::over_b}) {
          start const from = static_cast<start>((which + static_cast<std::size_t>(where)) % 3);
          bool const is_constant = where != to::over_a && which % 3 == 1;
          std::vector<T> expected = where == to::apart ? poisoned<T>(size) : where == to::over_a ? a : b;
          std::vector<T> lasts;
          for (std::size_t s = 0; s < count; ++s) {
            std::vector<T> own_a, own_b;
            auto const at = [&](std::size_t k) { return from_back ? offsets[s + 1] - 1 - k : offsets[s] + k; };
            for (std::size_t k = 0; k < lengths[s]; ++k) {
              own_a.push_back(is_constant ? a[0] : a[at(k)]);
              own_b.push_back(b[at(k)]);
            }
            T const before = from == start::none ? T{} : from == start::one ? befores[0] : befores[s];
            std::vector<T> const y = states(own_a, own_b, before);
            for (std::size_t k = 0; k < y.size(); ++k) expected[at(k)] = y[k];
            lasts.push_back(y.empty() ? before : y.back());
          }
          Backend::for_each_way(ways, [&](auto const& on, std::string const& way) {
            typename Backend::template array<T> const in_a(a, 1), in_b(b, 2);
            typename Backend::template array<T> const separate(poisoned<T>(size), 3);
            typename Backend::template array<std::size_t> const places(offsets, 1);
            typename Backend::template array<T> const starts(befores, 1), ends(count, 1);
            auto const& out = where == to::apart ? separate : where == to::over_a ? in_a : in_b;
            auto const* const at = static_cast<std::size_t const*>(places.begin());
            auto const run = [&](auto const&... rest) {
              if (is_constant) {
                auto const batch = segments(static_cast<T const*>(in_b.begin()), at, at + count + 1);
                if (from_back)
                  linear_recurrence(on, a[0], reversed(batch), out.begin(), rest..., last_to(ends.begin()));
                else
                  linear_recurrence(on, a[0], batch, out.begin(), rest..., last_to(ends.begin()));
              } else {
                auto const batch = segments(static_cast<T const*>(in_a.begin()), at, at + count + 1);
                T const* const terms = in_b.begin();
                if (from_back)
                  linear_recurrence(on, reversed(batch), terms, out.begin(), rest..., last_to(ends.begin()));
                else
                  linear_recurrence(on, batch, terms, out.begin(), rest..., last_to(ends.begin()));
              }
            };
            if (from == start::none)
              run();
            else if (from == start::one)
              run(befores[0]);
            else
              run(each(static_cast<T const*>(starts.begin())));
            std::string const how = way + ", kind " + std::to_string(which) + ", to " +
                                    std::to_string(static_cast<int>(where)) + (from_back ? ", from the back" : "");
            EXPECT_TRUE(same_bits<T>(out.values(), expected)) << how;
            EXPECT_TRUE(same_bits<T>(ends.values(), lasts)) << how << ", last values";
            EXPECT_TRUE(out.guards_intact() && ends.guards_intact()) << how;
          });
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

/// Gradients along columns: h has the bits of the reversed recurrence, and the rest is products with it.
template <class Backend, class T, class Ways>
void gradients(Ways const& ways)
{
  for (std::size_t const n : {0u, 1u, 2u, 5u, 300u, 10'001u}) {
    for (kind const what : {kind::ordinary, kind::growth, kind::zeros}) {
      std::size_t const sequences = 3, all = n * sequences;
      std::vector<T> a, y, g;
      for (std::size_t k = 0; k < all; ++k) {
        a.push_back(coefficient<T>(what, k, 1));
        y.push_back(number<T>(random_bits(2, k)));
        g.push_back(term<T>(what, k, 3));
      }
      std::vector<T> const befores = poisoned<T>(sequences);
      std::vector<T> da(all), db(all), of_befores(sequences);
      for (std::size_t s = 0; s < sequences; ++s) {
        std::vector<T> factors, terms;
        for (std::size_t k = n; k-- > 0;) {
          factors.push_back(k + 1 == n ? T(1) : a[(k + 1) * sequences + s]);
          terms.push_back(g[k * sequences + s]);
        }
        std::vector<T> const h = states(factors, terms, T{});
        for (std::size_t k = 0; k < n; ++k) {
          db[k * sequences + s] = h[n - 1 - k];
          da[k * sequences + s] = h[n - 1 - k] * (k == 0 ? befores[s] : y[(k - 1) * sequences + s]);
        }
        of_befores[s] = n == 0 ? T{} : static_cast<T>(h[n - 1] * a[s]);
      }
      Backend::for_each_way(ways, [&](auto const& on, std::string const& way) {
        for (bool const in_place : {false, true}) {
          typename Backend::template array<T> const own_a(a, 1), states_of(y, 2), above(g, 3), starts(befores, 1);
          typename Backend::template array<T> const to_a(all, 1), separate(all, 2), to_befores(sequences, 1);
          auto const& to_b = in_place ? above : separate;
          auto const in = [&](auto const& array) {
            return along(0, array_view<T const>(array.begin(), {n, sequences}));
          };
          auto const out = [&](auto const& array) { return along(0, array_view<T>(array.begin(), {n, sequences})); };
          linear_recurrence_gradient(on, in(own_a), in(states_of), in(above), out(to_a), out(to_b),
                                     each(static_cast<T const*>(starts.begin())), last_to(to_befores.begin()));
          std::string const how = way + ", " + std::to_string(n) + " steps, kind " +
                                  std::to_string(static_cast<int>(what)) + (in_place ? ", in place" : "");
          EXPECT_TRUE(same_bits<T>(to_a.values(), da)) << how << ", da";
          EXPECT_TRUE(same_bits<T>(to_b.values(), db)) << how << ", db";
          EXPECT_TRUE(same_bits<T>(to_befores.values(), of_befores)) << how << ", dbefore";
          EXPECT_TRUE(to_a.guards_intact() && to_b.guards_intact() && to_befores.guards_intact()) << how;
        }
      });
      if (testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace tally::test::recurrences
