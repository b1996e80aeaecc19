#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/c/arguments.hpp"
#include "src/c/failure.hpp"
#include "src/c/operation.hpp"
#include "src/c/options.hpp"
#include "src/c/ranks/arguments.hpp"
#include "src/c/ranks/gpu_call.hpp"
#include "src/c/ranks/on_gpus.hpp"
#include "src/c/segments.hpp"

/// Segments and runs of keys whose parts lie in the memory of GPUs.
namespace tally::c {

namespace {

/// An array of one axis beside the elements.
array checked_beside(tally_array const* given, array const& elements, char const* name)
{
  array const result = checked(given, name, devices::cpu_or_gpu);
  check_one_axis(result, name);
  check_same_device(result, elements, name);
  if (!without_gaps(result))
    throw not_supported(std::string(name) + " has gaps between its elements; on a GPU they lie side by side");
  return result;
}

/// A checked call. It holds addresses within itself.
struct prepared {
  operation op;
  runs_on_gpus runs;  ///< the arguments of segments too

  prepared() = default;
  prepared(prepared const&) = delete;
  prepared& operator=(prepared const&) = delete;

  void prepare(call_kind kind, array const& values, array const& out, tally_operation const* op_given,
               tally_options const& options, per_axis const& segments)
  {
    runs.values.type = accumulator_of(options, out.type, op_given);
    check_type_on_gpus(runs.values.type);
    runs.values.call = gpus_call_on_segments(op, kind, values, out, op_given, options, segments);
    runs.values.op = op.number;
  }
  ranks_backend::call_name name(char const* function, tally_operation const* op_given, tally_options const& options,
                                std::string const& keys) const
  {
    return ranks_backend::call_name(
        function, " on GPUs of ", std::string_view(described(op, op_given, runs.values.type)), std::string_view(keys),
        runs.values.call.exclusive ? ", exclusive" : "", options.initial != nullptr ? ", with an initial value" : "");
  }
};

}  // namespace

void run_segments_on_gpus(call_kind kind, char const* function, tally_ranks& all, tally_array const* values_given,
                          tally_array const* offsets_given, tally_array const* out_given,
                          tally_operation const* op_given, tally_options const* options_given)
{
  bool const reduces = kind == call_kind::reduce;
  ranks_backend::call_name name(function);
  session by(all.all.ranks(), name);
  prepared p;
  attempt(by, [&] {
    tally_options const options = options_of(options_given, reduces ? TALLY_REVERSE : TALLY_REVERSE | TALLY_EXCLUSIVE);
    if (reduces && options.last != nullptr)
      throw usage_error("options->last is for scans: the last value of a reduction is its result");
    array const values = checked(values_given, "values", devices::cpu_or_gpu);
    check_gpu(all, values, "values");
    check_one_axis(values, "values");
    array const offsets = checked_beside(offsets_given, values, "offsets"),
                out = checked_beside(out_given, values, "out");
    if (!same(offsets.type, TALLY_INT64))
      throw not_supported("offsets has elements of type " + shown(offsets.type) + "; on a GPU they are int64");
    per_axis const segments{std::max<std::ptrdiff_t>(offsets.shape[0] - 1, 0)};
    check_same_shape(out, reduces ? segments : values.shape, "out");
    p.prepare(kind, values, out, op_given, options, segments);
    p.runs.values.call.offsets = reinterpret_cast<std::int64_t const*>(offsets.data);
    p.runs.values.call.segments = static_cast<std::size_t>(segments[0]);
    name = p.name(function, op_given, options, "");
  });
  p.runs.values.name = name.text();
  run(by, [&](outcome_on_gpus& outcome) { return functions_of_ranks().segments(*all.gpu, p.runs.values, outcome); });
}

void run_by_key_on_gpus(call_kind kind, char const* function, tally_ranks& all, tally_array const* keys_given,
                        tally_array const* values_given, tally_array const* keys_out_given,
                        tally_array const* out_given, std::int64_t* runs, tally_operation const* op_given,
                        tally_options const* options_given)
{
  bool const reduces = kind == call_kind::reduce;
  ranks_backend::call_name name(function);
  session by(all.all.ranks(), name);
  prepared p;
  attempt(by, [&] {
    if (reduces && runs == nullptr) throw usage_error("runs is a null pointer; it takes the number");
    tally_options const options = options_of(options_given, reduces ? 0 : TALLY_EXCLUSIVE);
    if (options.last != nullptr)
      throw usage_error("options->last is for scans of segments; the last values of runs are reductions by key");
    array const keys = checked(keys_given, "keys", devices::cpu_or_gpu);
    check_gpu(all, keys, "keys");
    check_one_axis(keys, "keys");
    if (!without_gaps(keys)) throw not_supported("keys has gaps between its elements; on a GPU they lie side by side");
    if (!same(keys.type, TALLY_INT64) && !same(keys.type, TALLY_FLOAT64))
      throw not_supported("keys has elements of type " + shown(keys.type) +
                          "; on ranks with GPUs they are int64 or float64");
    array const values = checked_beside(values_given, keys, "values"), out = checked_beside(out_given, keys, "out");
    check_same_shape(values, keys.shape, "values");
    if (!reduces) check_same_shape(out, keys.shape, "out");
    p.runs.room = static_cast<std::size_t>(out.shape[0]);
    if (keys_out_given != nullptr) {
      array const keys_out = checked_beside(keys_out_given, keys, "keys_out");
      check_type(keys_out, keys.type, "keys_out");
      p.runs.room = static_cast<std::size_t>(std::min(out.shape[0], keys_out.shape[0]));
      p.runs.keys_out = keys_out.data;
    }
    p.prepare(kind, values, out, op_given, options, {});
    p.runs.keys = keys.data;
    p.runs.type_of_keys = keys.type;
    name = p.name(function, op_given, options, ", keys of " + shown(keys.type));
  });
  p.runs.values.name = name.text();
  std::size_t found = 0;
  run(by, [&](outcome_on_gpus& outcome) { return functions_of_ranks().runs(*all.gpu, p.runs, found, outcome); });
  if (reduces) *runs = static_cast<std::int64_t>(found);
}

}  // namespace tally::c
