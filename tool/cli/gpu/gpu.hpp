#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include <tally/error.hpp>

#include "accumulator.hpp"
#include "io/element_type.hpp"
#include "operation.hpp"
#include "values.hpp"

/// What the tool wants of a GPU. Everything else of `--on gpu` stands on this, so that all but a thin layer over CUDA
/// is tested where there is none.
namespace tally::cli {

/// Numbers of one type, one after the other in the memory of a GPU. Throws `error`: the memory does not suffice, or the
/// GPU fails.
class gpu_numbers {
public:
  virtual ~gpu_numbers() = default;
  gpu_numbers(gpu_numbers const&) = delete;
  gpu_numbers& operator=(gpu_numbers const&) = delete;

  io::element_type type() const { return type_; }
  virtual std::size_t size() const = 0;

  /// Takes memory for n numbers at once: what is known beforehand need never be moved.
  virtual void reserve(std::size_t n) = 0;
  /// Puts values behind those that are there. Requires: of `type()`.
  virtual void append(io::values_view const& values) = 0;
  /// Values [first, first + count), valid until the next call. Requires: count <= `most_read`.
  virtual io::values_view read(std::size_t first, std::size_t count) = 0;

  /// The reduction of all: the bits of tally::reduce on the CPU. Requires: size() > 0, and an operation that the GPU
  /// does on this type (operators.hpp). Integers wrap.
  virtual result reduce(operation op, std::optional<result> const& init) = 0;
  /// Puts the result of a scan in the place of every number. Without `init`, an exclusive one begins with the result
  /// of no values. As `reduce` otherwise.
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

  /// No numbers yet. Not int128. The GPU outlives them.
  virtual std::unique_ptr<gpu_numbers> numbers(io::element_type type) = 0;

protected:
  gpu() = default;
};

/// The GPU on which CUDA runs by itself, if it does what it is asked.
struct gpu_search {
  std::unique_ptr<gpu> found;
  std::string why_not;  ///< if none is found
};
gpu_search find_gpu();

/// The numbers do not fit the memory of the GPU: what they need, and what is free.
[[noreturn]] void too_large_for_gpu(std::size_t needed_bytes, std::size_t free_bytes);

}  // namespace tally::cli
