# Makes a test of every file under TALLY_STD_TESTS_DIR that tests one of the six algorithms: programs whose main returns
# 0.
file(GLOB_RECURSE candidates CONFIGURE_DEPENDS RELATIVE ${TALLY_STD_TESTS_DIR}
  ${TALLY_STD_TESTS_DIR}/*.pass.cpp ${TALLY_STD_TESTS_DIR}/*.cc ${TALLY_STD_TESTS_DIR}/*/test.cpp)
list(FILTER candidates INCLUDE REGEX "numeric[^/]*/.*(reduce|inclusive[._]scan|exclusive[._]scan|ops/(transform_)?scan)|parallel_algorithms_.*(reduce|scan)/")
list(FILTER candidates EXCLUDE REGEX "ranges|synopsis|_neg|verify|fail")
if(NOT candidates)
  message(FATAL_ERROR "TALLY_STD_TESTS_DIR (${TALLY_STD_TESTS_DIR}) has no tests of reduce or of the scans. "
    "Expected libcxx/test of LLVM, libstdc++-v3/testsuite of GCC or tests/std of Microsoft's STL.")
endif()

# The folders of the helpers of these tests.
set(helpers)
foreach(folder support std/algorithms util util/testsuite_shared include)
  if(IS_DIRECTORY ${TALLY_STD_TESTS_DIR}/${folder})
    list(APPEND helpers ${TALLY_STD_TESTS_DIR}/${folder})
  endif()
endforeach()

foreach(source IN LISTS candidates)
  string(REGEX REPLACE "[^A-Za-z0-9]+" "_" name ${source})
  # Each file of GCC's testsuite states how to run it: some are only compiled, and have no main.
  file(STRINGS ${TALLY_STD_TESTS_DIR}/${source} only_compiles REGEX "{ *dg-do compile")
  if(only_compiles)
    add_library(foreign_${name} OBJECT ${TALLY_STD_TESTS_DIR}/${source})
  else()
    add_executable(foreign_${name} ${TALLY_STD_TESTS_DIR}/${source})
    add_test(NAME standard.foreign.${source} COMMAND foreign_${name})
  endif()
  target_link_libraries(foreign_${name} PRIVATE tally::tally TBB::tbb)
  file(STRINGS ${TALLY_STD_TESTS_DIR}/${source} with_policies REGEX "std::execution|<execution>|pstl")
  if(with_policies)
    target_compile_definitions(foreign_${name} PRIVATE TALLY_AS_STD_EXECUTION)
  endif()
  target_include_directories(foreign_${name} PRIVATE ${helpers})
  # The tests check by assert().
  target_compile_options(foreign_${name} PRIVATE -UNDEBUG -w -include ${CMAKE_CURRENT_SOURCE_DIR}/as_std.hpp)
  set_target_properties(foreign_${name} PROPERTIES CXX_STANDARD 20)
endforeach()
