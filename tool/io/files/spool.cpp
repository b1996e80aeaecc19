#include "io/files/spool.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>

#include "io/errors.hpp"

namespace tally::io {

spool::spool()
{
  char const* const named = std::getenv("TMPDIR");
  std::string const folder = named && *named ? named : "/tmp";
  descriptor_ = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor_ >= 0) return;
  // The file system has no nameless files.
  std::string path = folder + "/tally.XXXXXX";
  descriptor_ = mkostemp(path.data(), O_CLOEXEC);
  if (descriptor_ < 0) throw_file_error(folder, "cannot create a temporary file", errno);
  unlink(path.c_str());
}

spool::~spool()
{
  if (descriptor_ >= 0) close(descriptor_);
}

input spool::in() const
{
  lseek(descriptor_, 0, SEEK_SET);
  return input::descriptor(descriptor_, "(temporary file)", unpacking::none);
}

int spool::release()
{
  return std::exchange(descriptor_, -1);
}

}  // namespace tally::io
