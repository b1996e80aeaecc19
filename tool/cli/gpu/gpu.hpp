#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include <tally/error.hpp>

#include "accumulators/accumulator.hpp"
#include "axis/sequences.hpp"
#include "io/element_type.hpp"
#include "operations/operation.hpp"
#include "values.hpp"

/// The GPU as the tool uses it: a thin layer over CUDA. The rest of `--on gpu` uses only this interface, and is tested
/// without a GPU.
namespace tally::cli {

/// A sequence of numbers of one type in the memory of a GPU. Throws `error` if the memory does not suffice or the GPU
/// fails.
class gpu_numbers {
public:
  virtual ~gpu_numbers() = default;
  gpu_numbers(gpu_numbers const&) = delete;
  gpu_numbers& operator=(gpu_numbers const&) = delete;

  io::element_type type() const { return type_; }
  virtual std::size_t size() const = 0;

  /// Allocates memory for n numbers, so that appending these moves none.
  virtual void reserve(std::size_t n) = 0;
  /// Appends values. Requires: of `type()`.
  virtual void append(io::values_view const& values) = 0;
  /// Values [first, first + count), valid until the next call. Requires: count <= `most_read`.
  virtual io::values_view read(std::size_t first, std::size_t count) = 0;

  /// The reduction of all numbers: the bits of tally::reduce on the CPU; integers wrap. Requires: size() > 0, and an
  /// operation that the GPU does on this type (operators.hpp).
  virtual result reduce(operation op, std::optional<result> const& init) = 0;
  /// Replaces every number by the result of a scan, otherwise as `reduce`. Without `init` an exclusive scan begins with
  /// the result of an empty sequence.
  virtual void scan(operation op, scan_kind kind, std::optional<result> const& init) = 0;

  static constexpr std::size_t most_read = std::size_t{1} << 18;  // as many as a source gives at a time

protected:
  explicit gpu_numbers(io::element_type type) : type_(type) {}

private:
  io::element_type type_;
};

class gpu {
public:
  virtual ~gpu() = default;
  gpu(gpu const&) = delete;
  gpu& operator=(gpu const&) = delete;

  /// An empty sequence of `type`. Requires: not int128; the GPU outlives the sequence.
  virtual std::unique_ptr<gpu_numbers> numbers(io::element_type type) = 0;
  /// Reduces and scans sequences in the memory of the host. Requires: the GPU outlives it.
  virtual std::unique_ptr<sequence_processor> sequences() = 0;

protected:
  gpu() = default;
};

/// CUDA's default GPU, if it works.
struct gpu_search {
  std::unique_ptr<gpu> found;
  std::string why_not;  ///< if none is found
};
gpu_search find_gpu();

/// The error that numbers do not fit the memory of the GPU, with the bytes needed and free.
[[noreturn]] void too_large_for_gpu(std::size_t needed_bytes, std::size_t free_bytes);

}  // namespace tally::cli
