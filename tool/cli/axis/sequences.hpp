#pragma once

#include <cstddef>
#include <memory>

#include <tally/array_view.hpp>

#include "accumulators/accumulator.hpp"
#include "io/element_type.hpp"
#include "operations/operation.hpp"

/// Many sequences at once, as the tool computes them: on the CPU or on a GPU, by the library's calls on batches.
namespace tally::cli {

/// Sequences of one length: an array of several axes along one of them or, to be reduced, several.
struct sequences {
  per_axis shape;
  per_axis strides;          ///< in elements; the results of a scan have them too
  per_axis axes;             ///< those of a sequence, the fastest last
  std::ptrdiff_t first = 0;  ///< the place of element (0, 0, ...)
  std::size_t size = 0;      ///< elements of the memory, each of which is in one sequence

  /// The shape of the sequences, in whose row-major order they are numbered.
  per_axis across() const
  {
    per_axis other;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      bool named = false;
      for (std::ptrdiff_t const axis : axes) named = named || axis == static_cast<std::ptrdiff_t>(d);
      if (!named) other.append(shape[d]);
    }
    return other;
  }
  std::size_t count() const
  {
    std::size_t product = 1;
    for (std::ptrdiff_t const extent : across()) product *= static_cast<std::size_t>(extent);
    return product;
  }
};

/// The initial values of sequences: one for all, or one each.
struct initial_values {
  void const* values;
  bool each;
};

/// A processor that reduces and scans. Values, initial values and results are of `type`. Requires: `is_done_by_calls`.
class sequence_processor {
public:
  virtual ~sequence_processor() = default;
  sequence_processor(sequence_processor const&) = delete;
  sequence_processor& operator=(sequence_processor const&) = delete;

  /// Writes the reduction of each sequence to `out`, one after the other.
  virtual void reduce(operation op, io::element_type type, sequences const& of, void const* in, initial_values init,
                      void* out) = 0;
  /// Writes the running results, at the places of the elements.
  virtual void scan(operation op, io::element_type type, scan_kind kind, sequences const& of, void const* in,
                    initial_values init, void* out) = 0;

protected:
  sequence_processor() = default;
};

/// The CPU: as many threads as the library chooses, or at most `threads`. It may be called by several threads at once.
std::unique_ptr<sequence_processor> make_cpu_processor(int threads);

}  // namespace tally::cli
