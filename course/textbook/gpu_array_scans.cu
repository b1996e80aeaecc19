#include "tally/textbook/blelloch_padded.hpp"
#include "tally/textbook/brent_kung.hpp"
#include "tally/textbook/exclusive_from_inclusive.hpp"
#include "tally/textbook/inclusive_from_exclusive.hpp"
#include "tally/textbook/reduce_scan_scan.hpp"
#include "tally/textbook/scan_scan_add.hpp"
#include "tally/textbook/single_pass_look_back.hpp"
#include "textbook/gpu_kernel.cuh"

namespace tally::textbook {

std::vector<gpu_kernel> array_scans_on_gpu()
{
  constexpr int threads = 256;
  using inclusive = scan_scan_add<brent_kung, threads>;
  using exclusive = scan_scan_add<blelloch_padded, threads>;
  using exclusive_by_load = scan_scan_add<shifted<brent_kung>, threads>;
  return {
      on_gpu<inclusive>("scan-scan-add"),
      on_gpu<exclusive>("scan-scan-add-exclusive"),
      on_gpu<exclusive_by_load>("scan-scan-add-shifted"),
      on_gpu<reduce_scan_scan<brent_kung, threads>>("reduce-scan-scan"),
      on_gpu<single_pass_look_back<brent_kung, threads>>("single-pass-look-back"),
      on_gpu<inclusive_from_exclusive<exclusive, threads>>("inclusive-from-exclusive"),
      on_gpu<exclusive_from_inclusive<inclusive, threads>>("exclusive-from-inclusive"),
  };
}

}  // namespace tally::textbook
