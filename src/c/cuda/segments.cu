#include "src/c/cuda/segments.hpp"

#include <cstdint>
#include <cstdio>

#include "src/c/cuda/execution.hpp"
#include "src/c/ends.hpp"
#include "tally/cuda.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/segments.hpp"

namespace tally::c {

namespace {

template <class T>
void add_up(segments_call const& call)
{
  with_execution(call.gpu, [&](cuda const& on) {
    plus op;
    auto const ends = ends_of<T>(call);
    auto const* const values = reinterpret_cast<T const*>(call.values);
    auto* const out = reinterpret_cast<T*>(call.out);
    detail::element_count const segments{call.segments};
    detail::batch::from_front const from{};
    if (call.reduces)
      backend_reduce_segments<T>(on, values, call.offsets, segments, out, *reinterpret_cast<T const*>(call.nothing),
                                 ends, op, from, call.elements);
    else
      backend_scan_segments<T>(on, values, call.offsets, segments, out, ends, op, shift_of(call), from, call.elements);
  });
}

}  // namespace

std::int32_t run_segments(std::size_t op, tally_type type, segments_call const& call, char* message)
{
  return guarded(message, [&]() -> std::int32_t {
    bool const is_integer = type.code == TALLY_INT || type.code == TALLY_UINT;
    // The kernels of each operator and type take half a minute to compile, so that there are those of sums alone.
    if (op != 1 || type.lanes != 1 || !(is_integer ? type.bits == 64 : type.code == TALLY_FLOAT && type.bits >= 32)) {
      std::snprintf(message, message_size, "segments on a GPU have sums of float32, float64, int64 and uint64");
      return TALLY_NOT_SUPPORTED;
    }
    (is_integer ? add_up<std::uint64_t> : type.bits == 32 ? add_up<float> : add_up<double>)(call);
    return TALLY_OK;
  });
}

}  // namespace tally::c
