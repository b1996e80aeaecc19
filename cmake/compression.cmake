# The libraries that read compressed input, as the target tally_compression. The tool requires all four: every build of it
# reads the same files. The library needs none of them.
function(tally_require found library package)
  if(NOT ${found})
    message(FATAL_ERROR "The tool reads compressed input, and ${library} is not here (Debian: apt install ${package}). "
      "-DTALLY_BUILD_TOOL=OFF builds the library without the tool.")
  endif()
endfunction()

find_package(ZLIB QUIET)
tally_require(ZLIB_FOUND zlib zlib1g-dev)
find_package(BZip2 QUIET)
tally_require(BZIP2_FOUND libbzip2 libbz2-dev)
find_package(LibLZMA QUIET)
tally_require(LIBLZMA_FOUND liblzma liblzma-dev)
# Not every system has zstd's own CMake files.
find_path(TALLY_ZSTD_INCLUDE zstd.h)
find_library(TALLY_ZSTD_LIBRARY zstd)
mark_as_advanced(TALLY_ZSTD_INCLUDE TALLY_ZSTD_LIBRARY)
if(TALLY_ZSTD_INCLUDE AND TALLY_ZSTD_LIBRARY)
  set(TALLY_ZSTD_FOUND TRUE)
endif()
tally_require(TALLY_ZSTD_FOUND zstd libzstd-dev)

add_library(tally_compression INTERFACE)
target_include_directories(tally_compression SYSTEM INTERFACE ${TALLY_ZSTD_INCLUDE})
target_link_libraries(tally_compression INTERFACE ZLIB::ZLIB BZip2::BZip2 LibLZMA::LibLZMA ${TALLY_ZSTD_LIBRARY})
