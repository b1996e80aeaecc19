#include "ranks/command.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>
#include <string_view>

#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "io/arrays/npy_header.hpp"
#include "io/errors.hpp"
#include "io/files/memory_file.hpp"
#include "io/files/output.hpp"
#include "io/files/temporary_files.hpp"
#include "output/report.hpp"
#include "ranks/part.hpp"
#include "ranks/results.hpp"
#include "ranks/steps.hpp"

namespace tally::cli {

namespace {

/// Why a command is not divided among ranks; empty if it is.
std::string why_alone(command_settings const& settings, bool scans)
{
  input_settings const& in = settings.input;
  if (in.files.size() > 1) return "ranks divide a single file";
  if (in.files[0] == "-") return "ranks divide a file, and no standard input";
  if (in.opening.follow) return "ranks divide a file that is complete";
  if (in.format_of(in.files[0]) == io::file_format::fixed) return "ranks divide no tables of fixed width";
  if (!in.keys.empty() || !in.weights.empty()) return "ranks divide no groups (--by) and weights";
  if (!in.axes.empty()) return "ranks divide one sequence, and no axes";
  if (in.all_columns || in.columns.size() > 1) return "ranks divide one column";
  if (in.missing_said || !in.missing.names.empty() || in.count_missing) return "ranks divide no missing cells";
  if (!in.comment.empty()) return "ranks divide no comments";
  if (!in.numbers.plain() || in.count_rows) return "ranks divide plain numbers";
  if (settings.on == processor::gpu) return "ranks work on CPUs";
  for (operation const op : settings.operations)
    if (!has_operator(op) && (scans || op != operation::count))
      return "ranks divide operations by an operator: sum, product, min, max, and, or, xor; count";
  if (!scans) return {};
  if (settings.operations.size() > 1) return "ranks divide scans by one operation";
  if (settings.reversed || settings.window > 0) return "ranks divide no scans with --reverse or --window";
  output_format const to = settings.output.format;
  bool const lines =
      to == output_format::text || to == output_format::csv || to == output_format::tsv || to == output_format::jsonl;
  if (settings.output.append || settings.output.plot || (!lines && !is_binary(to)))
    return "ranks write text, csv, tsv, jsonl, npy and raw";
  return {};
}

/// Where the bytes of all ranks go: a file that all write, or rank 0's output, to which the others send theirs.
class shared_output {
public:
  shared_output(command_settings const& settings, network& by, steps& all) : by_(&by), all_(&all)
  {
    std::string const& file = settings.output.file;
    path unfinished{};
    all.take([&] {
      if (by.rank() != 0) return;
      struct stat status;
      bool const special = file == "-" || (stat(file.c_str(), &status) == 0 && !S_ISREG(status.st_mode));
      to_.emplace(special ? io::output::named(file) : io::output::file(file, io::unfinished::named));
      if (to_->unfinished_path().size() >= sizeof(path)) throw error("the name of the output is too long");
      std::memcpy(unfinished.text, to_->unfinished_path().data(), to_->unfinished_path().size());
    });
    by.broadcast(reinterpret_cast<std::byte*>(&unfinished), sizeof(path), 0);
    unfinished_ = unfinished.text;
    if (!unfinished_.empty()) io::remove_on_signal(unfinished_);
  }
  ~shared_output()
  {
    if (!unfinished_.empty()) io::keep_on_signal(unfinished_);
  }
  shared_output(shared_output const&) = delete;
  shared_output& operator=(shared_output const&) = delete;

  /// Writes the bytes of all ranks, in their order, and ends the output. A failure to write to rank 0's output is that
  /// of the command: it is kept in `failure`. Throws `not_divided` on all ranks for other failures.
  void write(std::string_view own)
  {
    std::vector<std::uint64_t> const sizes = of_all_ranks<std::uint64_t>(*by_, own.size());
    if (unfinished_.empty())
      send(own, sizes);
    else
      write_at(own, sizes);
  }

  std::exception_ptr failure() const { return failure_; }

private:
  struct path {
    char text[4096] = {};
  };
  static constexpr std::size_t piece = std::size_t{1} << 20;

  void write_at(std::string_view own, std::vector<std::uint64_t> const& sizes)
  {
    std::uint64_t at = 0;
    for (int r = 0; r < by_->rank(); ++r) at += sizes[static_cast<std::size_t>(r)];
    all_->take([&] { by_->open_to_write(unfinished_); });
    all_->attempt([&] { by_->write_at(own.data(), own.size(), at); });
    all_->attempt([&] { by_->close(); });
    all_->agree();
    all_->take([&] {
      if (to_) to_->commit();
    });
  }

  void send(std::string_view own, std::vector<std::uint64_t> const& sizes)
  {
    auto const write = [&](void const* data, std::size_t n) {
      if (failure_) return;
      try {
        to_->write(data, n);
      } catch (...) {
        failure_ = std::current_exception();
      }
    };
    if (by_->rank() == 0) write(own.data(), own.size());
    std::vector<std::byte> room(by_->rank() == 0 ? piece : 0);
    for (int r = 1; r < by_->size(); ++r) {
      std::uint64_t const size = sizes[static_cast<std::size_t>(r)];
      for (std::uint64_t at = 0; at < size; at += piece) {
        auto const n = static_cast<std::size_t>(std::min<std::uint64_t>(piece, size - at));
        if (by_->rank() == r) by_->send(0, reinterpret_cast<std::byte const*>(own.data()) + at, n, 1);
        if (by_->rank() == 0) by_->receive(r, room.data(), n, 1);
        if (by_->rank() == r || by_->rank() == 0) by_->wait();
        if (by_->rank() == 0) write(room.data(), n);
      }
    }
    if (by_->rank() != 0 || failure_) return;
    try {
      to_->commit();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  network* by_;
  steps* all_;
  std::optional<io::output> to_;  // of rank 0
  std::string unfinished_;
  std::exception_ptr failure_;
};

/// Throws `not_divided` on all ranks, `error` on rank 0.
void scan_on_ranks(command_settings const& settings, network& by, steps& all)
{
  part const own = part::read(settings, by, all);
  std::vector<std::uint64_t> const counts = of_all_ranks<std::uint64_t>(by, own.size());
  std::uint64_t n = 0;
  for (std::uint64_t const count : counts) n += count;
  if (n == 0) throw not_divided();
  std::optional<io::memory_file> results;
  all.take([&] {
    results.emplace();
    if (by.rank() == 0 && settings.output.format == output_format::npy)
      results->write(io::make_npy_header(result_type(settings.operations[0], own.type()), {n}));
  });
  scan_parts(settings, own, by, all, *results);
  std::string_view bytes;
  all.take([&] {
    bytes = results->content();
    if (by.rank() == 0 || is_binary(settings.output.format)) return;
    io::memory_file none;  // a line of names comes before the results of rank 0 alone
    auto const writer = make_scan_writer(settings, io::output::descriptor(none.descriptor(), "(file in memory)"),
                                         result_type(settings.operations[0], own.type()));
    writer->finish();
    bytes.remove_prefix(none.content().size());
  });
  shared_output to(settings, by, all);
  to.write(bytes);
  if (to.failure()) std::rethrow_exception(to.failure());
}

void reduce_on_ranks(command_settings const& settings, network& by, steps& all)
{
  part const own = part::read(settings, by, all);
  std::vector<std::uint64_t> const counts = of_all_ranks<std::uint64_t>(by, own.size());
  if (std::ranges::all_of(counts, [](std::uint64_t n) { return n == 0; })) throw not_divided();
  std::vector<result> results;
  for (operation const op : settings.operations) results.push_back(reduce_parts(settings, op, own, by, all));
  if (by.rank() != 0) return;
  if (is_binary(settings.output.format))
    write_array_result(settings, own.type(), results[0]);
  else
    io::write_whole(io::output::named(settings.output.file), report(settings, results));
}

}  // namespace

int run_on_ranks(std::vector<std::string> const& words, network& by)
{
  steps all(by);
  int status = 0;
  std::optional<std::string> why = "";  // that rank 0 works alone
  try {
    std::vector<std::string> command = words.empty() ? words : written_out(words);
    bool const scans = !command.empty() && command[0] == "scan";
    bool const divides = scans || (!command.empty() && command[0] == "reduce");
    if (divides) command.erase(command.begin());
    if (!divides || asks_for_help(command)) throw not_divided();
    command_settings settings;
    all.take([&] {
      settings = scans ? parse_scan(command) : parse_reduce(command);
      why = why_alone(settings, scans);
      settings.threads = std::max(settings.threads, 1);
    });
    std::vector<char> const refused = of_all_ranks<char>(by, !why->empty());
    if (std::ranges::count(refused, 1) > 0) throw not_divided();
    why.reset();
    status = reported(words, [&] {
      try {
        scans ? scan_on_ranks(settings, by, all) : reduce_on_ranks(settings, by, all);
      } catch (not_divided const&) {
        why = "";
      }
    });
  } catch (not_divided const&) {
  }
  if (by.rank() == 0 && why) {
    if (!why->empty()) std::fputs(("tally: rank 0 does it alone: " + *why + '\n').c_str(), stderr);
    status = run_command_line(words);
  }
  by.broadcast(reinterpret_cast<std::byte*>(&status), sizeof(status), 0);
  return status;
}

}  // namespace tally::cli
