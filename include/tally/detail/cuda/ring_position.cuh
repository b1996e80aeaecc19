#pragma once

#include <cstdint>

/// The places of warps that pass pieces of work along a ring of stages in shared memory.
namespace tally::cuda_backend {

/// The position of a warp in the ring. It steps from piece to piece of the block.
template <int Stages>
struct ring_position {
  int stage = 0;
  std::uint32_t phase = 0;
  __device__ void step()
  {
    if (++stage == Stages) {
      stage = 0;
      phase ^= 1;
    }
  }
  /// The position `pieces` before this one, as many as there are stages at most.
  __device__ ring_position before(int pieces) const
  {
    ring_position result{stage - pieces, phase};
    if (result.stage < 0) {
      result.stage += Stages;
      result.phase ^= 1;
    }
    return result;
  }
};

/// The position of a team of warps: it has every Teams-th piece.
template <int Stages, int Teams>
struct team_position : ring_position<Stages> {
  __device__ explicit team_position(int team)
  {
    for (int k = 0; k < team; ++k) this->step();
  }
  __device__ void next()
  {
#pragma unroll
    for (int k = 0; k < Teams; ++k) this->step();
  }
};

}  // namespace tally::cuda_backend
