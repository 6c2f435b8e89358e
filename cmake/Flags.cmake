# SPDX-License-Identifier: GPL-3.0-or-later
# Compiler flags of the whole project.

add_compile_definitions(_GNU_SOURCE)
add_compile_options(
    -Wall -Wextra -Wpedantic -Wshadow -Wundef -Wconversion -Wmissing-prototypes
    -Wstrict-prototypes -Wvla
    # Every build of one commit must give the same bits: no fused multiply-add behind our back.
    -ffp-contract=off
    # ... wherever the sources lie.
    -ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -ffile-prefix-map=${PROJECT_BINARY_DIR}=build
)
if(CAMPMATE_WERROR)
    add_compile_options(-Werror)
endif()

set(CAMPMATE_LEVEL_FLAG "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" OR CAMPMATE_LEVEL STREQUAL native)
    set(CAMPMATE_LEVEL_FLAG -march=${CAMPMATE_LEVEL})
    include(CheckCCompilerFlag)
    check_c_compiler_flag(${CAMPMATE_LEVEL_FLAG} CAMPMATE_HAS_LEVEL_${CAMPMATE_LEVEL})
    if(NOT CAMPMATE_HAS_LEVEL_${CAMPMATE_LEVEL})
        message(FATAL_ERROR "CAMPMATE_LEVEL=${CAMPMATE_LEVEL}: the compiler does not know "
                            "${CAMPMATE_LEVEL_FLAG}")
    endif()
    add_compile_options(${CAMPMATE_LEVEL_FLAG})
endif()

set(CMAKE_C_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g3 -fno-omit-frame-pointer")

if(CAMPMATE_LTO)
    include(CheckIPOSupported)
    check_ipo_supported(RESULT lto_works OUTPUT lto_reason LANGUAGES C)
    if(lto_works)
        if(CMAKE_C_COMPILER_ID STREQUAL GNU)
            # Machine code beside the intermediate code: the tests are many and link without LTO.
            set(CMAKE_C_COMPILE_OPTIONS_IPO -flto=auto -ffat-lto-objects)
        endif()
        set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
    else()
        message(STATUS "No link-time optimisation: the linker cannot do it with this compiler")
    endif()
endif()

if(CAMPMATE_SANITIZE)
    add_compile_options(-fsanitize=${CAMPMATE_SANITIZE} -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${CAMPMATE_SANITIZE})
endif()

if(CAMPMATE_PGO)
    if(NOT CMAKE_C_COMPILER_ID STREQUAL GNU)
        message(FATAL_ERROR "CAMPMATE_PGO needs gcc")
    endif()
    set(profile_dir ${PROJECT_BINARY_DIR}/profile)
    if(CAMPMATE_PGO STREQUAL generate)
        add_compile_options(-fprofile-generate -fprofile-update=atomic -fprofile-dir=${profile_dir})
        add_link_options(-fprofile-generate)
    elseif(CAMPMATE_PGO STREQUAL use)
        # Tools that the training run does not exercise have no profile; that is fine.
        add_compile_options(-fprofile-use=${profile_dir} -fprofile-partial-training
                            -Wno-missing-profile)
        add_link_options(-fprofile-use=${profile_dir})
    else()
        message(FATAL_ERROR "CAMPMATE_PGO=${CAMPMATE_PGO}: expected generate, use or nothing")
    endif()
endif()
