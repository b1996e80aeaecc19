#include "soak/scan.hpp"

namespace tally::soak {

/// User-defined operators: all are associative, none is commutative.
outcome own_operators_try(choices& of, std::string const& family)
{
  auto const which = of.number("own", 0, 5);
  return one_of(
      of, family, which, combination<std::int32_t, test::last_nonzero, sparse>{"std::int32_t", "last_nonzero"},
      combination<test::matrix, test::matrix_product, unimodular>{"matrix", "matrix_product"},
      combination<test::matrix, test::exact_matrix_product, unimodular>{"matrix", "exact_matrix_product"},
      combination<map_of<std::uint8_t>, compose_maps, odd_maps<std::uint8_t>>{"map_of<std::uint8_t>", "compose_maps"},
      combination<map_of<std::uint16_t>, compose_maps, odd_maps<std::uint16_t>>{"map_of<std::uint16_t>",
                                                                                "compose_maps"},
      combination<map_of<std::uint64_t>, compose_maps, odd_maps<std::uint64_t>>{"map_of<std::uint64_t>",
                                                                                "compose_maps"});
}

}  // namespace tally::soak
