/* SPDX-License-Identifier: GPL-3.0-or-later */
/* version.h - which build this is; filled in by CMake. */
#pragma once

/* "0.1.0", the commit ("abcdef123456" or "abcdef123456-dirty" or "unknown"), "gcc 12.2.0", "x86-64-v3". */
const char *version_number(void);
const char *version_commit(void);
const char *version_compiler(void);
const char *version_level(void);
