#include "io/files/memory_file.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "io/errors.hpp"
#include "io/files/output.hpp"

namespace tally::io {

namespace {

constexpr char const* memory_file_name = "(file in memory)";

}  // namespace

memory_file::memory_file() : descriptor_(memfd_create("tally", MFD_CLOEXEC))
{
  if (descriptor_ < 0) throw_file_error(memory_file_name, "cannot create", errno);
}

memory_file::~memory_file()
{
  if (mapped_ != nullptr) munmap(mapped_, size_);
  close(descriptor_);
}

void memory_file::write(std::string_view text)
{
  output::descriptor(descriptor_, memory_file_name).write(text.data(), text.size());
}

void memory_file::rewind() const
{
  if (lseek(descriptor_, 0, SEEK_SET) != 0) throw_file_error(memory_file_name, "cannot read", errno);
}

std::string_view memory_file::content()
{
  struct stat status;
  if (fstat(descriptor_, &status) != 0) throw_file_error(memory_file_name, "cannot read", errno);
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ == 0) return {};
  void* const at = mmap(nullptr, size_, PROT_READ, MAP_SHARED, descriptor_, 0);
  if (at == MAP_FAILED) throw_file_error(memory_file_name, "cannot read", errno);
  mapped_ = at;
  return {static_cast<char const*>(mapped_), size_};
}

}  // namespace tally::io
