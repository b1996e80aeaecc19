#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "draw/circuit.hpp"
#include "explain/arrays.hpp"
#include "explain/explanation.hpp"
#include "explain/stages.hpp"
#include "kernels/figures.hpp"
#include "textbook/exhibits.hpp"
#include "textbook/sources.hpp"

namespace tally::cli {

namespace {

constexpr std::size_t lines_of_a_step = 6;  // of its operations

class writer {
public:
  writer(explanation const& of, terminal const& to) : of_(of), to_(to), run_(of.run), arrays_(of.run, to) {}

  std::string write()
  {
    head();
    if (of_.is_recorded()) {
      steps();
      bracket();
    } else {
      out_ += "\nToo much happens to be shown: the counts alone.\n";
    }
    table();
    findings();
    if (of_.judged) laws(of_.judged->laws);
    where_next();
    return std::move(out_);
  }

private:
  void head()
  {
    textbook::kernel_entry const& kernel = *of_.kernel;
    constexpr std::string_view kinds[] = {"reduction", "inclusive scan", "exclusive scan", "histogram"};
    std::string const elements = element_name(of_.in) == "letters" ? "letter"
                                 : element_name(of_.in) == "int"   ? "integer"
                                                                   : "float";
    out_ += to_.bold(kernel.title);
    out_ += fmt::format(": {} of {} by {}\n", kinds[static_cast<int>(kernel.result)],
                        counted(static_cast<std::size_t>(of_.n), elements), of_.op_name());
    out_ += to_.wrapped(kernel.changes);
    std::string const source = kernel.source.empty() ? "" : std::string(kernel.source) + ", ";
    out_ += to_.dim(to_.wrapped(source + "tally/textbook/" + std::string(kernel.header)));
    if (int const elsewhere = of_.threads_elsewhere(); elsewhere > 0)
      out_ += to_.wrapped(fmt::format(
          "A block has {} threads here, for several to be seen; with --full-blocks it has {}, as in `tally compare`.",
          kernel.threads, elsewhere));
  }

  /// The bracket of a tournament.
  void bracket()
  {
    if (of_.drawing.empty()) return;
    out_ += '\n' + to_.bold("bracket") + '\n';
    std::size_t const most = 2 * to_.width;  // lines; a larger bracket cannot be read
    out_ += static_cast<std::size_t>(std::count(of_.drawing.begin(), of_.drawing.end(), '\n')) > most
                ? "Too many players to be drawn.\n"
                : of_.drawing;
  }

  void steps()
  {
    for (draw::circuit::row const& each : draw::circuit_of(run_).rows)
      if (each.stride > 0) strides_[each.phase] = each.stride;
    for (auto const& [number, array] : run_.arrays())
      if (array.space == model::memory::global && array.name == "in") {
        out_ += '\n';
        out_ += arrays_.lines(number);
      }
    std::vector<stage> const stages = stages_of(run_);
    int launch = -2;
    bool const several = std::any_of(stages.begin(), stages.end(),
                                     [&](stage const& each) { return each.launch != stages.front().launch; });
    for (stage const& each : stages) {
      out_ += '\n';
      if (several && each.launch != launch) begin_launch(each);
      launch = each.launch;
      if (each.combines)
        step(each);
      else
        copies(each);
    }
    std::vector<std::string> notes;
    if (!to_.colours && out_.find('*') != std::string::npos) notes.emplace_back("* marks what has been written");
    if (uses_registers_) notes.emplace_back("t1 is a register of thread 1");
    if (!notes.empty()) out_ += fmt::format("\n({})\n", fmt::join(notes, "; "));
  }

  void begin_launch(stage const& of)
  {
    if (of.launch < 0)
      out_ += to_.bold("the host") + "\n";
    else
      out_ += to_.bold(fmt::format("launch {}: {}", of.launch + 1, of.kernel)) +
              fmt::format(", {} of {}\n", counted(static_cast<std::size_t>(of.blocks), "block"),
                          counted(static_cast<std::size_t>(of.threads), "thread"));
  }

  void step(stage const& of)
  {
    std::string const label = of.steps > 1 ? fmt::format("steps {}-{}", of.first_step, of.first_step + of.steps - 1)
                                           : fmt::format("step {}", of.first_step);
    std::vector<std::string> words;
    for (std::size_t const p : of.phases)
      if (auto const found = strides_.find(p); found != strides_.end() && words.empty())
        words.push_back(fmt::format("stride {}", found->second));
    std::string const about = what_works(of, words);
    out_ += to_.bold(about == "\n" ? label : fmt::format("{:<{}} ", label, gutter - 1)) + about;
    out_ += operations(of);
    out_ += arrays_.after(of, shown::all);
  }

  std::string what_works(stage const& of, std::vector<std::string> words)
  {
    draw::phase const& first = run_.phases()[of.phases.front()];
    if (!first.by_host()) {
      words.push_back(fmt::format("{} of {}", of.active, threads_of(of)));
      if (of.warps.divergent > 0)
        words.push_back(of.warps.steps == 1
                            ? "divergent"
                            : fmt::format("{} of {} warps divergent", of.warps.divergent, of.warps.steps));
    }
    return fmt::format("{}\n", fmt::join(words, ", ")) + conflicts(of) + code(of);
  }

  std::string conflicts(stage const& of) const
  {
    if (of.shared.worst_degree <= 1) return {};
    return std::string(gutter, ' ') +
           to_.warning(fmt::format("bank conflicts: {} wavefronts instead of {}, up to {} words in a bank",
                                   of.shared.wavefronts, of.shared.ideal, of.shared.worst_degree)) +
           '\n';
  }

  /// The source line of the kernel.
  std::string code(stage const& of)
  {
    for (std::size_t const p : of.phases)
      for (draw::act const& one : run_.phases()[p].acts) {
        if (of.combines && one.what != model::action::apply) continue;
        std::string const header = header_of(one.where);
        std::string_view line = textbook::line_of(header, one.where.line);
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        if (line.empty()) return {};
        std::string text = fmt::format("{}:{}: {}", header, one.where.line, line);
        if (text.size() > to_.width - gutter) text.resize(text.find_last_not_of(' ', to_.width - gutter - 1) + 1);
        return std::string(gutter, ' ') + to_.dim(text) + '\n';
      }
    return {};
  }

  std::string name_of_element(draw::element const& where, int value)
  {
    if (where.array != draw::element::registers) return run_.name_of(where);
    if (run_.origin_of(value) == draw::recording::origin::constant) return run_.text_of(value);
    uses_registers_ = true;
    return fmt::format("t{}", where.index);
  }

  /// An operand. An element that receives another one in the same stage is called old: the operand is its value before.
  std::string operand(draw::element const& where, int value, moves const& beside)
  {
    std::string const name = name_of_element(where, value);
    return beside.targets.contains({where.array, where.index}) ? "old " + name : name;
  }

  std::string operation(draw::phase const& in, draw::act const& one, bool several, moves const& beside)
  {
    if (in.by_host())
      return fmt::format("{} <- {}", run_.text_of(one.value),
                         of_.combined(run_.text_of(one.left), run_.text_of(one.right)));
    return fmt::format("{}{} <- {}", several ? fmt::format("block {}: ", in.block) : "",
                       name_of_element(one.at, one.value),
                       of_.combined(operand(one.left_at, one.left, beside), operand(one.right_at, one.right, beside)));
  }

  std::string operations(stage const& of)
  {
    moves const beside = moves_of(run_, of);
    std::vector<std::string> all = beside.texts;
    for (std::size_t const p : of.phases)
      for (draw::act const& one : run_.phases()[p].acts)
        if (one.what == model::action::apply) all.push_back(operation(run_.phases()[p], one, of.blocks > 1, beside));
    std::size_t widest = 0;
    for (std::string const& each : all) widest = std::max(widest, each.size());
    std::size_t const per_line = std::max<std::size_t>(1, (to_.width - gutter + 4) / (widest + 4));
    std::size_t const lines = (all.size() + per_line - 1) / per_line;
    std::size_t const shown = lines > lines_of_a_step ? (lines_of_a_step - 1) * per_line : all.size();
    std::string out;
    for (std::size_t k = 0; k < shown; ++k) {
      bool const last = (k + 1) % per_line == 0 || k + 1 == shown;
      out += std::string(k % per_line == 0 ? gutter : 0, ' ');
      out += last ? all[k] + '\n' : fmt::format("{:<{}}", all[k], widest + 4);
    }
    if (shown < all.size()) out += fmt::format("{:{}}... and {} more\n", "", gutter, all.size() - shown);
    return out;
  }

  /// The sources and targets of moves, in a line.
  void copies(stage const& of)
  {
    copied const all = copies_of(run_, of);
    out_ += to_.bold(fmt::format("{:<{}}", all.shuffles && all.ways.size() == 1 ? "shuffle" : "copy", gutter));
    out_ += to_.wrapped(fmt::format("{}; {} of {}", fmt::join(all.ways, ", "), of.active, threads_of(of)), gutter);
    out_ += conflicts(of);
    bool const last = run_.phases().size() - 1 == of.phases.back();
    out_ += arrays_.after(of, !all.straight ? shown::all : last || of.blocks > 1 ? shown::global : shown::none);
  }

  static std::string threads_of(stage const& of)
  {
    return counted(static_cast<std::size_t>(of.threads) * static_cast<std::size_t>(of.blocks), "thread");
  }

  void row(std::string_view name, std::size_t value, std::string const& rest)
  {
    out_ += fmt::format("{:<12}{:>10}", name, value);
    out_ += rest.empty() ? "\n" : "   " + to_.wrapped(rest, 25);
  }

  std::string formula(textbook::formula const& of, std::size_t value) const
  {
    std::string text(of.text);
    if (of.value == nullptr) return text;
    std::size_t const expected = of.value(of_.n);
    if (expected == value) return text;
    return text + fmt::format(", which is {}", expected);
  }

  void table()
  {
    model::report const& counts = of_.counts;
    out_ += '\n' + to_.dim(fmt::format("{:>22}   formula, where n is a power of two", "run")) + '\n';
    row("operations", of_.work, formula(of_.kernel->work, of_.work));
    row("depth", of_.depth, "the longest chain of operations");
    row("steps", counts.steps, formula(of_.kernel->steps, counts.steps));
    row("barriers", counts.barriers, formula(of_.kernel->barriers, counts.barriers));
    if (counts.launches > 1) row("launches", static_cast<std::size_t>(counts.launches), "");
    std::string const worst =
        counts.shared.worst_degree > 1 ? fmt::format(", at worst {} words in a bank", counts.shared.worst_degree) : "";
    row("wavefronts", counts.shared.wavefronts,
        fmt::format("of shared memory; {} without bank conflicts{}", counts.shared.ideal, worst));
    row("warp-steps", counts.warps.steps, lanes(counts.warps));
    row("sectors", counts.global.sectors_read + counts.global.sectors_written,
        fmt::format("of 32 bytes of global memory: {} read, {} written", counts.global.sectors_read,
                    counts.global.sectors_written));
    if (counts.atomics.changes > 0)
      row("atomics", counts.atomics.changes,
          fmt::format("additions, by {} in {}: lanes that add to one word go one after the other",
                      counted(counts.atomics.requests, "warp"), counted(counts.atomics.turns, "turn")));
    model::shared_counts const& shared = counts.shared_in_transfers;
    model::warp_counts const& warps = counts.warps_in_transfers;
    out_ += to_.dim(to_.wrapped(fmt::format(
        "Steps that load from global memory or store there are not among the wavefronts and warp-steps; they "
        "have {} and {}.",
        counted(shared.wavefronts, "wavefront"), counted(warps.steps, "warp-step"))));
  }

  static std::string lanes(model::warp_counts const& of)
  {
    if (of.steps == 0) return {};
    return fmt::format("{} of them divergent; {:.1f} of 32 lanes at work", of.divergent,
                       static_cast<double>(of.active_lanes) / static_cast<double>(of.steps));
  }

  void findings()
  {
    if (of_.counts.clean()) return;
    out_ += '\n' + to_.fault("The machine found:") + '\n';
    for (model::finding const& each : of_.counts.findings) out_ += "  " + to_.wrapped(each.text(), 2);
  }

  /// The laws that an operator of the reader's own breaks, and what came of it.
  void laws(own_laws const& found)
  {
    std::string const op = of_.own->text;
    out_ += '\n';
    if (found.broken.empty())
      out_ += to_.wrapped(fmt::format("{}: no law broken among {} samples. {}", op, found.samples, identity()));
    for (broken_law const& each : found.broken) {
      std::string const line = fmt::format("{} breaks {}: {}", op, each.law, each.example);
      out_ += each.law == "commutativity" ? to_.wrapped(line) : to_.fault(to_.wrapped(line));
    }
    compare_with_loop(found);
  }

  std::string identity() const
  {
    return of_.own->identity ? fmt::format("Its identity is {}.", model::text_of(*of_.own->identity))
                             : "It has no identity.";
  }

  void compare_with_loop(own_laws const& found)
  {
    std::vector<std::string> const loop = texts_of(of_.judged->by_a_loop), out = texts_of(of_.out);
    auto const [a, b] = std::mismatch(loop.begin(), loop.end(), out.begin());
    if (a == loop.end()) {
      out_ +=
          to_.wrapped(found.keeps("associativity") ? "One thread that takes the elements from the left gives the same."
                                                   : "One thread that takes the elements from the left gives the "
                                                     "same here: by the brackets of this kernel, or by chance.");
      return;
    }
    std::size_t const at = static_cast<std::size_t>(a - loop.begin());
    std::string const why = !found.keeps("associativity") ? "the kernel sets other brackets"
                            : of_.kernel->needs_commutative && !found.keeps("commutativity")
                                ? "the kernel takes operands out of order"
                                : "the kernel sets other brackets, which round otherwise";
    out_ += to_.wrapped(
        fmt::format("One thread that takes the elements from the left gives {} in out[{}], where this run has {}: {}.",
                    loop[at], at, out[at], why));
    std::string all;
    constexpr std::size_t most = 16;
    for (std::size_t k = 0; k < std::min(loop.size(), most); ++k) all += (k > 0 ? " " : "") + loop[k];
    if (loop.size() > 1) out_ += to_.wrapped("From the left: " + all + (loop.size() > most ? " .." : ""));
  }

  /// The traps that this kernel has the right way for, and the kernel after it on the ladder.
  void where_next()
  {
    std::string names;
    for (textbook::exhibit const& each : textbook::all_exhibits())
      if (each.fix.header == of_.kernel->header) names += fmt::format("{}{}", names.empty() ? "" : ", ", each.name);
    std::string text = names.empty() ? "" : "Its traps: tally exhibit " + names + ". ";
    std::vector<textbook::kernel_entry> const& all = textbook::catalogue();
    auto const here = std::ranges::find(all, of_.kernel->name, &textbook::kernel_entry::name);
    if (here != all.end() && here + 1 != all.end()) text += fmt::format("Next: tally explain {}. ", (here + 1)->name);
    out_ += '\n' + to_.dim(to_.wrapped(text + "The words: tally explain --glossary"));
  }

  explanation const& of_;
  terminal const& to_;
  draw::recording const& run_;
  shown_arrays arrays_;
  std::map<std::size_t, int> strides_;  // of phases
  bool uses_registers_ = false;
  std::string out_;
};

}  // namespace

std::string counted(std::size_t number, std::string_view noun)
{
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::string text(explanation const& of, terminal const& to)
{
  return writer(of, to).write();
}

}  // namespace tally::cli
