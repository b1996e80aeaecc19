#include "ranks_backend.hpp"

#include "reduce_suite.hpp"
#include "scan_suite.hpp"

namespace tally::test {

template <class Contract, class... T>
using cases_on_ranks = typename detail::cases<Contract, list<divided_ranks>, list<T...>>::type;
using reduce_on_ranks = cases_on_ranks<transform_reduce_contract, float>;
using scan_on_ranks = cases_on_ranks<inclusive_scan_contract, float, half, std::int32_t>;
using exclusive_scan_on_ranks = cases_on_ranks<transform_exclusive_scan_contract, double>;
INSTANTIATE_TYPED_TEST_SUITE_P(reduce_on_ranks, reductions, reduce_on_ranks, case_names);
INSTANTIATE_TYPED_TEST_SUITE_P(scan_on_ranks, scans, scan_on_ranks, case_names);
INSTANTIATE_TYPED_TEST_SUITE_P(exclusive_scan_on_ranks, scans, exclusive_scan_on_ranks, case_names);

}  // namespace tally::test
