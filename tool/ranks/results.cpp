#include "ranks/results.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <tally/operators.hpp>

#include "accumulators/exact.hpp"
#include "commands/commands.hpp"
#include "io/writer.hpp"
#include "operations/shown_identity.hpp"

namespace tally::cli {

namespace {

/// An integer that ranks give each other, or none.
struct shared_integer {
  int128 value = 0;
  bool is_there = false;
  bool failed = false;
};

std::optional<int128> integer_of(shared_integer const& shared)
{
  return shared.is_there ? std::optional<int128>(shared.value) : std::nullopt;
}

/// Calls use(op) with the operator of an operation.
template <class Use>
void with_operator(operation op, Use const& use)
{
  switch (op) {
#define TALLY_CASE(which, name, meaning, other_names, kind, combine)                                                   \
  case operation::which: return use(tally::combine{});
    TALLY_OPERATIONS_BY_OPERATOR(TALLY_CASE)
#undef TALLY_CASE
    default: return;
  }
}

/// The beginning of an accumulator: an integer, a double, or nothing.
struct beginning {
  std::optional<int128> integer;
  bool counts_exactly = true;  // else values of text are doubles from the start
};

beginning beginning_of(command_settings const& settings, operation op, std::optional<io::element_type> type)
{
  command_settings one = settings;
  one.operations = {op};
  result const nothing = make_accumulators(one, type)[0]->value();
  beginning at;
  if (int128 const* const integer = std::get_if<int128>(&nothing)) at.integer = *integer;
  at.counts_exactly = !settings.init || std::holds_alternative<int128>(*settings.init);
  return at;
}

/// The results at integers: exact, in 128 bits. Every rank begins with the result of the ranks before.
template <class Op>
class integers {
public:
  integers(std::optional<int128> begins, network& by, steps& all) : begins_(begins), by_(&by), all_(&all) {}

  /// Calls use(accumulator) on all ranks. The accumulator begins with the values of earlier ranks, and must take this
  /// rank's `values`. Returns the result of all.
  template <class Use>
  std::optional<int128> run(io::values_view const& values, Use const& use)
  {
    // Products of parts may need more bits than the product of all, which may have a zero before. Likewise sums of
    // values of 128 bits.
    bool const wide = io::type_of(values) == io::element_type::int128 && io::size_of(values) > 0;
    std::vector<char> const grow =
        of_all_ranks<char>(*by_, std::is_same_v<Op, multiplies> || (exact<Op>::grows && wide));
    if (std::ranges::count(grow, 1) > 0) return one_after_the_other(values, use);
    shared_integer own;
    if (io::size_of(values) > 0) {
      exact_accumulator<Op> sum(std::nullopt);
      sum.reduce(values);
      own = {std::get<int128>(sum.value()), true};
    }
    std::vector<shared_integer> const sums = of_all_ranks(*by_, own);
    std::optional<int128> before;
    std::optional<int128> so_far = begins_;
    for (std::size_t r = 0; r < sums.size(); ++r) {
      if (r == static_cast<std::size_t>(by_->rank())) before = so_far;
      if (!sums[r].is_there) continue;
      int128 sum = sums[r].value;
      if (so_far && !exact<Op>::combine(*so_far, sums[r].value, sum)) throw not_divided();  // on all ranks
      so_far = sum;
    }
    all_->take([&] {
      exact_accumulator<Op> at(before);
      use(at);
    });
    return so_far;
  }

private:
  template <class Use>
  std::optional<int128> one_after_the_other(io::values_view const& values, Use const& use)
  {
    shared_integer state{begins_.value_or(0), begins_.has_value()};
    for (int r = 0; r < by_->size(); ++r) {
      if (r == by_->rank()) {
        all_->attempt([&] {
          exact_accumulator<Op> at(integer_of(state));
          use(at);
          // Scanned or not, the values are combined once more: a result that does not fit has thrown.
          exact_accumulator<Op> sum(integer_of(state));
          sum.reduce(values);
          if (io::size_of(values) > 0) state = {std::get<int128>(sum.value()), true};
        });
        state.failed = all_->failed();
      }
      by_->broadcast(reinterpret_cast<std::byte*>(&state), sizeof(state), r);
      if (state.failed) break;
    }
    all_->agree();
    return integer_of(state);
  }

  std::optional<int128> begins_;
  network* by_;
  steps* all_;
};

/// The initial value of results in T.
template <class T>
std::optional<T> initial(command_settings const& settings)
{
  if (!settings.init) return std::nullopt;
  return static_cast<T>(std::visit([](auto x) { return static_cast<double>(x); }, *settings.init));
}

ranks on_ranks(command_settings const& settings, network& by)
{
  return ranks(network_transport(by), cpu{.threads = settings.threads});
}

template <class T, class Op>
T reduce_floats(command_settings const& settings, std::span<T const> own, network& by, Op op)
{
  std::identity same;
  std::optional<T> const all =
      backend_reduce<T>(on_ranks(settings, by), own.begin(), own.end(), initial<T>(settings), op, same);
  return all.value_or(shown_identity<T, Op>());
}

template <class T, class Op>
void scan_floats(command_settings const& settings, std::span<T const> own, T* out, network& by, Op op)
{
  std::identity same;
  bool const inclusive = settings.kind == scan_kind::inclusive;
  std::optional<T> init = initial<T>(settings);
  if (!inclusive && !init) init = shown_identity<T, Op>();
  backend_scan<T>(on_ranks(settings, by), own.begin(), own.end(), out, init, op, same,
                  inclusive ? detail::direction::inclusive : detail::direction::exclusive);
}

/// All values of text as doubles.
std::vector<double> doubles_of(part const& own)
{
  value_buffer room;
  std::span<double const> const integers = as_doubles(own.values(), room);
  std::vector<double> all(integers.begin(), integers.end());
  all.insert(all.end(), own.reals().begin(), own.reals().end());
  return all;
}

/// Whether a part of text has doubles, on any rank.
bool any_reals(part const& own, network& by)
{
  return std::ranges::count(of_all_ranks<char>(by, !own.reals().empty()), 1) > 0;
}

/// Writes results to a file in memory. Those of an array have no header.
class results_writer {
public:
  results_writer(command_settings const& settings, io::element_type type, io::memory_file& to)
      : settings_(settings),
        type_(type)
  {
    if (settings.output.format == output_format::npy) settings_.output.format = output_format::raw;
    io::output out = io::output::descriptor(to.descriptor(), "(file in memory)");
    writer_ = make_scan_writer(settings_, std::move(out), type);
  }

  void write(io::values_view const& values)
  {
    writer_->set_form(form_of(settings_.operations[0], {}));
    writer_->write(is_binary(settings_.output.format) ? converted(values, type_, room_) : values);
  }
  void finish() { writer_->finish(); }

private:
  command_settings settings_;
  io::element_type type_;
  std::unique_ptr<io::writer> writer_;
  value_buffer room_;
};

}  // namespace

result reduce_parts(command_settings const& settings, operation op, part const& own, network& by, steps& all)
{
  if (op == operation::count) {
    std::vector<std::uint64_t> const counts = of_all_ranks<std::uint64_t>(by, own.size());
    return int128{std::accumulate(counts.begin(), counts.end(), std::uint64_t{0})};
  }
  result found;
  with_operator(op, [&]<class Op>(Op combine) {
    auto const floats = [&]<class T>(std::span<T const> values) {
      if constexpr (operator_over<Op, T>) all.take([&] { found = reduce_floats<T>(settings, values, by, combine); });
    };
    beginning at;
    all.take([&] { at = beginning_of(settings, op, own.type()); });
    if (own.type() == io::element_type::float32) return floats(std::get<std::span<float const>>(own.values()));
    if (own.type() == io::element_type::float64) return floats(std::get<std::span<double const>>(own.values()));
    if (!own.type() && (!at.counts_exactly || any_reals(own, by))) {
      all.take([&] {
        if (!operator_over<Op, double>) throw error("a value that is no integer");
      });
      std::vector<double> values;
      all.take([&] { values = doubles_of(own); });
      return floats(std::span<double const>(values));
    }
    integers<Op> exact(at.integer, by, all);
    found = *exact.run(own.values(), [&](exact_accumulator<Op>& from) { from.reduce(own.values()); });
  });
  return found;
}

void scan_parts(command_settings const& settings, part const& own, network& by, steps& all, io::memory_file& to)
{
  operation const op = settings.operations[0];
  io::element_type const type = result_type(op, own.type());
  std::optional<results_writer> out;
  all.take([&] { out.emplace(settings, type, to); });
  with_operator(op, [&]<class Op>(Op combine) {
    // Writes the results of floating-point values, but those before `first`.
    auto const floats = [&]<class T>(std::span<T const> values, std::size_t first) {
      if constexpr (operator_over<Op, T>) {
        value_buffer results;
        all.take([&] { results.resize<T>(values.size()); });
        all.take([&] {
          auto const view = std::get<std::span<T const>>(results.view());
          scan_floats<T>(settings, values, const_cast<T*>(view.data()), by, combine);
        });
        all.take([&] { out->write(io::slice(results.view(), first, values.size() - first)); });
      }
    };
    beginning at;
    all.take([&] { at = beginning_of(settings, op, own.type()); });
    if (own.type() == io::element_type::float32) return floats(std::get<std::span<float const>>(own.values()), 0);
    if (own.type() == io::element_type::float64) return floats(std::get<std::span<double const>>(own.values()), 0);
    // Values of text are integers up to the first that is none; the others need the doubles of all.
    bool const reals = !own.type() && any_reals(own, by);
    all.take([&] {
      if (reals && !operator_over<Op, double>) throw error("a value that is no integer");
    });
    bool const exactly = own.type() || at.counts_exactly;
    if (exactly) {
      value_buffer results;
      integers<Op> exact(at.integer, by, all);
      exact.run(own.values(), [&](exact_accumulator<Op>& from) {
        from.scan(own.values(), settings.kind, results);
        if (own.size() > own.reals().size()) out->write(results.view());
      });
    }
    if (!reals && exactly) return;
    std::vector<double> values;
    all.take([&] { values = doubles_of(own); });
    floats(std::span<double const>(values), exactly ? values.size() - own.reals().size() : 0);
  });
  all.take([&] { out->finish(); });
}

}  // namespace tally::cli
