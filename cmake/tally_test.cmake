# tally_test(NAME SOURCES a.cpp ... [LIBRARIES x ...] [LABELS l] [SHARDS n] [LONG] [TOGETHER] [WHOLE])
#
# Builds the GoogleTest program NAME, linked with the library, the warnings and LIBRARIES, and registers it with ctest: as one
# test, or as n tests `NAME.1` ... that share its cases. Presets select by label: `slow` tests are left out under sanitizers, `ci`
# tests run in continuous integration only. Under sanitizers, and where lines are counted, tests are brief (TALLY_TEST_BRIEFLY):
# sizes and types share their code, so fewer of them find the same faults and reach the same lines.
# LONG       It runs longer than it compiles, and is optimised more, under a sanitizer too.
# TOGETHER   Its sources are short, and are compiled eight at a time.
# WHOLE      It counts at its end the paths that its tests took together (tests/support/visits.hpp), and has no shards.
include_guard(GLOBAL)
find_package(GTest REQUIRED)

# The part that all test programs share.
add_library(tally_test_main OBJECT ${PROJECT_SOURCE_DIR}/tests/support/threads_pay.cpp)
target_link_libraries(tally_test_main PUBLIC tally::tally PRIVATE tally_warnings)

# How tests without LONG are optimised, and those with it. They are targets, which every folder sees: GCC 12 crashes where a
# file is optimised otherwise than its precompiled headers.
add_library(tally_test_options INTERFACE)
target_compile_options(tally_test_options INTERFACE $<$<CONFIG:Release>:-Og>)
add_library(tally_long_test_options INTERFACE)
target_compile_options(tally_long_test_options INTERFACE $<$<CONFIG:Release>:-O1>)
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  target_compile_options(tally_test_options INTERFACE -O0)  # a third of the time
endif()

# Headers from outside, compiled once for all tests with the same options: 2.5 seconds less for a file. Our own headers are not
# among them, so that a test names those that it needs. A file with options for another processor or another optimisation does without
# (SKIP_PRECOMPILE_HEADERS).
foreach(kind test long_test)
  set(target tally_${kind}_headers)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${target}.cpp CONTENT "")
  add_library(${target} OBJECT ${PROJECT_BINARY_DIR}/${target}.cpp)
  target_link_libraries(${target} PRIVATE tally_warnings tally_${kind}_options GTest::gtest)
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_precompile_headers(${target} PRIVATE
    <gtest/gtest.h> <algorithm> <array> <bit> <complex> <functional> <iterator> <memory> <numeric> <optional> <random>
    <ranges> <span> <string> <thread> <vector>)
endforeach()

function(tally_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "LONG;TOGETHER;WHOLE" "LABELS;SHARDS" "SOURCES;LIBRARIES")
  if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tally_test(${name}): expected SOURCES, found '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  find_package(GTest REQUIRED)  # in the caller's folder, where imported targets are visible
  add_executable(${name} ${arg_SOURCES} $<TARGET_OBJECTS:tally_test_main>)
  target_link_libraries(${name} PRIVATE tally::tally tally_warnings ${arg_LIBRARIES} GTest::gtest_main)
  # A test is compiled more often than it is run: -Og takes 0.6 times as long to compile as -O1, and 1.3
  # times as long to run (tests/contract/inclusive_scan_test.cpp).
  set(kind test)
  if(arg_LONG)
    set(kind long_test)
  endif()
  target_link_libraries(${name} PRIVATE tally_${kind}_options)
  target_precompile_headers(${name} REUSE_FROM tally_${kind}_headers)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize|--coverage")
    target_compile_definitions(${name} PRIVATE TALLY_TEST_BRIEFLY)
  endif()
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${arg_TOGETHER})
  if(arg_WHOLE)
    target_compile_definitions(${name} PRIVATE TALLY_SOURCE_FOLDER="${PROJECT_SOURCE_DIR}")
  endif()
  set(cost 0)
  if(arg_LONG OR arg_SHARDS)
    set(cost 10)  # those that run long begin first, so that none is left alone at the end
  endif()
  tally_register_test(${name} SHARDS ${arg_SHARDS} LABELS ${arg_LABELS} COST ${cost})
endfunction()

# tally_register_test(NAME [SHARDS n] [LABELS l] [COST c] [RUN_SERIAL]): the GoogleTest program NAME as tests of ctest.
function(tally_register_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "RUN_SERIAL" "LABELS;SHARDS;COST" "")
  set(shards 1)
  if(arg_SHARDS)
    set(shards ${arg_SHARDS})
  endif()
  foreach(shard RANGE 1 ${shards})
    math(EXPR index "${shard} - 1")
    set(test ${name})
    if(shards GREATER 1)
      set(test ${name}.${shard})
    endif()
    add_test(NAME ${test} COMMAND ${name})
    set_tests_properties(${test} PROPERTIES TIMEOUT 900 COST "${arg_COST}" LABELS "${arg_LABELS}" RUN_SERIAL ${arg_RUN_SERIAL}
      ENVIRONMENT "GTEST_BRIEF=1;GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()
