#include "file_settings.hpp"

namespace tally::cli {

std::vector<option_page> file_options()
{
  return {{"--no-decompress", "",
           "Read the bytes of files as they stand. Without this option input that gzip, bzip2, xz or zstd compressed, "
           "which its first bytes say and never its name, is decompressed as it is read."}};
}

void bind_files(parser& options, file_settings& files)
{
  options.flag("--no-decompress", files.as_they_stand);
}

}  // namespace tally::cli
