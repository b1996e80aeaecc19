#include "io/files/piece_file.hpp"

#include <cerrno>
#include <unistd.h>

#include "io/errors.hpp"

namespace tally::io {

piece_file::piece piece_file::append(std::string_view bytes)
{
  piece const made = {end_.fetch_add(bytes.size(), std::memory_order_relaxed), bytes.size()};
  for (std::size_t done = 0; done < bytes.size();) {
    ssize_t const n =
        pwrite(file_.descriptor(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(made.offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw_file_error("(temporary file)", "cannot write", errno);
    done += static_cast<std::size_t>(n);
  }
  return made;
}

void piece_file::read(piece from, std::string& to) const
{
  to.resize(from.size);
  for (std::size_t done = 0; done < from.size;) {
    ssize_t const n =
        pread(file_.descriptor(), to.data() + done, from.size - done, static_cast<off_t>(from.offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw_file_error("(temporary file)", "cannot read", n < 0 ? errno : EIO);
    done += static_cast<std::size_t>(n);
  }
}

}  // namespace tally::io
