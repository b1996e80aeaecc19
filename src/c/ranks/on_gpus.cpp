#include "src/c/ranks/on_gpus.hpp"

#include <dlfcn.h>

#include <new>
#include <string>

#include "src/c/arguments.hpp"
#include "src/c/failure.hpp"
#include "src/c/ranks/arguments.hpp"
#include "src/c/ranks/transport.hpp"
#include "tally/detail/ranks/batches.hpp"
#include "tally/rank_error.hpp"

namespace tally::c {

namespace {

gpu_functions_of_ranks const& functions()
{
  static auto const* const found = static_cast<gpu_functions_of_ranks const*>(
      functions_of_gpu_library(name_of_gpu_functions_of_ranks));
  return *found;
}

/// Runs `call(outcome)`, a function of the other library, and throws what it reports.
template <class Call>
void run(session& by, Call const& call)
{
  outcome_on_gpus outcome;
  std::int32_t const status = call(outcome);
  if (status == TALLY_OK) return;
  if (status == TALLY_RANK_FAILED) throw rank_error(outcome.failed_rank, outcome.message);
  auto const fail = [&] {
    if (status == TALLY_NO_MEMORY) throw std::bad_alloc();
    throw error(outcome.message);
  };
  if (outcome.has_met) fail();
  by.attempt(fail);
  by.meet({});
}

/// Runs prepare(), which checks this rank's arguments. A failure is told to the others, in whatever call they are.
template <class Prepare>
void attempt(session& by, Prepare const& prepare)
{
  by.attempt(prepare);
  if (by.failed()) by.meet({});
}

void check_gpu(tally_ranks const& all, array const& given, char const* name)
{
  if (all.gpu == nullptr)
    throw usage_error(std::string(name) + " lies on a GPU, and these ranks have none: call tally_ranks_use_gpu before");
  if (given.device.number != all.device)
    throw usage_error(std::string(name) + " lies on GPU " + std::to_string(given.device.number) +
                      ", and this rank's GPU is " + std::to_string(all.device));
}

/// Throws    not_supported if ranks do not combine this type on GPUs.
void check_type_on_gpus(tally_type type)
{
  bool const is_number = type.code == TALLY_INT || type.code == TALLY_UINT || type.code == TALLY_FLOAT;
  if (!is_number || type.lanes != 1 || (type.bits != 64 && !(type.code == TALLY_FLOAT && type.bits == 32)))
    throw not_supported("elements of type " + shown(type) +
                        ", on ranks with GPUs: these combine float32, float64, int64 and uint64");
}

/// Throws    not_supported unless the elements along an axis lie side by side.
void check_rows(array const& given, std::size_t axis, char const* name)
{
  if (given.shape[axis] > 1 && given.strides[axis] != 1)
    throw not_supported(std::string(name) +
                        " has gaps between the elements along its axis; on ranks with GPUs they lie side by side");
}

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
  if (call.op == 8 && call.sequences != 1)  // exact_plus
    throw not_supported("exact sums of several sequences on ranks with GPUs; one sequence has one");
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
    functions();
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
    return functions().create(all.all.ranks().by.functions(), device, made, outcome);
  });
  all.gpu = made;
  all.device = device;
}

void destroy_gpu_of_rank(gpu_of_rank* gpu)
{
  if (gpu != nullptr) functions().destroy(gpu);
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
  run(by, [&](outcome_on_gpus& outcome) { return functions().along(*all.gpu, p.call, outcome); });
}

}  // namespace tally::c
