#include "src/c/ranks/operators.hpp"

#include <string>

#include "src/c/arrays.hpp"
#include "src/c/failure.hpp"

namespace tally::c {

namespace {

bool is_whole(tally_type type)
{
  return type.lanes == 1 && (type.code == TALLY_INT || type.code == TALLY_UINT);
}

/// Bools are combined as the numbers 0 and 1.
std::size_t on_bits(std::size_t op)
{
  switch (op) {
    case 1:
    case 4:
    case 6: return 6;
    case 2:
    case 3:
    case 5: return 5;
    default: return op;
  }
}

}  // namespace

ranks_operation on_ranks(tally_operation const* op, tally_type type, operation const& found)
{
  if (found.callers != nullptr) {
    ranks_operation result = on_ranks_of_caller(found);
    if (result.along == nullptr)
      throw not_supported("an operation of the caller's on elements of " + std::to_string(found.callers_bytes) +
                          " bytes; on ranks they have up to 256");
    result.op = found;
    result.type = type;
    return result;
  }
  std::size_t number = op == nullptr ? 1 : reinterpret_cast<std::size_t>(op);
  bool const is_bool = type.code == TALLY_BOOL;
  if (is_bool) number = on_bits(number);
  // Of integers one type of 64 bits, or two for extremes, serves all.
  if (is_bool || is_whole(type)) {
    bool const extreme = number == 3 || number == 4;
    type = extreme && type.code == TALLY_INT ? tally_type TALLY_INT64 : tally_type TALLY_UINT64;
  }
  ranks_operation result = is_whole(type)             ? on_ranks_of_integers(number, type)
                           : number >= 8              ? on_ranks_of_others(number, type)
                           : type.code == TALLY_FLOAT ? on_ranks_of_floats(number, type)
                                                      : on_ranks_of_others(number, type);
  if (result.along == nullptr) throw not_supported("this operator on elements of type " + shown(type) + ", on ranks");
  result.type = type;
  result.op = built_in(reinterpret_cast<tally_operation const*>(number), type);
  return result;
}

}  // namespace tally::c
