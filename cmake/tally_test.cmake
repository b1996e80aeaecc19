# tally_test(NAME SOURCES a.cpp ... [LIBRARIES x ...] [LABELS l] [LONG] [TOGETHER] [WHOLE])
#
# Builds the GoogleTest program NAME, linked with the library, the warnings and LIBRARIES, and registers each of its
# tests with ctest as `NAME.suite.test`. Presets choose by label: `slow` tests are left out under sanitizers.
# Under sanitizers tests are brief (TALLY_TEST_BRIEFLY): fewer sizes and types, which find what there is to find in the code
# that all share. LONG says that it runs longer than it compiles even so, and is optimised there too.
# TOGETHER says that its sources are short, and are compiled eight at a time.
# WHOLE says that all its tests are one of ctest: at its end it counts which paths they took together (tests/support/visits.hpp).
include_guard(GLOBAL)
include(GoogleTest)

function(tally_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "LONG;TOGETHER;WHOLE" LABELS "SOURCES;LIBRARIES")
  if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tally_test(${name}): expected SOURCES, found '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  find_package(GTest REQUIRED)  # in the caller's folder, where imported targets are visible
  add_executable(${name} ${arg_SOURCES} ${PROJECT_SOURCE_DIR}/tests/support/threads_pay.cpp)
  target_link_libraries(${name} PRIVATE tally::tally tally_warnings ${arg_LIBRARIES} GTest::gtest_main)
  # A test is compiled more often than it is run.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    target_compile_definitions(${name} PRIVATE TALLY_TEST_BRIEFLY)
    if(NOT arg_LONG)
      target_compile_options(${name} PRIVATE -O0)  # a third of the time
    endif()
  endif()
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${arg_TOGETHER})
  if(arg_LABELS)
    set(arg_LABELS LABELS ${arg_LABELS})
  endif()
  if(arg_WHOLE)
    target_compile_definitions(${name} PRIVATE TALLY_SOURCE_FOLDER="${PROJECT_SOURCE_DIR}")
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES TIMEOUT 300 ${arg_LABELS})
    return()
  endif()
  gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300 ${arg_LABELS})
endfunction()
