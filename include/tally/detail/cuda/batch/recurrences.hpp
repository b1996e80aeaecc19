#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <type_traits>

#include "tally/counted.hpp"
#include "tally/cuda_execution.hpp"
#include "tally/detail/at_index.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/cuda/backend.hpp"
#include "tally/detail/cuda/batch/bound.hpp"
#include "tally/detail/cuda/batch/recurrence_steps.hpp"
#include "tally/detail/cuda/batch/segments.hpp"
#include "tally/detail/cuda/recurrence/recurrences.hpp"
#include "tally/detail/optional_value.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/recurrence/steps.hpp"
#include "tally/detail/recurrence/steps_in_order.hpp"
#include "tally/error.hpp"
#include "tally/sequences.hpp"

/// Linear recurrences on a GPU, for any type and any iterators. Floating-point states are computed step after step, a
/// thread for each row (recurrence_steps.hpp). Other recurrences are scans of maps that are made where they are read,
/// and whose offsets are stored. From the first result on that is not finite, a warp goes on as the plain loop does.
namespace tally::cuda_backend {

/// The places of steps at even distances.
struct places_along_sequence {
  places_of_step first, step;

  TALLY_HD places_of_step operator()(std::size_t k) const
  {
    auto const n = static_cast<std::ptrdiff_t>(k);
    return {first.a + n * step.a, first.b + n * step.b, first.out + n * step.out};
  }
};

/// The recurrences of a layout. Their elements are numbered through all sequences. It travels in registers: in the
/// device's memory it would be read again for each element.
template <class A, class B, class Out>
struct recurrences_in_layout {
  A a;
  B b;
  Out out;
  std::size_t steps, count;
  detail::batch::distances along, across;
  detail::batch::layout const* general;  ///< in the device's memory, of more than one dimension; else null

  TALLY_HD std::size_t sequences() const { return count; }
  TALLY_HD std::size_t size(std::size_t) const { return steps; }
  TALLY_HD std::size_t sequence_of(std::size_t element) const
  {
    if (count == 1) return 0;
    if ((element | steps) >> 32 == 0) return static_cast<std::uint32_t>(element) / static_cast<std::uint32_t>(steps);
    return element / steps;
  }
  TALLY_HD std::size_t step_of(std::size_t s, std::size_t element) const { return element - s * steps; }
  TALLY_HD std::size_t element_of(std::size_t s, std::size_t step) const { return s * steps + step; }
  TALLY_HD detail::batch::distances place(std::size_t s) const
  {
    if (general != nullptr) return general->place(s);
    detail::batch::distances at;
    at.move(across, static_cast<std::ptrdiff_t>(s));
    return at;
  }
  TALLY_HD places_of_step places(std::size_t element) const
  {
    std::size_t const s = sequence_of(element);
    detail::batch::distances at = place(s);
    at.move(along, static_cast<std::ptrdiff_t>(step_of(s, element)));
    return {at.coefficients, at.in, at.out};
  }
  TALLY_HD std::size_t first_of(std::size_t s) const { return s * steps; }
  TALLY_HD std::size_t end() const { return count * steps; }
  TALLY_HD places_along_sequence steps_of(std::size_t s) const
  {
    detail::batch::distances const at = place(s);
    return {{at.coefficients, at.in, at.out}, {along.coefficients, along.in, along.out}};
  }
  TALLY_HD std::ptrdiff_t initial_of(std::size_t s) const { return place(s).initial; }
  TALLY_HD std::ptrdiff_t last_of(std::size_t s) const { return place(s).last; }
};

/// The recurrences of segments between offsets.
template <class From, class A, class B, class Offsets, class Out>
struct recurrences_of_segments {
  static constexpr bool forward = std::is_same_v<From, detail::batch::from_front>;

  A a;
  B b;
  Out out;
  Offsets offsets;
  detail::element_count segments;

  TALLY_HD_AS_GIVEN
  TALLY_HD std::size_t offset(std::size_t s) const { return static_cast<std::size_t>(detail::at_index(offsets, s)); }
  TALLY_HD std::size_t sequences() const { return segments.value(); }
  TALLY_HD std::size_t size(std::size_t s) const { return offset(s + 1) - offset(s); }
  TALLY_HD std::size_t sequence_of(std::size_t element) const
  {
    std::size_t s = 0;  // the last one that begins at the element or before
    for (std::size_t end = sequences(); end - s > 1;) {
      std::size_t const middle = s + (end - s) / 2;
      (offset(middle) <= element ? s : end) = middle;
    }
    return s;
  }
  TALLY_HD std::size_t step_of(std::size_t s, std::size_t element) const
  {
    return forward ? element - offset(s) : offset(s + 1) - 1 - element;
  }
  TALLY_HD std::size_t element_of(std::size_t s, std::size_t step) const
  {
    return forward ? offset(s) + step : offset(s + 1) - 1 - step;
  }
  TALLY_HD static places_of_step places(std::size_t element)
  {
    auto const at = static_cast<std::ptrdiff_t>(element);
    return {at, at, at};
  }
  TALLY_HD std::size_t first_of(std::size_t s) const { return offset(s); }
  TALLY_HD std::size_t end() const { return offset(sequences()); }
  TALLY_HD places_along_sequence steps_of(std::size_t s) const
  {
    std::ptrdiff_t const step = forward ? 1 : -1;
    return {places(element_of(s, 0)), {step, step, step}};
  }
  TALLY_HD static std::ptrdiff_t initial_of(std::size_t s) { return static_cast<std::ptrdiff_t>(s); }
  TALLY_HD static std::ptrdiff_t last_of(std::size_t s) { return static_cast<std::ptrdiff_t>(s); }
};

template <class Value>
struct write_value {
  Value value;
  Value* to;

  TALLY_HD void operator()(std::size_t) const { *to = value; }
};

template <class T, class Recurrences>
struct begin_recurrence {
  recurrence_call<T, Recurrences> const* call;

  TALLY_HD void operator()(std::size_t s) const
  {
    if (call->bad != nullptr) {
      call->bad[s] = no_step;
      if (s == 0) *call->any_bad = no_step;
    }
    if (call->starts != nullptr && s < call->all.sequences())
      call->starts[s] = recurrence::beginning_with(call->before(s));
  }
};

template <class T, class Recurrences>
struct map_of_element {
  Recurrences all;

  TALLY_HD_AS_GIVEN
  TALLY_HD affine<T> operator()(std::size_t element) const { return map_at<T>(all, all.places(element)); }
};

template <class T, class Recurrences>
struct state_of_element {
  Recurrences all;
  recurrence_call<T, Recurrences> const* call;
  results_are are;

  TALLY_HD_AS_GIVEN
  TALLY_HD void operator()(std::size_t element, affine<T> const& map) const
  {
    if constexpr (recurrence::may_overflow<T>) {
      if (are == results_are::stored_while_finite) {
        if (*call->any_bad != no_step && !is_before_bad(element, map.offset)) return;
      } else if (!recurrence::is_finite(map.offset)) {
        std::size_t const s = all.sequence_of(element);
        call->report(s, all.step_of(s, element));
      }
    }
    if (are != results_are::only_looked_at) put_state(all, all.places(element), map.offset);
  }

private:
  TALLY_HD bool is_before_bad(std::size_t element, T const& state) const
  {
    std::size_t const s = all.sequence_of(element), step = all.step_of(s, element), bad = call->bad[s];
    if (call->before_bad != nullptr && step + 1 == bad) call->before_bad[s] = state;
    return step < bad;
  }
};

/// The rest of each sequence: the steps from the first result on that is not finite, 32 at a time, and the last
/// state.
template <class T, class Recurrences>
struct finish_recurrence {
  struct memory {
    char none;
  };
  static constexpr int team_size = 32;

  recurrence_call<T, Recurrences> const* call;

  TALLY_HD T stored_before(std::size_t s, std::size_t step) const
  {
    using output = std::remove_cvref_t<decltype(call->all.out)>;
    if (step == 0) return call->before(s);
    if constexpr (detail::takes_results<output>)
      return call->before_bad[s];
    else
      return static_cast<T>(call->all.out[call->all.places(call->all.element_of(s, step - 1)).out]);
  }

  TALLY_HD_AS_GIVEN
  template <class Team>
  TALLY_HD void operator()(Team team, memory&, std::size_t s, std::size_t) const
  {
    if (s >= call->all.sequences()) return;
    bool loops = false;
    T y{};
    if constexpr (recurrence::may_overflow<T>) {
      if (*call->any_bad != no_step && call->bad[s] != no_step) {
        loops = true;
        std::size_t const size = call->all.size(s);
        y = stored_before(s, call->bad[s]);
        for (std::size_t first = call->bad[s]; first < size; first += static_cast<std::size_t>(team.lanes())) {
          int const count =
              size - first < static_cast<std::size_t>(team.lanes()) ? static_cast<int>(size - first) : team.lanes();
          std::size_t const step = first + static_cast<std::size_t>(team.lane() < count ? team.lane() : 0);
          places_of_step const at = call->all.places(call->all.element_of(s, step));
          affine<T> const own = map_at<T>(call->all, at);
          T state = y;
          for (int k = 0; k < count; ++k) {
            y = recurrence::step(team.from_lane(own.scale, k), y, team.from_lane(own.offset, k));
            if (team.lane() == k) state = y;
          }
          if (team.lane() < count) put_state(call->all, at, state);
        }
      }
    }
    if (call->lasts != nullptr && team.rank() == 0)
      call->lasts[call->all.last_of(s)] = loops ? y : call->ends[s].offset;
  }
};

#ifdef __CUDACC__
/// Memory of a call, in the order of its stream.
template <class T>
class recurrence_memory {
public:
  recurrence_memory(execution const& on, std::size_t size)
      : on_(on),
        data_(size == 0 ? nullptr : static_cast<T*>(backend_allocate(on, size * sizeof(T))))
  {
  }
  ~recurrence_memory()
  {
    if (data_ != nullptr) backend_free(on_, data_);
  }
  recurrence_memory(recurrence_memory const&) = delete;
  recurrence_memory& operator=(recurrence_memory const&) = delete;
  T* data() const { return data_; }

private:
  execution on_;
  T* data_;
};

/// Recurrences in order, a thread for each row.
template <class T, class Recurrences>
class recurrences_by_rows {
  using totals = totals_of_pieces<T>;

public:
  recurrences_by_rows(execution const& on, Recurrences const& all, recurrence_call<T, Recurrences> const* call,
                      std::size_t sequences, chunks_of_pieces<T> const& chunks)
      : on_(on),
        all_(all),
        call_(call),
        sequences_(sequences),
        chunks_(chunks),
        rows_(on, chunks.rows),
        tiles_(on, chunks.tiles),
        spans_(on, chunks.spans)
  {
    if (chunks.rows == 0) return;
    run(chunks.rows, total_recurrence_rows<T, Recurrences>{all_, places()});
    if (chunks.tiles > 0) run(chunks.tiles, total_recurrence_tiles<T, Recurrences>{all_, places()});
    if (chunks.spans > 0) {
      run(chunks.spans, total_recurrence_spans<T, Recurrences>{all_, places()});
      run(sequences_, fold_recurrence_spans<T, Recurrences>{call_, places()});
    }
    run(sequences_ + chunks.tiles, states_before_rows<T, Recurrences>{call_, sequences_, places()});
  }

  void put(results_are are) const
  {
    run(sequences_ + chunks_.rows, states_of_rows<T, Recurrences>{all_, call_, are, sequences_, places()});
  }

private:
  totals places() const { return {rows_.data(), tiles_.data(), spans_.data()}; }
  template <class F>
  void run(std::size_t items, F f) const
  {
    backend_for_each_index(on_, items, f);
  }

  execution on_;
  Recurrences all_;
  recurrence_call<T, Recurrences> const* call_;
  std::size_t sequences_;
  chunks_of_pieces<T> chunks_;
  recurrence_memory<affine<typename totals::W>> rows_, tiles_;
  recurrence_memory<affine<typename totals::C>> spans_;
};

/// `scan(maps, results, ends)` scans the maps of all sequences. There are at most `numbers` numbers of steps, if that
/// is known, and a sequence has at most `longest` steps.
template <class T, class Recurrences, class Scan>
void recur(execution const& on, Recurrences const& all, std::size_t sequences, std::size_t numbers, std::size_t longest,
           bool in_place, detail::batch::ends<T> const& ends, Scan const& scan)
{
  static_assert(std::is_trivially_copyable_v<T>, "tally: a call on a GPU takes values that can be copied as bytes");
  static_assert(std::is_default_constructible_v<T>,
                "tally: a call on a GPU takes values that can be default-constructed");
  static_assert(!recurrence::is_complex<T>, "tally: recurrences of complex states run on a CPU");
  using call_type = recurrence_call<T, Recurrences>;
  constexpr bool checks = recurrence::may_overflow<T>;
  constexpr bool takes = detail::takes_results<std::remove_cvref_t<decltype(all.out)>>;
  recurrence_memory<call_type> const memory(on, 1);
  constexpr bool in_order = recurrence::has_order<T>;
  recurrence_memory<affine<T>> const starts(on, !in_order && ends.initials != nullptr ? sequences : 0);
  recurrence_memory<affine<T>> const last_maps(on, ends.lasts != nullptr ? sequences : 0);
  recurrence_memory<std::size_t> const bad(on, checks ? sequences + 1 : 0);
  recurrence_memory<T> const before_bad(on, checks && takes ? sequences : 0);

  call_type* const call = memory.data();
  write_value<call_type> write{
      {all, {}, ends.initials, ends.lasts, starts.data(), last_maps.data(), nullptr, bad.data(), before_bad.data()},
      call};
  if (ends.initial) write.value.initial = {*ends.initial, true};
  if (checks) write.value.bad = bad.data() + 1;
  backend_for_each_index(on, 1, write);
  if (checks || ends.initials != nullptr) {
    begin_recurrence<T, Recurrences> begin{call};
    backend_for_each_index(on, sequences, begin);
  }

  if constexpr (in_order) {
    std::optional<std::size_t> const known = numbers == no_bound ? std::nullopt : std::optional(numbers);
    recurrences_by_rows<T, Recurrences> const by_rows(on, all, call, sequences, {known, longest});
    if (in_place || takes) {
      detail::took("cuda: recurrences are looked through first", "results replace elements that a loop may need");
      by_rows.put(results_are::only_looked_at);
      by_rows.put(results_are::stored_while_finite);
    } else {
      detail::took("cuda: recurrences step after step");
      by_rows.put(results_are::stored);
    }
  } else {
    detail::batch::ends<affine<T>> maps;
    if (ends.initial) maps.initial.emplace(recurrence::beginning_with(*ends.initial));
    maps.initials = starts.data();
    maps.lasts = last_maps.data();
    auto const elements = elements_from(map_of_element<T, Recurrences>{all});
    using results = state_of_element<T, Recurrences>;
    if (checks && (in_place || takes)) {
      detail::took("cuda: recurrences are looked through first", "results replace elements that a loop may need");
      scan(elements, results_to(results{all, call, results_are::only_looked_at}), maps);
      scan(elements, results_to(results{all, call, results_are::stored_while_finite}), maps);
    } else {
      detail::took("cuda: recurrences in one scan of maps");
      scan(elements, results_to(results{all, call, results_are::stored}), maps);
    }
  }
  if (checks || ends.lasts != nullptr)
    backend_for_each_block_by_team(on, sequences, 1, finish_recurrence<T, Recurrences>{call});
}

/// Whether results may have the places of elements, as far as iterators show.
template <class I, class Out>
bool may_be_same(I const& in, Out const& out)
{
  if constexpr (requires { out.replaces_elements(); })
    return out.replaces_elements();
  else if constexpr (std::is_pointer_v<I> && std::is_pointer_v<Out>)
    return static_cast<void const*>(in) == static_cast<void const*>(out);
  else
    return !detail::takes_results<Out>;
}
template <class T, class Out>
bool may_be_same(recurrence::constant<T> const&, Out const&)
{
  return false;
}
#endif

#ifdef __CUDACC__

/// The scan of maps of sequences of n steps.
struct scan_maps_of_sequences {
  execution on;
  std::size_t n, sequences;

  template <class Maps, class Results, class T>
  void operator()(Maps const& maps, Results const& results, detail::batch::ends<affine<T>> const& ends) const
  {
    recurrence::steps_in_turn op;
    if (sequences == 1 && ends.initial && ends.lasts == nullptr) {
      std::identity transform;
      backend_scan<affine<T>>(on, maps, maps + static_cast<std::ptrdiff_t>(n), results, ends.initial, op, transform,
                              detail::direction::inclusive);
    } else {
      backend_scan_segments<affine<T>>(on, maps, elements_from(recurrence::equal_segments{n}),
                                       detail::element_count{sequences, {}}, results, ends, op,
                                       detail::direction::inclusive, detail::batch::from_front{}, n * sequences);
    }
  }
};
/// ... and of segments.
template <class From, class Offsets>
struct scan_maps_of_segments {
  execution on;
  Offsets offsets;
  detail::element_count segments;
  std::size_t most;

  template <class Maps, class Results, class T>
  void operator()(Maps const& maps, Results const& results, detail::batch::ends<affine<T>> const& ends) const
  {
    recurrence::steps_in_turn op;
    backend_scan_segments<affine<T>>(on, maps, offsets, segments, results, ends, op, detail::direction::inclusive,
                                     From{}, most);
  }
};
#endif

/// Found by argument-dependent lookup on the execution argument, as the functions of backend.hpp.
template <class T, class A, class B, class Out>
void backend_recur_sequences(execution const& on, detail::batch::layout const& where, A a, B const* b, Out* out,
                             detail::batch::ends<T> const& ends)
{
  {
    prepared_call call(on, "tally::linear_recurrence");
    if constexpr (std::is_pointer_v<A>) call.check_pointer(a, "coefficients");
    call.check_pointer(b, "input");
    call.check_pointer(out, "output");
    if (ends.initials != nullptr) call.check_pointer(ends.initials, "initial values");
    if (ends.lasts != nullptr) call.check_pointer(ends.lasts, "last values");
    if constexpr (has_recurrence_kernels<T, A, B, Out>) {
      recurrence_arrays<T> arrays{nullptr, T(0.0f), b, out};
      if constexpr (std::is_pointer_v<A>)
        arrays.a = a;
      else
        arrays.constant = a.value;
      if (run_recurrences(call, where, arrays, ends)) return;
    }
  }
  if constexpr (has_recurrence_kernels<T, A, B, Out> && is_compiled_for_recurrence_kernels) {
    throw usage_error(
        "tally: on a device before sm_90 a linear recurrence must be compiled by nvcc, for this device, in a .cu file");
  } else {
#ifdef __CUDACC__
    std::size_t const n = where.along.extent, sequences = where.sequences();
    bool const is_general = where.dimensions > 1;
    recurrence_memory<detail::batch::layout> const general(on, is_general ? 1 : 0);
    if (is_general) {
      write_value<detail::batch::layout> write{where, general.data()};
      backend_for_each_index(on, 1, write);
    }
    detail::batch::distances const across = where.dimensions == 0 ? detail::batch::distances{} : where.across[0].step;
    recurrences_in_layout<A, B const*, Out*> const all{
        a, b, out, n, sequences, where.along.step, across, general.data()};
    recur<T>(on, all, sequences, n * sequences, n, may_be_same(a, out) || may_be_same(b, out), ends,
             scan_maps_of_sequences{on, n, sequences});
#else
    static_assert(never<T, A>, "tally: a linear recurrence on a GPU must be compiled by nvcc, in a .cu file");
#endif
  }
}

template <class T, class A, class B, class Offsets, class Out, class From = detail::batch::from_front>
void backend_recur_segments(execution const& on, A a, B b, Offsets offsets, detail::element_count segments, Out out,
                            detail::batch::ends<T> const& ends, From = {}, std::size_t most = no_bound)
{
#ifdef __CUDACC__
  if (segments.most == 0) return;
  std::size_t room = most;
  {
    prepared_call const call(on, "tally::linear_recurrence of segments");
    check_pointers(call, b, "input");
    check_pointers(call, out, "output");
    check_pointers(call, offsets, "offsets");
    if (room == no_bound) room = most_elements(call, b);
  }
  if constexpr (has_kernels_of_segments<T, A, B, Offsets, Out, From>) {
    if (segments.fewer.place == nullptr) {
      prepared_call call(on, "tally::linear_recurrence of segments");
      using bound = std::iter_value_t<Offsets>;
      recurrence_arrays<T> arrays{nullptr, T(0.0f), std::to_address(b), std::to_address(out)};
      if constexpr (std::input_iterator<A>)
        arrays.a = std::to_address(a);
      else
        arrays.constant = a.value;
      segment_offsets const places{std::to_address(offsets), sizeof(bound) == 8, segments.most, room};
      if (run_recurrences_of_segments(call, places, arrays, ends)) return;
    }
  }
  auto const from = device_iterator(b);
  auto const at = device_iterator(offsets);
  auto const to = device_iterator(out);
  auto const coefficients = [&] {
    if constexpr (std::input_iterator<A>)
      return device_iterator(a);
    else
      return a;
  }();
  using all_type =
      recurrences_of_segments<From, std::remove_const_t<decltype(coefficients)>, std::remove_const_t<decltype(from)>,
                              std::remove_const_t<decltype(at)>, std::remove_const_t<decltype(to)>>;
  all_type const all{coefficients, from, to, at, segments};
  recur<T>(on, all, segments.most, room, room, may_be_same(coefficients, to) || may_be_same(from, to), ends,
           scan_maps_of_segments<From, Offsets>{on, offsets, segments, room});
#else
  static_assert(never<T, A>, "tally: a linear recurrence on a GPU must be compiled by nvcc, in a .cu file");
#endif
}

}  // namespace tally::cuda_backend
