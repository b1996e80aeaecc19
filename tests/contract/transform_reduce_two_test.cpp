#include "reduce_suite.hpp"

namespace tally::test {

using transform_reduce_two_cases = contract_cases<transform_reduce_two_contract, some_element_types>;
INSTANTIATE_TYPED_TEST_SUITE_P(transform_reduce_two, reductions, transform_reduce_two_cases, case_names);

}  // namespace tally::test
