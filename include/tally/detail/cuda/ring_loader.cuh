#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/ring_memory.cuh"
#include "tally/detail/cuda/ring_position.cuh"

/// How tiles come into the ring (ring.cuh).
namespace tally::cuda_backend {

/// The input and the output of the sequence of a tile. Some places know where its elements begin.
template <class P, class Place>
__device__ __forceinline__ decltype(auto) input_at(P const& problem, Place const& place)
{
  if constexpr (requires { place.first; })
    return problem.input_from(place.first);
  else
    return problem.input_of(place.sequence);
}
template <class P, class Place>
__device__ __forceinline__ auto output_at(P const& problem, Place const& place)
{
  if constexpr (requires { place.first; })
    return problem.output_from(place.first);
  else
    return problem.output_of(place.sequence);
}

/// Draws tiles and copies them, until there are no more. One lane does all of this, so what it does once a part is what
/// may keep the others waiting: a whole tile is copied by constant lengths.
template <class P>
class tile_loader {
public:
  using ring = ring_memory<P>;
  using stored = typename ring::stored;

  __device__ tile_loader(ring& memory, P const& problem) : memory_(memory), problem_(problem) {}

  __device__ __forceinline__ void load_all()
  {
    std::uint32_t const tiles = problem_.tiles();
    for (; load_next(tiles); at_.step()) ++loaded_;
    memory_.arrived[at_.stage][0].arrive();
    for (int folder = 1; folder < ring::shape::folders; ++folder) {  // each other folder waits at its own stage
      at_.step();
      memory_.free[at_.stage].wait(at_.phase ^ 1);
      memory_.drawn[at_.stage] = tiles;
      memory_.draw_known[at_.stage].arrive();
    }
  }

private:
  static constexpr std::size_t part_bytes = ring::part_bytes, tile_bytes = ring::tile_bytes;

  /// Draws a tile and begins to copy it. Returns false if there is none.
  __device__ __forceinline__ bool load_next(std::uint32_t tiles)
  {
    memory_.free[at_.stage].wait(at_.phase ^ 1);
    drawing const drawn = resolve(*problem_.shared, draw_unseen(*problem_.shared), tickets_of_scan(tiles, gridDim.x));
    if (loaded_ == 0) memory_.epoch = drawn.epoch;
    memory_.drawn[at_.stage] = drawn.tile;
    if (drawn.tile >= tiles) {
      memory_.draw_known[at_.stage].arrive();
      return false;
    }
    auto const place = problem_.place_of(drawn.tile);
    auto const& in = input_at(problem_, place);
    unsigned char const* from;  // the first element's byte, or behind it if the elements run backwards
    bool backwards = false;
    int before = 0;  // bytes of the first word that lie before the tile
    if constexpr (ring::shifted) {
      from = reinterpret_cast<unsigned char const*>(in.first + place.begin);
      before = static_cast<int>(reinterpret_cast<std::uintptr_t>(from) % 16);
      from -= before;
    } else if constexpr (P::is_batch && std::is_pointer_v<typename P::input>) {
      from = reinterpret_cast<unsigned char const*>(in + place.begin);
    } else if constexpr (P::is_batch) {
      backwards = in.step < 0;
      from = reinterpret_cast<unsigned char const*>(backwards ? in.first - place.begin + 1 : in.first + place.begin);
    } else {
      from = reinterpret_cast<unsigned char const*>(in) + drawn.tile * tile_bytes;
    }
    if constexpr (P::is_batch)
      *memory_.found[at_.stage] = {place, output_at(problem_, place), before / static_cast<int>(sizeof(stored))};
    memory_.draw_known[at_.stage].arrive();
    if constexpr (requires { problem_.expect(drawn.tile); }) problem_.expect(drawn.tile + gridDim.x);
    std::size_t const bytes = (place.end - place.begin) * sizeof(stored);
    bool whole = bytes == tile_bytes;
    if constexpr (ring::shifted)
      whole = whole && problem_.has_in(from) && problem_.has_in(from + tile_bytes + ring::word_bytes - 1);
    if (whole)
      copy_whole(from, backwards);
    else if constexpr (ring::shifted)
      copy_shifted(from, before, bytes);
    else
      copy(from, backwards, bytes);
    return true;
  }

  /// Waits until one more part may be on its way.
  __device__ __forceinline__ void wait_before(int part)
  {
    constexpr int most = ring::parts_on_their_way;
    if (loaded_ * ring_parts + static_cast<std::uint32_t>(part) < most) return;
    int const tiles_back = (most - part + ring_parts - 1) / ring_parts;
    auto const back = at_.before(tiles_back);
    memory_.arrived[back.stage][part - most + tiles_back * ring_parts].wait(back.phase);
  }

  __device__ __forceinline__ void copy_whole(unsigned char const* from, bool backwards)
  {
    unsigned char* const to = memory_.tiles[at_.stage];
    if (backwards) from -= tile_bytes;
#pragma unroll
    for (int part = 0; part < ring_parts; ++part) {
      wait_before(part);
      std::size_t begin = (backwards ? ring_parts - 1 - part : part) * part_bytes, length = part_bytes;
      if (part == 0)
        length += ring::word_bytes;  // a strip may end in the next one's first word
      else
        begin += ring::word_bytes;
      memory_.arrived[at_.stage][part].arrive_and_expect(static_cast<std::uint32_t>(length));
      memory_.arrived[at_.stage][part].bulk_load(to + begin, from + begin, static_cast<std::uint32_t>(length));
    }
  }

  /// Copies a tile that is not whole. Bulk copies are of whole 16 bytes, and other bytes are copied one by one.
  __device__ __forceinline__ void copy(unsigned char const* from, bool backwards, std::size_t bytes)
  {
    unsigned char* const tile = memory_.tiles[at_.stage];
#pragma unroll 1
    for (int part = 0; part < ring_parts; ++part) {
      wait_before(part);
      std::size_t const begin = part * part_bytes;
      std::uint32_t const here = bytes_from(begin, part_bytes, bytes), bulk = here / 16 * 16;
      unsigned char* to = tile + begin;
      unsigned char const* own = from + begin;
      if (backwards) {
        to = tile + tile_bytes - begin - bulk;
        own = from - begin - bulk;
        for (std::uint32_t k = 1; k <= here - bulk; ++k) *(to - k) = *(own - k);
      } else {
        for (std::uint32_t k = bulk; k < here; ++k) to[k] = own[k];
      }
      bulk_copy(part, to, own, bulk);
    }
  }

  /// Copies a tile that is not aligned, and not whole or at an end of the input. The first word may have elements
  /// before the tile too, and the last one behind it.
  __device__ __forceinline__ void copy_shifted(unsigned char const* from, int before, std::size_t bytes)
  {
    unsigned char* const tile = memory_.tiles[at_.stage];
    bytes += static_cast<std::size_t>(before);
    std::size_t const padded = (bytes + 15) / 16 * 16;
    if (problem_.has_in(from + padded - 1)) bytes = padded;
#pragma unroll 1
    for (int part = 0; part < ring_parts; ++part) {
      wait_before(part);
      std::size_t begin = part * part_bytes, length = part_bytes;
      if (part > 0) {
        begin += ring::word_bytes;
      } else if (problem_.has_in(from)) {
        length += ring::word_bytes;
      } else {
        // The first word begins before the whole input.
        for (auto k = static_cast<std::size_t>(before); k < 16 && k < bytes; ++k) tile[k] = from[k];
        begin = 16;
      }
      std::uint32_t const here = bytes_from(begin, length, bytes), bulk = here / 16 * 16;
      for (std::uint32_t k = bulk; k < here; ++k) tile[begin + k] = from[begin + k];
      bulk_copy(part, tile + begin, from + begin, bulk);
    }
  }

  __device__ __forceinline__ static std::uint32_t bytes_from(std::size_t begin, std::size_t length, std::size_t bytes)
  {
    std::size_t const rest = bytes > begin ? bytes - begin : 0;
    return static_cast<std::uint32_t>(rest < length ? rest : length);
  }
  __device__ __forceinline__ void bulk_copy(int part, unsigned char* to, unsigned char const* from, std::uint32_t bytes)
  {
    memory_.arrived[at_.stage][part].arrive_and_expect(bytes);
    if (bytes != 0) memory_.arrived[at_.stage][part].bulk_load(to, from, bytes);
  }

  ring& memory_;
  P const& problem_;
  ring_position<ring::stages> at_;
  std::uint32_t loaded_ = 0;
};

}  // namespace tally::cuda_backend
