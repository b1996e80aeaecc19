#include "src/c/compaction.hpp"

#include <cstddef>
#include <cstring>
#include <string>

#include "src/c/arguments.hpp"
#include "src/c/arrays.hpp"
#include "src/c/failure.hpp"
#include "src/c/gpu.hpp"
#include "src/c/options.hpp"
#include "src/c/steps.hpp"
#include "tally/algorithms/compact.hpp"
#include "tally/sequences.hpp"

namespace tally::c {

namespace {

struct sixteen_bytes {
  alignas(8) std::byte bytes[16];
};

struct is_set {
  bool operator()(std::uint8_t flag) const { return flag != 0; }
};

void check_mask(array const& mask)
{
  bool const integers = mask.type.code == TALLY_INT || mask.type.code == TALLY_UINT;
  if (mask.type.lanes != 1 || !(integers || mask.type.code == TALLY_BOOL))
    throw usage_error("mask has elements of type " + shown(mask.type) + "; they are bools or integers");
}

/// Flags as bytes without gaps.
array bytes_of_mask(array const& mask)
{
  if (mask.bytes == 1 && without_gaps(mask)) return mask;
  array const flags = uninitialized(mask.shape, TALLY_UINT8, 1);
  for_each_run(mask, flags,
               [&](std::byte const* in, std::ptrdiff_t step, std::byte* out, std::ptrdiff_t out_step, std::size_t n) {
                 for (; n > 0; --n, in += step, out += out_step) {
                   bool set = false;
                   for (std::size_t b = 0; b < mask.bytes; ++b) set = set || in[b] != std::byte{0};
                   *out = std::byte{set};
                 }
               });
  return flags;
}

}  // namespace

void compact(tally_array const* in_given, tally_array const* mask_given, tally_array const* out_given,
             std::int64_t* count, tally_options const* options_given)
{
  tally_options const options = options_of(options_given, 0);
  array const in = checked(in_given, "in", devices::cpu_or_gpu),
              mask = checked(mask_given, "mask", devices::cpu_or_gpu);
  check_same_device(mask, in, "mask");
  check_one_axis(in, "in");
  check_one_axis(mask, "mask");
  check_same_shape(mask, in.shape, "mask");
  array out;
  if (out_given != nullptr) {
    out = checked(out_given, "out", devices::cpu_or_gpu);
    check_same_device(out, in, "out");
    check_one_axis(out, "out");
    check_type(out, in.type, "out");
  }
  if (count == nullptr) throw usage_error("count is a null pointer; it takes the number of selected elements");
  check_mask(mask);
  if (place_on_gpu const gpu = place_of(in.device, options); gpu.is_used) {
    selection_call call{row_of(mask), mask.type, static_cast<std::size_t>(in.shape[0]), row_of(in), {}, {}, 0, gpu};
    if (out_given != nullptr) {
      call.out = row_of(out);
      call.words = words_of(in, out);
      call.room = static_cast<std::size_t>(out.shape[0]);
    }
    auto const found = static_cast<std::int64_t>(select_on_gpu(call));
    if (out_given != nullptr) check_room(out, found, "out");
    *count = found;
    return;
  }
  array const flags = bytes_of_mask(mask);
  auto const* const flag = reinterpret_cast<std::uint8_t const*>(flags.data);
  std::int64_t const n = in.shape[0];
  cpu const on{options.threads};
  if (out_given == nullptr) {
    *count = tally::transform_reduce(on, flag, flag + n, std::int64_t{0}, plus{}, is_set{});
    return;
  }
  growing_output const results(out, n);
  std::int64_t found = 0;
  auto const run = [&]<class T>(T) {
    array const from = packed(in);
    auto const* const first = reinterpret_cast<T const*>(from.data);
    auto* const to = reinterpret_cast<T*>(results.data());
    found = tally::copy_if(on, first, first + n, flag, to, is_set{}) - to;
  };
  // Sixteen bytes are copied as such where they lie on an address of eight.
  bool const aligned =
      reinterpret_cast<std::uintptr_t>(in.data) % 8 == 0 && reinterpret_cast<std::uintptr_t>(results.data()) % 8 == 0;
  std::uintptr_t const addresses =
      reinterpret_cast<std::uintptr_t>(in.data) | reinterpret_cast<std::uintptr_t>(results.data());
  if (in.bytes == 1) {
    run(std::uint8_t());
  } else if (in.bytes == 2 && addresses % 2 == 0) {
    run(std::uint16_t());
  } else if (in.bytes == 4 && addresses % 4 == 0) {
    run(std::uint32_t());
  } else if (in.bytes == 8 && aligned) {
    run(std::uint64_t());
  } else if (in.bytes == 16 && aligned) {
    run(sixteen_bytes());
  } else {
    auto const step = in.strides[0] * static_cast<std::ptrdiff_t>(in.bytes);
    for (std::int64_t k = 0; k < n; ++k)
      if (flag[k] != 0)
        std::memcpy(results.data() + in.bytes * static_cast<std::size_t>(found++), in.data + k * step, in.bytes);
  }
  results.deliver(found, "out");
  *count = found;
}

}  // namespace tally::c
