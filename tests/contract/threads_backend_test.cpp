#include "threads_backend.hpp"

#include "reduce_suite.hpp"
#include "scan_suite.hpp"

namespace tally::test {

template <class Contract>
using cases_on_threads = typename detail::cases<Contract, list<threads_backend>, list<float>>::type;
INSTANTIATE_TYPED_TEST_SUITE_P(reduce_on_threads, reductions, cases_on_threads<transform_reduce_contract>, case_names);
INSTANTIATE_TYPED_TEST_SUITE_P(scan_on_threads, scans, cases_on_threads<transform_inclusive_scan_contract>, case_names);
INSTANTIATE_TYPED_TEST_SUITE_P(exclusive_scan_on_threads, scans, cases_on_threads<transform_exclusive_scan_contract>,
                               case_names);

}  // namespace tally::test
