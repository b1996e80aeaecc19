#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "page.hpp"
#include "textbook/catalogue.hpp"

/// The textbook's kernels as the command line names them.
namespace tally::cli {

/// Every kernel's name, in the order of the ladder.
std::vector<choice> const& kernel_choices();
/// KERNEL... on the page of a command: which to run, `others` among them.
option_page kernel_arguments(std::vector<choice> const& others = {});
/// KERNEL on the page of a command that runs one.
option_page kernel_argument();

/// The kernels of these names, each once, in the order of the ladder; all of them where no name is given. Throws
/// `command_line_error` for a name that is none.
std::vector<textbook::kernel_entry const*> kernels_named(std::vector<std::string> const& names);

/// What a kernel's elements are combined by.
enum class kernel_operation { sum, product, min, max, join };

/// In the order of the enumeration.
std::vector<choice> const& kernel_operation_choices();
kernel_operation kernel_operation_named(std::string const& name);

/// What a kernel runs by: what is asked for; if nothing is, what it is made for, or the sum.
kernel_operation kernel_operation_of(textbook::kernel_entry const& kernel, std::optional<kernel_operation> asked);
std::string_view name_of(kernel_operation op);

/// n elements that make a wrong order or a lost element show, and that no sum or product of int overflows: integers,
/// those of a histogram from 0 to 7; or letters to be joined. Requires what `element_number` and `check_letters` say.
textbook::values kernel_input(textbook::kernel_entry const& kernel, int n, kernel_operation op);
/// What the catalogue takes; of no meaning for letters.
textbook::operation catalogue_operation(kernel_operation op);

/// The number of elements that --n gives. Throws `command_line_error` if the model machine, or the alphabet, is not
/// given so many by the tool.
int element_number(std::string const& text);
void check_letters(int n, kernel_operation op);

}  // namespace tally::cli
