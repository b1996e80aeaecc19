#include "scan_suite.hpp"

namespace tally::test {

using inclusive_scan_from_init_cases = contract_cases<inclusive_scan_from_init_contract, some_element_types>;
INSTANTIATE_TYPED_TEST_SUITE_P(inclusive_scan_from_init, scans, inclusive_scan_from_init_cases, case_names);

}  // namespace tally::test
