#include "reduce_suite.hpp"

namespace tally::test {

using reduce_from_init_cases = contract_cases<reduce_from_init_contract, element_types>;
INSTANTIATE_TYPED_TEST_SUITE_P(reduce_from_init, reductions, reduce_from_init_cases, case_names);

}  // namespace tally::test
