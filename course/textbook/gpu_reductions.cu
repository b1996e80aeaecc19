#include "tally/textbook/atomic_histogram.hpp"
#include "tally/textbook/block_histogram.hpp"
#include "tally/textbook/first_add_on_load_reduction.hpp"
#include "tally/textbook/global_reduction.hpp"
#include "tally/textbook/grid_stride_reduction.hpp"
#include "tally/textbook/host_finished_reduction.hpp"
#include "tally/textbook/in_order_reduction.hpp"
#include "tally/textbook/interleaved_reduction.hpp"
#include "tally/textbook/many_elements_reduction.hpp"
#include "tally/textbook/on_one_block.hpp"
#include "tally/textbook/padded_reduction.hpp"
#include "tally/textbook/private_histogram.hpp"
#include "tally/textbook/sequential_addressing_reduction.hpp"
#include "tally/textbook/sequential_reduction.hpp"
#include "tally/textbook/totals_of_sections.hpp"
#include "tally/textbook/tournament.hpp"
#include "tally/textbook/tree_reduction.hpp"
#include "tally/textbook/two_launch_reduction.hpp"
#include "tally/textbook/warp_shuffle_reduction.hpp"
#include "textbook/gpu_kernel.cuh"

namespace tally::textbook {

namespace {

template <class Reduction>
gpu_kernel block_on_gpu(std::string_view name)
{
  return on_gpu<on_one_block<totals_of_sections<Reduction>>>(name);
}
using sections_in_order = totals_of_sections<in_order_reduction>;

}  // namespace

std::vector<gpu_kernel> reductions_on_gpu()
{
  return {
      on_gpu<on_one_block<sequential_reduction>>("sequential-reduction"),
      on_gpu<tree_reduction<>>("tree-reduction"),
      tournament_on_gpu<tournament_of_players<>>("tournament"),
      block_on_gpu<interleaved_reduction>("interleaved-reduction"),
      block_on_gpu<sequential_addressing_reduction>("sequential-addressing-reduction"),
      block_on_gpu<in_order_reduction>("in-order-reduction"),
      block_on_gpu<padded_reduction>("padded-reduction"),
      on_gpu<on_a_copy<two_launch_reduction<global_reduction, 512>>>("global-reduction"),
      on_gpu<on_one_block<first_add_on_load_reduction>>("first-add-on-load-reduction"),
  };
}

std::vector<gpu_kernel> array_reductions_on_gpu()
{
  return {
      on_gpu<two_launch_reduction<sections_in_order, 512>>("two-launch-reduction"),
      on_gpu<host_finished_reduction<sections_in_order, 512>>("host-finished-reduction"),
      on_gpu<two_launch_reduction<many_elements_reduction<>, 256>>("many-elements-reduction"),
      on_gpu<two_launch_reduction<grid_stride_reduction<>, 256>>("grid-stride-reduction"),
      on_gpu<two_launch_reduction<warp_shuffle_reduction, 1024>>("warp-shuffle-reduction"),
      histogram_on_gpu<of_bins<histogram_bins, atomic_histogram<>>>("atomic-histogram"),
      histogram_on_gpu<of_bins<histogram_bins, block_histogram<>>>("block-histogram"),
      histogram_on_gpu<of_bins<histogram_bins, private_histogram<>>>("private-histogram"),
  };
}

}  // namespace tally::textbook
