// Sequences along an axis of an array that lies in memory in any order.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "soak/application.hpp"
#include "soak/arrangement.hpp"
#include "soak/loops.hpp"
#include "tally/batches.hpp"

namespace tally::soak {

namespace {

template <class T, class Op, class Values>
outcome along_of(choices& of)
{
  std::string const form = of.word("form", {"reduce", "inclusive", "exclusive"});
  bool const reduces = form == "reduce", inclusive = form == "inclusive";
  bool const in_place = of.word("place", {"another", "same"}) == "same" && !reduces;
  bool const from_end = of.word("from", {"front", "end"}) == "end";
  std::size_t const axis = of.number("axis", 0, 2);
  std::size_t const in_drawn = of.number("in_order", 0, 47), out_drawn = of.number("out_order", 0, 47);
  application const with(of, sizeof(T), std::size_t{1} << 22);
  std::size_t shape[3];
  choose_shape(of, with.n, axis, shape);
  std::size_t const n = shape[0] * shape[1] * shape[2];
  arrangement const from(shape, in_drawn), to(shape, in_place ? in_drawn : out_drawn);
  T* const in = with.room<T>(1, n);
  Values const values{{with.seed, n}};
  for (std::size_t k = 0; k < n; ++k) in[k] = values(k);
  T const init = values(n);

  std::size_t const sequences = with.n == 0 ? shape[(axis + 1) % 3] * shape[(axis + 2) % 3] : n / with.n;
  std::vector<T> right(reduces ? sequences : n);
  loop<Op> op;
  std::size_t others[2] = {axis == 0 ? std::size_t{1} : 0, axis == 2 ? std::size_t{1} : 2};
  for (std::size_t s = 0; s < sequences; ++s) {
    std::size_t at[3] = {};
    at[others[0]] = s / shape[others[1]];
    at[others[1]] = s % shape[others[1]];
    T sum = init;
    for (std::size_t k = 0; k < with.n; ++k) {
      at[axis] = from_end ? with.n - 1 - k : k;
      T const before = sum;
      sum = op(sum, in[from.place(at)]);
      if (!reduces) right[to.place(at)] = inclusive ? sum : before;
    }
    if (reduces) right[s] = sum;
  }

  T* const out = in_place ? in : with.room<T>(3, right.size());
  auto const call = [&](auto const& elements, auto const& results) {
    if (reduces)
      tally::reduce(with.on, elements, out, init, Op{});
    else if (inclusive)
      tally::inclusive_scan(with.on, elements, results, Op{}, init);
    else
      tally::exclusive_scan(with.on, elements, results, init, Op{});
  };
  auto const elements = along(axis, from.view(static_cast<T const*>(in)));
  auto const results = along(axis, to.view(out));
  if (from_end)
    call(reversed(elements), reversed(results));
  else
    call(elements, results);
  return first_wrong(compared("out", in_place ? 1 : 3, out, right.size(), right));
}

}  // namespace

outcome along_try(choices& of)
{
  std::string const type = of.word("type", {"u32", "f32", "maps", "u8"});
  if (type == "f32") return along_of<float, plus, small_numbers<float>>(of);
  if (type == "maps") return along_of<map_of<std::uint32_t>, compose_maps, odd_maps<std::uint32_t>>(of);
  if (type == "u8") return along_of<std::uint8_t, plus, any_bits<std::uint8_t>>(of);
  return along_of<std::uint32_t, plus, any_bits<std::uint32_t>>(of);
}

}  // namespace tally::soak
