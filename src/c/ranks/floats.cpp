#include "src/c/ranks/run.hpp"
#include "src/c/with_operator.hpp"

namespace tally::c {

ranks_operation on_ranks_of_floats(std::size_t op, tally_type type)
{
  auto const code = []<class T, class Op>() { return code_of<T, Op>(); };
  switch (type.bits) {
    case 32: return by_number::on_numbers<ranks_operation, float, float>(op, code);
    case 64: return by_number::on_numbers<ranks_operation, double, double>(op, code);
    default: return {};
  }
}

}  // namespace tally::c
