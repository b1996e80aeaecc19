#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "draw/html.hpp"
#include "explain/explanation.hpp"
#include "explain/finding_record.hpp"
#include "imports.hpp"
#include "output/json.hpp"
#include "settings/parser.hpp"
#include "tally/model.hpp"
#include "text.hpp"

/// A kernel that the page runs. Its steps call back into the page for each thread. The page calls in for each access to
/// memory and each application of the operator. Elements are integers, floats or letters, of four bytes. They cross the
/// border as an int of the same bits, with the number of the operation that made them.
namespace tally::site {

namespace {

/// A place of the page's kernel. The machine knows places as `std::source_location`s, which only a compiler makes: this
/// one has the layout that Clang gives them.
struct place_of_page {
  char const* file = "kernel.js";
  char const* function = "";
  unsigned line = 0, column = 0;
};
static_assert(sizeof(std::source_location) == sizeof(place_of_page const*));

std::source_location location_of(unsigned line, unsigned column)
{
  static std::vector<std::unique_ptr<place_of_page>> places;
  for (auto const& each : places)
    if (each->line == line && each->column == column) return std::bit_cast<std::source_location>(each.get());
  places.push_back(std::make_unique<place_of_page>(place_of_page{"kernel.js", "", line, column}));
  return std::bit_cast<std::source_location>(places.back().get());
}

/// An element that crosses the border.
struct crossing {
  int bits;
  int node;
};

template <class T>
crossing crossing_of(model::traced<T> const& e)
{
  return {std::bit_cast<int>(e.value), e.node};
}

template <class T>
model::traced<T> traced_of(crossing const& c)
{
  return {std::bit_cast<T>(c.bits), c.node};
}

/// A run of the page's kernel on elements of one type.
class session {
public:
  virtual ~session() = default;

  virtual void input(std::vector<int> const& bits) = 0;
  virtual int allocate(std::string const& name, int n, bool of_elements, bool shared) = 0;
  virtual int registers() = 0;
  virtual crossing read(int array, int k, std::source_location where) = 0;
  virtual void write(int array, int k, crossing value, std::source_location where) = 0;
  virtual crossing load_acquire(int array, int k, std::source_location where) = 0;
  virtual void store_release(int array, int k, crossing value, std::source_location where) = 0;
  virtual crossing broadcast(int array, int k, std::source_location where) = 0;
  virtual crossing register_of(int of, int t, std::source_location where) = 0;
  virtual void set_register(int of, int t, crossing value, std::source_location where) = 0;
  virtual int shuffle(int of, int kind, int distance, std::source_location where) = 0;
  virtual crossing apply(crossing left, crossing right, std::source_location where) = 0;
  virtual crossing identity() = 0;
  /// Compares each result with what it should be made of: the first wrong one is a finding.
  virtual void expect(textbook::result_kind kind) = 0;
  virtual textbook::values in() const = 0;
  virtual textbook::values out() const = 0;
  virtual bool is_right(textbook::result_kind kind) const = 0;

  int atomic_add(int array, int k, int more, std::source_location where)
  {
    return here->atomic_add(counts_.at(index_of(array)), model::position(k, where), more);
  }

  model::machine& machine() { return machine_; }
  cli::explanation& record() { return record_; }
  bool is_played = false;
  model::block const* here = nullptr;

protected:
  explicit session(model::schedule by) : machine_(by) {}

  /// Arrays of elements have the numbers 0, 2, 4 .. of the page, those of counts 1, 3, 5 ..
  static std::size_t index_of(int array) { return static_cast<std::size_t>(array) / 2; }
  static bool has_counts(int array) { return array % 2 == 1; }

  cli::explanation record_;
  model::machine machine_;
  std::vector<model::view<int>> counts_;
};

template <class T, class Op>
class session_of final : public session {
public:
  using E = model::traced<T>;

  session_of(Op op, model::schedule by) : session(by), op_(std::move(op)), watched_(machine_.watch<T>(op_)) {}

  void input(std::vector<int> const& bits) override
  {
    if (is_played) machine_.watch_with(&record_.run);
    for (int const each : bits) in_.push_back(std::bit_cast<T>(each));
    arrays_.push_back(machine_.input(in_, "in"));
    right_ = machine_.elements(arrays_.front(), 0, in_.size());
  }
  int allocate(std::string const& name, int n, bool of_elements, bool shared) override
  {
    if (of_elements) {
      arrays_.push_back(shared ? here->shared<E>(n, name.c_str())
                               : machine_.allocate<E>(static_cast<std::size_t>(n), name));
      return static_cast<int>(arrays_.size() - 1) * 2;
    }
    counts_.push_back(shared ? here->shared<int>(n, name.c_str())
                             : machine_.allocate<int>(static_cast<std::size_t>(n), name));
    return static_cast<int>(counts_.size() - 1) * 2 + 1;
  }
  int registers() override
  {
    registers_.push_back(here->registers<E>());
    return static_cast<int>(registers_.size() - 1);
  }
  crossing read(int array, int k, std::source_location where) override
  {
    model::position const at(k, where);
    if (has_counts(array)) return {static_cast<int>(counts_.at(index_of(array))[at]), E::constant};
    return crossing_of<T>(static_cast<E>(arrays_.at(index_of(array))[at]));
  }
  void write(int array, int k, crossing value, std::source_location where) override
  {
    model::position const at(k, where);
    if (has_counts(array))
      counts_.at(index_of(array))[at] = value.bits;
    else
      arrays_.at(index_of(array))[at] = traced_of<T>(value);
  }
  crossing load_acquire(int array, int k, std::source_location where) override
  {
    model::position const at(k, where);
    if (has_counts(array)) return {here->load_acquire(counts_.at(index_of(array)), at), E::constant};
    return crossing_of<T>(here->load_acquire(arrays_.at(index_of(array)), at));
  }
  void store_release(int array, int k, crossing value, std::source_location where) override
  {
    model::position const at(k, where);
    if (has_counts(array))
      here->store_release(counts_.at(index_of(array)), at, value.bits);
    else
      here->store_release(arrays_.at(index_of(array)), at, traced_of<T>(value));
  }
  crossing broadcast(int array, int k, std::source_location where) override
  {
    model::position const at(k, where);
    if (has_counts(array)) return {here->broadcast(counts_.at(index_of(array)), at), E::constant};
    return crossing_of<T>(here->broadcast(arrays_.at(index_of(array)), at));
  }
  crossing register_of(int of, int t, std::source_location where) override
  {
    return crossing_of<T>(registers_.at(static_cast<std::size_t>(of))[model::position(t, where)]);
  }
  void set_register(int of, int t, crossing value, std::source_location where) override
  {
    registers_.at(static_cast<std::size_t>(of))[model::position(t, where)] = traced_of<T>(value);
  }
  int shuffle(int of, int kind, int distance, std::source_location where) override
  {
    model::per_thread<E> const own = registers_.at(static_cast<std::size_t>(of));
    registers_.push_back(kind == 0   ? here->shuffle_up(own, distance, where)
                         : kind == 1 ? here->shuffle_down(own, distance, where)
                                     : here->shuffle_xor(own, distance, where));
    return static_cast<int>(registers_.size() - 1);
  }
  crossing apply(crossing left, crossing right, std::source_location where) override
  {
    return crossing_of<T>(watched_(traced_of<T>(left), traced_of<T>(right), where));
  }
  crossing identity() override { return crossing_of<T>(watched_.identity()); }

  void expect(textbook::result_kind kind) override
  {
    std::size_t const results = textbook::results_of(kind, in_.size());
    std::size_t const before = machine_.counts().findings.size();
    for (std::size_t k = 0; k < results && machine_.counts().findings.size() == before; ++k) {
      model::elements_in_order made = right_;
      made.leaves.resize(kind == textbook::result_kind::reduction        ? in_.size()
                         : kind == textbook::result_kind::inclusive_scan ? k + 1
                                                                         : k);
      machine_.expect(arrays_.at(1), k, made, op_);
    }
  }
  textbook::values in() const override { return in_; }
  textbook::values out() const override { return machine_.values(arrays_.at(1)); }
  bool is_right(textbook::result_kind kind) const override
  {
    std::vector<T> const out = machine_.values(arrays_.at(1));
    T sum = op_.identity();
    float magnitude = 0, error = 0;  // the error that other brackets may make, of floats
    auto const is = [&](std::size_t k) { return arrays_.at(1).of().is_set(k) && are_equal(out[k], sum, error); };
    for (std::size_t k = 0; k < in_.size(); ++k) {
      if (kind == textbook::result_kind::exclusive_scan && !is(k)) return false;
      sum = op_(sum, in_[k]);
      if constexpr (std::is_same_v<T, float>) {
        magnitude += std::abs(in_[k]);
        float const n = static_cast<float>(in_.size());
        error = std::numeric_limits<float>::epsilon() * n * std::max(magnitude, std::abs(sum));
      }
      if (kind == textbook::result_kind::inclusive_scan && !is(k)) return false;
    }
    return kind != textbook::result_kind::reduction || is(0);
  }

private:
  static bool are_equal(T const& a, T const& b, float error)
  {
    if constexpr (std::is_same_v<T, float>)
      return a == b || std::abs(a - b) <= error;
    else
      return a == b;
  }

  Op op_;
  model::watched<T, Op> watched_;
  std::vector<T> in_;
  model::elements_in_order right_;
  std::vector<model::view<E>> arrays_;  // the input, the output, and others
  std::vector<model::per_thread<E>> registers_;
};

std::unique_ptr<session> now;
std::string source;        // of the page's kernel
int last_bits, last_node;  // of the result of the last call

void give_crossing(crossing const& c)
{
  last_bits = c.bits;
  last_node = c.node;
}

/// The kernel as the machine launches it. Its blocks may wait for each other.
struct kernel_of_page {
  static inline std::string name;
  static constexpr bool waits = true;

  void operator()(model::block const& block) const
  {
    now->here = &block;
    page_block(block.index());
  }
};

auto const call_threads = [](int t) { page_thread(t); };

}  // namespace

extern "C" {

/// Begins a run of integers or floats with the operation's number in `kernel_operation`, or of letters if that is
/// `join`. A `played` one is recorded, to be shown. If `descending`, the last block begins first.
[[clang::export_name("own_begin")]] void own_begin(int op, int n, int floats, int played, int descending)
{
  model::schedule by;
  if (descending != 0) by.by = model::schedule::order::descending;
  auto const operation = static_cast<cli::kernel_operation>(op);
  now.reset();
  if (operation == cli::kernel_operation::join)
    now = std::make_unique<session_of<textbook::letters, textbook::join>>(textbook::join{}, by);
  else if (floats != 0)
    now = std::make_unique<session_of<float, textbook::selected_operator<float>>>(
        textbook::selected_operator<float>{cli::catalogue_operation(operation)}, by);
  else
    now = std::make_unique<session_of<int, textbook::selected_operator<int>>>(
        textbook::selected_operator<int>{cli::catalogue_operation(operation)}, by);
  now->is_played = played != 0;
  now->record().op = operation;
  now->record().n = n;
}

/// The input: the given text is the bits of n elements, a word of four bytes each.
[[clang::export_name("own_input")]] void own_input(int results)
{
  std::string const& bytes = given_text();
  std::vector<int> words(bytes.size() / sizeof(int));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(words.data()));
  now->input(words);
  now->allocate("out", results, true, false);
}

/// The page's kernel, for the picture of its run.
[[clang::export_name("own_source")]] void own_source()
{
  source = given_text();
}

/// Launches a kernel, whose name is the given text.
[[clang::export_name("own_launch")]] void own_launch(int blocks, int threads)
{
  kernel_of_page::name = given_text();
  now->machine().launch(blocks, threads, kernel_of_page{});
}

/// A new array, whose name is the given text.
[[clang::export_name("own_array")]] int own_array(int n, int of_elements, int shared)
{
  return now->allocate(given_text(), n, of_elements != 0, shared != 0);
}
[[clang::export_name("own_registers")]] int own_registers()
{
  return now->registers();
}

[[clang::export_name("own_step")]] void own_step(int barrier, unsigned line, unsigned column)
{
  model::block const here = *now->here;
  if (barrier != 0)
    here.step(call_threads, location_of(line, column));
  else
    here.each(call_threads, location_of(line, column));
}

[[clang::export_name("own_bits")]] int own_bits()
{
  return last_bits;
}
[[clang::export_name("own_read")]] int own_read(int array, int k, unsigned line, unsigned column)
{
  give_crossing(now->read(array, k, location_of(line, column)));
  return last_node;
}
[[clang::export_name("own_write")]] void own_write(int array, int k, int bits, int node, unsigned line, unsigned column)
{
  now->write(array, k, {bits, node}, location_of(line, column));
}
[[clang::export_name("own_acquire")]] int own_acquire(int array, int k, unsigned line, unsigned column)
{
  give_crossing(now->load_acquire(array, k, location_of(line, column)));
  return last_node;
}
[[clang::export_name("own_release")]] void own_release(int array, int k, int bits, int node, unsigned line,
                                                       unsigned column)
{
  now->store_release(array, k, {bits, node}, location_of(line, column));
}
[[clang::export_name("own_broadcast")]] int own_broadcast(int array, int k, unsigned line, unsigned column)
{
  give_crossing(now->broadcast(array, k, location_of(line, column)));
  return last_node;
}
[[clang::export_name("own_add")]] int own_add(int array, int k, int more, unsigned line, unsigned column)
{
  return now->atomic_add(array, k, more, location_of(line, column));
}
[[clang::export_name("own_pause")]] void own_pause(unsigned line, unsigned column)
{
  now->here->pause(location_of(line, column));
}
[[clang::export_name("own_register")]] int own_register(int of, int t, unsigned line, unsigned column)
{
  give_crossing(now->register_of(of, t, location_of(line, column)));
  return last_node;
}
[[clang::export_name("own_set_register")]] void own_set_register(int of, int t, int bits, int node, unsigned line,
                                                                 unsigned column)
{
  now->set_register(of, t, {bits, node}, location_of(line, column));
}
[[clang::export_name("own_shuffle")]] int own_shuffle(int of, int kind, int distance, unsigned line, unsigned column)
{
  return now->shuffle(of, kind, distance, location_of(line, column));
}
[[clang::export_name("own_apply")]] int own_apply(int left_bits, int left, int right_bits, int right, unsigned line,
                                                  unsigned column)
{
  give_crossing(now->apply({left_bits, left}, {right_bits, right}, location_of(line, column)));
  return last_node;
}
[[clang::export_name("own_identity")]] int own_identity()
{
  give_crossing(now->identity());
  return last_node;
}

/// Ends the run, and gives the counts, the findings, the results and whether they are right, as JSON.
[[clang::export_name("own_end")]] void own_end(int result_kind)
{
  auto const kind = static_cast<textbook::result_kind>(result_kind);
  bool const is_right = now->is_right(kind);
  now->expect(kind);
  model::report const& counts = now->machine().counts();
  cli::json findings = cli::json::array();
  for (model::finding const& each : counts.findings) {
    cli::json finding = cli::finding_of(each);
    finding.add("column", each.where.column);
    finding.add("other_line", each.other_where.line);
    findings.append(finding);
  }
  cli::json out = cli::json::array();
  for (std::string const& each : cli::texts_of(now->out())) out.append(each);
  cli::json all = {{"right", is_right},
                   {"out", out},
                   {"launches", counts.launches},
                   {"operations", now->machine().operations().work()},
                   {"depth", now->machine().operations().depth()},
                   {"steps", counts.steps},
                   {"barriers", counts.barriers},
                   {"wavefronts", counts.shared.wavefronts + counts.shared_in_transfers.wavefronts},
                   {"ideal", counts.shared.ideal + counts.shared_in_transfers.ideal},
                   {"worst_degree", std::max(counts.shared.worst_degree, counts.shared_in_transfers.worst_degree)},
                   {"divergent", counts.warps.divergent},
                   {"reads", counts.global.reads},
                   {"writes", counts.global.writes},
                   {"sectors_read", counts.global.sectors_read},
                   {"sectors_written", counts.global.sectors_written},
                   {"findings", findings}};
  give(all.line());
}

/// Gives the page that plays the run. Requires that it was begun as `played`, and has ended.
[[clang::export_name("own_page")]] void own_page(int result_kind)
{
  static textbook::kernel_entry kernel;
  kernel.name = kernel.header = kernel.source = "kernel.js";
  kernel.title = "Your kernel";
  kernel.result = static_cast<textbook::result_kind>(result_kind);
  cli::explanation& record = now->record();
  record.kernel = &kernel;
  record.in = now->in();
  record.out = now->out();
  record.counts = now->machine().counts();
  record.work = now->machine().operations().work();
  record.depth = now->machine().operations().depth();
  if (!record.is_recorded()) throw cli::command_line_error("Too much happens to be played: take fewer elements.");
  give(draw::draw_html({record.kernel->title, cli::json_text(record), {{"kernel.js", source}}}));
}
}

}  // namespace tally::site
