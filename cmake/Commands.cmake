# SPDX-License-Identifier: GPL-3.0-or-later
# Writes what help2man includes in the page of a program: the --help of each of its commands, and
# where to read on; run at build time as a script.
#   PROGRAM  OUTPUT

execute_process(COMMAND ${PROGRAM} --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE ";" "\\;" help "${help}")
string(REPLACE "\n" ";" lines "${help}")
set(text "")
foreach(line IN LISTS lines)
    if(NOT line MATCHES "^  ([a-z]+)  +[a-z]") # a command, as --help lists them
        continue()
    endif()
    set(command ${CMAKE_MATCH_1})
    execute_process(COMMAND ${PROGRAM} ${command} --help
        OUTPUT_VARIABLE page COMMAND_ERROR_IS_FATAL ANY)
    string(TOUPPER "${command}" title)
    # roff: no backslash, no hyphen of the typesetter's, no line that begins with a dot or a quote
    string(REPLACE "\\" "\\e" page "${page}")
    string(REPLACE "-" "\\-" page "${page}")
    string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" page "${page}")
    string(APPEND text "[COMMAND ${title}]\n.nf\n${page}.fi\n\n")
endforeach()
file(WRITE ${OUTPUT} "${text}[SEE ALSO]\n\
.BR campmate (1),\n.BR campmate\\-selfplay (1),\n.BR campmate\\-data (1),\n\
.BR campmate\\-tune (1),\n.BR campmate\\-match (1)\n\n\
The full documentation is a set of texts that begins with README.md.\n")
