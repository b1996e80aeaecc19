#include "scan_suite.hpp"

namespace tally::test {

using inclusive_scan_cases = contract_cases<inclusive_scan_contract, element_types>;
INSTANTIATE_TYPED_TEST_SUITE_P(inclusive_scan, scans, inclusive_scan_cases, case_names);

}  // namespace tally::test
