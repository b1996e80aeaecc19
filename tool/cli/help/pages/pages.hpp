#pragma once

#include "help/page.hpp"

/// Every page of the tool.
namespace tally::cli {

command_page const& tally_page();
command_page const& reduce_page();
command_page const& scan_page();
command_page const& bench_page();
command_page const& explain_page();
command_page const& compare_page();
command_page const& brent_page();
command_page const& exhibit_page();
command_page const& app_page();
command_page const& help_page();
command_page const& completion_page();

/// The pages of all commands, in the order in which help lists them.
std::vector<command_page const*> const& command_pages();

/// The parts of pages that reduce and scan share.
option_page init_option();
option_group input_options();
/// --weights.
option_page weights_option();
/// Operations of two columns.
section pairs_section();
/// Those of the input options that are about tables.
std::vector<option_page> table_options();
/// The input options of applications: those for one column of numbers.
option_group column_options();
option_group output_options_group();
/// Those of scan: with --append.
option_group scan_output_options();
option_group running_options();
std::vector<option_page> number_reading_options();
std::vector<option_page> number_style_options();
section tables_section();
section numbers_section();
section order_section();
section gpu_section();
section exit_section();

std::vector<choice> const& type_choices();           ///< in the order of io::element_type
std::vector<choice> const& input_format_choices();   ///< in the order of io::file_format
std::vector<choice> const& output_format_choices();  ///< in the order of output_format
std::vector<choice> const& notation_choices();       ///< in the order of io::number_notation, without plain
std::vector<choice> const& scale_choices();          ///< in the order of io::number_scale, without none
std::vector<choice> const& byte_order_choices();     ///< little, big
std::vector<choice> const& group_order_choices();    ///< in the order of group_order
std::vector<choice> const& processor_choices();      ///< in the order of processor
std::vector<choice> const& missing_choices();
std::vector<choice> const& processor_choices();  ///< in the order of processor
std::vector<choice> const& shell_choices();

}  // namespace tally::cli
