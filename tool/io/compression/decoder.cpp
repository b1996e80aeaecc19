#include "io/compression/decoder.hpp"

#include <algorithm>
#include <new>

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

namespace tally::io {

namespace {

using kind = decode_problem::kind;

/// The memory that a decoder of xz may take: xz -9 needs 65 MiB.
constexpr std::uint64_t most_memory = std::uint64_t(128) << 20;

/// The bytes of both views that a library with pointers and counts has used.
template <class Count>
void shorten(std::string_view& from, Count from_left, std::span<char>& to, Count to_left)
{
  from.remove_prefix(from.size() - from_left);
  to = to.last(to_left);
}

class zlib_decoder final : public decoder {
public:
  static constexpr int gzip = 15 + 16;
  static constexpr int bare = -15;

  explicit zlib_decoder(int window_bits)
  {
    if (inflateInit2(&state_, window_bits) != Z_OK) throw std::bad_alloc();
  }
  ~zlib_decoder() override { inflateEnd(&state_); }

  bool decode(std::string_view& from, std::span<char>& to, bool) override
  {
    if (whole_ && from.empty()) return true;
    if (whole_) inflateReset(&state_);
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from.data()));
    state_.avail_in = static_cast<uInt>(from.size());
    state_.next_out = reinterpret_cast<Bytef*>(to.data());
    state_.avail_out = static_cast<uInt>(to.size());
    int const said = inflate(&state_, Z_NO_FLUSH);
    if (said == Z_MEM_ERROR) throw std::bad_alloc();
    shorten<std::size_t>(from, state_.avail_in, to, state_.avail_out);
    bool const at_header = state_.total_in <= 10 && state_.total_out == 0;
    if (said != Z_OK && said != Z_STREAM_END && said != Z_BUF_ERROR)
      throw decode_problem{at_header ? kind::no_member : kind::damaged, state_.msg ? state_.msg : ""};
    return whole_ = said == Z_STREAM_END;
  }

private:
  z_stream state_ = {};
  bool whole_ = false;
};

class deflate_decoder final : public decoder {
public:
  deflate_decoder(std::uint64_t size, std::uint32_t checksum) : inside_(zlib_decoder::bare), left_(size), sum_(checksum)
  {
  }

  bool decode(std::string_view& from, std::span<char>& to, bool ended) override
  {
    if (whole_ && !from.empty()) throw decode_problem{kind::no_member, ""};
    if (whole_) return true;
    std::span<char> const room = to;
    whole_ = inside_.decode(from, to, ended);
    std::size_t const given = room.size() - to.size();
    so_far_ = static_cast<std::uint32_t>(crc32_z(so_far_, reinterpret_cast<Bytef const*>(room.data()), given));
    if (given > left_ || (whole_ && given < left_)) throw decode_problem{kind::damaged, "another size"};
    left_ -= given;
    if (whole_ && so_far_ != sum_) throw decode_problem{kind::damaged, "incorrect data check"};
    return whole_;
  }

private:
  zlib_decoder inside_;
  std::uint64_t left_;
  std::uint32_t sum_, so_far_ = 0;
  bool whole_ = false;
};

class bzip2_decoder final : public decoder {
public:
  bzip2_decoder() { begin(); }
  ~bzip2_decoder() override { BZ2_bzDecompressEnd(&state_); }

  bool decode(std::string_view& from, std::span<char>& to, bool) override
  {
    if (whole_ && from.empty()) return true;
    if (whole_) {
      BZ2_bzDecompressEnd(&state_);
      begin();
    }
    state_.next_in = const_cast<char*>(from.data());
    state_.avail_in = static_cast<unsigned>(from.size());
    state_.next_out = to.data();
    state_.avail_out = static_cast<unsigned>(to.size());
    int const said = BZ2_bzDecompress(&state_);
    if (said == BZ_MEM_ERROR) throw std::bad_alloc();
    shorten<std::size_t>(from, state_.avail_in, to, state_.avail_out);
    if (said != BZ_OK && said != BZ_STREAM_END)
      throw decode_problem{said == BZ_DATA_ERROR_MAGIC ? kind::no_member : kind::damaged, ""};
    return whole_ = said == BZ_STREAM_END;
  }

private:
  void begin()
  {
    state_ = {};
    if (BZ2_bzDecompressInit(&state_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }

  bz_stream state_ = {};
  bool whole_ = false;
};

class xz_decoder final : public decoder {
public:
  xz_decoder()
  {
    if (lzma_stream_decoder(&state_, most_memory, LZMA_CONCATENATED) != LZMA_OK) throw std::bad_alloc();
  }
  ~xz_decoder() override { lzma_end(&state_); }

  bool decode(std::string_view& from, std::span<char>& to, bool ended) override
  {
    if (whole_) return true;  // the library says so at the end of the input only
    state_.next_in = reinterpret_cast<std::uint8_t const*>(from.data());
    state_.avail_in = from.size();
    state_.next_out = reinterpret_cast<std::uint8_t*>(to.data());
    state_.avail_out = to.size();
    lzma_ret const said = lzma_code(&state_, ended ? LZMA_FINISH : LZMA_RUN);
    if (said == LZMA_MEM_ERROR) throw std::bad_alloc();
    shorten(from, state_.avail_in, to, state_.avail_out);
    if (said == LZMA_MEMLIMIT_ERROR)
      throw decode_problem{kind::needs_memory, std::to_string((lzma_memusage(&state_) >> 20) + 1) + " MiB"};
    if (said == LZMA_FORMAT_ERROR) throw decode_problem{kind::no_member, ""};
    if (said == LZMA_OPTIONS_ERROR) throw decode_problem{kind::damaged, "unknown options"};
    if (said != LZMA_OK && said != LZMA_STREAM_END && said != LZMA_BUF_ERROR) throw decode_problem{kind::damaged, ""};
    return whole_ = said == LZMA_STREAM_END;
  }

private:
  lzma_stream state_ = LZMA_STREAM_INIT;
  bool whole_ = false;
};

class zstd_decoder final : public decoder {
public:
  zstd_decoder() : state_(ZSTD_createDStream())
  {
    if (!state_) throw std::bad_alloc();
  }
  ~zstd_decoder() override { ZSTD_freeDStream(state_); }

  bool decode(std::string_view& from, std::span<char>& to, bool) override
  {
    if (whole_ && from.empty()) return true;
    // A piece at a time, which is a header or a block, and the content of the one before first: a call that fails loses
    // its content, which thus never depends on the size of `from`.
    if (full_) wanted_ = step(from, to, 0);
    if (wanted_ == 0) wanted_ = ZSTD_initDStream(state_);
    if (to.empty() || from.empty()) return whole_;
    wanted_ = step(from, to, std::min(from.size(), wanted_));
    return whole_;
  }

private:
  /// Gives the library `size` bytes. Returns the bytes that it wants next, 0 at the end of a frame.
  std::size_t step(std::string_view& from, std::span<char>& to, std::size_t size)
  {
    ZSTD_inBuffer in = {from.data(), size, 0};
    ZSTD_outBuffer out = {to.data(), to.size(), 0};
    std::size_t const said = ZSTD_decompressStream(state_, &out, &in);
    if (ZSTD_isError(said)) {
      ZSTD_ErrorCode const code = ZSTD_getErrorCode(said);
      if (code == ZSTD_error_memory_allocation) throw std::bad_alloc();
      kind const is = code == ZSTD_error_prefix_unknown                  ? kind::no_member
                      : code == ZSTD_error_frameParameter_windowTooLarge ? kind::needs_memory
                                                                         : kind::damaged;
      throw decode_problem{is, is == kind::needs_memory ? "more than 128 MiB" : ZSTD_getErrorName(said)};
    }
    shorten(from, from.size() - in.pos, to, to.size() - out.pos);
    full_ = to.empty();
    whole_ = said == 0;
    return said;
  }

  ZSTD_DStream* state_;
  std::size_t wanted_ = ZSTD_initDStream(state_);  // bytes to the end of the next piece
  bool full_ = false;                              // there may be more content of the last one
  bool whole_ = false;
};

}  // namespace

std::unique_ptr<decoder> make_decoder(compression kind)
{
  switch (kind) {
    case compression::gzip: return std::make_unique<zlib_decoder>(zlib_decoder::gzip);
    case compression::bzip2: return std::make_unique<bzip2_decoder>();
    case compression::xz: return std::make_unique<xz_decoder>();
    case compression::zstd: return std::make_unique<zstd_decoder>();
    case compression::none: break;
  }
  return nullptr;
}

std::unique_ptr<decoder> make_deflate_decoder(std::uint64_t size, std::uint32_t checksum)
{
  return std::make_unique<deflate_decoder>(size, checksum);
}

}  // namespace tally::io
