#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "tally/cuda_execution.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/cuda/backend.hpp"
#include "tally/detail/nccl/call.hpp"
#include "tally/detail/nccl/carries.hpp"
#include "tally/detail/nccl/exact_call.hpp"
#include "tally/detail/nccl/recurrence_rows.hpp"
#include "tally/detail/nccl/transport.hpp"
#include "tally/detail/recurrence/steps_in_order.hpp"
#include "tally/detail/segments/segments.hpp"
#include "tally/order.hpp"

#ifdef __CUDACC__
#include "tally/detail/cuda/exact/launch.cuh"
#include "tally/detail/nccl/exact_kernels.cuh"
#include "tally/detail/nccl/kernels.cuh"
#endif

namespace tally::nccl_backend {

/// A GPU as the machine of a rank.
template <device_transport Transport>
class gpu {
public:
  using transport = Transport;
  class work;

  explicit gpu(cuda on) : on_(on) { memory_.emplace_back(); }

  /// The execution of this GPU's own work.
  cuda const& local() const { return on_; }

private:
  cuda on_;
  std::vector<cuda_memory> memory_;  // the last one is in use
};

/// The work of one call, queued in the GPU's stream. The stream's device is the current one for its lifetime.
template <device_transport Transport>
class gpu<Transport>::work {
public:
  work(gpu& of, char const* name) : of_(&of), call_(of.on_, name) {}

  /// The elements of a tile.
  template <class T>
  static constexpr std::size_t tile()
  {
    return order::tile<T>;
  }

  /// Checks what can be checked before other ranks are asked for anything, and takes the workspace's memory.
  template <class T, class... Iterators>
  void prepare(std::size_t size, Iterators const&... iterators)
  {
    check<T>(size, iterators...);
    call_.reserve_words((size / order::tile<T> + 2) * cuda_backend::words_of<working_type<T>>);
  }
  /// Checks that arrays of `size` elements lie where the GPU reaches them.
  template <class T, class... Iterators>
  void check(std::size_t size, Iterators const&... iterators)
  {
#ifndef __CUDACC__
    static_assert(cuda_backend::never<T>, "tally: calls on several GPUs must be compiled by nvcc, in a .cu file");
#endif
    if (size != 0) (cuda_backend::check_pointers(call_, iterators, "input or output"), ...);
  }

  std::byte* memory() const { return of_->memory_.back().get(); }
  std::size_t capacity() const { return of_->memory_.back().bytes(); }
  void reserve(std::size_t bytes)
  {
    if (call_.is_captured())
      throw usage_error("tally::nccl: this call needs more memory than earlier ones, which cannot be taken while the "
                        "stream is being captured; make such a call before");
    // Earlier memory is kept: calls in the stream use it, and where ranks are threads of one process CUDA frees memory
    // only once the GPUs of the others have ended their work, which may wait for this rank.
    of_->memory_.push_back(cuda_memory(cuda_memory::kind::device, 2 * bytes));
  }
  void release() { of_->memory_.push_back(cuda_memory()); }

  /// Where a kernel can leave a value for the host.
  template <class T>
  T* host_value()
  {
    return static_cast<T*>(call_.host_result(sizeof(T)));
  }

#ifdef __CUDACC__
  /// The bytes that the exact sums of so many sequences need besides.
  template <class T>
  static constexpr std::size_t exact_scratch(std::size_t count)
  {
    return count * sizeof(cuda_backend::exact::accumulator<T>);
  }
  /// The exact sum of each sequence.
  template <class T, class Lines>
  void exact_totals(Lines const& lines, exact_sum<T>* sums, std::byte* scratch)
  {
    std::size_t const count = lines.count();
    if (count == 0) return;
    auto* const all = reinterpret_cast<cuda_backend::exact::accumulator<T>*>(scratch);
    check_cuda(cudaMemsetAsync(all, 0, exact_scratch<T>(count), call_.stream()), "clearing memory");
    if (lines.size() > 0) {
      if constexpr (Lines::several)
        add_lines<T>(lines, all);
      else
        add_array<T>(lines.first(0), lines.size(), lines.transform(), all);
    }
    for_each(count, convert_sums<T>{all, sums});
  }
  /// Scans each sequence exactly, on top of its sum in `before`.
  template <class T, class Lines, class Outs>
  void exact_scans(Lines const& lines, Outs const& outs, exact_sum<T> const* before, detail::direction shift)
  {
    namespace exact = cuda_backend::exact;
    bool const is_exclusive = shift == detail::direction::exclusive;
    detail::batch::ends<T> const none;
    auto const scan = [&](auto const& places, auto const& out, auto const& launch_scans) {
      auto const all = exact::scans_of<T>(places, out, none, T{}, is_exclusive);
      launch_scans(continued_exact_scan<std::remove_const_t<decltype(all)>>{all, before});
    };
    if constexpr (Lines::several) {
      if (lines.count() == 0) return;
      using element = std::iter_value_t<typename Lines::iterator>;
      scan(numbered_places<element>{{lines.where, lines.make.first}}, outs.first,
           [&](auto const& of) { exact::launch_scans(of_->on_, call_, of, lines.where); });
    } else {
      std::size_t const size = lines.size();
      auto const in = input(lines.first(0));
      auto const& transform = lines.transform();
      using places = exact::array_places<std::remove_const_t<decltype(in)>, std::remove_cvref_t<decltype(transform)>>;
      scan(places{in, {size, {}}, transform}, cuda_backend::device_iterator(outs(0)), [&](auto const& of) {
        bool const is_long = size > of.piece;
        exact::launch_scans(of_->on_, call_, of, 1, is_long ? 1 : 0, is_long ? (size - 1) / of.piece + 1 : 0, size);
      });
    }
  }

  /// The segments between heads, of which none crosses the end of the n elements.
  template <detail::direction Shift, class T, class Heads, class Values, class Out, class Op>
  void scan_segments(std::size_t n, Heads const& heads, Values values, Out out, std::optional<T> const& init, Op op)
  {
    detail::segments::scan<Shift, T>(of_->on_, n, heads, values, out, init, op);
  }
  template <class T, class Heads, class Values, class Out, class Keep, class Op>
  std::size_t reduce_segments(std::size_t n, std::size_t bytes, Heads const& heads, Values values, Out out,
                              Keep const& keep, Op op)
  {
    return detail::segments::reduce<T>(of_->on_, n, bytes, heads, values, out, keep, op);
  }

  /// Segments between offsets in a part of `elements` elements, from the front or from the back.
  template <class T, class From, class Values, class Offsets, class Out, class Op>
  void reduce_between(Values values, Offsets const& offsets, std::size_t count, Out out, T const& nothing,
                      detail::batch::ends<T> const& ends, Op& op, std::size_t elements)
  {
    backend_reduce_segments<T>(of_->on_, values, offsets, detail::element_count{count, {}}, out, nothing, ends, op,
                               From{}, elements);
  }
  template <class T, class From, class Values, class Offsets, class Out, class Op>
  void scan_between(Values values, Offsets const& offsets, std::size_t count, Out out,
                    detail::batch::ends<T> const& ends, Op& op, detail::direction shift, std::size_t elements)
  {
    backend_scan_segments<T>(of_->on_, values, offsets, detail::element_count{count, {}}, out, ends, op, shift, From{},
                             elements);
  }

  /// Copies elements, transformed and converted.
  template <class T, class I, class Out, class Transform>
  void copy(I first, std::size_t size, Out out, Transform const& transform)
  {
    auto const in = input(first);
    auto const to = cuda_backend::device_iterator(out);
    using problem = copy_problem<T, std::remove_const_t<decltype(in)>, std::remove_const_t<decltype(to)>, Transform>;
    launch(copy_kernel<T, problem>, problem{in, size, to, transform}, blocks_of(size), threads);
  }

  /// Writes the totals of the tiles of [first, first + size) to `totals`.
  template <class T, class I, class Op, class Transform>
  void total(I first, std::size_t size, working_type<T>* totals, Op const& op, Transform const& transform)
  {
    using problem = totals_problem<problem_of<T, Op, I, T*, Transform>>;
    using W = working_type<T>;
    problem of{problem_for<T>(first, size, static_cast<T*>(nullptr), op, transform, cuda_backend::work::reduce),
               totals};
    constexpr int a_processor = words_of<W> <= 2 ? 3 : 2;  // as in the launch of reduce_kernel
    launch_resident(totals_kernel<problem, a_processor>, of, of.tiles(), cuda_backend::reduce_threads, 0);
  }

  /// Calls f(k) for k in [0, n).
  template <class F>
  void for_each(std::size_t n, F const& f)
  {
    cuda_backend::for_each_on_device(call_, n, f);
  }

  /// The totals of the tiles of several sequences, of `size` elements each. Those of a sequence begin `totals_each`
  /// behind those of the one before. `rows` are those of recurrences.
  template <class T, class Inputs, class Op, class Rows>
  void total_lines(Inputs const& inputs, std::size_t count, std::size_t size, working_type<T>* totals,
                   std::uint64_t totals_each, Op const& op, [[maybe_unused]] Rows const& rows)
  {
    if (count == 0) return;
    if constexpr (detail::recurrence::is_in_order<Op, T>) {
      total_recurrences(*this, inputs, count, rows, totals);
    } else {
      using problem = line_totals_problem<lines_problem<T, Op, Inputs>>;
      problem const of{lines_for<T>(inputs, count, size, op), totals, totals_each};
      constexpr int a_processor = words_of<working_type<T>> <= 2 ? 3 : 2;
      launch_resident(totals_kernel<problem, a_processor>, of, of.tiles(), cuda_backend::reduce_threads, 0);
    }
  }

  template <class T, class Sharing>
  void share(Sharing const& of, shared_header* header, std::size_t sequences)
  {
    std::uint64_t const values = std::max<std::uint64_t>(of.header.values() * sequences, 1);
    launch(share_kernel<Sharing>, share_problem<Sharing>{of, header, sequences}, blocks_of(values), threads);
  }

  template <class T, class Put, class Op>
  void fold(shared_blocks const& blocks, int ranks, std::size_t sequences, Put const& put, Op const& op)
  {
    if (sequences == 0) return;
    launch(fold_kernel<T, Op, Put>, fold_problem<T, Op, Put>{blocks, ranks, put, op}, static_cast<unsigned>(sequences),
           threads);
  }

  /// Whether `scan` needs the values before the first tile, and before the first span that begins among the tiles, and
  /// no others.
  template <class T, class I, class Out, class Op, class Transform>
  bool goes_on_alone(I first, std::size_t size, Out out, carries<T, Op> const& before, Op const& op,
                     Transform const& transform)
  {
    auto const all = problem_for<T>(first, size, cuda_backend::device_iterator(out), op, transform,
                                    cuda_backend::work::inclusive_scan);
    return tiles_before_ring(all, before, 0) < all.tiles();
  }

  /// Finds the values before tiles and spans; if `to_span`, only those that a scan which goes on alone needs.
  template <class T, class Op>
  void find_carries(shared_blocks const& blocks, int rank, std::size_t sequences, bool to_span,
                    carries<T, Op> const& to, Op const& op)
  {
    if (sequences == 0) return;
    launch(carries_kernel<T, Op>, carries_problem<T, Op>{blocks, rank, to_span, to, op},
           static_cast<unsigned>(sequences), threads);
  }

  /// Scans several sequences, of `size` elements each, which begin with the rank's tile `tile`.
  template <class T, class Inputs, class Outputs, class Op, class Rows>
  void scan_lines(Inputs const& inputs, std::size_t count, std::size_t size, Outputs const& outputs,
                  carries<T, Op> const& before, std::uint64_t tile, Op const& op, detail::direction shift,
                  [[maybe_unused]] Rows const& rows)
  {
    if (count == 0) return;
    if constexpr (detail::recurrence::is_in_order<Op, T>) {
      scan_recurrences(*this, inputs, count, rows, outputs, before, tile);
    } else {
      using problem = carried_lines_problem<lines_problem<T, Op, Inputs>, Outputs>;
      auto const lines = lines_for<T>(inputs, count, size, op);
      problem const of{lines, outputs, before, tile, lines.tiles(), shift == detail::direction::exclusive};
      using W = working_type<T>;
      constexpr int warps = words_of<W> <= 2 ? 16 : 8;
      constexpr int a_processor = std::is_arithmetic_v<W> && order::group<T> * words_of<W> <= 4 ? 2 : 1;
      launch(carried_tiles_kernel<problem, warps, a_processor>, of, of.tiles(), warps * warp_lanes);
    }
  }

  /// Scans the elements [first, first + size), which begin with the rank's tile `tile`.
  template <class T, class I, class Out, class Op, class Transform>
  void scan(I first, std::size_t size, Out out, carries<T, Op> const& before, std::uint64_t tile, Op const& op,
            Transform const& transform, detail::direction shift)
  {
    auto const what =
        shift == detail::direction::inclusive ? cuda_backend::work::inclusive_scan : cuda_backend::work::exclusive_scan;
    auto const all = problem_for<T>(first, size, cuda_backend::device_iterator(out), op, transform, what);
    using plain = std::remove_const_t<decltype(all)>;
    std::uint64_t const tiles = all.tiles();
    std::uint64_t const alone = tiles_before_ring(all, before, tile);
    if constexpr (cuda_backend::fits_ring<continued_problem<plain>>) {
      if (alone < tiles) {
        detail::took("nccl: scan by the ring");
        continued_problem<plain> rest{all, before, before.span_of(tile + alone)};
        std::size_t const begin = alone * order::tile<T>;
        rest.in += begin;
        rest.out += static_cast<std::ptrdiff_t>(begin);
        rest.size -= begin;
        using ring = cuda_backend::ring_memory<continued_problem<plain>>;
        launch_resident(cuda_backend::ring_kernel<continued_problem<plain>>, rest, rest.tiles(), ring::shape::threads,
                        sizeof(ring));
      }
    }
    bool const patches = alone < tiles && shift == detail::direction::exclusive;
    if (alone == 0 && !patches) return;
    if (alone == tiles) detail::took("nccl: scan of tiles whose carries are known");
    using W = working_type<T>;
    constexpr int warps = words_of<W> <= 2 ? 16 : 8;  // as for kernels of own tiles
    constexpr int a_processor = std::is_arithmetic_v<W> && order::group<T> * words_of<W> <= 4 ? 2 : 1;
    launch(carried_tiles_kernel<carried_problem<plain>, warps, a_processor>,
           carried_problem<plain>{all, before, tile, static_cast<std::uint32_t>(alone)},
           static_cast<unsigned>(alone + patches), warps * warp_lanes);
  }

private:
  template <class T, class I, class Transform>
  void add_array(I const& first, std::size_t size, Transform const& transform, cuda_backend::exact::accumulator<T>* sum)
  {
    auto const in = input(first);
    using problem = exact_total_problem<T, std::remove_const_t<decltype(in)>, Transform>;
    constexpr int block = cuda_backend::exact::sum_threads;
    constexpr std::size_t piece = std::size_t{16} * block;
    static cuda_backend::known_kernels known{};
    launch_at_most(exact_total_kernel<problem>, known, problem{in, size, transform, sum}, (size - 1) / piece + 1,
                   block);
  }
  /// Warps add up pieces of long sequences of neighbours, and lanes those of others.
  template <class T, class Lines>
  void add_lines(Lines const& lines, cuda_backend::exact::accumulator<T>* sums)
  {
    namespace exact = cuda_backend::exact;
    using problem = exact_totals_problem<T, std::iter_value_t<typename Lines::iterator>>;
    constexpr auto warps = static_cast<std::size_t>(exact::sequence_warps);
    cuda_backend::tuning const& by = cuda_backend::tuning_in_use();
    std::size_t const count = lines.count(), terms = lines.size();
    static cuda_backend::known_kernels known[2]{};
    problem of{{lines.where, lines.make.first}, 1, sums};
    if (lines.where.along.step.in == 1 && terms > by.exact_terms_alone) {
      detail::took("nccl: exact sums of sequences by warps");
      of.pieces = (terms - 1) / by.exact_piece + 1;
      launch_at_most(exact_totals_kernel<problem, exact::lanes::together>, known[0], of,
                     (count * of.pieces - 1) / warps + 1, exact::sequence_threads);
    } else {
      detail::took("nccl: exact sums of sequences by lanes");
      std::size_t const groups = (count - 1) / warp_lanes + 1;
      of.pieces = exact::pieces_of_columns(call_, groups, terms);
      launch_at_most(exact_totals_kernel<problem, exact::lanes::alone>, known[1], of,
                     (groups * of.pieces - 1) / warps + 1, exact::sequence_threads);
    }
  }
  /// With one block for each part of the work, or as many as run at once.
  template <class P>
  void launch_at_most(void (*kernel)(P const), cuda_backend::known_kernels& known, P const& problem, std::size_t blocks,
                      int block_threads)
  {
    auto const resident =
        static_cast<std::size_t>(cuda_backend::blocks_at_a_time(call_, kernel, block_threads, 0, known));
    launch(kernel, problem, static_cast<unsigned>(std::min(resident, blocks)), block_threads);
  }

  template <class T, class Inputs, class Op>
  lines_problem<T, Op, Inputs> lines_for(Inputs const& inputs, std::size_t count, std::size_t size, Op const& op)
  {
    auto const each = static_cast<std::uint32_t>((size - 1) / order::tile<T> + 1);
    return {
        inputs,          size, each, static_cast<std::uint32_t>(count) * each, op, {}, call_.shared(), call_.words(),
        call_.capacity()};
  }

  template <class I>
  static auto input(I const& first)
  {
    auto const in = cuda_backend::device_iterator(first);
    if constexpr (std::is_pointer_v<decltype(in)>)
      return static_cast<std::remove_pointer_t<std::remove_const_t<decltype(in)>> const*>(in);
    else
      return in;
  }
  template <class T, class Op, class I, class Out, class Transform>
  using problem_of = cuda_backend::problem<T, Op, decltype(input(std::declval<I>())), Out, Transform>;

  template <class T, class I, class Out, class Op, class Transform>
  problem_of<T, Op, I, Out, Transform> problem_for(I const& first, std::size_t size, Out out, Op const& op,
                                                   Transform const& transform, cuda_backend::work what)
  {
    return {input(first),
            out,
            size,
            cuda_backend::initial<T, Op>(nullptr),
            op,
            transform,
            what,
            call_.shared(),
            call_.words(),
            call_.capacity(),
            false};
  }

  /// The tiles before those that the ring scans, which begin with a span: all, if it scans none.
  template <class P>
  std::uint64_t tiles_before_ring(P const& all, carries<typename P::element, typename P::operation> const& before,
                                  std::uint64_t tile) const
  {
    std::uint64_t const tiles = all.tiles();
    if constexpr (cuda_backend::fits_ring<continued_problem<P>>) {
      std::uint64_t const to_span =
          (order::span_tiles - (before.first_tile + tile) % order::span_tiles) % order::span_tiles;
      if (tiles > to_span && takes_ring(tiles - to_span, reinterpret_cast<std::uintptr_t>(all.in))) return to_span;
    }
    return tiles;
  }
  /// Whether the ring scans so many tiles: more than run at once without it.
  bool takes_ring(std::uint64_t tiles, std::uintptr_t in) const
  {
    using path = cuda::workspace::path;
    if (call_.facts().compute_capability < 90 || in % 16 != 0) return false;
    if (call_.path() == path::ring) return true;
    return call_.path() == path::automatic && tiles > 2 * static_cast<std::uint64_t>(call_.processors());
  }

  static unsigned blocks_of(std::uint64_t size) { return static_cast<unsigned>((size + threads - 1) / threads); }
  template <class P>
  void launch(void (*kernel)(P const), P const& problem, unsigned blocks, int block_threads)
  {
    cuda_backend::launch(call_, kernel, problem, blocks, block_threads);
  }
  /// With as many blocks as run at once, or one for each tile.
  template <class P>
  void launch_resident(void (*kernel)(P const), P const& problem, std::uint32_t tiles, int block_threads,
                       std::size_t shared_bytes)
  {
    static cuda_backend::known_kernels known{};
    auto const resident =
        static_cast<std::uint32_t>(cuda_backend::blocks_at_a_time(call_, kernel, block_threads, shared_bytes, known));
    std::uint32_t const most = call_.most_blocks() > 0 ? static_cast<std::uint32_t>(call_.most_blocks()) : resident;
    cuda_backend::launch(call_, kernel, problem, std::min({tiles, resident, most}), block_threads, shared_bytes);
  }
#endif

private:
  gpu* of_;
  cuda_backend::prepared_call call_;
};

}  // namespace tally::nccl_backend
