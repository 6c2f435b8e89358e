# SPDX-License-Identifier: GPL-3.0-or-later
# What concerns all programs: build/<preset>/bin, the CPU check, and what `cmake --install` puts in
# place (programs, man pages, shell completion, documents, books, configurations, weights).

set(programs "")
foreach(program campmate campmate-selfplay campmate-data campmate-tune campmate-match)
    if(TARGET ${program})
        list(APPEND programs ${program})
    endif()
endforeach()

# All programs in one place of the build tree too: build/<preset>/bin.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
foreach(program IN LISTS programs)
    get_target_property(directory ${program} BINARY_DIR)
    file(RELATIVE_PATH link ${PROJECT_BINARY_DIR}/bin ${directory}/${program})
    file(CREATE_LINK ${link} ${PROJECT_BINARY_DIR}/bin/${program} SYMBOLIC)
endforeach()

# What runs before cpu_check has spoken must run anywhere: main.c is compiled for the baseline.
if(CAMPMATE_LEVEL_FLAG)
    foreach(program IN LISTS programs)
        get_target_property(directory ${program} SOURCE_DIR)
        set_source_files_properties(${directory}/main.c TARGET_DIRECTORY ${program}
            PROPERTIES COMPILE_OPTIONS -march=x86-64)
    endforeach()
endif()

if(programs)
    if(CAMPMATE_PACKAGE_LEVELS) # bin/ has what starts the best level: Package.cmake
        install(TARGETS ${programs} RUNTIME DESTINATION lib/campmate/${CAMPMATE_LEVEL})
    else()
        install(TARGETS ${programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    endif()
    # One file under each name: bash looks for a completion by the program's name, and zsh by that
    # of the file's first line.
    foreach(program IN LISTS programs)
        install(FILES ${PROJECT_SOURCE_DIR}/cmake/completion.bash
                DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
                RENAME ${program})
    endforeach()
    install(FILES ${PROJECT_SOURCE_DIR}/cmake/completion.zsh
            DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _campmate)
    install(FILES README.md CHANGELOG.md CONTRIBUTING.md LICENSE
            DESTINATION ${CMAKE_INSTALL_DOCDIR})
    install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
    install(FILES data/FORMAT.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/data)
    install(DIRECTORY data/openings DESTINATION ${CMAKE_INSTALL_DATADIR}/campmate)
    install(DIRECTORY configs DESTINATION ${CMAKE_INSTALL_DATADIR}/campmate)
    install(DIRECTORY engine/weights DESTINATION ${CMAKE_INSTALL_DATADIR}/campmate)
endif()

# Man pages come from --help, those of a program's commands too, so they cannot say anything else. A
# sanitized or instrumented build is not for installing.
find_program(HELP2MAN help2man)
# The date in them, and in a tarball: SOURCE_DATE_EPOCH, else that of the commit.
set(CAMPMATE_DATE $ENV{SOURCE_DATE_EPOCH})
if(NOT CAMPMATE_DATE)
    execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} log -1 --format=%ct
        OUTPUT_VARIABLE CAMPMATE_DATE OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(programs AND HELP2MAN AND NOT CAMPMATE_SANITIZE AND NOT CAMPMATE_PGO STREQUAL generate)
    set(summary_campmate "UCI engine for drop variants")
    set(summary_campmate-selfplay "self-play games to a dataset")
    set(summary_campmate-data "look into and work on datasets")
    set(summary_campmate-tune "fit the evaluation to a dataset")
    set(summary_campmate-match "matches and sequential tests between engines")
    set(date "")
    if(CAMPMATE_DATE)
        set(date SOURCE_DATE_EPOCH=${CAMPMATE_DATE})
    endif()
    set(pages "")
    foreach(program IN LISTS programs)
        set(page ${PROJECT_BINARY_DIR}/man/${program}.1)
        add_custom_command(OUTPUT ${page}
            COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:${program}>
                    -D OUTPUT=${PROJECT_BINARY_DIR}/man/${program}.inc
                    -P ${PROJECT_SOURCE_DIR}/cmake/Commands.cmake
            COMMAND ${CMAKE_COMMAND} -E env ${date} ${HELP2MAN} --no-info --section=1
                    --version-string=${PROJECT_VERSION} --name=${summary_${program}}
                    --include=${PROJECT_BINARY_DIR}/man/${program}.inc
                    --output=${page} $<TARGET_FILE:${program}>
            DEPENDS ${program} ${PROJECT_SOURCE_DIR}/cmake/Commands.cmake
            COMMENT "Man page ${program}.1"
            VERBATIM
        )
        list(APPEND pages ${page})
    endforeach()
    add_custom_target(man ALL DEPENDS ${pages})
    install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
