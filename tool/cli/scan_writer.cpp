#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "commands.hpp"
#include "io/writer.hpp"
#include "json_writer.hpp"
#include "report.hpp"
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
          to_.rows(in.size(), [in](std::size_t k, std::vector<cell>& cells) { cells.assign(1, result_of(in[k])); });
        },
        values);
  }
  void flush() override { to_.flush(); }
  void finish() override { to_.finish(); }

private:
  table_writer to_;
};

}  // namespace

std::unique_ptr<io::writer> make_scan_writer(command_settings const& settings, io::output to, io::element_type type)
{
  if (settings.output.format == output_format::npy) return io::write_npy(std::move(to), type);
  if (settings.output.format == output_format::raw) return io::write_raw(std::move(to), type);
  if (settings.output.format == output_format::json) return write_json_values(std::move(to), settings.operations[0]);
  if (is_table(settings.output.format))
    return std::make_unique<one_column>(std::move(to), make_row_format(settings.output, result_columns(settings), true),
                                        settings.threads);
  io::text_writer_options options;
  options.threads = settings.threads;
  return std::make_unique<io::text_writer>(std::move(to), options);
}

}  // namespace tally::cli
