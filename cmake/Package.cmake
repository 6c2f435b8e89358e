# SPDX-License-Identifier: GPL-3.0-or-later
# The release tarball: `cmake --preset package && cmake --build --preset package`, then
# `cpack --config build/package/CPackConfig.cmake -B build/package` (docs/releasing.md).
#
#     bin/campmate, bin/campmate-...        the launcher, under the name of each program
#     lib/campmate/<level>/campmate ...     the programs, built for each level
#     share/                                as everywhere (Programs.cmake)

if(CAMPMATE_PACKAGE_LEVELS)
    foreach(program IN LISTS programs)
        install(PROGRAMS $<TARGET_FILE:launcher> DESTINATION bin RENAME ${program})
    endforeach()

    include(ExternalProject)
    foreach(level IN LISTS CAMPMATE_PACKAGE_LEVELS)
        set(directory ${PROJECT_BINARY_DIR}/levels/${level})
        ExternalProject_Add(${level}
            SOURCE_DIR ${PROJECT_SOURCE_DIR}
            BINARY_DIR ${directory}
            PREFIX ${directory}-steps
            CMAKE_ARGS
                -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}
                -DCMAKE_C_COMPILER=${CMAKE_C_COMPILER}
                -DCAMPMATE_LEVEL=${level}
                -DCAMPMATE_LTO=${CAMPMATE_LTO}
                -DCAMPMATE_STATIC=${CAMPMATE_STATIC}
                -DCAMPMATE_WERROR=${CAMPMATE_WERROR}
                -DCAMPMATE_WEIGHTS_DIR=${CAMPMATE_WEIGHTS_DIR}
                -DCAMPMATE_TESTS=OFF
            BUILD_COMMAND ${CMAKE_COMMAND} --build . --target ${programs}
            BUILD_ALWAYS ON         # its own build knows what is to be done
            USES_TERMINAL_BUILD ON  # one level at a time: each uses all cores
            INSTALL_COMMAND ""
        )
        foreach(program IN LISTS programs)
            get_target_property(built ${program} BINARY_DIR)
            file(RELATIVE_PATH built ${PROJECT_BINARY_DIR} ${built}/${program})
            install(PROGRAMS ${directory}/${built} DESTINATION lib/campmate/${level})
        endforeach()
    endforeach()
endif()

# CPack's own archives keep the order of the file system; Tarball.cmake packs the same bytes each time.
set(CPACK_GENERATOR External)
set(CPACK_EXTERNAL_ENABLE_STAGING ON)
set(CPACK_EXTERNAL_PACKAGE_SCRIPT ${PROJECT_SOURCE_DIR}/cmake/Tarball.cmake)
set(CPACK_PACKAGE_NAME campmate)
set(CPACK_PACKAGE_VENDOR "the Campmate authors")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_FILE_NAME campmate-${PROJECT_VERSION}-linux-x86_64)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_SOURCE_GENERATOR "") # git archive is the source
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_CAMPMATE_DATE ${CAMPMATE_DATE})
include(CPack)
