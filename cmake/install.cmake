# Installs the headers, the library, and the files that find_package(tally) and pkg-config read.
# The tool's own files (program, manual pages, completions) are installed by tool/cli.
include(CMakePackageConfigHelpers)

set(tally_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tally)
set(tally_pkgconfig_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# A static library leaves its own dependencies to the consumer's link; a shared one names them itself.
get_target_property(tally_type tally TYPE)
if(tally_type STREQUAL STATIC_LIBRARY)
  set(tally_dependencies "find_dependency(TBB CONFIG)\nfind_dependency(hwy CONFIG)")
  set(tally_pkgconfig_requires "tbb libhwy")
endif()

install(TARGETS tally EXPORT tally
  ARCHIVE COMPONENT development
  LIBRARY COMPONENT library NAMELINK_COMPONENT development)
# The C interface needs nothing of the C++ one's: a program links libtally.so alone.
if(TARGET tally_c)
  install(TARGETS tally_c EXPORT tally LIBRARY COMPONENT library NAMELINK_COMPONENT development)
  install(FILES ${PROJECT_SOURCE_DIR}/include/tally.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tally DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT development FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh")

# The course is a component of its own, for writers of kernels. Some of its kernels are wrong on purpose.
if(TALLY_INSTALL_COURSE)
  install(TARGETS tally_model EXPORT tally ARCHIVE COMPONENT course LIBRARY COMPONENT course)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/course/include/tally DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    COMPONENT course FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh")
endif()

install(EXPORT tally NAMESPACE tally:: FILE tally-targets.cmake
  DESTINATION ${tally_package_folder} COMPONENT development)
# The GPU part has its own targets file: tally::tally is found without a CUDA toolkit too.
if(TARGET tally_cuda)
  install(TARGETS tally_cuda EXPORT tally-cuda ARCHIVE COMPONENT cuda)
  if(TARGET tally_c_cuda)  # libtally.so.1 loads it by its name
    install(TARGETS tally_c_cuda LIBRARY COMPONENT cuda NAMELINK_SKIP)
  endif()
  install(EXPORT tally-cuda NAMESPACE tally:: FILE tally-cuda-targets.cmake
    DESTINATION ${tally_package_folder} COMPONENT cuda)
endif()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/tally-config.cmake.in ${PROJECT_BINARY_DIR}/tally-config.cmake
  INSTALL_DESTINATION ${tally_package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tally-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tally-config.cmake ${PROJECT_BINARY_DIR}/tally-config-version.cmake
  ${CMAKE_CURRENT_LIST_DIR}/tally-mpi.cmake
  DESTINATION ${tally_package_folder} COMPONENT development)

file(RELATIVE_PATH tally_prefix_from_pkgconfig /prefix/${tally_pkgconfig_folder} /prefix)
configure_file(${CMAKE_CURRENT_LIST_DIR}/tally.pc.in ${PROJECT_BINARY_DIR}/tally.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tally.pc DESTINATION ${tally_pkgconfig_folder} COMPONENT development)
if(TARGET tally_c)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/tally-c.pc.in ${PROJECT_BINARY_DIR}/tally-c.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/tally-c.pc DESTINATION ${tally_pkgconfig_folder} COMPONENT development)
endif()

# All that `cmake --install` needs, and no more.
add_custom_target(tally_installed)
foreach(part tally_documents tally_mpi_tool tally_c tally_cuda tally_c_cuda)
  if(TARGET ${part})
    add_dependencies(tally_installed ${part})
  endif()
endforeach()
