#pragma once

#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tally/error.hpp"

namespace tally {

/// An MPI function failed. The ranks may be out of step then: the communicator is of no further use.
class mpi_error : public error {
public:
  mpi_error(int code, std::string const& what) : error(what), code_(code) {}
  int code() const { return code_; }  ///< as MPI returned it

private:
  int code_;
};

namespace mpi_backend {

/// Throws mpi_error unless `code` is success.
inline void check(int code, char const* function)
{
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int size = 0;
  if (MPI_Error_string(code, text, &size) != MPI_SUCCESS) size = 0;
  throw mpi_error(code,
                  std::string("tally: ") + function + " failed: " + std::string(text, static_cast<std::size_t>(size)));
}

/// A communicator of the library's own, with the ranks of the caller's: messages of both never meet.
class own_communicator {
public:
  explicit own_communicator(MPI_Comm of)
  {
    int begun = 0;
    MPI_Initialized(&begun);
    if (begun == 0) throw usage_error("tally::mpi: MPI is not initialised: call MPI_Init first");
    if (of == MPI_COMM_NULL) throw usage_error("tally::mpi: the communicator is MPI_COMM_NULL");
    int between = 0;
    check(MPI_Comm_test_inter(of, &between), "MPI_Comm_test_inter");
    if (between != 0)
      throw usage_error("tally::mpi: the communicator is one between two groups; merge them (MPI_Intercomm_merge)");
    check(MPI_Comm_dup(of, &it_), "MPI_Comm_dup");
    MPI_Comm_set_errhandler(it_, MPI_ERRORS_RETURN);
  }
  own_communicator(own_communicator&& other) noexcept : it_(std::exchange(other.it_, MPI_COMM_NULL)) {}
  own_communicator& operator=(own_communicator&&) = delete;
  ~own_communicator()
  {
    int ended = 0;
    MPI_Finalized(&ended);
    if (it_ != MPI_COMM_NULL && ended == 0) MPI_Comm_free(&it_);
  }

  MPI_Comm get() const { return it_; }

private:
  MPI_Comm it_ = MPI_COMM_NULL;
};

/// `count` values of `size` bytes as an MPI type and a number of its elements that fits an int.
class values_type {
public:
  values_type(std::size_t count, std::size_t size)
  {
    if (count <= INT_MAX / size) {
      count_ = static_cast<int>(count * size);
      return;
    }
    check(MPI_Type_contiguous(fitting(size), MPI_BYTE, &type_), "MPI_Type_contiguous");
    check(MPI_Type_commit(&type_), "MPI_Type_commit");
    count_ = fitting(count);
  }
  values_type(values_type const&) = delete;
  values_type& operator=(values_type const&) = delete;
  ~values_type()
  {
    if (type_ != MPI_BYTE) MPI_Type_free(&type_);
  }

  MPI_Datatype type() const { return type_; }
  int count() const { return count_; }

  /// `n` as an int.
  static int fitting(std::size_t n)
  {
    if (n > INT_MAX)
      throw usage_error("tally::mpi: " + std::to_string(n) + " is more than MPI counts: at most " +
                        std::to_string(INT_MAX) + " totals, of at most as many bytes each");
    return static_cast<int>(n);
  }

private:
  MPI_Datatype type_ = MPI_BYTE;
  int count_ = 0;
};

/// ranks_backend::transport over MPI.
class transport {
public:
  explicit transport(MPI_Comm of) : in_(of)
  {
    check(MPI_Comm_rank(in_.get(), &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(in_.get(), &size_), "MPI_Comm_size");
    // Room for a call: a send and a receive to each rank, and the places of its values.
    pending_.reserve(2 * static_cast<std::size_t>(size_));
    statuses_.resize(pending_.capacity());
    received_.reserve(pending_.capacity());
    counts_.resize(static_cast<std::size_t>(size_));
    places_.resize(counts_.size());
  }

  int rank() const { return rank_; }
  int size() const { return size_; }

  void allgather(std::byte const* mine, std::byte* all, std::size_t bytes)
  {
    values_type const each(1, bytes);
    check(MPI_Allgather(mine, each.count(), each.type(), all, each.count(), each.type(), in_.get()), "MPI_Allgather");
  }

  void allgather(std::byte const* mine, std::byte* all, std::span<std::size_t const> counts, std::size_t size)
  {
    std::size_t const sum = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    values_type::fitting(sum);
    std::size_t place = 0;
    for (std::size_t r = 0; r < counts.size(); place += counts[r++]) {
      counts_[r] = static_cast<int>(counts[r]);
      places_[r] = static_cast<int>(place);
    }
    MPI_Datatype type = MPI_DATATYPE_NULL;
    check(MPI_Type_contiguous(values_type::fitting(size), MPI_BYTE, &type), "MPI_Type_contiguous");
    check(MPI_Type_commit(&type), "MPI_Type_commit");
    int const code = MPI_Allgatherv(mine, counts_[static_cast<std::size_t>(rank_)], type, all, counts_.data(),
                                    places_.data(), type, in_.get());
    MPI_Type_free(&type);
    check(code, "MPI_Allgatherv");
  }

  void broadcast(std::byte* data, std::size_t bytes, int from)
  {
    check(MPI_Bcast(data, values_type::fitting(bytes), MPI_BYTE, from, in_.get()), "MPI_Bcast");
  }

  void add_up(std::uint64_t* numbers, std::size_t count)
  {
    for (std::size_t begin = 0; begin < count; begin += INT_MAX)
      check(MPI_Allreduce(MPI_IN_PLACE, numbers + begin,
                          static_cast<int>(std::min<std::size_t>(count - begin, INT_MAX)), MPI_UINT64_T, MPI_SUM,
                          in_.get()),
            "MPI_Allreduce");
  }

  void send(int to, std::byte const* data, std::size_t count, std::size_t size)
  {
    values_type const values(count, size);
    pending_.push_back(MPI_REQUEST_NULL);
    check(MPI_Isend(data, values.count(), values.type(), to, tag, in_.get(), &pending_.back()), "MPI_Isend");
  }

  void receive(int from, std::byte* data, std::size_t count, std::size_t size)
  {
    values_type const values(count, size);
    pending_.push_back(MPI_REQUEST_NULL);
    check(MPI_Irecv(data, values.count(), values.type(), from, tag, in_.get(), &pending_.back()), "MPI_Irecv");
    received_.push_back(pending_.size() - 1);
  }

  bool wait()
  {
    int const code = MPI_Waitall(static_cast<int>(pending_.size()), pending_.data(), statuses_.data());
    bool all = true;
    for (std::size_t const k : received_) {
      int bytes = 0;  // or MPI_UNDEFINED, where there are more than an int counts
      if (code == MPI_SUCCESS) check(MPI_Get_count(&statuses_[k], MPI_BYTE, &bytes), "MPI_Get_count");
      all = all && bytes != 0;
    }
    pending_.clear();
    received_.clear();
    check(code, "MPI_Waitall");
    return all;
  }

private:
  static constexpr int tag = 0;

  own_communicator in_;
  int rank_ = 0;
  int size_ = 1;
  std::vector<MPI_Request> pending_;
  std::vector<MPI_Status> statuses_;
  std::vector<std::size_t> received_;  // the receives among them
  std::vector<int> counts_, places_;
};

}  // namespace mpi_backend

}  // namespace tally
