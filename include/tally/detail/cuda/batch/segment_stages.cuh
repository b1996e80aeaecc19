#pragma once

#include <cstddef>

/// The work of a chunk of segments_kernel, in the order in which its block does it.
namespace tally::cuda_backend {

/// The work of a block between two exchanges of its shared memory: `count` elements from `from` on; segments
/// [first, first + segments), which begin there; and a lead, one of several tiles of a segment, or a segment for which
/// the stage before had no room.
struct segment_stage {
  std::size_t from, first;
  int count, segments;
  std::size_t lead_segment, lead_tile, lead_chunk;  ///< the chunk in which the lead's segment begins
  int lead_size;                                    ///< 0: there is none
  bool lead_ends;                                   ///< the lead is its segment's last tile
  bool lead_alone;                                  ///< this block has all tiles of the segment
  bool exists;

  __device__ bool hands_over() const { return lead_size > 0 && (lead_tile > 0 || !lead_ends); }
  /// Whether the lead has a carry.
  __device__ bool waits() const { return lead_size > 0 && lead_tile > 0; }
};

/// The stages of a chunk, one after the other.
template <class Shape>
class stages_of_chunk {
public:
  /// Takes the next chunk.
  template <class Header>
  __device__ __forceinline__ segment_stage begin(Header const& header, std::size_t base, bool shared_out)
  {
    constexpr std::size_t unit = Shape::unit;
    auto const begun = static_cast<int>(header.last - header.first);
    std::size_t const first_begin = header.offsets[1];
    segment_stage stage{first_begin, header.first, 0, begun, 0, 0, header.chunk, 0, true, false, true};
    chunk_ = header.chunk;
    if (shared_out && header.first > 0) {
      std::size_t const begin = header.offsets[0], at = begin - base + header.first - 1;
      std::size_t const tile = (static_cast<std::size_t>(header.chunk) * unit - at + unit - 1) / unit;
      if (tile * unit < first_begin - begin) {
        stage.from = begin + tile * unit;
        stage.lead_segment = header.first - 1;
        stage.lead_tile = tile;
        stage.lead_chunk = at / unit;
        stage.lead_ends = first_begin - stage.from <= unit;
        stage.count = stage.lead_size = static_cast<int>(stage.lead_ends ? first_begin - stage.from : unit);
      }
    }
    size_ = tile_ = 0;
    if (begun > 0) {
      std::size_t const begin = header.offsets[2], size = header.offsets[3] - begin;
      if (size > unit || begin + size - stage.from + static_cast<std::size_t>(begun) > Shape::room) {
        // The last segment that begins here is a lead of its own.
        begin_ = begin;
        size_ = size;
        segment_ = header.last - 1;
        --stage.segments;
        stage.count = static_cast<int>(begin - stage.from);
        if (stage.count == 0 && stage.segments == 0) return next(shared_out);
      } else {
        stage.count = static_cast<int>(begin + size - stage.from);
      }
    }
    return stage;
  }
  __device__ __forceinline__ bool has_more() const { return size_ > 0; }
  __device__ __forceinline__ segment_stage next(bool shared_out)
  {
    constexpr std::size_t unit = Shape::unit;
    std::size_t const from = begin_ + tile_ * unit, rest = size_ - tile_ * unit;
    bool const ends = rest <= unit;
    int const count = static_cast<int>(ends ? rest : unit);
    if (ends || shared_out) size_ = 0;
    return {from, segment_, count, 0, segment_, tile_++, chunk_, count, ends, !shared_out, true};
  }

private:
  std::size_t chunk_ = 0, begin_ = 0, size_ = 0, tile_ = 0, segment_ = 0;
};

}  // namespace tally::cuda_backend
