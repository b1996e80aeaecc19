#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "help/page.hpp"
#include "textbook/catalogue.hpp"

/// The textbook's kernels as the command line names them.
namespace tally::cli {

/// Every kernel's name, in the order of the ladder.
std::vector<choice> const& kernel_choices();
/// The argument KERNEL... on the page of a command: any of the kernels and `others`.
option_page kernel_arguments(std::vector<choice> const& others = {});
/// The argument KERNEL on the page of a command that runs one.
option_page kernel_argument();

/// The kernels of these names, each once, in the order of the ladder; all of them if no name is given. Throws
/// `command_line_error` for an unknown name.
std::vector<textbook::kernel_entry const*> kernels_named(std::vector<std::string> const& names);

/// The operation that combines a kernel's elements.
enum class kernel_operation { sum, product, min, max, join };

/// In the order of the enumeration.
std::vector<choice> const& kernel_operation_choices();

/// The operation a kernel runs with: the one asked for, else the kernel's own, else the sum.
kernel_operation kernel_operation_of(textbook::kernel_entry const& kernel, std::optional<kernel_operation> asked);
std::string_view name_of(kernel_operation op);

/// n elements in which a wrong order or a lost element shows, and whose sums and products fit an int: integers (for a
/// histogram from 0 to 7), or letters to be joined. Requires n <= most_elements, and what `check_letters` checks.
textbook::values kernel_input(textbook::kernel_entry const& kernel, int n, kernel_operation op);
/// The catalogue's name for an operation. Letters have none: `join` gives the sum.
textbook::operation catalogue_operation(kernel_operation op);

/// The most elements that the tool gives the model machine.
constexpr int most_elements = 1 << 20;
/// Throws `command_line_error` if there are fewer letters than elements to join.
void check_letters(int n, kernel_operation op);

}  // namespace tally::cli
