#include "scan_suite.hpp"

namespace tally::test {

using exclusive_scan_cases = contract_cases<exclusive_scan_contract, element_types>;
INSTANTIATE_TYPED_TEST_SUITE_P(exclusive_scan, scans, exclusive_scan_cases, case_names);

}  // namespace tally::test
