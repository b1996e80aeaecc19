# Makes a test of every file under TALLY_STD_TESTS_DIR that tests one of the six algorithms: programs whose main returns
# 0.
file(GLOB_RECURSE candidates CONFIGURE_DEPENDS RELATIVE ${TALLY_STD_TESTS_DIR}
  ${TALLY_STD_TESTS_DIR}/*.pass.cpp ${TALLY_STD_TESTS_DIR}/*.cc)
list(FILTER candidates INCLUDE REGEX "numeric[^/]*/.*(reduce|inclusive[._]scan|exclusive[._]scan)")
list(FILTER candidates EXCLUDE REGEX "ranges|pstl|synopsis|_neg|verify|fail")
if(NOT candidates)
  message(FATAL_ERROR "TALLY_STD_TESTS_DIR (${TALLY_STD_TESTS_DIR}) has no tests of reduce or of the scans. "
    "Expected libcxx/test of LLVM or libstdc++-v3/testsuite of GCC.")
endif()

# Where libc++'s and libstdc++'s tests keep their helpers.
set(helpers)
foreach(folder support std/algorithms util util/testsuite_shared)
  if(IS_DIRECTORY ${TALLY_STD_TESTS_DIR}/${folder})
    list(APPEND helpers ${TALLY_STD_TESTS_DIR}/${folder})
  endif()
endforeach()

foreach(source IN LISTS candidates)
  string(REGEX REPLACE "[^A-Za-z0-9]+" "_" name ${source})
  add_executable(foreign_${name} ${TALLY_STD_TESTS_DIR}/${source})
  target_link_libraries(foreign_${name} PRIVATE tally::tally TBB::tbb)
  target_include_directories(foreign_${name} PRIVATE ${helpers})
  # They check by assert().
  target_compile_options(foreign_${name} PRIVATE -UNDEBUG -w -include ${CMAKE_CURRENT_SOURCE_DIR}/as_std.hpp)
  set_target_properties(foreign_${name} PROPERTIES CXX_STANDARD 20)
  add_test(NAME standard.foreign.${source} COMMAND foreign_${name})
endforeach()
