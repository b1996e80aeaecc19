#include "ranks/memory_file.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "io/errors.hpp"
#include "io/files/output.hpp"

namespace tally::cli {

namespace {

constexpr char const* name = "(file in memory)";

}  // namespace

memory_file::memory_file() : descriptor_(memfd_create("tally", MFD_CLOEXEC))
{
  if (descriptor_ < 0) io::throw_file_error(name, "cannot create", errno);
}

memory_file::~memory_file()
{
  if (mapped_ != nullptr) munmap(mapped_, size_);
  close(descriptor_);
}

void memory_file::write(std::string_view text)
{
  io::output::descriptor(descriptor_, name).write(text.data(), text.size());
}

std::string_view memory_file::content()
{
  struct stat status;
  if (fstat(descriptor_, &status) != 0) io::throw_file_error(name, "cannot read", errno);
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ == 0) return {};
  void* const at = mmap(nullptr, size_, PROT_READ, MAP_SHARED, descriptor_, 0);
  if (at == MAP_FAILED) io::throw_file_error(name, "cannot read", errno);
  mapped_ = at;
  return {static_cast<char const*>(mapped_), size_};
}

}  // namespace tally::cli
