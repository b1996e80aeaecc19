#include "scan_suite.hpp"

namespace tally::test {

using transform_exclusive_scan_cases = contract_cases<transform_exclusive_scan_contract, some_element_types>;
INSTANTIATE_TYPED_TEST_SUITE_P(transform_exclusive_scan, scans, transform_exclusive_scan_cases, case_names);

}  // namespace tally::test
