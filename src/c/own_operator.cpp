#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/c/any_operator.hpp"
#include "src/c/failure.hpp"
#include "src/c/operation.hpp"
#include "src/c/slot.hpp"

/// Operators of the caller's, on elements of any size. Elements are kept in slots of 8, 16, 64 or 256 bytes, whose
/// size decides about the order (docs/order.md); longer ones are combined from left to right.
namespace tally::c {

namespace {

template <std::size_t Bytes>
void run_slots(operation const& self, sequences_call const& call)
{
  using T = slot<Bytes>;
  run_any_sequences<T, T>(threads_of(self, call.threads), call, call.where, ends_of<T>(call),
                          combine<Bytes>{self.callers});
}

template <std::size_t Bytes>
void run_segments(operation const& self, segments_call const& call)
{
  using T = slot<Bytes>;
  T const nothing = *reinterpret_cast<T const*>(call.nothing);
  run_any_segments<T, T>(threads_of(self, call.threads), call, nothing, ends_of<T>(call), combine<Bytes>{self.callers});
}

void run_left_to_right(operation const& self, sequences_call const& call)
{
  auto const bytes = static_cast<std::ptrdiff_t>(self.bytes);
  std::vector<std::byte> before(self.bytes), after(self.bytes);
  detail::batch::distances const& step = call.where.along.step;
  std::size_t const sequences = call.where.sequences();
  for (std::size_t s = 0; s < sequences; ++s) {
    detail::batch::distances at = call.where.place(s);
    bool has_before = call.initial != nullptr;
    if (has_before)
      std::memcpy(before.data(), call.initial + (call.initial_for_each ? at.initial * bytes : 0), self.bytes);
    std::byte* const result = call.out + at.out * bytes;
    std::byte* const last = call.last == nullptr ? nullptr : call.last + at.last * bytes;
    for (std::size_t k = 0; k < call.where.along.extent; ++k, at.move(step, 1)) {
      std::byte const* const element = call.in + at.in * bytes;
      if (has_before)
        self.callers->combine(self.callers->context, before.data(), element, after.data());
      else
        std::memcpy(after.data(), element, self.bytes);
      if (!call.reduces)
        std::memcpy(call.out + at.out * bytes, call.exclusive ? before.data() : after.data(), self.bytes);
      has_before = true;
      before.swap(after);
    }
    if (call.reduces) std::memcpy(result, before.data(), self.bytes);
    if (last != nullptr) std::memcpy(last, before.data(), self.bytes);
  }
}

}  // namespace

operation of_caller(tally_operation const& op, std::size_t bytes)
{
  if (op.size < sizeof(tally_operation))
    throw usage_error("op->size is " + std::to_string(op.size) + "; it is sizeof(tally_operation), " +
                      std::to_string(sizeof(tally_operation)));
  if (op.combine == nullptr) throw usage_error("op->combine is a null pointer; it is the function of the operator");
  if ((op.flags & ~static_cast<std::uint32_t>(TALLY_ON_THREADS)) != 0)
    throw usage_error("op->flags has bits without a meaning: " + std::to_string(op.flags));
  operation result;
  result.callers = &op;
  result.callers_bytes = bytes;
  result.has_identity = op.identity != nullptr;
  if (bytes > sizeof result.identity) {
    result.run = run_left_to_right;
    result.bytes = bytes;
    result.long_identity = std::make_shared<std::byte[]>(bytes);
    if (op.identity != nullptr) std::memcpy(result.long_identity.get(), op.identity, bytes);
    return result;
  }
  result.run = bytes <= 8 ? run_slots<8> : bytes <= 16 ? run_slots<16> : bytes <= 64 ? run_slots<64> : run_slots<256>;
  result.segments = bytes <= 8    ? run_segments<8>
                    : bytes <= 16 ? run_segments<16>
                    : bytes <= 64 ? run_segments<64>
                                  : run_segments<256>;
  result.bytes = bytes <= 8 ? 8 : bytes <= 16 ? 16 : bytes <= 64 ? 64 : 256;
  result.alignment = result.bytes < 16 ? result.bytes : 16;
  if (op.identity != nullptr) {
    std::memcpy(result.identity, op.identity, bytes);
    std::memcpy(result.nothing, op.identity, bytes);
  }
  return result;
}

}  // namespace tally::c
