# SPDX-License-Identifier: GPL-3.0-or-later
# Writes version_info.h with the commit of the source tree; run at build time as a script.
#   SOURCE_DIR TEMPLATE OUTPUT CAMPMATE_VERSION CAMPMATE_LEVEL

set(CAMPMATE_COMMIT unknown)
find_program(GIT git)
if(GIT)
    execute_process(
        COMMAND ${GIT} -C ${SOURCE_DIR} rev-parse --short=12 HEAD
        OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed
    )
    if(NOT failed)
        set(CAMPMATE_COMMIT ${commit})
        execute_process(
            COMMAND ${GIT} -C ${SOURCE_DIR} status --porcelain --untracked-files=no
            OUTPUT_VARIABLE changes OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
        )
        if(changes)
            string(APPEND CAMPMATE_COMMIT -dirty)
        endif()
    endif()
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY) # leaves an equal file alone
