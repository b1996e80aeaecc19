# tally::mpi: the library, with the MPI that the program uses (MPI::MPI_CXX is known).
if(NOT TARGET tally::mpi)
  add_library(tally::mpi INTERFACE IMPORTED GLOBAL)
  target_link_libraries(tally::mpi INTERFACE tally::tally MPI::MPI_CXX)
endif()
