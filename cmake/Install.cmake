# What `cmake --install` puts in place: programs, man pages, shell completion.

set(programs "")
foreach(program campmate campmate-selfplay campmate-data campmate-tune campmate-match)
    if(TARGET ${program})
        list(APPEND programs ${program})
    endif()
endforeach()
if(programs)
    install(TARGETS ${programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
