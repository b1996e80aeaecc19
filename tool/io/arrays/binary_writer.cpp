#include "io/arrays/binary_writer.hpp"

#include <cstring>
#include <utility>

#include "io/arrays/npy_header.hpp"
#include "io/errors.hpp"

namespace tally::io {

namespace {

constexpr std::size_t most_collected = std::size_t(256) << 10;

class raw_writer final : public writer {
public:
  raw_writer(output to, element_type type) : bytes_(std::move(to)), type_(type) {}

  void write(values_view const& values) override
  {
    auto const [data, size] = bytes_of(values, type_);
    bytes_.append(data, size);
  }
  void flush() override { bytes_.flush(); }
  void finish() override { bytes_.commit(); }

private:
  byte_stream bytes_;
  element_type type_;
};

class npy_writer final : public writer {
public:
  npy_writer(output to, element_type type) : bytes_(std::move(to)), type_(type), counts_(true)
  {
    check_npy_type(type, bytes_.to());
    bytes_.allow_rewrite();
    std::string const header = make_npy_header(type, {0});
    bytes_.append(header.data(), header.size());
  }

  npy_writer(output to, element_type type, std::vector<std::uint64_t> const& shape, bool fortran_order)
      : bytes_(std::move(to)),
        type_(type),
        counts_(false)
  {
    check_npy_type(type, bytes_.to());
    std::string const header = make_npy_header(type, shape, fortran_order);
    bytes_.append(header.data(), header.size());
    for (std::uint64_t const length : shape) expected_ *= length;
  }

  void write(values_view const& values) override
  {
    auto const [data, size] = bytes_of(values, type_);
    bytes_.append(data, size);
    written_ += size_of(values);
  }

  void flush() override { bytes_.flush(); }

  void finish() override
  {
    if (counts_) {
      bytes_.flush();
      std::string const header = make_npy_header(type_, {written_});
      bytes_.rewrite(header.data(), header.size(), 0);
    } else if (written_ != expected_) {
      throw usage_error(bytes_.to().name() + ": found " + std::to_string(written_) + " values, expected " +
                        std::to_string(expected_) + ", which is what the header says");
    }
    bytes_.commit();
  }

private:
  byte_stream bytes_;
  element_type type_;
  bool counts_;  // the header gets the number of values at the end
  std::uint64_t expected_ = 1;
  std::uint64_t written_ = 0;
};

}  // namespace

void byte_stream::allow_rewrite()
{
  to_.allow_write_at();
  by_offset_ = true;
}

void byte_stream::append(void const* data, std::size_t n)
{
  if (n == 0) return;
  if (count_ + n > most_collected) flush();
  if (n >= most_collected) return send(data, n);
  if (!collected_) collected_ = std::make_unique_for_overwrite<char[]>(most_collected);
  std::memcpy(collected_.get() + count_, data, n);
  count_ += n;
}

void byte_stream::flush()
{
  if (count_ > 0) send(collected_.get(), std::exchange(count_, 0));
}

void byte_stream::send(void const* data, std::size_t n)
{
  if (by_offset_)
    to_.write_at(data, n, sent_);
  else
    to_.write(data, n);
  sent_ += n;
}

void byte_stream::rewrite(void const* data, std::size_t n, std::uint64_t offset)
{
  to_.write_at(data, n, offset);
}

void byte_stream::commit()
{
  flush();
  to_.commit();
}

value_bytes bytes_of(values_view const& values, element_type type)
{
  if (type_of(values) != type)
    throw usage_error("found values of type " + std::string(name_of(type_of(values))) + ", expected " +
                      std::string(name_of(type)) + ", which this output was opened for");
  return std::visit([](auto const& span) { return value_bytes{span.data(), span.size_bytes()}; }, values);
}

void check_npy_type(element_type type, output const& to)
{
  if (type == element_type::int128)
    throw data_error({to.name()}, "integers of 128 bits", "at most 64: the .npy format has none that are wider");
}

std::unique_ptr<writer> write_raw(output to, element_type type)
{
  return std::make_unique<raw_writer>(std::move(to), type);
}

std::unique_ptr<writer> write_npy(output to, element_type type)
{
  return std::make_unique<npy_writer>(std::move(to), type);
}

std::unique_ptr<writer> write_npy(output to, element_type type, std::vector<std::uint64_t> const& shape,
                                  bool fortran_order)
{
  return std::make_unique<npy_writer>(std::move(to), type, shape, fortran_order);
}

}  // namespace tally::io
