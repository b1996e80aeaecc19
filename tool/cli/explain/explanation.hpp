#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "draw/recording.hpp"
#include "explain/terminal.hpp"
#include "kernels/named.hpp"

namespace tally::cli {

/// The options of `tally explain`.
struct explain_settings {
  std::vector<std::string> kernels;  ///< none: a list of all is wanted
  std::optional<int> n;
  std::optional<kernel_operation> op;
  std::optional<textbook::own_operator> own;  ///< instead of `op`
  std::optional<std::string> input;
  std::optional<std::string> svg, html;  ///< the files
  bool full_blocks = false;
  bool glossary = false;  ///< the words of the textbook, and no kernel
  bool json = false;
};

/// A law that an operator does not keep, with the simplest example that was found.
struct broken_law {
  std::string law;      ///< "associativity", "commutativity", "identity"
  std::string example;  ///< "(a op b) op c = -1, a op (b op c) = 1 at a = 0, b = 0, c = 1"
};

/// The findings of the law checker (tally/laws.hpp) about an operator of the reader's own, on small numbers and the
/// elements of the run.
struct own_laws {
  std::vector<broken_law> broken;
  std::size_t samples = 0;

  bool keeps(std::string_view law) const;
};

/// An operator of the reader's own beside what its kernel expects of it.
struct own_judgement {
  own_laws laws;
  textbook::values by_a_loop;  ///< the result of one thread that takes one element after the other, from the left
};

/// A kernel that has run on the model machine, with everything that it did.
struct explanation {
  /// A run of more elements, or of more acts of threads, is only counted, not recorded. In JSON and on its page a phase
  /// of more than `most_listed` acts has those of its first warps.
  static constexpr int most_recorded = 2048;
  static constexpr std::size_t most_acts = 1'200'000, most_listed = 50'000;
  /// With more elements than this, blocks are as large as on a GPU.
  static constexpr int most_in_small_blocks = 64;

  textbook::kernel_entry const* kernel = nullptr;  ///< with the formulas for the blocks that it ran with
  kernel_operation op = kernel_operation::sum;
  std::optional<textbook::own_operator> own;  ///< instead of `op`
  std::optional<own_judgement> judged;        ///< of `own`, after `judge` (explain/own_operator.hpp)
  int n = 0;
  textbook::values in, out;
  std::string drawing;  ///< of a tournament its bracket
  draw::recording run{most_acts};
  model::report counts;
  std::size_t work = 0, depth = 0;  ///< T1 and T_inf

  bool is_recorded() const { return n <= most_recorded && run.complete(); }
  std::string_view op_name() const { return own ? own->text : name_of(op); }
  /// "x[0] + x[1]", "min(x[0], x[1])", "op(x[0], x[1])".
  std::string combined(std::string const& left, std::string const& right) const;
  /// The threads of a block on a GPU, if blocks are smaller here to show several; else 0.
  int threads_elsewhere() const;
};

/// Runs the kernel that the settings name. Throws `command_line_error` if it does not take their elements or operation.
explanation explain(explain_settings const& settings);

/// The type of the elements: "int", "float", "letters".
std::string_view element_name(textbook::values const& of);
/// The elements as text.
std::vector<std::string> texts_of(textbook::values const& of);

/// "hillis_steele.hpp" of a path in the textbook's folder, "exhibits/in_place.hpp" of one below it; else the file
/// alone.
std::string header_of(model::place const& where);

/// "1 step", "2 steps".
std::string counted(std::size_t number, std::string_view noun);

/// The output for a reader, and for scripts.
std::string text(explanation const& of, terminal const& to);
std::string json_text(explanation const& of);

}  // namespace tally::cli
