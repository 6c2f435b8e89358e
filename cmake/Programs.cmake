# SPDX-License-Identifier: GPL-3.0-or-later
# What concerns all programs: build/<preset>/bin, the CPU check, and what `cmake --install` puts in
# place (programs, man pages, shell completion).

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
    install(TARGETS ${programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    # One file under each name: bash looks for a completion by the program's name.
    foreach(program IN LISTS programs)
        install(FILES ${PROJECT_SOURCE_DIR}/cmake/completion.bash
                DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
                RENAME ${program})
    endforeach()
endif()

# Man pages come from --help. A sanitized or instrumented build is not for installing.
find_program(HELP2MAN help2man)
if(programs AND HELP2MAN AND NOT CAMPMATE_SANITIZE AND NOT CAMPMATE_PGO STREQUAL generate)
    set(summary_campmate "UCI engine for drop variants")
    set(summary_campmate-selfplay "self-play games to a dataset")
    set(summary_campmate-data "look into and work on datasets")
    set(summary_campmate-tune "fit the evaluation to a dataset")
    set(summary_campmate-match "matches and sequential tests between engines")
    set(pages "")
    foreach(program IN LISTS programs)
        set(page ${PROJECT_BINARY_DIR}/man/${program}.1)
        add_custom_command(OUTPUT ${page}
            COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/man
            COMMAND ${HELP2MAN} --no-info --section=1 --name=${summary_${program}}
                    --output=${page} $<TARGET_FILE:${program}>
            DEPENDS ${program}
            COMMENT "Man page ${program}.1"
            VERBATIM
        )
        list(APPEND pages ${page})
    endforeach()
    add_custom_target(man ALL DEPENDS ${pages})
    install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
