#include "src/c/sorting.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "src/c/arguments.hpp"
#include "src/c/arrays.hpp"
#include "src/c/by_type.hpp"
#include "src/c/failure.hpp"
#include "src/c/gpu.hpp"
#include "src/c/options.hpp"
#include "tally/algorithms/radix_sort.hpp"
#include "tally/detail/batch/along_calls.hpp"
#include "tally/detail/batch/host.hpp"

namespace tally::c {

namespace {

/// Sequences up to this length are sorted by comparisons: a pass of the radix sort takes some 0.3 us, whatever their
/// length.
constexpr std::size_t short_sequence = 256;

template <class K>
using bits_of = detail::radix_sort::ordered_bits<K, std::less<>>;

template <class K>
struct keyed {
  K key;
  std::uint64_t value;
};

/// Sorts n keys, ascending; moves values with them, if there are any.
template <class K>
void sort_up(cpu on, K* keys, std::uint64_t* values, std::size_t n)
{
  auto const less = [](K const& a, K const& b) { return bits_of<K>{}(a) < bits_of<K>{}(b); };
  if (n > short_sequence) {
    if (values == nullptr)
      tally::radix_sort(on, keys, keys + n);
    else
      tally::radix_sort_by_key(on, keys, keys + n, values);
  } else if (values == nullptr) {
    std::stable_sort(keys, keys + n, less);
  } else {
    keyed<K> both[short_sequence];
    for (std::size_t k = 0; k < n; ++k) both[k] = {keys[k], values[k]};
    std::stable_sort(both, both + n, [&](keyed<K> const& a, keyed<K> const& b) { return less(a.key, b.key); });
    for (std::size_t k = 0; k < n; ++k) {
      keys[k] = both[k].key;
      values[k] = both[k].value;
    }
  }
}

/// Sorts in either order. The sort of the reversed keys, reversed, is a stable one in descending order, but for its
/// NaNs, which it has in front.
template <class K>
void sort_either(cpu on, K* keys, std::uint64_t* values, std::size_t n, bool descending)
{
  if (!descending) return sort_up(on, keys, values, n);
  auto const turn = [&](std::size_t begin, std::size_t end) {
    std::reverse(keys + begin, keys + end);
    if (values != nullptr) std::reverse(values + begin, values + end);
  };
  turn(0, n);
  sort_up(on, keys, values, n);
  auto const numbers = static_cast<std::size_t>(
      std::partition_point(keys, keys + n, [](K const& key) { return static_cast<bool>(key == key); }) - keys);
  turn(0, numbers);
  turn(numbers, n);
}

/// A sequence's place in memory: element k lies `step` bytes behind element k - 1.
struct line {
  std::byte* first;
  std::ptrdiff_t step;
};

template <class K>
void gather(line from, K* to, std::size_t n)
{
  for (std::size_t k = 0; k < n; ++k, from.first += from.step) std::memcpy(to + k, from.first, sizeof(K));
}
template <class K>
void scatter(K const* from, line to, std::size_t n)
{
  for (std::size_t k = 0; k < n; ++k, to.first += to.step) std::memcpy(to.first, from + k, sizeof(K));
}

/// Sorts one sequence; `out` or `places` may have no memory.
template <class K>
void sort_line(cpu on, line in, line out, line places, std::size_t n, bool descending)
{
  bool const out_is_packed = out.first != nullptr && out.step == sizeof(K),
             places_are_packed = places.first != nullptr && places.step == sizeof(std::uint64_t);
  auto const own_keys = std::make_unique_for_overwrite<K[]>(out_is_packed ? 0 : n);
  auto const own_places =
      std::make_unique_for_overwrite<std::uint64_t[]>(places.first == nullptr || places_are_packed ? 0 : n);
  K* const keys = out_is_packed ? reinterpret_cast<K*>(out.first) : own_keys.get();
  std::uint64_t* const values = places.first == nullptr ? nullptr
                                : places_are_packed     ? reinterpret_cast<std::uint64_t*>(places.first)
                                                        : own_places.get();
  if (in.first != out.first || !out_is_packed) gather(in, keys, n);
  for (std::size_t k = 0; values != nullptr && k < n; ++k) values[k] = k;
  sort_either(on, keys, values, n, descending);
  if (out.first != nullptr && !out_is_packed) scatter(keys, out, n);
  if (places.first != nullptr && !places_are_packed) scatter(values, places, n);
}

/// The distance of neighbours along an axis in bytes; 0 for an array without memory.
std::ptrdiff_t step_of(array const& whole, std::size_t axis)
{
  return whole.data == nullptr ? 0 : whole.strides[axis] * static_cast<std::ptrdiff_t>(whole.bytes);
}
line line_of(array const& whole, std::size_t axis)
{
  return {whole.data, step_of(whole, axis)};
}

/// Where the sequences of a sort lie. Distances are in bytes; those of places are called `initial`.
detail::batch::layout layout_of_sort(array const& in, array const& out, array const& places, std::size_t axis)
{
  detail::batch::dimension axes[most_axes];
  int count = 0;
  detail::batch::layout where;
  for (std::size_t d = 0; d < in.shape.size(); ++d) {
    detail::batch::dimension& each = d == axis ? where.along : axes[count++];
    each = {static_cast<std::size_t>(in.shape[d]), {step_of(in, d), step_of(out, d), step_of(places, d), 0, 0}};
  }
  where.dimensions = detail::batch::simplify(axes, count);
  if (where.dimensions > detail::batch::most_dimensions)
    throw not_supported("sequences that lie along " + std::to_string(where.dimensions) + " axes; they lie along " +
                        std::to_string(detail::batch::most_dimensions) + " at most");
  std::copy_n(axes, where.dimensions, where.across);
  return where;
}

}  // namespace

void sort(tally_array const* in_given, std::int32_t axis_given, tally_array const* out_given,
          tally_array const* places_given, tally_options const* options_given)
{
  tally_options const options = options_of(options_given, TALLY_DESCENDING);
  array const in = checked(in_given, "in", devices::cpu_or_gpu);
  place_on_gpu const gpu = place_of(in.device, options);
  std::size_t const axis = detail::batch::axis_of(axis_given, in.shape);
  array out, places;
  if (out_given != nullptr) {
    out = checked(out_given, "out", devices::cpu_or_gpu);
    check_same_device(out, in, "out");
    check_same_shape(out, in.shape, "out");
    check_type(out, in.type, "out");
    detail::batch::check_distinct("out", "an output", out.shape, out.strides);
  }
  if (places_given != nullptr) {
    places = checked(places_given, "places", devices::cpu_or_gpu);
    check_same_device(places, in, "places");
    check_same_shape(places, in.shape, "places");
    check_type(places, TALLY_INT64, "places");
    detail::batch::check_distinct("places", "an output", places.shape, places.strides);
  }
  bool const descending = (options.flags & TALLY_DESCENDING) != 0;
  auto const n = static_cast<std::size_t>(in.shape[axis]);
  with_compared_type<compared_by::order>(in.type, "in", [&]<class K>(K) {
    per_axis const across = in.without(axis).shape;
    if (n == 0 || detail::batch::any_empty(across)) return;
    detail::batch::layout const where = layout_of_sort(in, out, places, axis);
    if (gpu.is_used) {
      sorts_call call;
      call.where = where;
      call.type = in.type;
      call.in = in.data;
      call.out = out.data;
      call.places = places.data;
      call.words = words_of(in, out_given == nullptr ? in : out);
      call.descends = descending;
      call.gpu = gpu;
      return sort_on_gpu(call);
    }
    std::size_t const sequences = where.sequences();
    auto const sort_one = [&](cpu on, std::size_t s) {
      detail::batch::distances const at = where.place(s);
      line from = line_of(in, axis), to = line_of(out, axis), to_places = line_of(places, axis);
      from.first += at.in;
      if (to.first != nullptr) to.first += at.out;
      if (to_places.first != nullptr) to_places.first += at.initial;
      sort_line<K>(on, from, to, to_places, n, descending);
    };
    int const members = cpu_backend::team_size(options.threads, sequences * (n * 64 + 256), sequences);
    if (sequences < 4 * static_cast<std::size_t>(members) && n > short_sequence) {
      for (std::size_t s = 0; s < sequences; ++s) sort_one(cpu{options.threads}, s);
      return;
    }
    std::size_t const block = std::max<std::size_t>(1, sequences / (8 * static_cast<std::size_t>(members)));
    cpu_backend::draw_blocks(sequences, block, members, [&](std::size_t begin, std::size_t end) {
      for (std::size_t s = begin; s < end; ++s) sort_one(cpu{1}, s);
    });
  });
}

void sort_by_key(tally_array const* keys_given, tally_array const* values_given, tally_array const* keys_out_given,
                 tally_array const* values_out_given, tally_options const* options_given)
{
  tally_options const options = options_of(options_given, TALLY_DESCENDING);
  array const keys = checked(keys_given, "keys", devices::cpu_or_gpu),
              values = checked(values_given, "values", devices::cpu_or_gpu),
              keys_out = checked(keys_out_given, "keys_out", devices::cpu_or_gpu),
              values_out = checked(values_out_given, "values_out", devices::cpu_or_gpu);
  check_same_device(values, keys, "values");
  check_same_device(keys_out, keys, "keys_out");
  check_same_device(values_out, keys, "values_out");
  check_one_axis(keys, "keys");
  check_same_shape(values, keys.shape, "values");
  check_same_shape(keys_out, keys.shape, "keys_out");
  check_same_shape(values_out, keys.shape, "values_out");
  check_type(keys_out, keys.type, "keys_out");
  check_type(values_out, values.type, "values_out");
  auto const n = static_cast<std::size_t>(keys.shape[0]);
  place_on_gpu const gpu = place_of(keys.device, options);
  bool const descending = (options.flags & TALLY_DESCENDING) != 0;
  with_compared_type<compared_by::order>(keys.type, "keys", [&]<class K>(K) {
    if (gpu.is_used) {
      sorts_call call;
      call.where.along = {n, {step_of(keys, 0), step_of(keys_out, 0), 0, step_of(values_out, 0), step_of(values, 0)}};
      call.type = keys.type;
      call.in = keys.data;
      call.out = keys_out.data;
      call.words = words_of(keys, keys_out);
      call.values = values.data;
      call.values_out = values_out.data;
      call.words_of_value = words_of(values, values_out);
      call.descends = descending;
      call.gpu = gpu;
      return sort_on_gpu(call);
    }
    auto const sorted = std::make_unique_for_overwrite<K[]>(n);
    auto const moved = std::make_unique_for_overwrite<std::uint64_t[]>(n);
    gather(line_of(keys, 0), sorted.get(), n);
    // Values of up to eight bytes are moved themselves, longer ones by their places.
    bool const by_place = values.bytes > 8;
    line const from = line_of(values, 0), to = line_of(values_out, 0);
    for (std::size_t k = 0; k < n; ++k) {
      moved[k] = k;
      if (!by_place) std::memcpy(&moved[k], from.first + static_cast<std::ptrdiff_t>(k) * from.step, values.bytes);
    }
    sort_either(cpu{options.threads}, sorted.get(), moved.get(), n, descending);
    if (by_place) {
      array const copy = uninitialized(values.shape, values.type, values.bytes);
      for (std::size_t k = 0; k < n; ++k)
        std::memcpy(copy.data + k * values.bytes, from.first + static_cast<std::ptrdiff_t>(moved[k]) * from.step,
                    values.bytes);
      copy_bytes(copy, values_out);
    } else {
      for (std::size_t k = 0; k < n; ++k)
        std::memcpy(to.first + static_cast<std::ptrdiff_t>(k) * to.step, &moved[k], values.bytes);
    }
    scatter(sorted.get(), line_of(keys_out, 0), n);
  });
}

}  // namespace tally::c
