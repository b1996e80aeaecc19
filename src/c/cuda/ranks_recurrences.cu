#include <string_view>

#include "src/c/cuda/ranks.hpp"
#include "src/c/ends.hpp"
#include "tally/detail/nccl/recurrences.hpp"

namespace tally::c {

namespace {

template <class T>
void recur(execution_of_rank const& on, recurrences_on_gpus const& given)
{
  recurrences_call const& call = given.call;
  ranks_backend::call_name const name(std::string_view(given.name));
  nccl_backend::backend_recur<T>(on, name, given.sequences, reinterpret_cast<T const*>(call.a),
                                 reinterpret_cast<T const*>(call.b), reinterpret_cast<T*>(call.out),
                                 [&](detail::batch::layout& where, detail::batch::ends<T>& ends) {
                                   where = call.where;
                                   ends = ends_of<T>(call);
                                   if (!ends.has_initial()) ends.initial = T{};
                                 });
}

}  // namespace

void recur_on_ranks(execution_of_rank const& on, recurrences_on_gpus const& call)
{
  (call.type.bits == 32 ? recur<float> : recur<double>)(on, call);
}

}  // namespace tally::c
