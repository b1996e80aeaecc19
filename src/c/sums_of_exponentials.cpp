#include <cstddef>
#include <vector>

#include "src/c/any_operator.hpp"
#include "src/c/dense_ends.hpp"
#include "src/c/logarithm.hpp"

/// log_sum_exp on arrays of logarithms: an element is combined as the sum of exponentials that it is the logarithm of.
namespace tally::c {

namespace {

template <class T>
void run_sequences(operation const&, sequences_call const& call)
{
  dense_ends<T, logarithm<T>> ends(call);
  run_any_sequences<logarithm<T>, T>(cpu{call.threads}, call, ends.where, ends.values, add_exponentials{});
  ends.write_lasts(call);
}

template <class T>
void run_segments(operation const&, segments_call const& call)
{
  detail::batch::ends<logarithm<T>> values;
  std::vector<logarithm<T>> initials, lasts;
  auto const* const given = reinterpret_cast<T const*>(call.initial);
  if (call.initial_for_each) {
    initials.assign(given, given + call.segments);
    values.initials = initials.data();
  } else if (given != nullptr) {
    values.initial = logarithm<T>(*given);
  }
  if (!call.reduces && call.last != nullptr) {
    lasts.resize(call.segments);
    values.lasts = lasts.data();
  }
  run_any_segments<logarithm<T>, T>(cpu{call.threads}, call, logarithm<T>{}, values, add_exponentials{});
  for (std::size_t s = 0; s < lasts.size(); ++s) reinterpret_cast<T*>(call.last)[s] = lasts[s];
}

template <class T>
operation on()
{
  operation result = on_elements<T>(detail::least<T>, detail::least<T>);
  result.run = run_sequences<T>;
  result.segments = run_segments<T>;
  return result;
}

}  // namespace

operation sums_of_exponentials(tally_type type)
{
  if (type.lanes != 1 || type.code != TALLY_FLOAT) return {};
  return type.bits == 32 ? on<float>() : type.bits == 64 ? on<double>() : operation{};
}

}  // namespace tally::c
