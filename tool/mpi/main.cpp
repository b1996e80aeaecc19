// mpirun -n 8 tally-mpi ...: the tool on the ranks of MPI.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "ranks/command.hpp"
#include "tally/detail/mpi/transport.hpp"

namespace {

using tally::mpi_backend::check;

/// MPI_COMM_WORLD, with a file by MPI-IO.
class mpi_network final : public tally::cli::network_over<tally::mpi_backend::transport> {
public:
  mpi_network() : network_over(tally::mpi_backend::transport(MPI_COMM_WORLD)) {}

  void open_to_read(std::string const& path) override { open(path, MPI_MODE_RDONLY); }
  void open_to_write(std::string const& path) override { open(path, MPI_MODE_WRONLY); }
  void read_at(void* to, std::size_t n, std::uint64_t offset) override
  {
    move(n, offset, "MPI_File_read_at", [&](std::size_t done, int count, MPI_Offset at, MPI_Status* status) {
      return MPI_File_read_at(file_, at, static_cast<char*>(to) + done, count, MPI_BYTE, status);
    });
  }
  void write_at(void const* from, std::size_t n, std::uint64_t offset) override
  {
    move(n, offset, "MPI_File_write_at", [&](std::size_t done, int count, MPI_Offset at, MPI_Status* status) {
      return MPI_File_write_at(file_, at, static_cast<char const*>(from) + done, count, MPI_BYTE, status);
    });
  }
  void close() override { check(MPI_File_close(&file_), "MPI_File_close"); }

private:
  void open(std::string const& path, int mode)
  {
    check(MPI_File_open(MPI_COMM_WORLD, path.c_str(), mode, MPI_INFO_NULL, &file_), "MPI_File_open");
  }

  /// Calls some(done, count, at, status) for pieces: MPI counts in an int, and Linux moves less than 2 GiB a call.
  template <class Some>
  static void move(std::size_t n, std::uint64_t offset, char const* function, Some const& some)
  {
    constexpr std::size_t most = std::size_t{1} << 30;
    for (std::size_t done = 0; done < n;) {
      MPI_Status status;
      int moved = 0;
      int const count = static_cast<int>(std::min(most, n - done));
      check(some(done, count, static_cast<MPI_Offset>(offset + done), &status), function);
      check(MPI_Get_count(&status, MPI_BYTE, &moved), "MPI_Get_count");
      if (moved <= 0) throw tally::error(std::string(function) + ": the file ends before it should");
      done += static_cast<std::size_t>(moved);
    }
  }

  MPI_File file_ = MPI_FILE_NULL;
};

}  // namespace

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  int status = EXIT_FAILURE;
  try {
    mpi_network by;
    status = tally::cli::run_on_ranks({argv + 1, argv + argc}, by);
  } catch (std::exception const& problem) {  // of MPI: other ranks may wait for this one
    std::fputs((std::string(problem.what()) + '\n').c_str(), stderr);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  MPI_Finalize();
  return status;
}
