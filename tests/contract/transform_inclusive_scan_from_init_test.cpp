#include "scan_suite.hpp"

namespace tally::test {

using transform_inclusive_scan_from_init_cases =
    contract_cases<transform_inclusive_scan_from_init_contract, some_element_types>;
INSTANTIATE_TYPED_TEST_SUITE_P(transform_inclusive_scan_from_init, scans, transform_inclusive_scan_from_init_cases,
                               case_names);

}  // namespace tally::test
