# `cpack` in the build folder makes tally_*.deb (the tool), libtally1_*.deb (the C interface's library),
# python3-tally_*.deb (the Python package) and libtally-dev_*.deb (headers and the C++ library, a static one).
# Names, sections and paths follow Debian's conventions.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "The Tally authors")
set(CPACK_PACKAGE_CONTACT "The Tally authors")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL development)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtally-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libtbb-dev, libhwy-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "reduce and scan for C++20: headers and library
 Sums and cumulative sums (and any other associative operator) at memory speed,
 with the same bits for every number of threads, and an error that does not
 grow with the length of the input.")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/libtally-dev
  RENAME copyright COMPONENT development)

if(TARGET tally_c)
  list(APPEND CPACK_COMPONENTS_ALL library)
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libtally1)
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_GENERATE_SHLIBS ON)
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libtbb-dev, libhwy-dev, libtally1 (= ${PROJECT_VERSION})")
  set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "reduce and scan for C: the shared library
 Sums and cumulative sums (and any other associative operator) of arrays at
 memory speed, with the same bits for every number of threads.")
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/libtally1
    RENAME copyright COMPONENT library)

  # One package for every Python 3, which calls libtally1. `cmake --install` leaves it to pip.
  list(APPEND CPACK_COMPONENTS_ALL python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-tally)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3:any (>= 3.9), python3-numpy, libtally1 (>= ${PROJECT_VERSION})")
  set(CPACK_COMPONENT_PYTHON_DESCRIPTION "reduce and scan for Python
 NumPy's names for sums, extremes and cumulative sums of arrays at memory speed,
 with the same bits for every number of threads; segments, recurrences, exact sums.")
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/tally DESTINATION lib/python3/dist-packages COMPONENT python
    EXCLUDE_FROM_ALL FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN "py.typed")
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/python3-tally
    RENAME copyright COMPONENT python EXCLUDE_FROM_ALL)
endif()

if(TALLY_BUILD_TOOL)
  list(APPEND CPACK_COMPONENTS_ALL tool)
  set(CPACK_DEBIAN_TOOL_PACKAGE_NAME tally)
  set(CPACK_DEBIAN_TOOL_PACKAGE_SECTION math)
  set(CPACK_DEBIAN_TOOL_PACKAGE_SHLIBDEPS ON)
  set(CPACK_COMPONENT_TOOL_DESCRIPTION "reduce and scan columns of numbers
 Sums, extremes, means and cumulative sums of text, CSV, raw binary and .npy
 files of any size: exact for integers, the same bits for every number of
 threads, at the speed of memory or of the disk.")
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/tally
    RENAME copyright COMPONENT tool)
endif()

include(CPack)
