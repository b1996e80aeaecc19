// Linear recurrences of batches, and their gradients. Coefficients are -1, 0 and 1, and terms small whole numbers: no
// operation rounds in any order, so a loop has the bits.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "soak/application.hpp"
#include "soak/arrangement.hpp"
#include "tally/algorithms/recurrence.hpp"
#include "tally/batches.hpp"
#include "tally/half.hpp"

namespace tally::soak {

namespace {

/// Zeros are rare, so that results depend on states many tiles before. States stay exact: a sum of so many terms whose
/// signs are drawn is far below 2^24. Elements of two bytes have terms of at most 1, and more zeros: their sums are
/// below 2^8.
template <class T>
T coefficient(std::uint32_t seed, std::size_t k)
{
  std::uint32_t const drawn = hashed(seed, k) % (sizeof(T) == 2 ? 128 : 16384);
  return drawn == 0 ? T(0.0f) : drawn % 2 == 0 ? static_cast<T>(-1.0f) : T(1.0f);
}
template <>
std::uint32_t coefficient(std::uint32_t seed, std::size_t k)
{
  std::uint32_t const drawn = hashed(seed, k) % 16384;
  return drawn == 0 ? 0 : drawn % 2 == 0 ? ~0u : 1;
}
template <class T>
T term(std::uint32_t seed, std::size_t k)
{
  if constexpr (sizeof(T) == 2)
    return static_cast<T>(static_cast<float>(hashed(seed, k) % 3) - 1.0f);
  else
    return static_cast<T>(hashed(seed, k) % 16);
}
/// One for all steps.
template <class T>
T same_coefficient()
{
  if constexpr (sizeof(T) == 2)
    return T(0.0f);
  else
    return static_cast<T>(-1);
}

template <class T>
outcome along_axes(choices& of)
{
  bool const in_place = of.word("place", {"another", "same"}) == "same";
  bool const from_end = of.word("from", {"front", "end"}) == "end";
  bool const one_coefficient = of.word("coefficients", {"each", "one"}) == "one";
  std::size_t const axis = of.number("axis", 0, 2);
  std::size_t const a_drawn = of.number("a_order", 0, 47), b_drawn = of.number("b_order", 0, 47);
  bool const alike = of.word("orders", {"alike", "other"}) == "alike";
  application const with(of, sizeof(T), std::size_t{1} << 22);
  std::size_t shape[3];
  choose_shape(of, with.n, axis, shape);
  std::size_t const n = shape[0] * shape[1] * shape[2];
  arrangement const of_b(shape, b_drawn), of_a(shape, alike ? b_drawn : a_drawn),
      of_out(shape, in_place || alike ? b_drawn : a_drawn);
  T* const a = with.room<T>(1, n);
  T* const b = with.random<T>(2, n);
  for (std::size_t k = 0; k < n; ++k) {
    a[k] = coefficient<T>(with.seed, k);
    b[k] = term<T>(with.seed ^ 0x9e3779b9u, k);
  }
  T const before = term<T>(with.seed, n), same = same_coefficient<T>();

  std::vector<T> right(n);
  std::size_t const others[2] = {axis == 0 ? std::size_t{1} : 0, axis == 2 ? std::size_t{1} : 2};
  std::size_t const sequences = shape[others[0]] * shape[others[1]];
  for (std::size_t s = 0; s < sequences; ++s) {
    std::size_t at[3] = {};
    at[others[0]] = s / shape[others[1]];
    at[others[1]] = s % shape[others[1]];
    T y = before;
    for (std::size_t k = 0; k < with.n; ++k) {
      at[axis] = from_end ? with.n - 1 - k : k;
      y = static_cast<T>((one_coefficient ? same : a[of_a.place(at)]) * y + b[of_b.place(at)]);
      right[of_out.place(at)] = y;
    }
  }

  T* const out = in_place ? b : with.room<T>(3, n);
  auto const coefficients = along(axis, of_a.view(static_cast<T const*>(a)));
  auto const terms = along(axis, of_b.view(static_cast<T const*>(b)));
  auto const results = along(axis, of_out.view(out));
  if (from_end && one_coefficient)
    linear_recurrence(with.on, same, reversed(terms), reversed(results), before);
  else if (from_end)
    linear_recurrence(with.on, reversed(coefficients), reversed(terms), reversed(results), before);
  else if (one_coefficient)
    linear_recurrence(with.on, same, terms, results, before);
  else
    linear_recurrence(with.on, coefficients, terms, results, before);
  return first_wrong(compared("out", in_place ? 2 : 3, out, n, right));
}

template <class T>
outcome of_segments(choices& of)
{
  std::size_t const longest = of.number("longest", 0, 3000);
  bool const from_end = of.word("from", {"front", "end"}) == "end";
  application const with(of, sizeof(T), std::size_t{1} << 22);
  std::size_t const n = with.n;
  T *const a = with.room<T>(1, n), *const b = with.random<T>(2, n), *const out = with.room<T>(3, n);
  for (std::size_t k = 0; k < n; ++k) {
    a[k] = coefficient<T>(with.seed, k);
    b[k] = term<T>(with.seed ^ 0x9e3779b9u, k);
  }
  std::vector<std::size_t> offsets{0};
  while (offsets.back() < n) {
    std::size_t const drawn = hashed(with.seed, offsets.size());
    std::size_t const size = drawn % 100 == 0 ? n / 3 : drawn / 100 % (longest + 1);
    offsets.push_back(offsets.back() + std::min(size, n - offsets.back()));
    if (longest == 0 && offsets.size() > 1000) offsets.push_back(n);
  }
  T const before = term<T>(with.seed, n);
  std::vector<T> right(n);
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    T y = before;
    std::size_t const size = offsets[s + 1] - offsets[s];
    for (std::size_t j = 0; j < size; ++j) {
      std::size_t const k = from_end ? offsets[s + 1] - 1 - j : offsets[s] + j;
      right[k] = y = static_cast<T>(a[k] * y + b[k]);
    }
  }
  std::vector<T> const coefficients(a, a + n), terms(b, b + n);
  if (from_end)
    linear_recurrence(with.on, reversed(segments(coefficients, offsets)), terms, out, before);
  else
    linear_recurrence(with.on, segments(coefficients, offsets), terms, out, before);
  return first_wrong(compared("out", 3, out, n, right));
}

template <class T>
outcome gradients(choices& of)
{
  bool const in_place = of.word("place", {"another", "same"}) == "same";
  std::size_t const axis = of.number("axis", 0, 2);
  std::size_t const a_drawn = of.number("a_order", 0, 47), b_drawn = of.number("b_order", 0, 47);
  bool const alike = of.word("orders", {"alike", "other"}) == "alike";
  application const with(of, sizeof(T), std::size_t{1} << 21);
  std::size_t shape[3];
  choose_shape(of, with.n, axis, shape);
  std::size_t const n = shape[0] * shape[1] * shape[2];
  arrangement const of_above(shape, b_drawn), of_others(shape, alike ? b_drawn : a_drawn);
  T *const a = with.room<T>(1, n), *const y = with.room<T>(4, n), *const above = with.random<T>(2, n);
  for (std::size_t k = 0; k < n; ++k) {
    a[k] = coefficient<T>(with.seed, k);
    y[k] = term<T>(with.seed ^ 0x85ebca6bu, k);
    above[k] = term<T>(with.seed ^ 0x9e3779b9u, k);
  }
  T const before = term<T>(with.seed, n);
  std::vector<T> right_a(n), right_b(n);
  std::size_t const others[2] = {axis == 0 ? std::size_t{1} : 0, axis == 2 ? std::size_t{1} : 2};
  for (std::size_t s = 0; s < shape[others[0]] * shape[others[1]]; ++s) {
    std::size_t at[3] = {};
    at[others[0]] = s / shape[others[1]];
    at[others[1]] = s % shape[others[1]];
    T h(0.0f), next(1.0f);
    for (std::size_t k = with.n; k-- > 0;) {
      at[axis] = k;
      h = static_cast<T>(next * h + above[of_above.place(at)]);
      next = a[of_others.place(at)];
      right_b[of_above.place(at)] = h;
      std::size_t const place = of_others.place(at);
      T factor = before;
      if (k > 0) {
        at[axis] = k - 1;
        factor = y[of_others.place(at)];
      }
      right_a[place] = static_cast<T>(h * factor);
    }
  }
  T* const to_b = in_place ? above : with.room<T>(3, n);
  T* const to_a = with.room<T>(0, n);
  linear_recurrence_gradient(with.on, along(axis, of_others.view(static_cast<T const*>(a))),
                             along(axis, of_others.view(static_cast<T const*>(y))),
                             along(axis, of_above.view(static_cast<T const*>(above))),
                             along(axis, of_others.view(to_a)), along(axis, of_above.view(to_b)), before);
  return first_wrong(compared("da", 0, to_a, n, right_a), compared("db", in_place ? 2 : 3, to_b, n, right_b));
}

}  // namespace

outcome recurrences_try(choices& of)
{
  std::string const form = of.word("form", {"along", "segments", "gradient"}),
                    type = of.word("type", {"f32", "f64", "u32", "f16", "bf16"});
  if (type == "u32" && form == "along") return along_axes<std::uint32_t>(of);
  auto const of_form = [&]<class T>(T) {
    return form == "gradient" ? gradients<T>(of) : form == "segments" ? of_segments<T>(of) : along_axes<T>(of);
  };
  if (type == "f16") return of_form(half());
  if (type == "bf16") return of_form(bfloat16());
  return type == "f32" ? of_form(0.0f) : of_form(0.0);
}

}  // namespace tally::soak
