#include "src/c/runs.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "src/c/arguments.hpp"
#include "src/c/arrays.hpp"
#include "src/c/by_type.hpp"
#include "src/c/gpu.hpp"
#include "src/c/options.hpp"
#include "src/c/segments.hpp"
#include "tally/detail/selection/selection.hpp"
#include "tally/sequences.hpp"

namespace tally::c {

array checked_keys(tally_array const* given, char const* name)
{
  array const keys = checked(given, name, devices::cpu_or_gpu);
  check_one_axis(keys, name);
  with_compared_type<compared_by::equality>(keys.type, name, [](auto) {});
  return keys;
}

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

void write_keys(array const& keys, std::span<std::int64_t const> begins, array const& out)
{
  auto const step_in = keys.strides[0] * static_cast<std::ptrdiff_t>(keys.bytes),
             step_out = out.strides[0] * static_cast<std::ptrdiff_t>(out.bytes);
  std::byte* to = out.data;
  for (std::int64_t const begin : begins) {
    std::memmove(to, keys.data + begin * step_in, keys.bytes);
    to += step_out;
  }
}

namespace {

tally_array described(std::vector<std::int64_t> const& offsets, std::int64_t const* shape)
{
  return {const_cast<std::int64_t*>(offsets.data()), {TALLY_CPU, 0}, 1, TALLY_INT64, shape, nullptr, 0};
}

void check_count(std::int64_t const* count, char const* name)
{
  if (count == nullptr) throw usage_error(std::string(name) + " is a null pointer; it takes the number");
}

constexpr char const* of_runs = " runs";

/// An output beside the keys.
array checked_output(tally_array const* given, array const& keys, char const* name)
{
  array const out = checked(given, name, devices::cpu_or_gpu);
  check_same_device(out, keys, name);
  check_one_axis(out, name);
  return out;
}

/// The same call on a GPU. Keys of runs are written to `keys_out`, if it has memory.
runs_call call_on_keys(array const& keys, array const& keys_out, tally_options const& options)
{
  runs_call call;
  call.keys = row_of(keys);
  call.type = keys.type;
  call.size = static_cast<std::size_t>(keys.shape[0]);
  call.gpu = place_of(keys.device, options);
  if (keys_out.data != nullptr) {
    call.keys_out = row_of(keys_out);
    call.words = words_of(keys, keys_out);
  }
  return call;
}

/// Returns the number of runs.
std::int64_t reduce_or_scan_runs_on_gpu(runs_call call, call_kind kind, array const& values, array const& out,
                                        tally_operation const* op, tally_options const& options)
{
  operation combines;
  segments_call const values_of_runs = gpus_call_on_segments(combines, kind, values, out, op, options, {});
  call.op = combines.number;
  call.type_of_values = out.type;
  call.values = &values_of_runs;
  return static_cast<std::int64_t>(find_runs_on_gpu(call));
}

}  // namespace

void reduce_by_key(tally_array const* keys_given, tally_array const* values, tally_array const* keys_out_given,
                   tally_array const* out_given, std::int64_t* runs, tally_operation const* op,
                   tally_options const* options_given)
{
  tally_options const options = options_of(options_given, TALLY_REVERSE);
  array const keys = checked_keys(keys_given, "keys"), out = checked_output(out_given, keys, "out");
  check_count(runs, "runs");
  array const all_values = checked(values, "values", devices::cpu_or_gpu);
  check_same_device(all_values, keys, "values");
  check_one_axis(all_values, "values");
  check_same_shape(all_values, keys.shape, "values");
  array keys_out;
  if (keys_out_given != nullptr) {
    keys_out = checked_output(keys_out_given, keys, "keys_out");
    check_type(keys_out, keys.type, "keys_out");
  }
  if (keys.device.type == TALLY_CUDA) {
    runs_call call = call_on_keys(keys, keys_out, options);
    call.room =
        static_cast<std::size_t>(keys_out_given == nullptr ? out.shape[0] : std::min(out.shape[0], keys_out.shape[0]));
    auto const found = reduce_or_scan_runs_on_gpu(call, call_kind::reduce, all_values, out, op, options);
    check_room(out, found, "out", of_runs);
    if (keys_out_given != nullptr) check_room(keys_out, found, "keys_out", of_runs);
    *runs = found;
    return;
  }
  auto const ends = ends_of_runs(keys, "keys", options.threads);
  auto const count = static_cast<std::int64_t>(ends.size()) - 1, offsets_count = count + 1;
  check_room(out, count, "out", of_runs);
  if (keys_out_given != nullptr) check_room(keys_out, count, "keys_out", of_runs);
  tally_array const offsets = described(ends, &offsets_count);
  tally_array results = *out_given;
  results.shape = &count;
  run_on_segments(call_kind::reduce, values, &offsets, &results, op, options_given, lengths::positive);
  if (keys_out_given != nullptr) write_keys(keys, std::span(ends).first(ends.size() - 1), keys_out);
  *runs = count;
}

void scan_by_key(tally_array const* keys_given, tally_array const* values, tally_array const* out,
                 tally_operation const* op, tally_options const* options_given)
{
  tally_options const options = options_of(options_given, TALLY_REVERSE | TALLY_EXCLUSIVE);
  if (options.last != nullptr)
    throw usage_error("options->last is for scans of segments; the last values of runs are tally_reduce_by_key's");
  array const keys = checked_keys(keys_given, "keys"), all_values = checked(values, "values", devices::cpu_or_gpu);
  check_same_device(all_values, keys, "values");
  check_one_axis(all_values, "values");
  check_same_shape(all_values, keys.shape, "values");
  if (keys.device.type == TALLY_CUDA) {
    array const results = checked_output(out, keys, "out");
    check_same_shape(results, keys.shape, "out");
    runs_call call = call_on_keys(keys, {}, options);
    call.room = call.size;
    reduce_or_scan_runs_on_gpu(call, call_kind::scan, all_values, results, op, options);
    return;
  }
  auto const ends = ends_of_runs(keys, "keys", options.threads);
  auto const offsets_count = static_cast<std::int64_t>(ends.size());
  tally_array const offsets = described(ends, &offsets_count);
  run_on_segments(call_kind::scan, values, &offsets, out, op, options_given);
}

void unique(tally_array const* in_given, tally_array const* out_given, tally_array const* lengths_given,
            std::int64_t* runs, tally_options const* options_given)
{
  tally_options const options = options_of(options_given, 0);
  array const in = checked_keys(in_given, "in");
  check_count(runs, "runs");
  array out, lengths;
  if (out_given != nullptr) {
    out = checked_output(out_given, in, "out");
    check_type(out, in.type, "out");
  }
  if (lengths_given != nullptr) {
    lengths = checked_output(lengths_given, in, "lengths");
    check_type(lengths, TALLY_INT64, "lengths");
  }
  auto const check_rooms = [&](std::int64_t count) {
    if (out_given != nullptr) check_room(out, count, "out", of_runs);
    if (lengths_given != nullptr) check_room(lengths, count, "lengths", of_runs);
  };
  if (in.device.type == TALLY_CUDA) {
    runs_call call = call_on_keys(in, out, options);
    if (lengths_given != nullptr) call.lengths = row_of(lengths);
    call.room = static_cast<std::size_t>(std::min(out_given == nullptr ? in.shape[0] : out.shape[0],
                                                  lengths_given == nullptr ? in.shape[0] : lengths.shape[0]));
    auto const found = static_cast<std::int64_t>(find_runs_on_gpu(call));
    check_rooms(found);
    *runs = found;
    return;
  }
  auto const ends = ends_of_runs(in, "in", options.threads);
  auto const count = static_cast<std::int64_t>(ends.size()) - 1;
  check_rooms(count);
  if (out_given != nullptr) write_keys(in, std::span(ends).first(ends.size() - 1), out);
  if (lengths_given != nullptr)
    for (std::int64_t r = 0; r < count; ++r)
      reinterpret_cast<std::int64_t*>(lengths.data)[r * lengths.strides[0]] =
          ends[static_cast<std::size_t>(r) + 1] - ends[static_cast<std::size_t>(r)];
  *runs = count;
}

}  // namespace tally::c
