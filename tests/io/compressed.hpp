#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "io/compression.hpp"

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

inline constexpr compression compressions[] = {compression::gzip, compression::bzip2, compression::xz,
                                               compression::zstd};

}  // namespace tally::io::testing
