#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "io/compression/compression.hpp"

namespace tally::io::testing {

/// The text in one member.
inline std::string compressed(compression kind, std::string_view text)
{
  std::string out(text.size() + 4096, '\0');
  auto const* const in = reinterpret_cast<unsigned char const*>(text.data());
  auto* const to = reinterpret_cast<unsigned char*>(out.data());
  auto size = static_cast<unsigned>(out.size());
  std::size_t written = 0;
  bool failed = false;
  switch (kind) {
    case compression::gzip: {
      z_stream state = {};
      failed = deflateInit2(&state, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK;
      state.next_in = const_cast<Bytef*>(in);
      state.avail_in = static_cast<uInt>(text.size());
      state.next_out = to;
      state.avail_out = size;
      failed = failed || deflate(&state, Z_FINISH) != Z_STREAM_END;
      written = state.total_out;
      deflateEnd(&state);
      break;
    }
    case compression::bzip2:
      failed = BZ2_bzBuffToBuffCompress(out.data(), &size, const_cast<char*>(text.data()),
                                        static_cast<unsigned>(text.size()), 1, 0, 0) != BZ_OK;
      written = size;
      break;
    case compression::xz:
      failed =
          lzma_easy_buffer_encode(0, LZMA_CHECK_CRC64, nullptr, in, text.size(), to, &written, out.size()) != LZMA_OK;
      break;
    case compression::zstd: {
      ZSTD_CCtx* const state = ZSTD_createCCtx();
      ZSTD_CCtx_setParameter(state, ZSTD_c_checksumFlag, 1);
      written = ZSTD_compress2(state, out.data(), out.size(), text.data(), text.size());
      failed = ZSTD_isError(written) != 0;
      ZSTD_freeCCtx(state);
      break;
    }
    case compression::none: return std::string(text);
  }
  if (failed) throw std::runtime_error("the library does not compress");
  out.resize(written);
  return out;
}

/// A zip archive of members, deflated or stored, with sizes in the records of 64 bits if `wide`.
struct zip_file {
  std::string name, content;
  bool deflated = false;
};

inline std::string zip(std::vector<zip_file> const& files, bool wide = false)
{
  std::string out, directory;
  auto const number = [](std::uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += i < 8 ? static_cast<char>(value >> 8 * i) : '\0';
    return text;
  };
  for (zip_file const& each : files) {
    // The deflated bytes of gzip's member are those between its header of 10 bytes and the 8 at its end.
    std::string const gzip = compressed(compression::gzip, each.content);
    std::string const packed = each.deflated ? gzip.substr(10, gzip.size() - 18) : each.content;
    std::string const sum = gzip.substr(gzip.size() - 8, 4);
    std::string const sizes = wide ? number(~0ULL, 8) : number(packed.size(), 4) + number(each.content.size(), 4);
    std::string const more = number(1, 2) + number(24, 2) + number(each.content.size(), 8) + number(packed.size(), 8) +
                             number(out.size(), 8);
    std::string const extra = wide ? number(9, 2) + number(1, 2) + "x" + more : "";
    std::string const common = number(20, 2) + number(0, 2) + number(each.deflated ? 8 : 0, 2) + number(0, 4) + sum;
    directory += "PK\x01\x02" + number(20, 2) + common + sizes + number(each.name.size(), 2) + number(extra.size(), 2) +
                 number(3, 2) + number(0, 8) + number(wide ? ~0ULL : out.size(), 4) + each.name + extra + "say";
    out += "PK\x03\x04" + common + sizes + number(each.name.size(), 2) + number(4, 2) + each.name + "more" + packed;
  }
  std::uint64_t const at = out.size();
  out += directory;
  if (wide) {
    std::uint64_t const end = out.size();
    out += "PK\x06\x06" + number(44, 8) + number(0, 12) + number(files.size(), 8) + number(files.size(), 8) +
           number(directory.size(), 8) + number(at, 8);
    out += "PK\x06\x07" + number(0, 4) + number(end, 8) + number(1, 4);
  }
  std::uint64_t const small = wide ? ~0ULL : 0;
  return out + "PK\x05\x06" + number(0, 4) + number(small | files.size(), 2) + number(small | files.size(), 2) +
         number(small | directory.size(), 4) + number(small | at, 4) + number(7, 2) + "comment";
}

inline constexpr compression compressions[] = {compression::gzip, compression::bzip2, compression::xz,
                                               compression::zstd};

}  // namespace tally::io::testing
