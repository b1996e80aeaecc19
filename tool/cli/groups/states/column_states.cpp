#include "groups/states/column_states.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <type_traits>

#include <tally/operators.hpp>

#include "accumulators/exact.hpp"

namespace tally::cli {

namespace {

/// The bytes of an accumulator, about.
constexpr std::size_t accumulator_bytes = 2048;

/// Whether there are integers of up to 64 bits, or doubles, for which the operation throws.
bool may_refuse(operation op)
{
  return op == operation::product || kind_of(op) == operation_kind::bitwise;
}

int128 wide_at(word_blocks const& memory, std::uint64_t block)
{
  int128 value = 0;
  std::memcpy(&value, memory.at(static_cast<std::uint32_t>(block)), sizeof value);
  return value;
}

double double_of(result const& value)
{
  return std::visit([](auto x) { return static_cast<double>(x); }, value);
}

}  // namespace

bool has_long_integers(io::values_view const& values)
{
  return std::visit(
      []<class T>(std::span<T const> all) {
        if constexpr (std::is_floating_point_v<T> || sizeof(T) < 8) return false;
        constexpr int128 most = int128{1} << 40;
        return std::ranges::any_of(
            all, [](T value) { return static_cast<int128>(value) > most || static_cast<int128>(value) < -most; });
      },
      values);
}

column_states::column_states(command_settings const& settings, std::optional<io::element_type> type)
    : settings_(settings),
      type_(type),
      unit_(unit_of(settings.input.numbers.rule))
{
  again_ = make_accumulators(settings, type);  // throws for a wrong command line before anything is read
  for (operation const op : settings.operations) may_fail_ = may_fail_ || may_refuse(op);
  small_ = have_small_states();
  if (!small_) {
    // A value that an operation cannot take is an error at its place, while that is known.
    for (operation const op : settings.operations) {
      if (op == operation::product) holds_integers_ = false;
      if (kind_of(op) == operation_kind::bitwise) holds_reals_ = false;
    }
    int128 const* const init = settings.init ? std::get_if<int128>(&*settings.init) : nullptr;
    constexpr int128 safe = int128{1} << 126;  // far from where a few integers of 64 bits end
    if (init != nullptr && (*init <= -safe || *init >= safe)) {
      holds_integers_ = false;
      may_fail_ = true;
    }
    bytes_ = sizeof(held);
    return;
  }
  auto const place = [this](std::size_t& at, std::size_t bytes) {
    if (at != absent) return;
    at = bytes_;
    bytes_ += bytes;
  };
  bool counts = false;
  for (operation const op : settings.operations) {
    if (op == operation::sum || op == operation::mean)
      place(sum_at_, has_unit() ? sizeof(unit_sum) : sizeof(small_sum));
    if (op == operation::min) place(least_at_, sizeof(extreme));
    if (op == operation::max) place(greatest_at_, sizeof(extreme));
    counts = counts || op == operation::count;
  }
  if (counts && sum_at_ == absent) place(count_at_, sizeof(std::uint64_t));
}

bool column_states::have_small_states() const
{
  if (settings_.window > 0 || settings_.kind == scan_kind::exclusive) return false;
  if (settings_.init || type_ == io::element_type::float32 || !settings_.input.weights.empty()) return false;
  for (operation const op : settings_.operations) {
    if (op != operation::sum && op != operation::mean && op != operation::count && op != operation::min &&
        op != operation::max)
      return false;
  }
  return true;
}

template <class Op, class T>
void column_states::extend(extreme& here, std::span<T const> values, word_blocks& memory)
{
  if (values.empty()) return;
  T folded = values[0];
  for (T const value : values.subspan(1)) folded = Op{}(folded, value);
  // A double from here on, as all that follow are.
  if (std::is_floating_point_v<T> || here.kind == extreme::real) {
    auto value = static_cast<double>(folded);
    switch (here.kind) {
      case extreme::nothing: break;
      case extreme::integer: value = Op{}(static_cast<double>(static_cast<std::int64_t>(here.word)), value); break;
      case extreme::wide:
        value = Op{}(static_cast<double>(wide_at(memory, here.word)), value);
        memory.give_back(static_cast<std::uint32_t>(here.word), 1);
        break;
      case extreme::real: value = Op{}(std::bit_cast<double>(here.word), value); break;
    }
    here = {std::bit_cast<std::uint64_t>(value), extreme::real};
    return;
  }
  auto value = static_cast<int128>(folded);
  if (here.kind == extreme::integer) value = Op{}(static_cast<int128>(static_cast<std::int64_t>(here.word)), value);
  if (here.kind == extreme::wide) value = Op{}(wide_at(memory, here.word), value);
  if (here.kind != extreme::wide && value == static_cast<std::int64_t>(value)) {
    here = {static_cast<std::uint64_t>(static_cast<std::int64_t>(value)), extreme::integer};
    return;
  }
  if (here.kind != extreme::wide) here = {memory.take(1), extreme::wide};
  std::memcpy(memory.at(static_cast<std::uint32_t>(here.word)), &value, sizeof value);
}

template <class Op>
result column_states::result_of(extreme const& here, word_blocks const& memory)
{
  switch (here.kind) {
    case extreme::nothing: break;
    case extreme::integer: return int128{static_cast<std::int64_t>(here.word)};
    case extreme::wide: return wide_at(memory, here.word);
    case extreme::real: return std::bit_cast<double>(here.word);
  }
  return identity_of<double>(Op{});
}

void column_states::unit_sum::add(std::span<int128 const> values, io::number_unit unit)
{
  int128 total = value();
  for (std::size_t k = 0; k < values.size(); ++k)
    if (__builtin_add_overflow(total, values[k], &total)) exact_accumulator<plus>::overflow(k, unit);
  low = static_cast<std::uint64_t>(total);
  high = static_cast<std::uint64_t>(static_cast<io::uint128>(total) >> 64);
  count += values.size();
}

template <class T>
bool column_states::can_hold(held const& here, std::span<T const> more) const
{
  if (std::is_same_v<T, int128> || !(std::is_floating_point_v<T> ? holds_reals_ : holds_integers_)) return false;
  if (!settings_.input.weights.empty() && has_long_integers(more)) return false;
  return here.all == 0 && more.size() <= most_held && here.count + more.size() <= most_held;
}

template <class T>
void column_states::hold(held& here, std::span<T const> values, word_blocks& memory) const
{
  for (T const value : values) {
    if (here.count == 0)
      here.block = memory.take(0);
    else if (std::has_single_bit(here.count))
      here.block = memory.doubled(here.block, static_cast<unsigned>(std::countr_zero(here.count)));
    std::uint64_t word = 0;
    std::memcpy(&word, &value, std::min(sizeof word, sizeof value));
    std::memcpy(static_cast<std::uint64_t*>(memory.at(here.block)) + here.count, &word, sizeof word);
    ++here.count;
    if (!std::is_floating_point_v<T>) here.integers = here.count;
  }
}

/// Calls `use` with the values of a group that are held, in one part or two.
template <class Use>
void column_states::for_held(held const& from, word_blocks const& memory, Use use) const
{
  thread_local value_buffer room;
  auto const give = [&](std::uint32_t first, std::uint32_t count, io::element_type type) {
    if (count == 0) return;
    auto* place = static_cast<std::byte*>(room.resize(type, count));
    auto const* words = static_cast<std::uint64_t const*>(memory.at(from.block)) + first;
    std::size_t const size = io::byte_size(type);
    for (std::uint32_t k = 0; k < count; ++k, place += size) std::memcpy(place, words + k, size);
    use(room.view());
  };
  if (type_) return give(0, from.count, *type_);
  give(0, from.integers, io::element_type::int64);
  give(from.integers, from.count - from.integers, io::element_type::float64);
}

/// Gives the values of a group to accumulators.
void column_states::hand_over(held const& from, word_blocks const& memory, accumulators const& to) const
{
  for_held(from, memory, [&](io::values_view const& values) {
    for (auto const& one : to) one->reduce(values);
  });
}

/// Frees the values of a group, whose accumulators are the last ones made.
void column_states::forget(held& here, state_memory& memory) const
{
  if (here.count > 0) memory.words.give_back(here.block, static_cast<unsigned>(std::bit_width(here.count - 1)));
  here.all = static_cast<std::uint32_t>(memory.all.size());
}

template <class T>
void column_states::add(std::byte* state, std::span<T const> values, state_memory& memory) const
{
  if (!small_) {
    held& here = *reinterpret_cast<held*>(state);
    if (can_hold(here, values)) return hold(here, values, memory.words);
    if (here.all == 0) {
      memory.all.push_back(make_accumulators(settings_, type_));
      memory.accumulator_bytes += accumulator_bytes * settings_.operations.size();
      hand_over(here, memory.words, memory.all.back());
      forget(here, memory);
    }
    for (auto const& one : memory.all[here.all - 1]) one->reduce(values);
    return;
  }
  if (sum_at_ != absent && !has_unit()) reinterpret_cast<small_sum*>(state + sum_at_)->add(values, memory.words);
  if constexpr (std::is_same_v<T, int128>)
    if (sum_at_ != absent && has_unit()) reinterpret_cast<unit_sum*>(state + sum_at_)->add(values, unit_);
  if (count_at_ != absent) *reinterpret_cast<std::uint64_t*>(state + count_at_) += values.size();
  if (least_at_ != absent) extend<minimum>(*reinterpret_cast<extreme*>(state + least_at_), values, memory.words);
  if (greatest_at_ != absent) extend<maximum>(*reinterpret_cast<extreme*>(state + greatest_at_), values, memory.words);
}

template void column_states::add(std::byte*, std::span<std::int8_t const>, state_memory&) const;
template void column_states::add(std::byte*, std::span<std::int16_t const>, state_memory&) const;
template void column_states::add(std::byte*, std::span<std::int32_t const>, state_memory&) const;
template void column_states::add(std::byte*, std::span<std::int64_t const>, state_memory&) const;
template void column_states::add(std::byte*, std::span<std::uint8_t const>, state_memory&) const;
template void column_states::add(std::byte*, std::span<std::uint16_t const>, state_memory&) const;
template void column_states::add(std::byte*, std::span<std::uint32_t const>, state_memory&) const;
template void column_states::add(std::byte*, std::span<std::uint64_t const>, state_memory&) const;
template void column_states::add(std::byte*, std::span<float const>, state_memory&) const;
template void column_states::add(std::byte*, std::span<double const>, state_memory&) const;
template void column_states::add(std::byte*, std::span<int128 const>, state_memory&) const;

/// Of the values of a group, if there are any.
std::optional<column_states::summed> column_states::sum_of_group(std::byte const* state,
                                                                 word_blocks const& memory) const
{
  if (sum_at_ == absent) return std::nullopt;
  if (has_unit()) {
    auto const& sum = *reinterpret_cast<unit_sum const*>(state + sum_at_);
    if (sum.count == 0) return summed{};
    return summed{sum.count, sum.value(), io::rounded_quotient(sum.value(), static_cast<int128>(sum.count))};
  }
  auto const& sum = *reinterpret_cast<small_sum const*>(state + sum_at_);
  std::uint64_t const count = sum.count(memory);
  if (count == 0) return summed{};
  result const total = sum.value(memory);
  return summed{count, total, double_of(total) / static_cast<double>(count)};
}

void column_states::scan(std::byte* state, io::values_view const& values, state_memory& memory, value_buffer& out)
{
  held& here = *reinterpret_cast<held*>(state);
  bool const holds = here.all == 0 && std::visit([&](auto all) { return can_hold(here, all); }, values);
  if (here.all == 0 && !holds) {
    memory.all.push_back(make_accumulators(settings_, type_));
    memory.accumulator_bytes += accumulator_bytes;
  }
  accumulator& with = holds ? *again_[0] : *(here.all == 0 ? memory.all.back() : memory.all[here.all - 1])[0];
  if (holds) with.restart();
  if (here.all == 0)
    for_held(here, memory.words, [&](io::values_view const& before) { with.scan(before, settings_.kind, before_); });
  if (here.all == 0 && !holds) forget(here, memory);
  with.scan(values, settings_.kind, out);
  if (holds) std::visit([&](auto all) { hold(here, all, memory.words); }, values);
}

void column_states::results(std::byte* state, state_memory& memory, std::vector<result>& to)
{
  if (!small_) {
    held const& here = *reinterpret_cast<held const*>(state);
    if (here.all == 0) {
      for (auto const& one : again_) one->restart();
      hand_over(here, memory.words, again_);
    }
    for (auto const& one : here.all == 0 ? again_ : memory.all[here.all - 1]) to.push_back(one->value());
    return;
  }
  std::optional<summed> const sum = sum_of_group(state, memory.words);
  std::uint64_t const count = sum                   ? sum->count
                              : count_at_ != absent ? *reinterpret_cast<std::uint64_t const*>(state + count_at_)
                                                    : 0;
  for (std::size_t k = 0; k < settings_.operations.size(); ++k) {
    switch (settings_.operations[k]) {
      case operation::sum:
      case operation::mean:
        if (count == 0) {  // the result of no values
          again_[k]->restart();
          to.push_back(again_[k]->value());
        } else {
          to.push_back(settings_.operations[k] == operation::sum ? sum->total : sum->mean);
        }
        break;
      case operation::count: to.push_back(int128{count}); break;
      case operation::min:
        to.push_back(result_of<minimum>(*reinterpret_cast<extreme const*>(state + least_at_), memory.words));
        break;
      default:
        to.push_back(result_of<maximum>(*reinterpret_cast<extreme const*>(state + greatest_at_), memory.words));
        break;
    }
  }
}

}  // namespace tally::cli
