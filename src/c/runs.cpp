#include "src/c/runs.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include "src/c/arguments.hpp"
#include "src/c/arrays.hpp"
#include "src/c/by_type.hpp"
#include "src/c/options.hpp"
#include "src/c/segments.hpp"
#include "tally/detail/selection/selection.hpp"
#include "tally/sequences.hpp"

namespace tally::c {

namespace {

/// Where runs of equal keys begin, and the number of keys behind them.
std::vector<std::int64_t> ends_of_runs(array const& given, char const* name, int threads)
{
  namespace selection = detail::selection;
  check_one_axis(given, name);
  array const keys = packed(given);
  auto const n = static_cast<std::size_t>(keys.shape[0]);
  std::vector<std::int64_t> begins;
  with_compared_type<compared_by::equality>(keys.type, name, [&]<class K>(K) {
    selection::by_change<K const*, selection::equal_values> const changes{reinterpret_cast<K const*>(keys.data), {}};
    cpu const on{threads};
    begins.resize(selection::count_selected(on, n, sizeof(K), changes) + 1);
    selection::copy_selected<decltype(counting_from(0)), std::int64_t*> const places{counting_from(0), begins.data()};
    selection::move_selected(on, n, sizeof(K), changes, places);
  });
  begins.back() = keys.shape[0];
  return begins;
}

tally_array described(std::vector<std::int64_t> const& offsets, std::int64_t const* shape)
{
  return {const_cast<std::int64_t*>(offsets.data()), {TALLY_CPU, 0}, 1, TALLY_INT64, shape, nullptr, 0};
}

void check_count(std::int64_t const* count, char const* name)
{
  if (count == nullptr) throw usage_error(std::string(name) + " is a null pointer; it takes the number");
}

void check_room(array const& out, std::int64_t count, char const* name)
{
  check_one_axis(out, name);
  if (out.shape[0] < count)
    throw usage_error(std::string(name) + " has room for " + std::to_string(out.shape[0]) + " elements; there are " +
                      std::to_string(count) + " runs");
}

/// Writes the key of each run.
void write_keys(array const& keys, std::vector<std::int64_t> const& ends, array const& out)
{
  auto const step_in = keys.strides[0] * static_cast<std::ptrdiff_t>(keys.bytes),
             step_out = out.strides[0] * static_cast<std::ptrdiff_t>(out.bytes);
  std::byte* to = out.data;
  for (std::size_t r = 0; r + 1 < ends.size(); ++r, to += step_out)
    std::memmove(to, keys.data + ends[r] * step_in, keys.bytes);
}

}  // namespace

void reduce_by_key(tally_array const* keys_given, tally_array const* values, tally_array const* keys_out_given,
                   tally_array const* out_given, std::int64_t* runs, tally_operation const* op,
                   tally_options const* options_given)
{
  tally_options const options = options_of(options_given, TALLY_REVERSE);
  array const keys = checked(keys_given, "keys"), out = checked(out_given, "out");
  check_count(runs, "runs");
  auto const ends = ends_of_runs(keys, "keys", options.threads);
  auto const count = static_cast<std::int64_t>(ends.size()) - 1, offsets_count = count + 1;
  array const all_values = checked(values, "values");
  check_one_axis(all_values, "values");
  check_same_shape(all_values, keys.shape, "values");
  check_room(out, count, "out");
  array keys_out;
  if (keys_out_given != nullptr) {
    keys_out = checked(keys_out_given, "keys_out");
    check_room(keys_out, count, "keys_out");
    check_type(keys_out, keys.type, "keys_out");
  }
  tally_array const offsets = described(ends, &offsets_count);
  tally_array results = *out_given;
  results.shape = &count;
  run_on_segments(call_kind::reduce, values, &offsets, &results, op, options_given, lengths::positive);
  if (keys_out_given != nullptr) write_keys(keys, ends, keys_out);
  *runs = count;
}

void scan_by_key(tally_array const* keys_given, tally_array const* values, tally_array const* out,
                 tally_operation const* op, tally_options const* options_given)
{
  tally_options const options = options_of(options_given, TALLY_REVERSE | TALLY_EXCLUSIVE);
  if (options.last != nullptr)
    throw usage_error("options->last is for scans of segments; the last values of runs are tally_reduce_by_key's");
  array const keys = checked(keys_given, "keys"), all_values = checked(values, "values");
  auto const ends = ends_of_runs(keys, "keys", options.threads);
  check_one_axis(all_values, "values");
  check_same_shape(all_values, keys.shape, "values");
  auto const offsets_count = static_cast<std::int64_t>(ends.size());
  tally_array const offsets = described(ends, &offsets_count);
  run_on_segments(call_kind::scan, values, &offsets, out, op, options_given);
}

void unique(tally_array const* in_given, tally_array const* out_given, tally_array const* lengths_given,
            std::int64_t* runs, tally_options const* options_given)
{
  tally_options const options = options_of(options_given, 0);
  array const in = checked(in_given, "in");
  check_count(runs, "runs");
  auto const ends = ends_of_runs(in, "in", options.threads);
  auto const count = static_cast<std::int64_t>(ends.size()) - 1;
  array out, lengths;
  if (out_given != nullptr) {
    out = checked(out_given, "out");
    check_room(out, count, "out");
    check_type(out, in.type, "out");
  }
  if (lengths_given != nullptr) {
    lengths = checked(lengths_given, "lengths");
    check_room(lengths, count, "lengths");
    check_type(lengths, TALLY_INT64, "lengths");
  }
  if (out_given != nullptr) write_keys(in, ends, out);
  if (lengths_given != nullptr)
    for (std::int64_t r = 0; r < count; ++r)
      reinterpret_cast<std::int64_t*>(lengths.data)[r * lengths.strides[0]] =
          ends[static_cast<std::size_t>(r) + 1] - ends[static_cast<std::size_t>(r)];
  *runs = count;
}

}  // namespace tally::c
