#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tally/algorithms/tree.hpp>

#include "app/application.hpp"
#include "app/folder_tree.hpp"
#include "app/input.hpp"
#include "app/text_place.hpp"
#include "help/pages/pages.hpp"
#include "input/source.hpp"
#include "io/errors.hpp"
#include "settings/parser.hpp"
#include "settings/settings.hpp"

namespace tally::cli {

namespace {

command_page const& tree_page()
{
  static command_page const page = {
      .name = "app tree",
      .summary = "sum up folders, or number the nodes of a tree",
      .usage = "tally app tree [OPTION...] [DIRECTORY | FILE...]",
      .description =
          {"Prints the bytes of a directory and of each below it, as `du -b` does: size and path, separated by a tab, "
           "the content of a folder before the folder, in the order of names. A folder has its own bytes and those of "
           "all below it; a file with several names is counted once, and links are not followed.",
           "With `--parents` it reads a tree as numbers: the k-th, from 0 on, is the parent of node k, and -1 or its "
           "own number that of the root. It prints a table of depth, size of the subtree, and the place in preorder "
           "and postorder of each node, children in ascending order.",
           "All numbers are prefix sums over an Euler tour of the tree."},
      .options = {column_options(),
                  {"Tree",
                   {{"--parents", "", "Read parents of nodes instead of a directory."},
                    {"--all", "", "Print files too."},
                    {"--depth", "N", "Print only what is at most N below DIRECTORY."},
                    {"--disk", "", "The space that files use on the disk, as `du -B 1`, not their lengths."}}},
                  {"Output", {output_option(), help_option()}}},
      .sections = {exit_section()},
      .examples = {
          {"The largest folders of a home:", "tally app tree --depth 2 ~ | sort -rn | head"},
          {"The tree of 0 with the children 1 and 2, and 3 below 1:", "echo -1 0 0 1 | tally app tree --parents"}}};
  return page;
}

struct tree_settings {
  input_settings input;
  std::string output = "-";
  bool of_parents = false;
  bool all = false;
  bool disk = false;
  std::optional<std::uint32_t> depth;
};

tree_settings parse_tree(std::vector<std::string> const& words)
{
  tree_settings settings;
  parser options(tree_page());
  bind_input(options, settings.input);
  options.flag("--parents", settings.of_parents);
  options.flag("--all", settings.all);
  options.flag("--disk", settings.disk);
  options.number("--depth", settings.depth, 0);
  bind_output(options, settings.output);
  options.parse(words);
  input_settings const& input = settings.input;
  if (settings.of_parents) {
    if (settings.all || settings.disk || settings.depth)
      throw command_line_error("--all, --disk and --depth are for directories; --parents reads numbers");
    complete_input(settings.input);
  } else {
    if (input.format || input.gives_options() || input.type || input.order_given)
      throw command_line_error("options that say how numbers are read are for --parents; a directory has none");
    if (input.files.size() > 1)
      throw command_line_error("app tree takes one directory, not " + std::to_string(input.files.size()));
    if (input.files.empty()) settings.input.files.emplace_back(".");
  }
  return settings;
}

std::string folder_sizes(tree_settings const& settings)
{
  folder_tree const folders = read_folders(settings.input.files[0], settings.disk ? bytes_of::disk : bytes_of::content);
  tally::tree const tree(tally::cpu{}, folders.parents);
  std::vector<std::uint64_t> sums(folders.bytes.size());
  tally::subtree_sums(tally::cpu{}, tree, folders.bytes.begin(), sums.begin());
  std::vector<std::uint32_t> in_postorder(tree.size());
  for (std::uint32_t node = 0; node < tree.size(); ++node) in_postorder[tree.postorder(node)] = node;
  std::string text;
  for (std::uint32_t const node : in_postorder) {
    if (!settings.all && !folders.is_folder[node]) continue;
    if (settings.depth && tree.depth(node) > *settings.depth) continue;
    text += std::to_string(sums[node]) + '\t' + folders.path(node) + '\n';
  }
  return text;
}

std::vector<std::uint32_t> read_parents(input_settings const& input)
{
  keep_standard_input(input);
  std::vector<std::int64_t> const values = read_integers(input);
  if (values.size() > tree::most_nodes)
    throw io::data_error({name_of(input.files.back())}, std::to_string(values.size()) + " nodes", "2^30 at most");
  std::vector<std::uint32_t> parents(values.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (values[k] < -1 || values[k] >= static_cast<std::int64_t>(values.size()))
      throw io::data_error(location_in(input, 0, k),
                           "the parent " + std::to_string(values[k]) + " of node " + std::to_string(k),
                           "0 to " + std::to_string(values.size() - 1) + ", or -1 for the root");
    parents[k] = static_cast<std::uint32_t>(values[k] == -1 ? static_cast<std::int64_t>(k) : values[k]);
  }
  return parents;
}

tally::tree tree_of(std::vector<std::uint32_t> const& parents)
{
  try {
    return tally::tree(tally::cpu{}, parents);
  } catch (usage_error const& problem) {
    std::string_view message = problem.what();
    if (message.starts_with("tally: ")) message.remove_prefix(7);  // the tool adds it to every message
    throw error(std::string(message));
  }
}

std::string numbers_of_nodes(tree_settings const& settings)
{
  std::vector<std::uint32_t> const parents = read_parents(settings.input);
  tally::tree const tree = tree_of(parents);
  std::string text = "node\tdepth\tsize\tpreorder\tpostorder\n";
  for (std::size_t v = 0; v < tree.size(); ++v) {
    text += std::to_string(v) + '\t' + std::to_string(tree.depth(v)) + '\t' + std::to_string(tree.subtree_size(v)) +
            '\t' + std::to_string(tree.preorder(v)) + '\t' + std::to_string(tree.postorder(v)) + '\n';
  }
  return text;
}

void run_tree(std::vector<std::string> const& words)
{
  tree_settings const settings = parse_tree(words);
  write_text(settings.output, settings.of_parents ? numbers_of_nodes(settings) : folder_sizes(settings));
}

}  // namespace

command tree_application()
{
  return {tree_page(), run_tree};
}

}  // namespace tally::cli
