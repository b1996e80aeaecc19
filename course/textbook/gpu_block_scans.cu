#include "tally/textbook/blelloch.hpp"
#include "tally/textbook/blelloch_padded.hpp"
#include "tally/textbook/blelloch_padded_twice.hpp"
#include "tally/textbook/brent_kung.hpp"
#include "tally/textbook/brent_kung_exclusive.hpp"
#include "tally/textbook/hillis_steele.hpp"
#include "tally/textbook/hillis_steele_exclusive.hpp"
#include "tally/textbook/hillis_steele_two_buffers.hpp"
#include "tally/textbook/kogge_stone.hpp"
#include "tally/textbook/on_one_block.hpp"
#include "tally/textbook/one_thread_per_output.hpp"
#include "tally/textbook/sections.hpp"
#include "tally/textbook/sequential_scan.hpp"
#include "tally/textbook/sklansky.hpp"
#include "tally/textbook/warp_shuffle_scan.hpp"
#include "textbook/gpu_kernel.cuh"

namespace tally::textbook {

namespace {

template <class Scan>
gpu_kernel scan_on_gpu(std::string_view name)
{
  return on_gpu<on_one_block<scan_of_sections<Scan>>>(name);
}

}  // namespace

std::vector<gpu_kernel> block_scans_on_gpu()
{
  return {
      scan_on_gpu<sequential_scan>("sequential-scan"),
      scan_on_gpu<one_thread_per_output>("one-thread-per-output"),
      scan_on_gpu<hillis_steele>("hillis-steele"),
      scan_on_gpu<hillis_steele_two_buffers>("hillis-steele-two-buffers"),
      on_gpu<on_one_block<hillis_steele_exclusive>>("hillis-steele-exclusive"),
      scan_on_gpu<kogge_stone>("kogge-stone"),
      scan_on_gpu<sklansky>("sklansky"),
      scan_on_gpu<brent_kung>("brent-kung"),
      on_gpu<on_one_block<brent_kung_exclusive>>("brent-kung-exclusive"),
      scan_on_gpu<blelloch>("blelloch"),
      scan_on_gpu<blelloch_padded>("blelloch-padded"),
      scan_on_gpu<blelloch_padded_twice>("blelloch-padded-twice"),
      scan_on_gpu<warp_shuffle_scan>("warp-shuffle-scan"),
  };
}

}  // namespace tally::textbook
