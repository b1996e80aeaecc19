#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include <tally/reduce.hpp>
#include <tally/scan.hpp>

#include "gpu/gpu.hpp"
#include "gpu/operators.hpp"

/// A model of a GPU that computes with the library's calls on the CPU. Operations that a GPU does not do are errors,
/// and so is using more memory than it has.
namespace tally::test {

class model_numbers final : public cli::gpu_numbers {
public:
  model_numbers(io::element_type type, std::size_t& free_bytes, int& calls)
      : gpu_numbers(type),
        free_bytes_(free_bytes),
        calls_(calls)
  {
  }

  std::size_t size() const override { return size_; }
  void reserve(std::size_t n) override { take(n * io::byte_size(type())); }

  void append(io::values_view const& values) override
  {
    if (io::type_of(values) != type()) throw std::logic_error("values of another type");
    std::size_t const before = size_ * io::byte_size(type());
    std::visit(
        [&](auto in) {
          take(before + in.size_bytes());
          std::memcpy(memory_.data() + before, in.data(), in.size_bytes());
        },
        values);
    size_ += io::size_of(values);
  }

  io::values_view read(std::size_t first, std::size_t count) override
  {
    if (count > most_read || first + count > size_) throw std::logic_error("read beyond the end");
    std::size_t const element = io::byte_size(type());
    read_.assign(memory_.begin() + static_cast<std::ptrdiff_t>(first * element),
                 memory_.begin() + static_cast<std::ptrdiff_t>((first + count) * element));
    return io::view_as(type(), read_.data(), count);
  }

  cli::result reduce(cli::operation op, std::optional<cli::result> const& init) override
  {
    cli::result made;
    call(op, [&]<class T, class Op>(T* first, Op combine) {
      std::span<T const> const in(first, size_);
      made = cli::as_result<T>(init ? tally::reduce(in, cli::result_of_none<T, Op>(init), combine)
                                    : tally::reduce(in, combine));
    });
    return made;
  }

  void scan(cli::operation op, cli::scan_kind kind, std::optional<cli::result> const& init) override
  {
    call(op, [&]<class T, class Op>(T* first, Op combine) {
      T const start = cli::result_of_none<T, Op>(init);
      if (kind == cli::scan_kind::exclusive)
        tally::exclusive_scan(first, first + size_, first, start, combine);
      else if (init)
        tally::inclusive_scan(first, first + size_, first, combine, start);
      else
        tally::inclusive_scan(first, first + size_, first, combine);
    });
  }

private:
  void take(std::size_t bytes)
  {
    if (bytes <= memory_.size()) return;
    if (bytes - memory_.size() > free_bytes_) cli::too_large_for_gpu(bytes, free_bytes_);
    free_bytes_ -= bytes - memory_.size();
    memory_.resize(bytes);
  }

  template <class Use>
  void call(cli::operation op, Use use)
  {
    if (size_ == 0) throw std::logic_error("a call on nothing");
    bool done = false;
    cli::with_operator(op, [&]<class Op>(Op combine) {
      std::visit(
          [&]<class T>(std::span<T const>) {
            if constexpr (cli::on_gpu<Op, T>) {
              use(reinterpret_cast<T*>(memory_.data()), combine);
              done = true;
            }
          },
          io::view_as(type(), nullptr, 0));
    });
    if (!done) throw std::logic_error("a GPU does not do this");
    ++calls_;
  }

  std::size_t& free_bytes_;
  int& calls_;
  std::vector<std::byte> memory_;
  std::vector<std::byte> read_;
  std::size_t size_ = 0;
};

class model_sequences final : public cli::sequence_processor {
public:
  explicit model_sequences(int& calls) : calls_(calls) {}

  void reduce(cli::operation op, io::element_type type, cli::sequences const& of, void const* in,
              cli::initial_values init, void* out) override
  {
    ++calls_;
    cpu_->reduce(op, type, of, in, init, out);
  }
  void scan(cli::operation op, io::element_type type, cli::scan_kind kind, cli::sequences const& of, void const* in,
            cli::initial_values init, void* out) override
  {
    ++calls_;
    cpu_->scan(op, type, kind, of, in, init, out);
  }

private:
  int& calls_;
  std::unique_ptr<cli::sequence_processor> cpu_ = cli::make_cpu_processor(1);
};

class model_gpu final : public cli::gpu {
public:
  explicit model_gpu(std::size_t free_bytes = std::size_t{1} << 32) : free_bytes_(free_bytes) {}
  std::unique_ptr<cli::gpu_numbers> numbers(io::element_type type) override
  {
    return std::make_unique<model_numbers>(type, free_bytes_, calls_);
  }
  std::unique_ptr<cli::sequence_processor> sequences() override { return std::make_unique<model_sequences>(calls_); }
  int calls() const { return calls_; }

private:
  std::size_t free_bytes_;
  int calls_ = 0;
};

}  // namespace tally::test
