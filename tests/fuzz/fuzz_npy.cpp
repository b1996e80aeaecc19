#include <vector>

#include "fuzz_input.hpp"
#include "io/arrays/fortran_reader.hpp"
#include "io/arrays/npy_reader.hpp"
#include "io/axis/reader.hpp"
#include "io/writer.hpp"

using namespace tally::io;
using namespace tally::io::testing;

namespace {

/// Along every axis, and along the first and the last one together, each value is given once, and writing them back
/// gives the same file of values.
void check_axes(memory_file const& file, npy_header const& header, axis_limits const& limits)
{
  std::string const content = file.content();
  auto const rank = static_cast<int>(header.shape.size());
  std::vector<std::vector<int>> all;
  for (int axis = 0; axis < rank && axis < 4; ++axis) all.push_back({axis});
  if (rank > 1) all.push_back({rank - 1, 0});
  for (std::vector<int> const& axes : all) {
    memory_file const copy;
    axis_reader from(file.source(unpacking::none), axes);
    bool const in_order = from.plan(limits).in_order();
    axis_writer to(copy.target(), from.layout(), header.type, in_order);
    std::uint64_t seen = 0;
    axis_block block;
    while (from.next(block)) {
      from.load(block);
      seen += size_of(block.values);
      to.write(block.place, block.values);
    }
    to.finish();
    require(seen == header.count(), "each value is given once");
    std::string const written = copy.content();
    std::size_t const size = static_cast<std::size_t>(seen) * byte_size(header.type);
    require(written.size() == npy_header_size(header.shape.size()) + size, "the size of what is written");
    if (header.native())
      require(written.substr(written.size() - size) == content.substr(content.size() - size),
              "the values written back");
  }
}

}  // namespace

/// A file is refused or read whole; blocks of any size and a pipe give the same.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
  choices const how(data, size);
  memory_file const file(how.rest);
  everything const whole = read_all([&] { return read_npy(file.source(unpacking::none)); });
  if (how.rest.size() <= full_pipe::most) {
    full_pipe const pipe(how.rest);
    everything const through = read_all([&] { return read_npy(pipe.source(unpacking::none)); });
    if (whole.error.empty())
      require(through == whole || through.error.find("Fortran") != std::string::npos, "a pipe reads the same");
    else
      require(!through.error.empty(), "a pipe is refused too");
  }
  if (!whole.error.empty()) return 0;

  input source = file.source(unpacking::none);
  npy_header const header = read_npy_header(source);
  require(whole.values.size() == header.count(), "as many values as the shape says");
  if (header.fortran_order && header.shape.size() > 1 && header.count() > 0) {
    everything const small =
        read_all([&] { return std::make_unique<fortran_reader>(std::move(source), header, 1 + how.second); });
    require(small.values == whole.values, "small blocks read the same");
  }
  axis_limits limits;
  limits.element = byte_size(header.type);
  limits.block = std::size_t(1) + how.second * 4;
  limits.most = 2 * limits.block;
  limits.piece = std::size_t(1) + how.first;
  limits.stretch = std::size_t(1) + how.first % 16;
  limits.reversed = how.second % 2 != 0;
  check_axes(file, header, limits);
  return 0;
}
