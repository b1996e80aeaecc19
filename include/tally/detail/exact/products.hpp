#pragma once

#include <cstddef>

#include "tally/detail/exact/fixed_point.hpp"

/// Exact sums of products.
namespace tally::detail::exact {

/// Room for the products of any two doubles.
using sum_of_products = floating_sum<-2148, 2048>;

/// Adds x[k] * y[k] for k in [0, n), on one thread.
///
/// Source    Dekker, A floating-point technique for extending the available precision (1971): a product as the sum of two
///           doubles. Where one of these may overflow or lose digits, whole numbers are multiplied.
void add_products(double const* x, double const* y, std::size_t n, sum_of_products& sum);

}  // namespace tally::detail::exact
