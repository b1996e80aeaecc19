#include "src/c/ranks/calls.hpp"

#include <cstring>
#include <memory>
#include <string>

#include "src/c/failure.hpp"
#include "src/c/ranks/on_gpus.hpp"

/// The functions of tally.h for ranks.

namespace tally::c {

namespace {

ranks const& checked_ranks(tally_ranks const* given)
{
  if (given == nullptr) throw usage_error("ranks is a null pointer; tally_ranks_create makes them");
  return given->all;
}

/// The functions that carry bytes. A struct of a newer program is longer; what it has more has to be 0.
tally_transport checked_transport(tally_transport const* given)
{
  if (given == nullptr) throw usage_error("by is a null pointer; it is the address of a tally_transport");
  tally_transport result{};
  if (given->size < sizeof result)
    throw usage_error("by->size is " + std::to_string(given->size) + "; it is sizeof(tally_transport), " +
                      std::to_string(sizeof result));
  std::memcpy(&result, given, sizeof result);
  auto const* const bytes = reinterpret_cast<char const*>(given);
  for (std::size_t k = sizeof result; k < given->size; ++k)
    if (bytes[k] != 0)
      throw usage_error("by has " + std::to_string(given->size) + " bytes, and this library knows " +
                        std::to_string(sizeof result) + ": those beyond have to be 0");
  if (result.ranks < 1 || result.rank < 0 || result.rank >= result.ranks)
    throw usage_error("by->rank is " + std::to_string(result.rank) + ", and by->ranks " + std::to_string(result.ranks) +
                      "; a rank is at least 0 and less than their number");
  auto const check = [](bool is_there, char const* name) {
    if (!is_there) throw usage_error(std::string("by->") + name + " is a null pointer; it is a function");
  };
  check(result.allgather != nullptr, "allgather");
  check(result.allgatherv != nullptr, "allgatherv");
  check(result.broadcast != nullptr, "broadcast");
  check(result.add_up != nullptr, "add_up");
  check(result.send != nullptr, "send");
  check(result.receive != nullptr, "receive");
  check(result.wait != nullptr, "wait");
  return result;
}

/// Runs `call(ranks, name)`, a call of the interface, on its ranks.
template <class Call>
std::int32_t on(tally_ranks const* given, char const* name, Call const& call)
{
  return guarded(name, [&] { call(checked_ranks(given), name); });
}

}  // namespace

}  // namespace tally::c

using tally::c::guarded;

extern "C" std::int32_t tally_ranks_create(tally_transport const* by, tally_ranks** result)
{
  return guarded("tally_ranks_create", [&] {
    if (result == nullptr) throw tally::usage_error("ranks is a null pointer; it takes the address of what is made");
    *result = new tally_ranks{tally::c::ranks(tally::c::callbacks(tally::c::checked_transport(by)), tally::cpu{})};
  });
}

extern "C" void tally_ranks_destroy(tally_ranks* all)
{
  delete all;
}

extern "C" std::int32_t tally_ranks_agree(tally_ranks* all, char const* failure)
{
  return tally::c::on(all, "tally_ranks_agree", [&](tally::c::ranks const& ranks, char const* function) {
    tally::ranks_backend::call_name const name(function);
    tally::c::session by(ranks.ranks(), name);
    by.attempt([&] {
      if (failure != nullptr) throw tally::error(failure);
    });
    by.meet({});
  });
}

extern "C" std::int32_t tally_ranks_use_gpu(tally_ranks* all, std::int32_t device)
{
  return tally::c::on(all, "tally_ranks_use_gpu",
                      [&](tally::c::ranks const&, char const*) { tally::c::use_gpu(*all, device); });
}

extern "C" std::int32_t tally_ranks_reduce(tally_ranks* all, tally_array const* in, std::int32_t axis,
                                           tally_array const* out, tally_operation const* op,
                                           tally_options const* options)
{
  return tally::c::on(all, "tally_ranks_reduce", [&](tally::c::ranks const& ranks, char const* name) {
    if (tally::c::lies_on_gpu(in))
      tally::c::run_along_on_gpus(tally::c::call_kind::reduce, name, *all, in, axis, out, op, options);
    else
      tally::c::run_along_on_ranks(tally::c::call_kind::reduce, name, ranks, in, axis, out, op, options);
  });
}

extern "C" std::int32_t tally_ranks_scan(tally_ranks* all, tally_array const* in, std::int32_t axis,
                                         tally_array const* out, tally_operation const* op,
                                         tally_options const* options)
{
  return tally::c::on(all, "tally_ranks_scan", [&](tally::c::ranks const& ranks, char const* name) {
    if (tally::c::lies_on_gpu(in))
      tally::c::run_along_on_gpus(tally::c::call_kind::scan, name, *all, in, axis, out, op, options);
    else
      tally::c::run_along_on_ranks(tally::c::call_kind::scan, name, ranks, in, axis, out, op, options);
  });
}

extern "C" std::int32_t tally_ranks_linear_recurrence(tally_ranks* all, tally_array const* a, tally_array const* b,
                                                      std::int32_t axis, tally_array const* out,
                                                      tally_options const* options)
{
  return tally::c::on(all, "tally_ranks_linear_recurrence", [&](tally::c::ranks const& ranks, char const* name) {
    if (tally::c::lies_on_gpu(b))
      tally::c::run_recurrence_on_gpus(name, *all, a, b, axis, out, options);
    else
      tally::c::run_recurrence_on_ranks(name, ranks, a, b, axis, out, options);
  });
}

extern "C" std::int32_t tally_ranks_reduce_by_key(tally_ranks* all, tally_array const* keys, tally_array const* values,
                                                  tally_array const* keys_out, tally_array const* out,
                                                  std::int64_t* runs, tally_operation const* op,
                                                  tally_options const* options)
{
  return tally::c::on(all, "tally_ranks_reduce_by_key", [&](tally::c::ranks const& ranks, char const* name) {
    if (tally::c::lies_on_gpu(keys))
      tally::c::run_by_key_on_gpus(tally::c::call_kind::reduce, name, *all, keys, values, keys_out, out, runs, op,
                                   options);
    else
      tally::c::reduce_by_key_on_ranks(name, ranks, keys, values, keys_out, out, runs, op, options);
  });
}

extern "C" std::int32_t tally_ranks_scan_by_key(tally_ranks* all, tally_array const* keys, tally_array const* values,
                                                tally_array const* out, tally_operation const* op,
                                                tally_options const* options)
{
  return tally::c::on(all, "tally_ranks_scan_by_key", [&](tally::c::ranks const& ranks, char const* name) {
    if (tally::c::lies_on_gpu(keys))
      tally::c::run_by_key_on_gpus(tally::c::call_kind::scan, name, *all, keys, values, nullptr, out, nullptr, op,
                                   options);
    else
      tally::c::scan_by_key_on_ranks(name, ranks, keys, values, out, op, options);
  });
}

extern "C" std::int32_t tally_ranks_reduce_segments(tally_ranks* all, tally_array const* values,
                                                    tally_array const* offsets, tally_array const* out,
                                                    tally_operation const* op, tally_options const* options)
{
  return tally::c::on(all, "tally_ranks_reduce_segments", [&](tally::c::ranks const& ranks, char const* name) {
    if (tally::c::lies_on_gpu(values))
      tally::c::run_segments_on_gpus(tally::c::call_kind::reduce, name, *all, values, offsets, out, op, options);
    else
      tally::c::run_segments_on_ranks(tally::c::call_kind::reduce, name, ranks, values, offsets, out, op, options);
  });
}

extern "C" std::int32_t tally_ranks_scan_segments(tally_ranks* all, tally_array const* values,
                                                  tally_array const* offsets, tally_array const* out,
                                                  tally_operation const* op, tally_options const* options)
{
  return tally::c::on(all, "tally_ranks_scan_segments", [&](tally::c::ranks const& ranks, char const* name) {
    if (tally::c::lies_on_gpu(values))
      tally::c::run_segments_on_gpus(tally::c::call_kind::scan, name, *all, values, offsets, out, op, options);
    else
      tally::c::run_segments_on_ranks(tally::c::call_kind::scan, name, ranks, values, offsets, out, op, options);
  });
}

extern "C" std::int32_t tally_ranks_histogram(tally_ranks* all, tally_array const* values, double lower, double upper,
                                              tally_array const* counts, tally_options const* options)
{
  return tally::c::on(all, "tally_ranks_histogram", [&](tally::c::ranks const& ranks, char const* name) {
    tally::c::histogram_on_ranks(name, ranks, values, lower, upper, nullptr, counts, options);
  });
}

extern "C" std::int32_t tally_ranks_histogram_of_edges(tally_ranks* all, tally_array const* values,
                                                       tally_array const* edges, tally_array const* counts,
                                                       tally_options const* options)
{
  return tally::c::on(all, "tally_ranks_histogram_of_edges", [&](tally::c::ranks const& ranks, char const* name) {
    static constexpr tally_array none{};
    tally::c::histogram_on_ranks(name, ranks, values, 0, 0, edges == nullptr ? &none : edges, counts, options);
  });
}
