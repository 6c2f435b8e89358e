# SPDX-License-Identifier: GPL-3.0-or-later
# Packs what cpack has installed, run by cpack: the same files give the same bytes, whoever packs
# them, when and where (names in order, one date, no owner, directories open to all whatever the umask).

set(tarball ${CPACK_PACKAGE_DIRECTORY}/${CPACK_PACKAGE_FILE_NAME}.tar.xz)
if(NOT CPACK_CAMPMATE_DATE)
    message(FATAL_ERROR "no commit to take the date from: set SOURCE_DATE_EPOCH and configure again")
endif()
get_filename_component(parent ${CPACK_TEMPORARY_DIRECTORY} DIRECTORY)
get_filename_component(directory ${CPACK_TEMPORARY_DIRECTORY} NAME)
execute_process(
    COMMAND tar --create --sort=name --format=ustar --mtime=@${CPACK_CAMPMATE_DATE}
            --owner=0 --group=0 --numeric-owner --mode=u+rwX,go+rX,go-w
            --transform=s,^${directory},${CPACK_PACKAGE_FILE_NAME},
            --directory=${parent} ${directory}
    COMMAND xz --threads=1 --compress -6
    OUTPUT_FILE ${tarball}
    COMMAND_ERROR_IS_FATAL ANY
)
# Beside cpack's own list of packages: what it takes for one.
set(CPACK_EXTERNAL_BUILT_PACKAGES ${tarball})
