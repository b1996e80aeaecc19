#include "src/c/histograms.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/c/arguments.hpp"
#include "src/c/arrays.hpp"
#include "src/c/by_type.hpp"
#include "src/c/failure.hpp"
#include "src/c/gpu.hpp"
#include "src/c/options.hpp"
#include "tally/algorithms/histogram.hpp"

namespace tally::c {

namespace {

/// Whether the elements lie in a row, if there are any.
bool lie_in_a_row(array const& given)
{
  if (is_empty(given)) return true;
  per_axis const packed = array_view<char>(nullptr, given.shape).strides();
  for (std::size_t d = 0; d < given.shape.size(); ++d)
    if (given.shape[d] != 1 && given.strides[d] != packed[d]) return false;
  return true;
}

/// The elements of an array of any shape, in a row, in a type.
array in_a_row(array const& given, tally_type type)
{
  if (same(given.type, type) && lie_in_a_row(given)) return given;
  array const copy = uninitialized(given.shape, type, bytes_of(type));
  convert(given, copy);
  return copy;
}

/// The narrowest of four types that holds all values of another one.
tally_type wide(tally_type type)
{
  if (type.code == TALLY_UINT && type.bits == 64) return TALLY_UINT64;
  if (type.code == TALLY_INT || type.code == TALLY_UINT || type.code == TALLY_BOOL) return TALLY_INT64;
  return type.bits < 64 ? tally_type TALLY_FLOAT32 : tally_type TALLY_FLOAT64;
}

template <class Use>
void with_wide_type(tally_type type, Use const& use)
{
  if (type.code == TALLY_INT) return use(std::int64_t());
  if (type.code == TALLY_UINT) return use(std::uint64_t());
  if (type.bits == 32) return use(float());
  use(double());
}

struct arguments {
  tally_options options;
  array values, counts;
  std::optional<array> weights;
  std::size_t size = 0, bins = 0;
  place_on_gpu gpu;
};

arguments checked_arguments(tally_array const* values_given, tally_array const* weights_given,
                            tally_array const* counts_given, tally_options const* options_given)
{
  arguments a;
  a.options = options_of(options_given, 0);
  a.values = checked(values_given, "values", devices::cpu_or_gpu);
  a.counts = checked(counts_given, "counts", devices::cpu_or_gpu);
  check_same_device(a.counts, a.values, "counts");
  a.gpu = place_of(a.values.device, a.options);
  check_one_axis(a.counts, "counts");
  if (weights_given != nullptr) {
    if (a.gpu.is_used)
      throw not_supported("weights on a GPU, where their order, and so the bits of sums, would depend on chance");
    a.weights = checked(weights_given, "weights");
    check_same_shape(*a.weights, a.values.shape, "weights");
    if (!converts(a.weights->type, TALLY_FLOAT64))
      throw usage_error("weights has elements of type " + shown(a.weights->type) + "; they are floats or integers");
    a.weights = in_a_row(*a.weights, TALLY_FLOAT64);
  }
  check_type(a.counts, a.weights ? tally_type TALLY_FLOAT64 : tally_type TALLY_INT64, "counts");
  with_compared_type<compared_by::order>(a.values.type, "values", [](auto) {});
  a.size = array_view<char>(nullptr, a.values.shape).size();
  a.bins = static_cast<std::size_t>(a.counts.shape[0]);
  if (a.bins == 0) throw usage_error("counts is empty; it has a place for each bin, at least one");
  return a;
}

/// The same call on a GPU, without its bins.
histograms_call call_on_gpu(arguments const& a)
{
  if (!same(a.values.type, TALLY_FLOAT32) && !same(a.values.type, TALLY_FLOAT64) && !same(a.values.type, TALLY_INT64))
    throw not_supported("values has elements of type " + shown(a.values.type) +
                        "; on a GPU they are float32, float64 or int64");
  if (!lie_in_a_row(a.values) || !without_gaps(a.counts))
    throw not_supported("values or counts has gaps between its elements; on a GPU they lie side by side");
  histograms_call call;
  call.values = a.values.data;
  call.type = a.values.type;
  call.size = a.size;
  call.bins = a.bins;
  call.counts = reinterpret_cast<std::int64_t*>(a.counts.data);
  call.gpu = a.gpu;
  return call;
}

/// Counts, or adds up weights, of values of type T.
template <class T, class Bins>
void run(arguments const& a, array const& values, Bins const& bins)
{
  auto const* const first = reinterpret_cast<T const*>(values.data);
  cpu const on{a.options.threads};
  auto const deliver = [&](auto const& slots) {
    array from;
    from.data = const_cast<std::byte*>(reinterpret_cast<std::byte const*>(slots.data()));
    from.bytes = sizeof slots[0];
    from.shape = a.counts.shape;
    from.strides = per_axis{1};
    copy_bytes(from, a.counts);
  };
  if (a.weights) {
    std::vector<double> sums(bins.slots());
    tally::weighted_histogram(on, first, first + a.size, reinterpret_cast<double const*>(a.weights->data), bins,
                              sums.data());
    deliver(sums);
  } else {
    std::vector<std::int64_t> counts(bins.slots());
    tally::histogram(on, first, first + a.size, bins, counts.data());
    deliver(counts);
  }
}

}  // namespace

void histogram(tally_array const* values, tally_array const* weights, double lower, double upper,
               tally_array const* counts, tally_options const* options)
{
  arguments const a = checked_arguments(values, weights, counts, options);
  even_bins const bins(lower, upper, a.bins);
  if (a.gpu.is_used) {
    histograms_call call = call_on_gpu(a);
    call.lower = lower;
    call.upper = upper;
    return count_on_gpu(call);
  }
  // The types of pixels and samples are counted as they are; others, and those with weights, in a wide type.
  if (!a.weights && same(a.values.type, TALLY_UINT8))
    return run<std::uint8_t>(a, in_a_row(a.values, a.values.type), bins);
  if (!a.weights && same(a.values.type, TALLY_INT16))
    return run<std::int16_t>(a, in_a_row(a.values, a.values.type), bins);
  if (!a.weights && same(a.values.type, TALLY_INT32))
    return run<std::int32_t>(a, in_a_row(a.values, a.values.type), bins);
  tally_type const type = wide(a.values.type);
  with_wide_type(type, [&]<class T>(T) { run<T>(a, in_a_row(a.values, type), bins); });
}

void histogram_of_edges(tally_array const* values, tally_array const* weights, tally_array const* edges_given,
                        tally_array const* counts, tally_options const* options)
{
  arguments const a = checked_arguments(values, weights, counts, options);
  array const edges = checked(edges_given, "edges");
  check_one_axis(edges, "edges");
  check_same_shape(edges, {a.counts.shape[0] + 1}, "edges");
  tally_type const type = same(edges.type, a.values.type) ? wide(a.values.type) : tally_type TALLY_FLOAT64;
  if (!same(edges.type, a.values.type) && !same(edges.type, TALLY_FLOAT64))
    throw usage_error("edges has elements of type " + shown(edges.type) +
                      "; they are float64, or of the type of values, " + shown(a.values.type));
  with_wide_type(type, [&]<class T>(T) {
    array const borders = in_a_row(edges, type);
    auto const* const first = reinterpret_cast<T const*>(borders.data);
    for (std::size_t k = 0; k <= a.bins; ++k)
      if (first[k] != first[k] || (k > 0 && first[k] < first[k - 1]))
        throw usage_error("edges do not ascend: edge " + std::to_string(k) + " is " +
                          (first[k] != first[k] ? std::string("NaN") : "less than the one before it"));
    if (a.gpu.is_used) {
      histograms_call call = call_on_gpu(a);
      if (!same(edges.type, a.values.type))
        throw not_supported("edges of another type than the values, " + shown(a.values.type) + ", on a GPU");
      call.edges = borders.data;
      return count_on_gpu(call);
    }
    run<T>(a, in_a_row(a.values, type), edge_bins<T>(first, a.bins + 1));
  });
}

}  // namespace tally::c
