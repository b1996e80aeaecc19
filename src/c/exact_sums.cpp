#include <memory>
#include <new>
#include <span>
#include <string>

#include "src/c/any_operator.hpp"
#include "src/c/arrays.hpp"
#include "src/c/failure.hpp"
#include "src/c/steps.hpp"
#include "tally/exact.hpp"
#include "tally/half.hpp"
#include "tally/operators/exact_plus.hpp"

/// Exact sums: as an operator, and as sums that are not finished.
struct tally_exact_sum {
  tally::exact_accumulator<double> value;  ///< a sum of doubles holds those of all narrower types
};

namespace tally::c {

operation exact_sums(tally_type type)
{
  if (type.lanes != 1) return {};
  if (type.code == TALLY_BFLOAT && type.bits == 16) return without_kernels<bfloat16, exact_plus>();
  if (type.code != TALLY_FLOAT) return {};
  switch (type.bits) {
    case 16: return without_kernels<half, exact_plus>();
    case 32: return without_kernels<float, exact_plus>();
    case 64: return without_kernels<double, exact_plus>();
    default: return {};
  }
}

namespace {

using sum = exact_accumulator<double>;
static_assert(sum::byte_count == TALLY_EXACT_SUM_BYTES);

sum& checked_sum(tally_exact_sum* given)
{
  if (given == nullptr) throw usage_error("sum is a null pointer; tally_exact_sum_create makes one");
  return given->value;
}
sum const& checked_sum(tally_exact_sum const* given, char const* name)
{
  if (given == nullptr) throw usage_error(std::string(name) + " is a null pointer; tally_exact_sum_create makes one");
  return given->value;
}

/// The exact sum of an array's elements.
sum sum_of(tally_array const* given)
{
  array const values = checked(given, "values");
  tally_type const wide = TALLY_FLOAT64;
  bool const long_integers = (values.type.code == TALLY_INT || values.type.code == TALLY_UINT) && values.type.bits > 32;
  if (long_integers || !converts(values.type, wide))
    throw usage_error("values has elements of type " + shown(values.type) +
                      "; they are floats, or integers of up to 32 bits");
  sum all;
  // Elements that are no doubles beside each other become so, a piece at a time.
  constexpr std::size_t piece = 4096;
  auto const buffer = std::make_unique_for_overwrite<double[]>(piece);
  bool const as_they_are = same(values.type, wide);
  for_each_run(values, values,
               [&](std::byte const* in, std::ptrdiff_t step, std::byte*, std::ptrdiff_t, std::size_t n) {
                 if (as_they_are && (step == sizeof(double) || n == 1)) {
                   all.add(std::span(reinterpret_cast<double const*>(in), n));
                   return;
                 }
                 for (std::size_t begin = 0; begin < n; begin += piece) {
                   auto const size = static_cast<std::ptrdiff_t>(std::min(piece, n - begin));
                   array from, to;
                   from.data = const_cast<std::byte*>(in) + static_cast<std::ptrdiff_t>(begin) * step;
                   to.data = reinterpret_cast<std::byte*>(buffer.get());
                   from.type = values.type;
                   to.type = wide;
                   from.bytes = 1;  // so that the stride is one of bytes
                   to.bytes = sizeof(double);
                   from.shape = to.shape = per_axis{size};
                   from.strides = per_axis{step};
                   to.strides = per_axis{1};
                   convert(from, to);
                   all.add(std::span(buffer.get(), static_cast<std::size_t>(size)));
                 }
               });
  return all;
}

}  // namespace

}  // namespace tally::c

using tally::c::guarded;

extern "C" tally_exact_sum* tally_exact_sum_create(void)
{
  return new (std::nothrow) tally_exact_sum;
}

extern "C" void tally_exact_sum_destroy(tally_exact_sum* sum)
{
  delete sum;
}

extern "C" std::int32_t tally_exact_sum_add(tally_exact_sum* sum, tally_array const* values)
{
  return guarded("tally_exact_sum_add", [&] { tally::c::checked_sum(sum).add(tally::c::sum_of(values)); });
}

extern "C" std::int32_t tally_exact_sum_subtract(tally_exact_sum* sum, tally_array const* values)
{
  return guarded("tally_exact_sum_subtract", [&] { tally::c::checked_sum(sum).subtract(tally::c::sum_of(values)); });
}

extern "C" std::int32_t tally_exact_sum_merge(tally_exact_sum* sum, tally_exact_sum const* other)
{
  return guarded("tally_exact_sum_merge",
                 [&] { tally::c::checked_sum(sum).add(tally::c::sum(tally::c::checked_sum(other, "other"))); });
}

extern "C" std::int32_t tally_exact_sum_remove(tally_exact_sum* sum, tally_exact_sum const* other)
{
  return guarded("tally_exact_sum_remove",
                 [&] { tally::c::checked_sum(sum).subtract(tally::c::sum(tally::c::checked_sum(other, "other"))); });
}

extern "C" std::int32_t tally_exact_sum_round(tally_exact_sum const* sum, tally_array const* out)
{
  return guarded("tally_exact_sum_round", [&] {
    using namespace tally;
    c::array const to = c::checked(out, "out");
    if (to.shape.size() != 0) throw usage_error("out has axes; it is an array of none, one element");
    auto const& exact = c::checked_sum(sum, "sum");
    if (c::same(to.type, TALLY_FLOAT64))
      *reinterpret_cast<double*>(to.data) = exact.round();
    else if (c::same(to.type, TALLY_FLOAT32))
      *reinterpret_cast<float*>(to.data) = exact.round<float>();
    else if (c::same(to.type, TALLY_FLOAT16))
      *reinterpret_cast<half*>(to.data) = exact.round<half>();
    else if (c::same(to.type, TALLY_BFLOAT16))
      *reinterpret_cast<bfloat16*>(to.data) = exact.round<bfloat16>();
    else
      throw usage_error("out is " + c::shown(to.type) + "; exact sums are rounded to floats of 16, 32 or 64 bits");
  });
}

extern "C" std::int32_t tally_exact_sum_save(tally_exact_sum const* sum, void* bytes)
{
  return guarded("tally_exact_sum_save", [&] {
    if (bytes == nullptr) throw tally::usage_error("bytes is a null pointer; it has room for TALLY_EXACT_SUM_BYTES");
    auto const all = tally::c::checked_sum(sum, "sum").bytes();
    std::memcpy(bytes, all.data(), all.size());
  });
}

extern "C" std::int32_t tally_exact_sum_load(tally_exact_sum* sum, void const* bytes)
{
  return guarded("tally_exact_sum_load", [&] {
    if (bytes == nullptr) throw tally::usage_error("bytes is a null pointer; tally_exact_sum_save has written them");
    tally::c::checked_sum(sum) =
        tally::c::sum::from_bytes({static_cast<std::byte const*>(bytes), tally::c::sum::byte_count});
  });
}
