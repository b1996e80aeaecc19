#include <sys/ioctl.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "commands/commands.hpp"
#include "io/writer.hpp"
#include "output/json_writer.hpp"
#include "output/report.hpp"
#include "plot/curve.hpp"
#include "plot/picture.hpp"
#include "settings/numbers.hpp"
#include "table/table_writer.hpp"

namespace tally::cli {

namespace {

/// Writes values as the only column of a table.
class one_column final : public io::writer {
public:
  one_column(io::output to, std::unique_ptr<row_format> format, int threads)
      : to_(std::move(to), std::move(format), threads)
  {
  }

  void write(io::values_view const& values) override
  {
    std::visit(
        [&](auto in) {
          to_.rows(in.size(),
                   [in, this](std::size_t k, std::vector<cell>& cells) { cells.assign(1, result_of(in[k], form_)); });
        },
        values);
  }
  void set_form(io::number_form form) override { form_ = form; }
  void flush() override { to_.flush(); }
  void finish() override { to_.finish(); }

private:
  table_writer to_;
  io::number_form form_;
};

/// "running sum of amount".
std::string plot_title(command_settings const& settings)
{
  std::string const of = settings.input.columns.size() == 1 ? " of " + settings.input.columns[0] : "";
  return "running " + std::string(name_of(settings.operations[0])) + of;
}

/// The columns of a terminal; 80 in a pipe or a file.
std::size_t terminal_width()
{
  winsize size{};
  bool const known = isatty(STDOUT_FILENO) == 1 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

/// Draws values as a curve.
class drawn final : public io::writer {
public:
  drawn(io::output to, std::string title, picture as) : to_(std::move(to)), title_(std::move(title)), as_(as) {}

  void write(io::values_view const& values) override
  {
    std::visit(
        [&](auto in) {
          for (auto const value : in)
            curve_.add(std::visit([](auto x) { return static_cast<double>(x); }, result_of(value, form_)));
        },
        values);
  }
  void set_form(io::number_form form) override { form_ = form; }
  void flush() override {}
  void finish() override
  {
    std::string text = as_ == picture::text ? text_of(curve_, title_, terminal_width(), 16) : svg_of(curve_, title_);
    if (as_ == picture::png) text = png_of(text);
    to_.write(text.data(), text.size());
    to_.commit();
  }

private:
  io::output to_;
  std::string title_;
  picture as_;
  curve curve_;
  io::number_form form_;
};

}  // namespace

std::unique_ptr<io::writer> make_scan_writer(command_settings const& settings, io::output to, io::element_type type)
{
  if (settings.output.plot)
    return std::make_unique<drawn>(std::move(to), plot_title(settings), picture_of(settings.output));
  io::number_style const style = style_for(settings.operations[0], settings.output.style);
  if (settings.output.format == output_format::npy) return io::write_npy(std::move(to), type);
  if (settings.output.format == output_format::raw) return io::write_raw(std::move(to), type);
  if (settings.output.format == output_format::json)
    return write_json_values(std::move(to), settings.operations[0], style);
  if (is_table(settings.output.format))
    return std::make_unique<one_column>(std::move(to), make_row_format(settings.output, result_columns(settings), true),
                                        settings.threads);
  io::text_writer_options options;
  options.threads = settings.threads;
  options.style = style;
  return std::make_unique<io::text_writer>(std::move(to), options);
}

}  // namespace tally::cli
