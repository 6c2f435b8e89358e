# SPDX-License-Identifier: GPL-3.0-or-later
# Libraries, as imported targets. scripts/setup installs them on Debian.

find_package(PkgConfig REQUIRED)
if(CAMPMATE_STATIC)
    set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
    add_link_options(-static)
endif()
pkg_check_modules(INIH REQUIRED IMPORTED_TARGET inih)          # configuration files
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)       # dataset compression
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)   # digests
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)    # JSON
pkg_check_modules(GSL REQUIRED IMPORTED_TARGET gsl)            # minimisers of the tuner
if(CAMPMATE_TESTS)
    pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)  # unit tests
endif()
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS C)
if(CAMPMATE_MPI)
    find_package(MPI REQUIRED COMPONENTS C) # sums of the tuner over several processes
endif()
