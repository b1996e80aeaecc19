#include "src/c/cuda/runs.hpp"

#include "src/c/cuda/execution.hpp"
#include "src/c/cuda/segments.hpp"
#include "src/c/cuda/selection.hpp"
#include "tally/cuda.hpp"

namespace tally::c {

namespace {

/// The length of each run, from where the runs begin and the last one ends.
struct lengths_of_runs {
  std::int64_t const* begins;
  row_on_gpu lengths;

  TALLY_HD void operator()(std::size_t r) const
  {
    *reinterpret_cast<std::int64_t*>(lengths.data + static_cast<std::ptrdiff_t>(r) * lengths.step) =
        begins[r + 1] - begins[r];
  }
};

struct put {
  std::int64_t* at;
  std::int64_t value;

  TALLY_HD void operator()(std::size_t) const { *at = value; }
};

}  // namespace

std::int32_t run_selection(selection_call const& call, std::size_t* selected, char* message)
{
  return guarded(message, [&]() -> std::int32_t {
    with_execution(call.gpu, [&](cuda const& on) {
      check_may_wait(call.gpu);
      with_flags(call, [&](auto const& is_set, auto const& move) {
        // A first pass finds whether there is room.
        if (call.room < call.size) *selected = count(on, call.size, is_set);
        if (call.out.data == nullptr || (call.room < call.size && *selected > call.room)) return;
        *selected = select(on, call.size, is_set, move);
      });
    });
    return TALLY_OK;
  });
}

std::size_t find_runs_on(cuda const& on, runs_call const& call)
{
  // A first pass finds how much the second one writes.
  std::size_t found = 0;
  with_keys(call, [&](auto const& begins_run, auto const&) { found = count(on, call.size, begins_run); });
  bool const writes = call.keys_out.data != nullptr || call.lengths.data != nullptr || call.values != nullptr;
  if (!writes || found == 0 || found > call.room) return found;
  temporary<std::int64_t, cuda> const begins(on, found + 1);
  with_keys(call, [&](auto const& begins_run, auto move) {
    move.places = begins.data();
    move.room = found;
    select(on, call.size, begins_run, move);
  });
  tally::for_each_index(on, 1, put{begins.data() + found, static_cast<std::int64_t>(call.size)});
  if (call.lengths.data != nullptr) tally::for_each_index(on, found, lengths_of_runs{begins.data(), call.lengths});
  if (call.values == nullptr) return found;
  segments_call values = *call.values;
  values.offsets = begins.data();
  values.segments = found;
  segments_on(on, call.op, call.type_of_values, values);
  return found;
}

std::int32_t run_runs(runs_call const& call, std::size_t* runs, char* message)
{
  return guarded(message, [&]() -> std::int32_t {
    with_execution(call.gpu, [&](cuda const& on) {
      check_may_wait(call.gpu);
      *runs = find_runs_on(on, call);
    });
    return TALLY_OK;
  });
}

}  // namespace tally::c
