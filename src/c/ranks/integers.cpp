#include "src/c/ranks/run.hpp"
#include "src/c/with_operator.hpp"

namespace tally::c {

ranks_operation on_ranks_of_integers(std::size_t op, tally_type type)
{
  auto const code = []<class T, class Op>() { return code_of<T, Op>(); };
  if (type.code == TALLY_UINT) return by_number::on_integers<ranks_operation, std::uint64_t, std::uint64_t>(op, code);
  switch (op) {
    case 3: return code_of<std::int64_t, minimum>();
    case 4: return code_of<std::int64_t, maximum>();
    default: return {};
  }
}

}  // namespace tally::c
