#include <cstddef>
#include <cstdint>

#include "src/c/cuda/ranks.hpp"
#include "src/c/cuda/runs.hpp"
#include "src/c/cuda/segments.hpp"
#include "tally/for_each.hpp"
#include "tally/temporary.hpp"

/// Segments and runs of keys that lie in the part of one rank: the calls of its GPU alone.
namespace tally::c {

namespace {

/// Turns places in the whole into places in a part.
struct move_offsets {
  std::int64_t const* from;
  std::int64_t* to;
  std::int64_t begin;

  TALLY_HD void operator()(std::size_t s) const { to[s] = from[s] - begin; }
};

}  // namespace

void segments_within(cuda const& on, segments_on_gpus const& given, std::uint64_t begin, std::size_t count)
{
  temporary<std::int64_t, cuda> const places(on, count + 1);
  tally::for_each_index(on, count + 1,
                        move_offsets{given.call.offsets, places.data(), static_cast<std::int64_t>(begin)});
  segments_call call = given.call;
  call.offsets = places.data();
  call.segments = count;
  segments_on(on, given.op, given.type, call);
}

std::size_t runs_within(cuda const& on, runs_on_gpus const& given, std::size_t begin, std::size_t end)
{
  std::size_t const bytes = given.values.type.bits / 8;
  segments_call values = given.values.call;
  values.values += begin * bytes;
  if (!values.reduces) values.out += begin * bytes;
  values.elements = end - begin;
  constexpr std::size_t key_bytes = 8;
  runs_call call;
  call.keys = {const_cast<std::byte*>(given.keys) + begin * key_bytes, key_bytes};
  call.type = given.type_of_keys;
  call.size = end - begin;
  if (given.keys_out != nullptr) call.keys_out = {given.keys_out, key_bytes};
  call.words = {key_bytes, 1};
  call.room = values.reduces ? given.room : call.size;
  call.op = given.values.op;
  call.type_of_values = given.values.type;
  call.values = &values;
  return find_runs_on(on, call);
}

}  // namespace tally::c
