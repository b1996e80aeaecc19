#include "reduce_suite.hpp"

namespace tally::test {

using reduce_cases = contract_cases<reduce_contract, some_element_types>;
INSTANTIATE_TYPED_TEST_SUITE_P(reduce, reductions, reduce_cases, case_names);

}  // namespace tally::test
