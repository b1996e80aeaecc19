#include "src/c/ranks/on_gpus.hpp"

#include <cstdint>
#include <string>

#include "src/c/arguments.hpp"
#include "src/c/failure.hpp"
#include "src/c/ranks/arguments.hpp"
#include "src/c/ranks/gpu_call.hpp"
#include "src/c/ranks/transport.hpp"
#include "tally/detail/ranks/batches.hpp"

namespace tally::c {

namespace {

/// A checked call. It holds addresses within itself.
struct prepared {
  along_arguments given;
  along_on_gpus call;

  prepared() = default;
  prepared(prepared const&) = delete;
  prepared& operator=(prepared const&) = delete;

  void prepare(call_kind kind, tally_ranks const& all, tally_array const* in_given, std::int32_t axis,
               tally_array const* out_given, tally_operation const* op_given, tally_options const* options);
};

void prepared::prepare(call_kind kind, tally_ranks const& all, tally_array const* in_given, std::int32_t axis,
                       tally_array const* out_given, tally_operation const* op_given, tally_options const* options)
{
  bool const reduces = kind == call_kind::reduce;
  alignas(16) static std::byte nowhere[16];
  bool wanted = true;
  tally_array somewhere{};
  if (reduces && out_given != nullptr && out_given->data == nullptr) {  // a rank that wants no results
    somewhere = *out_given;
    somewhere.data = nowhere;
    out_given = &somewhere;
    wanted = false;
  }
  given = checked_along(kind, in_given, axis, out_given, op_given, options, combined_by::ranks);
  check_gpu(all, given.in, "in");
  if ((given.options.flags & TALLY_REVERSE) != 0)
    throw not_supported("TALLY_REVERSE on ranks: it needs ranks in the other order, each with its part turned round");
  if (given.includes_initial)
    throw not_supported("TALLY_INCLUDE_INITIAL on ranks: the initial value has its place on one rank only");
  check_type_on_gpus(given.type);
  check_rows(given.in, given.axis, "in");
  if (!reduces) check_rows(given.out, given.axis, "out");
  call.op = op_given == nullptr ? 1 : reinterpret_cast<std::size_t>(op_given);
  call.type = given.type;
  call.sequences = 1;
  for (std::size_t d = 0; d < given.across.size(); ++d) call.sequences *= static_cast<std::size_t>(given.across[d]);
  call.nothing = given.op.nothing_bytes();
  call.begins_with_nothing = given.exclusive && !given.initial;
  call.call.reduces = reduces;
  call.call.exclusive = given.exclusive;
  call.call.in = given.in.data;
  call.call.out = wanted ? given.out.data : nullptr;
  if (given.initial)
    call.call.initial = given.initial->data;
  else if (given.exclusive)
    call.call.initial = given.op.identity_bytes();
  call.call.initial_for_each = given.initial_for_each;
  call.call.last = given.last ? given.last->data : nullptr;
  call.call.gpu = given.gpu;
  per_axis const none;
  call.call.where = ranks_backend::numbered_layout(
      "tally_ranks", {static_cast<std::size_t>(given.in.shape[given.axis]), {1, 1}}, given.across,
      {given.in.without(given.axis).strides, reduces ? given.out.strides : given.out.without(given.axis).strides,
       given.initial_for_each ? given.initial->strides : none, given.last ? given.last->strides : none, none});
}

}  // namespace

void use_gpu(tally_ranks& all, std::int32_t device)
{
  ranks_backend::call_name const name("tally_ranks_use_gpu");
  session by(all.all.ranks(), name);
  attempt(by, [&] {
    functions_of_ranks();
    if (all.gpu != nullptr && all.device != device)
      throw usage_error("the GPU of this rank is " + std::to_string(all.device) + ", and it stays so; not " +
                        std::to_string(device));
  });
  if (all.gpu != nullptr) {
    by.meet({});
    return;
  }
  gpu_of_rank* made = nullptr;
  run(by, [&](outcome_on_gpus& outcome) {
    return functions_of_ranks().create(all.all.ranks().by.functions(), device, made, outcome);
  });
  all.gpu = made;
  all.device = device;
}

void destroy_gpu_of_rank(gpu_of_rank* gpu)
{
  if (gpu != nullptr) functions_of_ranks().destroy(gpu);
}

void run_along_on_gpus(call_kind kind, char const* function, tally_ranks& all, tally_array const* in, std::int32_t axis,
                       tally_array const* out, tally_operation const* op, tally_options const* options)
{
  ranks_backend::call_name name(function);
  session by(all.all.ranks(), name);
  prepared p;
  attempt(by, [&] {
    p.prepare(kind, all, in, axis, out, op, options);
    name = ranks_backend::call_name(function, " on GPUs of ", p.call.sequences, " sequences of ",
                                    std::string_view(described(p.given.op, op, p.given.type)),
                                    p.given.exclusive ? ", exclusive" : "",
                                    p.given.initial ? ", with an initial value" : "");
  });
  p.call.name = name.text();
  run(by, [&](outcome_on_gpus& outcome) { return functions_of_ranks().along(*all.gpu, p.call, outcome); });
}

}  // namespace tally::c
