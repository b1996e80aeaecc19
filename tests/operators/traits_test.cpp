#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

#include "tally/half.hpp"
#include "tally/operators.hpp"

// The properties of each operator, and the operands that concepts reject. All checks run when this file compiles.
namespace tally {
namespace {

// A caller's operators: plain members, member templates, or neither.
struct plain {
  using carry = long double;
  static constexpr bool exactly_associative = true;
  static constexpr bool commutative = true;
  constexpr int identity() const { return 7; }
  int operator()(int a, int b) const { return a + b - 7; }
};
static_assert(monoid_over<plain, int> && identity_of<int>(plain{}) == 7);
static_assert(exactly_associative<plain, int> && commutative<plain, int>);
static_assert(std::is_same_v<carry_type<plain, int>, long double>);

using lambda_type = decltype([](double a, double b) { return a < b ? b : a; });
static_assert(operator_over<lambda_type, double> && !has_identity<lambda_type, double>);
static_assert(!exactly_associative<lambda_type, double> && !commutative<lambda_type, double>);
static_assert(std::is_same_v<carry_type<lambda_type, float>, float>);

// Sums of float are carried in double, those of half and bfloat16 in float, all others in their own type.
static_assert(std::is_same_v<carry_type<plus, float>, double>);
static_assert(std::is_same_v<carry_type<plus, double>, double>);
static_assert(std::is_same_v<carry_type<plus, half>, float>);
static_assert(std::is_same_v<carry_type<plus, bfloat16>, float>);
static_assert(std::is_same_v<carry_type<plus, int>, int>);
static_assert(std::is_same_v<carry_type<multiplies, float>, float>);
static_assert(std::is_same_v<carry_type<maximum, float>, float>);
static_assert(std::is_same_v<carry_type<compose, affine<float>>, affine<double>>);
static_assert(std::is_same_v<carry_type<compose, affine<int>>, affine<int>>);
static_assert(std::is_same_v<carry_type<segmented<plus>, flagged<float>>, flagged<double>>);
static_assert(std::is_same_v<carry_type<segmented<maximum>, flagged<float>>, flagged<float>>);
static_assert(std::is_same_v<carry_type<segmented<compose>, flagged<affine<float>>>, flagged<affine<double>>>);
static_assert(std::is_same_v<carry_type<mean_and_variance, moments<float>>, moments<double>>);
static_assert(std::is_same_v<carry_type<log_sum_exp, exponential_sum<float>>, exponential_sum<double>>);
static_assert(std::is_same_v<carry_type<compose, affine<half>>, affine<float>>);
static_assert(std::is_same_v<carry_type<segmented<plus>, flagged<half>>, flagged<float>>);
static_assert(
    std::is_same_v<carry_type<numbered_segments<plus>, numbered<float, unsigned>>, numbered<float, unsigned>>);
static_assert(reduction_of_nothing<float>(plus{}) == 0.0f && !detail::sign_bit(reduction_of_nothing<float>(plus{})));
static_assert(detail::sign_bit(identity_of<float>(plus{})));
static_assert(reduction_of_nothing<int>(minimum{}) == identity_of<int>(minimum{}));

static_assert(std::is_same_v<working_type<half>, float> && std::is_same_v<working_type<bfloat16>, float>);
static_assert(std::is_same_v<working_type<affine<half>>, affine<float>>);
static_assert(std::is_same_v<working_type<flagged<bfloat16>>, flagged<float>>);
static_assert(std::is_same_v<working_type<double>, double>);

// Every bracketing gives the same bits: on integers, and for operators that only select an operand.
static_assert(exactly_associative<plus, int> && exactly_associative<multiplies, std::uint8_t>);
static_assert(!exactly_associative<plus, float> && !exactly_associative<multiplies, double>);
static_assert(exactly_associative<minimum, float> && exactly_associative<maximum, half>);
static_assert(exactly_associative<argmin, indexed<double>> && exactly_associative<argmax, indexed<int, int>>);
static_assert(exactly_associative<compose, affine<int>> && !exactly_associative<compose, affine<float>>);
static_assert(exactly_associative<segmented<plus>, flagged<int>>);
static_assert(!exactly_associative<segmented<plus>, flagged<float>>);
static_assert(exactly_associative<segmented<minimum>, flagged<float>>);
static_assert(!exactly_associative<mean_and_variance, moments<double>>);
static_assert(!exactly_associative<log_sum_exp, exponential_sum<double>>);
static_assert(!exactly_associative<plus, std::string>);

static_assert(commutative<plus, float> && commutative<minimum, double> && commutative<bit_xor, int>);
static_assert(!commutative<plus, std::string> && !commutative<compose, affine<int>>);
static_assert(!commutative<segmented<plus>, flagged<int>> && !commutative<argmin, indexed<float>>);
static_assert(commutative<argmin, indexed<int>>);

// An operator that does not apply fails a concept, not a line inside its body.
struct opaque {};
static_assert(!operator_over<plus, opaque> && !operator_over<multiplies, std::string>);
static_assert(!operator_over<minimum, std::complex<double>> && !operator_over<bit_and, float>);
static_assert(!operator_over<logical_and, std::string> && !operator_over<argmin, int>);
static_assert(!operator_over<compose, affine<opaque>> && !operator_over<segmented<bit_or>, flagged<float>>);
static_assert(operator_over<plus, std::string> && operator_over<minimum, std::string>);
static_assert(monoid_over<plus, std::string> && !monoid_over<minimum, std::string>);

// Without an identity that holds in bits there is none: (2 and true) is 1.
static_assert(monoid_over<logical_and, bool> && !has_identity<logical_and, int> && !has_identity<logical_or, int>);
static_assert(!has_identity<compose, int> && !has_identity<argmin, int> && !has_identity<segmented<plus>, int>);
static_assert(!has_identity<segmented<lambda_type>, flagged<double>>);
static_assert(!exactly_associative<compose, int> && !exactly_associative<segmented<plus>, int>);

// These types go through shared memory, files and shuffles.
template <class T>
constexpr bool plain_data = std::is_trivially_copyable_v<T> && std::is_trivially_default_constructible_v<T>;
static_assert(plain_data<indexed<float>> && plain_data<affine<double>> && plain_data<flagged<int>>);
static_assert(plain_data<moments<float>> && plain_data<exponential_sum<double>>);
static_assert(plain_data<half> && plain_data<bfloat16> && sizeof(half) == 2 && sizeof(bfloat16) == 2);

TEST(traits, hold_when_this_file_compiles) {}

}  // namespace
}  // namespace tally
