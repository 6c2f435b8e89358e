/* SPDX-License-Identifier: GPL-3.0-or-later */
/* version.c - which build this is. version_info.h is written by cmake/Version.cmake. */
#include "support/version.h"

#include "version_info.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#if defined(__clang__)
#define COMPILER                                                                                   \
    "clang " TEXT(__clang_major__) "." TEXT(__clang_minor__) "." TEXT(__clang_patchlevel__)
#elif defined(__GNUC__)
#define COMPILER "gcc " TEXT(__GNUC__) "." TEXT(__GNUC_MINOR__) "." TEXT(__GNUC_PATCHLEVEL__)
#else
#define COMPILER "unknown compiler"
#endif

const char *version_number(void)
{
    return CAMPMATE_VERSION;
}

const char *version_commit(void)
{
    return CAMPMATE_COMMIT;
}

const char *version_compiler(void)
{
    return COMPILER;
}

const char *version_level(void)
{
    return CAMPMATE_LEVEL;
}
